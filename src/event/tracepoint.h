/* Tracepoints by name, `subsystem:event`, from tracefs (Documentation/trace/events.rst). */
#ifndef EVENT_TRACEPOINT_H
#define EVENT_TRACEPOINT_H

#include "base/err.h"

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

#endif
