/* Panes: each has the keys and a part of the screen. The table is the first; the catalogue,
 * details, pages and prompts open over it, one over another, and each closes to the one below. */
#ifndef FRONT_TUI_STATE_PANE_H
#define FRONT_TUI_STATE_PANE_H

#include "front/tui/widget/layout.h"

struct dialog; /* dialog.h */
struct page;   /* page.h */
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

/* How much of the screen a pane takes: the table; all but messages and the line of keys; or a line
 * at the bottom, while the pane below stays visible. */
enum cover { COVER_TABLE, COVER_ALL, COVER_LINE };

struct pane {
    const char *name;  /* in lists of keys: "catalogue" */
    const char *title; /* over its keys in the help: "In the catalogue of events" */
    const struct key_command *commands; /* its own: they come before those of all panes */
    enum cover cover;
    bool types;   /* characters are text, not commands */
    bool history; /* shows totals and the history of a row: frames bring them while it is open */

    /* A list: writes its lines, again before each drawing (unless fixed). It moves, is drawn and
     * pressed as a list unless functions below do that; two quick presses on a line run the first
     * of the commands. */
    void (*fill)(struct ui *ui, struct page *list);
    bool reads;                   /* it is text to read: there is no cursor */
    bool fixed;                   /* the lines change only with what is typed */
    void (*moved)(struct ui *ui); /* the cursor has moved; NULL: nothing to do */

    void (*draw)(struct ui *ui, const struct band *band, int width);
    void (*step)(struct ui *ui, enum step step); /* NULL: nothing moves, unless it is a list */
    void (*key)(struct ui *ui, int key);         /* a key without a command; NULL: it is ignored */
    /* The mouse was pressed on a line of its part of the screen, `twice` if two times quickly; and
     * on a column of the titles above it. NULL: that does nothing. */
    void (*press)(struct ui *ui, int line, bool twice);
    void (*titles)(struct ui *ui, int x);
    void (*close)(struct ui *ui); /* frees what it has; NULL: nothing */
    /* The label of a command in the line of keys, NULL for none; the member NULL: that of the
     * command. */
    const char *(*label)(const struct ui *ui, const struct key_command *command);
};

void pane_open(struct ui *ui, const struct pane *pane); /* over the others */
void pane_close(struct ui *ui);                         /* the uppermost, but never the table */
const struct pane *pane_now(const struct ui *ui);       /* the uppermost */
const struct pane *pane_main(const struct ui *ui);      /* the uppermost of more than a line */
bool pane_is_open(const struct ui *ui, const struct pane *pane);
bool pane_shows_history(const struct ui *ui);                    /* one that is open does */
void pane_run(struct ui *ui, const struct key_command *command); /* which is ui->command then */

struct page *pane_list(struct ui *ui);      /* of the main pane */
void pane_refill(struct ui *ui);            /* writes it again; its cursor stays */
void pane_point(struct ui *ui, bool twice); /* a press of the mouse on it */
void pane_type(struct ui *ui, int key);     /* edits ui->words and writes the list again */
void pane_step(struct ui *ui, enum step step);
void pane_press(struct ui *ui, int line, bool twice);
void pane_draw(struct ui *ui, const struct band *band, int width); /* the main pane */

#endif
