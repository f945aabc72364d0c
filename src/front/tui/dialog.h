/* The prompts: what each asks for and does. ui->dialog is the one that is open. */
#ifndef FRONT_TUI_DIALOG_H
#define FRONT_TUI_DIALOG_H

#include "front/tui/ui.h"

struct dialog {
    const char *label;                               /* before the text */
    const char *hint;                                /* while the text is empty */
    const char *enter;                               /* what Enter does, for the key line */
    void (*change)(struct ui *ui, const char *text); /* after each key; NULL: nothing */
    int (*enter_text)(struct ui *ui, const char *text, struct err *err); /* -1: stays open */
    void (*cancel)(struct ui *ui);                                       /* NULL: nothing to undo */
    /* The i-th name that Tab completes to, NULL behind the last; the member NULL: none. */
    const char *(*candidate)(struct ui *ui, size_t i);
};

/* Asks for a text; what is typed begins with `text`, which may be NULL. */
void dialog_open(struct ui *ui, const struct dialog *dialog, const char *text);

void dialog_search(struct ui *ui);
void dialog_filter(struct ui *ui);
void dialog_event(struct ui *ui);
void dialog_event_from(struct ui *ui, const char *text); /* with that text to go on from */
void dialog_remove(struct ui *ui);
void dialog_attach(struct ui *ui);
void dialog_let_go(struct ui *ui);
void dialog_user(struct ui *ui);
void dialog_delay(struct ui *ui);
void dialog_save(struct ui *ui);

void dialog_search_again(struct ui *ui); /* the next row with the text searched for last */
void dialog_search_back(struct ui *ui);  /* the one before */

extern const struct pane pane_prompt;

#endif
