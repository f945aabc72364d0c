/* Editing the columns of the screen that is shown, in a working copy. A screen keeps its copy until
 * that is undone, also while another screen is shown or other events are counted. Columns got
 * before are no longer valid after a call that changed something. -1 with a message: no such
 * column, it is shown already, it has its place in this view (the name of the rows is last), the
 * last one is not removed. */
#ifndef VIEW_EDIT_H
#define VIEW_EDIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct view;

/* Before column number `place` (behind the last: at the end); a name or a title. */
int view_add_column(struct view *view, const char *name, size_t place, struct err *err);
int view_remove_column(struct view *view, size_t column, struct err *err);
int view_move_column(struct view *view, size_t column, int step, struct err *err); /* +1, -1 */
/* In cells, COLUMN_LEAST to COLUMN_MOST (view/screen.h); 0: as wide as usual. */
int view_resize_column(struct view *view, size_t column, int width, struct err *err);
bool view_edited(const struct view *view); /* whether the screen that is shown was */
void view_undo_edits(struct view *view);   /* the screen as its text has it */

#endif
