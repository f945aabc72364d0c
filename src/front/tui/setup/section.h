/* The setup (F2): columns, screens, themes, switches, and what is saved. The titles of its sections
 * stand at the left, the lines of one at the right, some of the table above, so that a change is
 * seen at once. The lines of each section have a pane, which opens over that of the titles. */
#ifndef FRONT_TUI_SETUP_SECTION_H
#define FRONT_TUI_SETUP_SECTION_H

#include "front/tui/pane/dialog.h"

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
    size_t section; /* whose lines are visible */
    int above;      /* screen lines of the table above them, as drawn last */
    size_t column;  /* scroll to this one; SIZE_MAX: to none */
    struct metric_draft metric;
    char **obstacles; /* why a screen cannot be shown, by its number; "": it can; NULL: not tried */
    size_t obstacle_room;
    struct theme_list themes;
    bool previewed; /* another theme is visible than the one in use */
    char *written;  /* the file that settings were written to; NULL: none was */
};

struct section {
    const char *title;
    const struct pane *pane; /* while the cursor is on its lines */
};

enum { SECTIONS = 5 };

/* In setup.c. */
extern const struct section setup_sections[SECTIONS];
extern const struct pane pane_setup;

void section_show(struct ui *ui, size_t section);
void section_enter(struct ui *ui); /* a key: the cursor goes to the lines */

/* What the panes of sections have in common. */
void section_draw(struct ui *ui, const struct band *band, int width);
void section_press(struct ui *ui, int line, bool twice);
/* After columns changed: writes the lines again, and moves the cursor to that column. */
void section_point_column(struct ui *ui, const char *name);
/* The name of the line under the cursor, until the lines change; NULL: there is none. */
const char *section_chosen(struct ui *ui);
/* What the front end itself decides, for the program to save. */
struct front_look section_look(const struct ui *ui);
/* Whether there is room for more than names. */
bool section_is_wide(const struct ui *ui);

#endif
