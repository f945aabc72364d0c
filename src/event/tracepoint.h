/* Tracepoints by name, `subsystem:event`, from tracefs (Documentation/trace/events.rst). */
#ifndef EVENT_TRACEPOINT_H
#define EVENT_TRACEPOINT_H

#include "base/err.h"
#include "base/names.h"

#include <stdbool.h>
#include <stdint.h>

enum tracepoint {
    TRACEPOINT_FOUND,
    TRACEPOINT_ABSENT, /* tracefs is readable and has no such tracepoint */
    TRACEPOINT_HIDDEN, /* tracefs is not mounted or not readable */
};

/* Whether text looks like a tracepoint's name, whether or not there is one. */
bool tracepoint_is_name(const char *text);

/* The number of a tracepoint, for attr.config; if it is not found, why gets the reason. */
enum tracepoint tracepoint_find(const char *name, uint64_t *id, struct err *why);

/* The first adds the subsystems, the second the events of one. Sorted; none if tracefs is not
 * readable. */
void tracepoint_subsystems(struct names *names);
void tracepoint_events(const char *subsystem, struct names *names);

/* Adds the fields that a filter of this tracepoint can use, in the tracepoint's order. */
void tracepoint_fields(const char *name, struct names *names);
/* Where a field is in the tracepoint's data, in bytes; false if it is not there or not readable. */
bool tracepoint_field(const char *name, const char *field, size_t *offset, size_t *size);

#endif
