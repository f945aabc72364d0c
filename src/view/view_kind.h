/* The views: a table that options, columns, rows, front ends and help read. */
#pragma once

#include "view/view_context.h"

struct view_type {
    const char *word;   /* for --view */
    const char *title;  /* of its tab */
    const char *about;  /* what its rows are; NULL: it is of a row of another view */
    const char *naming; /* the last column, whose texts identify rows (not those of CPUs); or NULL.
                         * A column with texts, or a view that adds up could not show its key */
    bool cpus;          /* its rows are CPUs */
    bool code;          /* ... functions or instructions */
    /* For views that add up processes: those with the same key are one row, and the naming column
     * shows the key. False: not known. */
    bool (*key)(const struct view_context *context, const struct row *process, char *key,
                size_t size);
    bool in_row; /* the key is in the process' row; else in /proc, for running processes of now */
    bool takers; /* rows are pairs of keys: who waited for a CPU, and who had it meanwhile */
};

extern const struct view_type view_types[]; /* by enum view_kind; ends with a row without word */

static inline bool view_of_cpus(enum view_kind kind) /* rows are CPUs */
{
    return view_types[kind].cpus;
}
static inline bool view_of_code(enum view_kind kind) /* rows are code, which is sampled */
{
    return view_types[kind].code;
}
static inline bool view_adds_up(enum view_kind kind) /* rows are sums of processes */
{
    return view_types[kind].key != NULL;
}
bool view_asks_proc(enum view_kind kind); /* keys of its rows are in /proc */
/* Whether the view is of CPUs, or of who had them, which the engine of the frame does not know. */
bool view_lacks_cpus(enum view_kind kind, const struct frame *frame);
/* Whether the view can have rows with the counters of this frame (NULL: none came yet): the
 * engine 'task' counts no CPUs, and who had them is known with events about waits. */
bool view_has_rows(enum view_kind kind, const struct frame *frame);
/* "tasks, cpus or users" */
void view_types_describe(struct str *text);
