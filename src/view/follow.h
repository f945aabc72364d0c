/* Details of one row, which is followed from interval to interval. */
#ifndef VIEW_FOLLOW_H
#define VIEW_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

struct view;
struct detail;

/* Details. A history of the rows in the frame, which is that of one interval; `held`: what is on
 * show of the row that is followed stays as it is. */
void view_record(struct view *view, bool held);
/* The same while an interval of before is on show, for a history of its own: what is told is that
 * of the past from view_turn(true) on, which begins it anew, and of now after view_turn(false). */
void view_turn(struct view *view, bool past);
void view_recall(struct view *view, bool held);
/* Follows a row, by its id, until another one is followed; then what is on show of it, from the
 * frame of the interval that was recorded last. */
void view_follow(struct view *view, size_t row);
void view_tell(struct view *view);
/* The totals of that row, from a frame of the whole time. */
void view_record_total(struct view *view);
const struct detail *view_detail(const struct view *view); /* view/detail.h */

#endif
