/* Setup on the screen: sections at the left, their lines at the right, below some of the table, so
 * that a change is seen at once. Each section has a pane of its own (setup_columns.h ...), which
 * opens over that of the sections. */
#ifndef FRONT_TUI_SETUP_H
#define FRONT_TUI_SETUP_H

#include "front/term/theme.h"
#include "front/tui/dialog.h"
#include "front/tui/ui.h"

/* Whether a screen can be shown, once it was tried. */
struct setup_trial {
    bool tried;
    char *obstacle; /* NULL: it can */
};

/* A metric while it is being made or edited. */
struct setup_metric {
    char *name;
    char *unit;           /* of a new one; else NULL */
    char *before;         /* the expression of one that is edited; else NULL */
    bool own;             /* and that was set while the program runs, too */
    bool tried;           /* what is typed is on show */
    struct dialog dialog; /* asks for the expression; its label is the name */
};

struct setup_state {
    size_t section;              /* whose lines are on show */
    bool inside;                 /* the cursor is on one of them, not on the sections */
    struct page list;            /* the lines */
    void (*fill)(struct ui *ui); /* adds them to the list */
    int above, left;             /* cells around the lines, as drawn last, in what the pane has */
    bool adding;                 /* the lines are what may be added */
    struct prompt words;         /* which of it: with these words */
    size_t column;               /* the one that is to be in sight; SIZE_MAX: no matter which */
    struct setup_metric metric;
    struct setup_trial *trials; /* of the screens, by their numbers */
    size_t trial_room;
    struct theme_list themes;
    bool previewed; /* another theme is on show than the one in use */
    char *written;  /* the file that settings were written to; NULL: none was */
};

void setup_open(struct ui *ui);

/* ---- for the sections ---- */

/* What their panes have in common. */
void setup_draw(struct ui *ui, const struct band *band, int width);
void setup_step(struct ui *ui, enum step step);
void setup_press(struct ui *ui, int line, bool twice); /* twice does what the first command does */
void setup_close(struct ui *ui);

/* Other lines, with the cursor on the first of them. */
void setup_list(struct ui *ui, void (*fill)(struct ui *ui));
/* The lines anew, and the cursor on the one of that name. */
void setup_point(struct ui *ui, const char *name);
/* The name of the line under the cursor, until the lines change; NULL: there is none. */
const char *setup_chosen(const struct ui *ui);
/* Whether there is room for more than names. */
bool setup_is_wide(const struct ui *ui);

extern const struct pane pane_setup;

#endif
