/* Names that are no event. */
#ifndef EVENT_UNKNOWN_H
#define EVENT_UNKNOWN_H

#include "event/query.h"

/* Fails with the nearest of all names. In a text for several machines the event may be another
 * machine's, and does not exist here, unless it differs in two letters at most from a known one. */
enum answer unknown_ask(struct query *q);

#endif
