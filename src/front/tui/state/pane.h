/* Panes: each has the keys and a part of the screen. The table is the first; the catalogue,
 * details, pages and prompts open over it, one over another, and each closes to the one below. */
#ifndef FRONT_TUI_STATE_PANE_H
#define FRONT_TUI_STATE_PANE_H

#include "front/tui/widget/step.h"

#include <stdbool.h>

struct band;   /* layout.h */
struct dialog; /* dialog.h */
struct ui;     /* state.h */

/* What a key does. Tables of these end with one without a name. */
struct key_command {
    const char *name;  /* the user binds other keys to it */
    const char *keys;  /* by default, separated by spaces; the line of keys shows the first */
    const char *label; /* in the line of keys; NULL: not there */
    int rank;          /* there: where room is short, the lowest is left out first */
    const char *help;  /* NULL: it shares a line and the help with the command before */
    void (*run)(struct ui *ui);
    int how;                     /* of a run that serves several: which direction, how far */
    const struct dialog *dialog; /* of dialog_ask() */
    const char *option;          /* the option that it changes; NULL: none, or none that lasts */
};

/* How much of the screen a pane takes: a line at the bottom, while the pane below stays visible;
 * the table; or all but messages and the line of keys. */
enum cover { COVER_LINE, COVER_TABLE, COVER_ALL };

struct pane {
    const char *name;  /* in lists of keys: "catalogue" */
    const char *title; /* over its keys in the help: "In the catalogue of events" */
    const struct key_command *commands; /* its own: they come before those of all panes */
    enum cover cover;
    bool types;   /* characters are text, not commands */
    bool history; /* shows totals and the history of a row: frames bring them while it is open */
    void (*draw)(struct ui *ui, const struct band *band, int width);
    void (*step)(struct ui *ui, enum step step); /* NULL: nothing moves */
    void (*key)(struct ui *ui, int key);         /* a key without a command; NULL: it is ignored */
    /* The mouse was pressed on a line of its part of the screen, `twice` if two times quickly; and
     * on a column of the titles above it. NULL: that does nothing. */
    void (*press)(struct ui *ui, int line, bool twice);
    void (*titles)(struct ui *ui, int x);
    void (*refresh)(struct ui *ui); /* after another frame was taken; NULL: nothing to do */
    void (*close)(struct ui *ui);   /* frees what it has; NULL: nothing */
    /* The label of a command in the line of keys, NULL for none; the member NULL: that of the
     * command. */
    const char *(*label)(const struct ui *ui, const struct key_command *command);
};

void pane_open(struct ui *ui, const struct pane *pane); /* over the others */
void pane_close(struct ui *ui);                         /* the uppermost, but never the table */
const struct pane *pane_now(const struct ui *ui);       /* the uppermost */
bool pane_is_open(const struct ui *ui, const struct pane *pane);
bool pane_shows_history(const struct ui *ui);                    /* one that is open does */
void pane_run(struct ui *ui, const struct key_command *command); /* which is ui->command then */

#endif
