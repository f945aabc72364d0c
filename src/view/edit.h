/* Edits the columns of the current screen in a working copy. A screen keeps its copy until
 * view_undo_edits(), also while another screen is shown or other events are counted. A call that
 * changes something invalidates columns. -1 with a message: there is no such column, it is shown
 * already, its position is fixed in this view (the naming column is last), or it is the only one
 * left. */
#ifndef VIEW_EDIT_H
#define VIEW_EDIT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct view;

/* Inserts before column number `place` (after the last: at the end); takes a name or a title. */
int view_add_column(struct view *view, const char *name, size_t place, struct err *err);
int view_remove_column(struct view *view, size_t column, struct err *err);
int view_move_column(struct view *view, size_t column, int step, struct err *err); /* +1, -1 */
/* In cells, COLUMN_MIN to COLUMN_MAX (view/screen.h); 0: the default. */
int view_resize_column(struct view *view, size_t column, int width, struct err *err);
bool view_edited(const struct view *view); /* the current screen has a copy */
void view_undo_edits(struct view *view);   /* restores the screen's text */

#endif
