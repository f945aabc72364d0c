/* Columns and cells for front ends to draw. */
#pragma once

#include "base/base.h"

/* Roles of cells and parts of the screen. */

enum { AMOUNT_STEPS = 24 }; /* shades of one hue */

/* The meaning of a cell or a part of the screen; themes map roles to colours and attributes. Names
 * in theme files are in lower case with '-' for '_', without ROLE_. */
enum role {
    ROLE_TEXT,         /* ordinary text */
    ROLE_LABEL,        /* labels in the header */
    ROLE_VALUE,        /* their values */
    ROLE_DIM,          /* less important: zeros, units, separators */
    ROLE_HEADING,      /* column titles */
    ROLE_HEADING_SORT, /* the title of the sort column */
    ROLE_SELECTED,     /* the row under the cursor */
    ROLE_COUNTED,      /* a number as counted */
    ROLE_SCALED,       /* an estimate: the event was multiplexed */
    ROLE_UNDEFINED,    /* an undefined ratio: division by zero */
    ROLE_MISSING,      /* not counted */
    ROLE_GOOD,         /* beyond a metric's good limit */
    ROLE_BAD,          /* beyond a metric's bad limit */
    ROLE_DEAD,         /* an ended task */
    ROLE_TAGGED,       /* a tagged row */
    ROLE_WATCHED,      /* a highlighted row */
    ROLE_OTHER_USER,   /* in the user column: another user than oneself */
    ROLE_NOTICE,       /* one line that says what is missing */
    ROLE_ERROR,        /* a refused request */
    ROLE_KEY,          /* a key in the line of keys and in the help */
    ROLE_KEY_LABEL,    /* the label of a key */
    ROLE_PROMPT,       /* the typed text */
    ROLE_BOX,          /* of the picture of stacks: a box that is no function, or has no IPC */
    ROLE_BOX_1,        /* ... functions of one object, or of another one */
    ROLE_BOX_2,
    ROLE_BOX_3,
    ROLE_BOX_4,
    ROLE_BOX_5,
    ROLE_BOX_6,
    ROLE_BOX_GOOD, /* ... beyond the good limit of IPC, between both, beyond the bad one */
    ROLE_BOX_MID,
    ROLE_BOX_BAD,
    ROLE_BOX_FOUND, /* ... with the text that is searched for */
    ROLE_TAB,       /* the view and the screen that are shown */
    ROLE_AMOUNT,    /* the first of AMOUNT_STEPS shades: heat, bars, curves, hot numbers */
    ROLE_NAMES,     /* themes know the roles before this one */
    ROLE_COUNT = ROLE_AMOUNT + AMOUNT_STEPS
};

const char *role_name(enum role role); /* "heading-sort"; all shades are "amount" */
enum role amount_role(double part);    /* the shade of a part (0 to 1) of the full amount */

/* Where a value stands in its column now, for columns without limits for good and bad. */

struct standing {
    uint64_t choice;  /* of the rows that it was measured over, for the caller */
    double warm, hot; /* from which a value is in the hottest fifth, in the hottest twentieth */
};

/* The mark of a part (0 to 1) of a full cell: blocks, in ASCII digits. */
const char *heat_mark(double part, bool ascii);

enum { BRAILLE_LEVELS = 4, BRAILLE_BYTES = 3 };
/* Writes a cell with two columns of dots, 0 to BRAILLE_LEVELS high, and a NUL; returns where that
 * is, at most BRAILLE_BYTES on. Patterns are from U+2800 on, whose dots are numbered 1 2 3 7 from
 * above on the left and 4 5 6 8 on the right (Unicode, chapter 21.1). */
char *braille_put(char *text, int left, int right);

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
