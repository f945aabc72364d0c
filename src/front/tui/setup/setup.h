/* The setup (F2): columns, screens, themes, switches, and saving. Titles of sections are at the
 * left, the lines of one section at the right, and part of the table above them, so that changes
 * are visible at once. The lines of each section are a pane, which opens on top of the pane of
 * titles. */
#ifndef FRONT_TUI_SETUP_SETUP_H
#define FRONT_TUI_SETUP_SETUP_H

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
    char *theme;    /* the name of the one in use; NULL: the default */
    bool ascii;     /* the user asked for ASCII only */
    char *written;  /* the file that settings were saved to; NULL: none */
};

struct section {
    const char *title;
    const struct pane *pane; /* open while the cursor is on its lines */
};

enum { SECTIONS = 5 };

struct setup *setup_of(const struct ui *ui);

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

/* metric.c: prompts that make and edit metrics, and the events that these need. */
void metric_edit(struct ui *ui);   /* a key: edits that of the column under the cursor */
void metric_new(struct ui *ui);    /* a key: asks for name, unit and expression */
void metric_undo(struct ui *ui);   /* removes all metrics made or edited here */
void metric_forget(struct ui *ui); /* frees the draft */

/* Events that are counted only because a metric added in the setup needs them. They are removed
 * when no column needs them. */

/* Call after the program added the events of that metric: remembers those that the frame does not
 * have yet. */
void setup_events_note(struct ui *ui, const char *metric);
void setup_events_prune(struct ui *ui);

/* columns.c: the section "columns", and the list of columns that can be added. */
extern const struct pane pane_setup_columns, pane_setup_add;

/* Sections with lines to choose from: screens, themes, options, saving. */
extern const struct pane pane_setup_screens, pane_setup_themes, pane_setup_display, pane_setup_save;

void setup_open(struct ui *ui); /* a key */

#endif
