/* Panes. A pane owns a part of the screen and its keys. The table is the first pane; the catalogue,
 * details, pages and prompts open on top of it as a stack, and closing one returns to the pane
 * below. */
#ifndef FRONT_TUI_STATE_PANE_H
#define FRONT_TUI_STATE_PANE_H

#include "front/tui/widget/layout.h"

struct dialog; /* dialog.h */
struct page;   /* page.h */
struct ui;     /* state.h */

/* A command of a key. Tables of these end with a row without a name. */
struct key_command {
    const char *name;  /* for key bindings of the user */
    const char *keys;  /* default keys, separated by spaces; the line of keys shows the first */
    const char *label; /* in the line of keys; NULL: not shown there */
    int rank;          /* in the line of keys: if it is too narrow, the lowest is left out first */
    const char *help;  /* NULL: shares the help line of the command before it */
    void (*run)(struct ui *ui);
    int how;                     /* argument of .run: direction or distance */
    const struct dialog *dialog; /* of dialog_ask() */
    const struct pane *pane;     /* of pane_show() */
    const char *option;          /* the option that it changes; NULL: none, or it cannot be saved */
    const char *state;           /* what its value says, for F2; NULL: the help */
    const char *group;           /* title above it in the help; NULL: none */
    const char *hides; /* the common command that loses some of these keys here; NULL: none */
};

/* The part of the screen that a pane covers: the table; its left side, with the table live beside
 * it unless the screen is narrow; the lower half of the screen, with the table live above it,
 * unless the screen is low or ui->enlarged is set; all but messages and the line of keys; or one
 * line at the bottom, with the pane below visible. */
enum cover { COVER_TABLE, COVER_SIDE, COVER_LOWER, COVER_ALL, COVER_LINE };

/* What a pane needs to know of rows while it is open: nothing; their histories, for the past, too;
 * also totals, and who the row is that is followed. */
enum need { NEED_NOTHING, NEED_HISTORY, NEED_TOTALS };

struct pane {
    const char *name;  /* in lists of key bindings: "catalogue" */
    const char *title; /* above its keys in the help: "In the catalogue of events" */
    const struct key_command *commands; /* its own; they take precedence over common commands */
    enum cover cover;
    bool types;        /* characters are text, not commands */
    const char *typed; /* label of the words that are typed above a list; NULL: none are */
    enum need need;

    /* Called when it has been put on top; false: it closes again. NULL: nothing is to do. */
    bool (*open)(struct ui *ui);

    /* Makes the pane a list: writes its lines before each drawing (unless fixed). Moving, drawing
     * and clicks work as in a list unless functions below replace them. A double press on a line
     * runs the first command. */
    void (*fill)(struct ui *ui, struct page *list);
    bool reads; /* text to read, without a cursor */
    bool fixed; /* lines change only when words are typed */
    /* Called after the cursor moved, or that of the table above; may be NULL. */
    void (*moved)(struct ui *ui);

    void (*draw)(struct ui *ui, const struct band *band, int width); /* NULL: only lists */
    void (*step)(struct ui *ui, enum step step);                     /* NULL: only lists move */
    void (*key)(struct ui *ui, int key); /* a key without a command; NULL: ignored */
    /* A press of the mouse on a line of the pane, `twice`: a double press; and on a column of the
     * titles above it. NULL: ignored. */
    void (*press)(struct ui *ui, int line, bool twice);
    void (*titles)(struct ui *ui, int x);
    void (*close)(struct ui *ui); /* frees the pane's data; may be NULL */
    /* The label of a command in the line of keys, NULL for none; without this function the
     * command's own. */
    const char *(*label)(const struct ui *ui, const struct key_command *command);
};

/* On top of the others. Where text is typed, there is none at first; the cursor of a list is on its
 * line of what is in use, else at its beginning. */
void pane_open(struct ui *ui, const struct pane *pane);
void pane_show(struct ui *ui);                     /* a key: opens the pane of its command */
void pane_close(struct ui *ui);                    /* the topmost; never the table */
const struct pane *pane_now(const struct ui *ui);  /* the topmost */
const struct pane *pane_main(const struct ui *ui); /* the topmost of more than a line */
bool pane_is_open(const struct ui *ui, const struct pane *pane);
enum need pane_need(const struct ui *ui);                        /* the most of any open pane */
void pane_run(struct ui *ui, const struct key_command *command); /* sets ui->command */

struct page *pane_list(struct ui *ui);      /* the list of the main pane */
void pane_refill(struct ui *ui);            /* writes the list again; the cursor stays */
void pane_point(struct ui *ui, bool twice); /* handles a press of the mouse on the list */
void pane_type(struct ui *ui, int key);     /* edits ui->words and writes the list again */
void pane_jump(struct ui *ui);              /* a letter that is no key: to the next line with it */
void pane_step(struct ui *ui, enum step step);
void pane_move(struct ui *ui); /* a key: a step, as ui->command->how says */
void pane_press(struct ui *ui, int line, bool twice);
void pane_draw(struct ui *ui, const struct band *band, int width); /* draws the main pane */

#endif
