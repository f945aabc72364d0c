/* Sections of the setup: their titles at the left, the lines of one at the right, some of the table
 * above, so that a change is seen at once. The lines of each are in a pane of its own, which opens
 * over that of the titles. */
#ifndef FRONT_TUI_SETUP_SECTION_H
#define FRONT_TUI_SETUP_SECTION_H

#include "front/tui/pane/dialog.h"

struct section {
    const char *title;
    const struct pane *pane;     /* while the cursor is on its lines */
    void (*fill)(struct ui *ui); /* adds these to the list */
};

/* Whether a screen can be shown, once it was tried. */
struct screen_trial {
    bool tried;
    char *obstacle; /* NULL: it can */
};

/* A metric while it is made or edited. */
struct metric_draft {
    char *name;
    char *unit;           /* of a new one; else NULL */
    char *before;         /* the expression of one that is edited; else NULL */
    bool own;             /* and that was set while the program runs, too */
    bool tried;           /* the table shows what is typed */
    struct dialog dialog; /* asks for the expression; its label is the name */
};

struct setup {
    const struct section *sections;
    size_t count;
    const struct pane *pane;     /* of the titles */
    size_t section;              /* whose lines are visible */
    bool inside;                 /* the cursor is on one of them, not on the titles */
    struct page list;            /* the lines */
    void (*fill)(struct ui *ui); /* adds them to the list */
    int above, left;             /* cells around the lines, as drawn last */
    bool adding;                 /* the lines are columns that can be added */
    struct prompt words;         /* these have the words */
    size_t column;               /* scroll to this one; SIZE_MAX: to none */
    struct metric_draft metric;
    struct screen_trial *trials; /* of the screens, by their numbers */
    size_t trial_room;
    struct theme_list themes;
    bool previewed; /* another theme is visible than the one in use */
    char *written;  /* the file that settings were written to; NULL: none was */
};

void section_show(struct ui *ui, size_t section);
void section_enter(struct ui *ui); /* a key: the cursor goes to the lines */

/* What the panes of sections have in common. */
void section_draw(struct ui *ui, const struct band *band, int width);
void section_step(struct ui *ui, enum step step);
void section_press(struct ui *ui, int line, bool twice); /* twice: as the pane's first command */
void section_close(struct ui *ui);

/* Shows other lines, with the cursor on the first. */
void section_list(struct ui *ui, void (*fill)(struct ui *ui));
/* Writes the lines again, and moves the cursor to the one of that name. */
void section_point(struct ui *ui, const char *name);
/* After columns changed: moves the cursor to that one. */
void section_point_column(struct ui *ui, const char *name);
/* The name of the line under the cursor, until the lines change; NULL: there is none. */
const char *section_chosen(const struct ui *ui);
/* What the front end itself decides, for the program to save. */
struct front_look section_look(const struct ui *ui);
/* Whether there is room for more than names. */
bool section_is_wide(const struct ui *ui);

#endif
