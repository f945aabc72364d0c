/* The view of functions: what is sampled for it, and the line above it that says how much of what
 * was counted the samples explain. */
#ifndef FRONT_TUI_PANE_FUNCTIONS_H
#define FRONT_TUI_PANE_FUNCTIONS_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"

/* The functions of the row under the cursor, or without a cursor of all that is watched, for the
 * event of the column sorted by; in the view of functions back to the view before it. */
void functions_open(struct ui *ui);

/* Shows a view: starts sampling for the view of functions, and stops it for another one. */
void functions_show_view(struct ui *ui, enum view_kind kind);
/* Call with each new frame: where other events are counted, these are read with the samples. */
void functions_follow(struct ui *ui);

/* Callers from copies of the stack, or by frame pointers. */
void functions_stacks(struct ui *ui);

/* The callers of the function under the cursor, and what it calls. */
void functions_relations(struct ui *ui);
extern const struct pane pane_callers;

/* Whose functions are shown: "spin 1234"; "": of all that is watched. */
const char *functions_scope(const struct ui *ui);
/* Whose functions are shown, and the books of the samples, one line that the caller frees; NULL in
 * other views. */
char *functions_books(const struct ui *ui);
/* Why there are no functions. */
const char *functions_empty(const struct ui *ui);

void functions_close(struct ui *ui);

#endif
