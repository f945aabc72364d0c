/* Panes: what has the keys and the space of the screen. The table is the first; the catalogue,
 * details, pages and prompts open over it, one over another, and each closes to the one below. */
#ifndef FRONT_TUI_PANE_H
#define FRONT_TUI_PANE_H

#include <stdbool.h>
#include <stddef.h>

struct band;    /* layout.h */
struct command; /* command.h */
struct ui;      /* ui.h */

/* What the keys of movement mean everywhere. */
enum step {
    STEP_UP,
    STEP_DOWN,
    STEP_PAGE_UP,
    STEP_PAGE_DOWN,
    STEP_HOME,
    STEP_END,
    STEP_LEFT,
    STEP_RIGHT,
};

/* How much of the screen a pane takes: a line at the bottom and what is below it goes on to be
 * seen, the table, or all but messages and the line of keys. */
enum cover { COVER_LINE, COVER_TABLE, COVER_ALL };

struct pane {
    const char *name;               /* for those who look for its keys: "catalogue" */
    const char *title;              /* over its keys in the help: "In the catalogue of events" */
    const struct command *commands; /* its own: they come before common_commands */
    enum cover cover;
    bool types; /* characters are text, and give no commands */
    void (*draw)(struct ui *ui, const struct band *band, int width);
    void (*step)(struct ui *ui, enum step step); /* NULL: nothing moves */
    void (*key)(struct ui *ui, int key);         /* a key without a command; NULL: it is ignored */
    /* The mouse was pressed on a line of what it has of the screen, or `twice` there in a moment;
     * and on a column of the titles above it. NULL: that does nothing. */
    void (*press)(struct ui *ui, int line, bool twice);
    void (*titles)(struct ui *ui, int x);
    void (*refresh)(struct ui *ui); /* another frame is on show; NULL: no matter */
    void (*close)(struct ui *ui);   /* lets go of what it has; NULL: nothing */
    /* The label of one of its commands in the line of keys, NULL for none; the member NULL: that of
     * the command. */
    const char *(*label)(const struct ui *ui, const struct command *command);
};

enum { PANES_OPEN = 8 }; /* most that are open at a time */

/* The i-th pane there is, NULL behind the last: for lists of keys. */
const struct pane *pane_at(size_t i);

void pane_open(struct ui *ui, const struct pane *pane); /* over the others */
void pane_close(struct ui *ui);                         /* the uppermost, but never the table */
const struct pane *pane_now(const struct ui *ui);       /* the uppermost */
bool pane_is_open(const struct ui *ui, const struct pane *pane);

/* The part of a list of `count` things in which something at `at` is moved by a step, `height` of
 * them being on show; STEP_LEFT and STEP_RIGHT do not move it. */
size_t pane_moved(enum step step, size_t at, size_t count, size_t height);

#endif
