/* Dialogs: a prompt asks for a text and does something with it. One is open at a time: ui->dialog.
 */
#ifndef FRONT_TUI_PANE_DIALOG_H
#define FRONT_TUI_PANE_DIALOG_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

struct dialog {
    const char *label;                               /* before the text */
    const char *hint;                                /* while the text is empty */
    const char *enter;                               /* what Enter does, for the line of keys */
    bool takes_empty;                                /* else Enter without a text only closes */
    void (*begin)(struct ui *ui, struct str *text);  /* writes the text to begin with; NULL: none */
    void (*change)(struct ui *ui, const char *text); /* after each key; NULL: nothing */
    /* Enter: a function of its own, or one of the program's, after which the view is applied. -1:
     * stays open. */
    int (*enter_text)(struct ui *ui, const char *text, struct err *err);
    int (*ask_host)(struct host *host, const char *text, struct err *err);
    void (*cancel)(struct ui *ui); /* NULL: nothing to undo */
    /* The next one of what the text finds; NULL: it finds nothing. */
    void (*next)(struct ui *ui, bool backwards);
    /* The i-th name that Tab completes to, NULL after the last; the member NULL: none. */
    const char *(*candidate)(struct ui *ui, size_t i);
};

/* Asks for a text, which begins with `text` (NULL: empty). */
void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text);
void dialog_ask(struct ui *ui); /* a key: opens the dialog of the command */

extern const struct pane pane_prompt;

#endif
