/* The setup (F2): columns, screens, themes, switches, and saving. Titles of sections are at the
 * left, the lines of one section at the right, and part of the table above them, so that changes
 * are visible at once. The lines of each section are a pane, which opens on top of the pane of
 * titles. */
#ifndef FRONT_TUI_SETUP_SECTION_H
#define FRONT_TUI_SETUP_SECTION_H

#include "front/tui/pane/dialog.h"

/* A metric while it is created or edited. */
struct metric_draft {
    char *name;
    char *unit;           /* of a new metric; else NULL */
    char *before;         /* old expression of an edited metric; else NULL */
    bool own;             /* the old expression was set at run time, too */
    bool tried;           /* the table shows the typed expression */
    struct dialog dialog; /* asks for the expression; its label is the metric's name */
};

struct setup {
    size_t section; /* the visible section */
    int above;      /* screen lines of the table above them, from the last drawing */
    size_t column;  /* index to scroll to; SIZE_MAX: none */
    struct metric_draft metric;
    struct theme_list themes;
    bool previewed; /* a theme is previewed that is not in use */
    char *written;  /* the file that settings were saved to; NULL: none */
};

struct section {
    const char *title;
    const struct pane *pane; /* open while the cursor is on its lines */
};

enum { SECTIONS = 5 };

/* Defined in setup.c. */
extern const struct section setup_sections[SECTIONS];
extern const struct pane pane_setup;

void section_show(struct ui *ui, size_t section);
void section_enter(struct ui *ui); /* a key: moves the cursor to the lines */

/* Functions of all panes of sections. */
void section_draw(struct ui *ui, const struct band *band, int width);
void section_press(struct ui *ui, int line, bool twice);
/* Call after columns changed: writes the lines again and moves the cursor to that column. */
void section_point_column(struct ui *ui, const char *name);
/* The name of the line under the cursor, valid until the lines change; NULL: none. */
const char *section_chosen(struct ui *ui);
/* Settings of the front end itself, for the program to save. */
struct front_look section_look(const struct ui *ui);
/* Whether more than names fit. */
bool section_is_wide(const struct ui *ui);

#endif
