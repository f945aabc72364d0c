/* Tracepoints by name, `subsystem:event`, from tracefs (Documentation/trace/events.rst). */
#ifndef EVENT_TRACEPOINT_H
#define EVENT_TRACEPOINT_H

#include "base/err.h"
#include "event/names.h"

#include <stdbool.h>
#include <stdint.h>

enum tracepoint {
    TRACEPOINT_FOUND,
    TRACEPOINT_ABSENT, /* tracefs is readable and has none of that name */
    TRACEPOINT_HIDDEN, /* tracefs is not mounted or not readable: nobody can tell */
};

/* Whether text looks like a tracepoint's name, whether or not there is one. */
bool tracepoint_is_name(const char *text);

/* The number of a tracepoint, for attr.config; where it is not found, why gets the reason. */
enum tracepoint tracepoint_find(const char *name, uint64_t *id, struct err *why);

/* Adds the subsystems and, of one of them, the events; none where tracefs is not readable. Sorted.
 */
void tracepoint_subsystems(struct names *names);
void tracepoint_events(const char *subsystem, struct names *names);

/* Adds the names of the fields that a filter of this tracepoint can ask for, in their order. */
void tracepoint_fields(const char *name, struct names *names);

#endif
