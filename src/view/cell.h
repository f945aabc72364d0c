/* Columns and cells as front ends draw them. */
#ifndef VIEW_CELL_H
#define VIEW_CELL_H

#include "view/role.h"

#include <stdbool.h>
#include <stddef.h>

/* What is known of a column before its cells. */
struct view_column {
    const char *name;  /* "pid", "ipc", "cycles": for --sort, and unique */
    const char *title; /* "PID", "IPC" */
    const char *help;  /* one sentence */
    int width;         /* of the cells, without the space between; the last column takes the rest */
    bool left;         /* aligned left, else right */
};

/* What may be a column: facts, metrics, counted events. */
struct view_candidate {
    const char *name, *title, *help;
    const char *expr; /* of a metric; else NULL */
    char needs[160];  /* of a metric the events that it needs and that are not counted: "cycles,
                         branches"; "" where it can be computed */
    bool fits;        /* rows of the current view have it */
    bool shown;
};

struct cell {
    char text[256]; /* UTF-8 without control characters, not padded; cut to the column's width
                       except in the last column */
    enum role role;
    bool marked; /* an estimate (scaled, or a ratio over different groups): text ends in '~' so
                    that the meaning does not hang on colour */
    size_t lead; /* bytes at the beginning of text that are lines of the tree, not the name */
};

#endif
