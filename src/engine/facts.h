/* Answers the roster's questions from /proc. */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include "engine/roster.h"

extern const struct roster_lookup facts_lookup;

#endif
