/* Answers the roster's questions from /proc. */
#ifndef ENGINE_PROC_NAMES_H
#define ENGINE_PROC_NAMES_H

#include "engine/roster.h"

extern const struct roster_lookup proc_names_lookup;

#endif
