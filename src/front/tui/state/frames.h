/* The frames on the screen: the last interval, and the totals if needed. */
#ifndef FRONT_TUI_STATE_FRAMES_H
#define FRONT_TUI_STATE_FRAMES_H

#include "front/tui/state/state.h"

/* ranks: rows of tasks become commands when the command has ended. */
void frames_begin(struct ui *ui, bool ranks);
/* Takes the frame of the last interval and shows it. While the screen is paused or shows the past,
 * the frame only updates histories and is freed. */
void frames_take(struct ui *ui, struct frame *frame);
/* Takes a frame of another time and always shows it. */
void frames_put(struct ui *ui, struct frame *frame);

/* Computes the details again, for another row or a changed history. */
void frames_retell(struct ui *ui);

/* Asks the view for other settings, other than the amount. */
void frames_change(struct ui *ui, const struct view_settings *next);
/* Chooses columns and rows again: other names are known, or other tasks watched. */
void frames_apply(struct ui *ui);
/* Call after another screen was chosen; shows its name. */
void frames_new_screen(struct ui *ui);

/* Key: the next of rates, counts of the interval, totals. The end of a command has an amount of its
 * own. */
void frames_next_amount(struct ui *ui);
/* Whether the command has ended and its last frame is shown. */
bool frames_at_end(const struct ui *ui);
/* What is shown while counting runs. */
void frames_usual(const struct ui *ui, enum view_amount *amount, enum view_kind *kind);

#endif
