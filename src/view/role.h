/* Roles: what stands between cells and colours. */
#ifndef VIEW_ROLE_H
#define VIEW_ROLE_H

/* What a cell or a piece of the screen means; themes map roles to colours and attributes. The
 * names in theme files are these in lower case with '-' for '_', without ROLE_. */
enum role {
    ROLE_TEXT,         /* ordinary text */
    ROLE_LABEL,        /* names of things in the header of the screen */
    ROLE_VALUE,        /* their values */
    ROLE_DIM,          /* of little interest: zeros, units, separators */
    ROLE_HEADING,      /* column titles */
    ROLE_HEADING_SORT, /* the title of the column that sorts */
    ROLE_SELECTED,     /* the row under the cursor */
    ROLE_COUNTED,      /* a number as counted */
    ROLE_SCALED,       /* an estimate: the event was multiplexed */
    ROLE_UNDEFINED,    /* a ratio without a value: division by zero */
    ROLE_MISSING,      /* not counted */
    ROLE_GOOD,         /* beyond a limit that is good */
    ROLE_BAD,          /* beyond a limit that is bad */
    ROLE_DEAD,         /* a task that ended */
    ROLE_TAGGED,       /* a row that was tagged */
    ROLE_WATCHED,      /* a row that is highlighted */
    ROLE_HEAT_LOW,     /* a bar of the heat: the lower third */
    ROLE_HEAT_MID,
    ROLE_HEAT_HIGH,
    ROLE_OTHER_USER, /* the user column: not oneself */
    ROLE_NOTICE,     /* one line that says what is missing */
    ROLE_ERROR,      /* a refusal */
    ROLE_KEY,        /* a key's name in the line of keys and in the help */
    ROLE_KEY_LABEL,  /* what that key does */
    ROLE_PROMPT,     /* where text is typed */
    ROLE_BAR,        /* filled part of a bar */
    ROLE_COUNT
};

const char *role_name(enum role role); /* "heading-sort" */

#endif
