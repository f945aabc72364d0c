/* The setup (F2): columns, screens, themes, switches, and saving. Titles of sections are at the
 * left, the lines of one section at the right, and part of the table above them, so that changes
 * are visible at once. These lines are a pane on top of that of titles. */
#pragma once

#include "front/tui/pane/panes.h"

struct setup {
    size_t section;       /* the visible section */
    int above;            /* screen lines of the table above them, from the last drawing */
    struct metric_draft { /* a metric while it is created or edited */
        char *name;
        char *unit;           /* of a new metric; else NULL */
        char *before;         /* old expression of an edited metric; else NULL */
        bool own;             /* the old expression was set at run time, too */
        bool tried;           /* the table shows the typed expression */
        struct dialog dialog; /* asks for the expression; its label is the metric's name */
    } metric;
    struct theme_list themes;
    bool ascii;    /* the user asked for ASCII only */
    char *written; /* the file that settings were saved to; NULL: none */
};

struct setup *setup_of(const struct ui *ui);

extern const struct pane pane_setup, pane_setup_lines;

/* Functions of all panes of sections. */
void section_draw(struct ui *ui, const struct band *band, int width);
void section_press(struct ui *ui, int line, bool twice);
/* What identifies the line under the cursor in the list of the shown section, such as the name of a
 * column: valid until the lines change; NULL: none. */
const char *section_chosen(struct ui *ui);

/* columns.c: the section "columns", the list of those to add, metrics that are made and edited. */
void columns_fill(struct ui *ui, struct page *list);
/* The index of the column under the cursor, also of one behind which another is added; SIZE_MAX:
 * the cursor is elsewhere. Line 0 of the list is its title. */
size_t columns_at(const struct ui *ui);
void metric_forget(struct ui *ui); /* frees the draft */
extern const struct pane pane_setup_columns, pane_setup_add;
