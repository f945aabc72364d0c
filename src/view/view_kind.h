/* The views: one table, which options, columns, rows, front ends and help read. */
#ifndef VIEW_VIEW_KIND_H
#define VIEW_VIEW_KIND_H

#include "base/str.h"
#include "view/view_context.h"

struct view_type {
    const char *word;   /* of --view; the header calls the rows so */
    const char *naming; /* the column with texts that tells its rows apart, and is last; or NULL */
    /* Where rows add up processes: those with the same key are one row, which the naming column
     * shows. False: not known. */
    bool (*key)(const struct view_context *context, const struct row *process, char *key,
                size_t size);
    bool in_row; /* the key is in the row of the process; else /proc has it, while the process lives
                    and the present is shown */
};

extern const struct view_type view_types[]; /* by enum view_kind; a row without word ends it */

bool view_adds_up(enum view_kind kind);   /* processes */
bool view_asks_proc(enum view_kind kind); /* for the keys of its rows */
/* "tasks (default), cpus or users" */
void view_types_describe(struct str *text);

#endif
