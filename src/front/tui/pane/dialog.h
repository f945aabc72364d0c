/* Dialogs: a prompt asks for a text, and Enter applies it. Only one is open at a time:
 * ui->dialog. */
#ifndef FRONT_TUI_PANE_DIALOG_H
#define FRONT_TUI_PANE_DIALOG_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

struct dialog {
    const char *label;                               /* before the text */
    const char *hint;                                /* shown while the text is empty */
    const char *enter;                               /* label of Enter in the line of keys */
    bool takes_empty;                                /* else Enter only closes an empty prompt */
    void (*begin)(struct ui *ui, struct str *text);  /* writes the initial text; NULL: empty */
    void (*change)(struct ui *ui, const char *text); /* called after each key; may be NULL */
    /* Enter calls the first, or the second (a function of the program) and then applies the view.
     * -1: the prompt stays open. */
    int (*enter_text)(struct ui *ui, const char *text, struct err *err);
    int (*ask_host)(struct host *host, const char *text, struct err *err);
    void (*cancel)(struct ui *ui); /* reverts changes; may be NULL */
    /* Moves to the next match of the text; false: nothing has been searched for. NULL if the dialog
     * does not search. */
    bool (*next)(struct ui *ui, bool backwards);
    /* The i-th candidate of Tab, NULL after the last; may be NULL. */
    const char *(*candidate)(struct ui *ui, size_t i);
    /* What Tab makes of the whole text instead, which the caller frees; NULL: nothing. */
    char *(*meant)(const struct view *view, const char *text);
};

/* Opens a prompt with the initial text `text` (NULL: empty). */
void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text);
/* Keys: open the dialog of their command; or repeat its last search, or ask for one. */
void dialog_ask(struct ui *ui);
void dialog_again(struct ui *ui);

extern const struct pane pane_prompt;

#endif
