/* The frames that are shown: those of intervals, and of the whole time where totals are wanted. */
#ifndef FRONT_TUI_STATE_FRAMES_H
#define FRONT_TUI_STATE_FRAMES_H

#include "front/tui/state/state.h"

/* Takes the frame of the last interval and shows it. While the screen is paused or shows the past,
 * only histories learn from it, and it is freed. */
void frames_take(struct ui *ui, struct frame *frame);
/* Takes a frame of another time and shows it in any case. */
void frames_put(struct ui *ui, struct frame *frame);

/* Computes the details again: of another row, or with another history. */
void frames_retell(struct ui *ui);

/* After a change of the amount shown. */
void frames_show(struct ui *ui);
/* After a change of the view's other settings. */
void frames_apply(struct ui *ui);
/* After another screen was chosen: says which. */
void frames_new_screen(struct ui *ui);

/* Rates, counts of the interval or totals: the next of them (a key). The end of a command has a
 * choice of its own. */
void frames_next_amount(struct ui *ui);
/* The command has ended, and its end is shown. */
bool frames_at_end(const struct ui *ui);

#endif
