/* Columns and cells for front ends to draw. */
#ifndef VIEW_CELL_H
#define VIEW_CELL_H

#include "view/role.h"

#include <stdbool.h>
#include <stddef.h>

/* How the cells of a column are drawn (view/strip.h); STRIP_NONE: they have texts. */
enum strip_kind { STRIP_NONE, STRIP_TREND, STRIP_STACK };

/* Facts of a column. */
struct view_column {
    const char *name;  /* "pid", "ipc", "cycles": unique, for --sort */
    const char *title; /* "PID", "IPC" */
    const char *help;  /* one sentence */
    int width;         /* of the cells, without the gap; the last column takes the rest */
    bool left;         /* left-aligned, else right-aligned */
};

/* A possible column: a builtin one, a metric, or a counted event. */
struct view_candidate {
    const char *name, *title, *help;
    const char *expr; /* of a metric; else NULL */
    char needs[160];  /* missing events of a metric: "cycles, branches"; "" if it can be computed */
    bool fits;        /* rows of the current view have it */
    bool shown;
};

struct cell {
    char text[256]; /* UTF-8 without control characters, not padded; cut to the column's width
                       except in the last column */
    enum role role;
    bool marked; /* an estimate (scaled, or a ratio over different groups): the text ends in '~' */
};

#endif
