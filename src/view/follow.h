/* Details of one row, which is followed from interval to interval. */
#ifndef VIEW_FOLLOW_H
#define VIEW_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

struct detail;
struct frame;
struct view;

/* Adds a frame of one interval to the history of its rows, whatever frame is shown; `held`: what is
 * told of the row that is followed stays as it is. */
void view_record(struct view *view, const struct frame *frame, bool held);
/* While an interval of the past is shown, the past has a history of its own: view_turn(true) begins
 * it, view_recall() adds to it, and it is what is told until view_turn(false). */
void view_turn(struct view *view, bool past);
void view_recall(struct view *view, const struct frame *frame, bool held);
/* Follows a row of the frame that is shown, by its id, until another one is followed. */
void view_follow(struct view *view, size_t row);
/* Tells of that row again, from the frame of the interval that was recorded last. */
void view_tell(struct view *view, const struct frame *frame);
/* The totals of that row, from a frame of the whole time. */
void view_record_total(struct view *view, const struct frame *frame);
const struct detail *view_detail(const struct view *view); /* view/detail.h */

#endif
