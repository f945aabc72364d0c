/* Working copies of screens: their columns as someone changes them while they are on show. A screen
 * keeps its copy until that is undone, also while another one is on show, and whatever is counted.
 * Part of view/view, whose header says what is refused. */
#ifndef VIEW_EDIT_H
#define VIEW_EDIT_H

#include "view/column_name.h"

struct edits {
    struct screen **copies;
    size_t count, room;
};

void edits_init(struct edits *edits);
void edits_release(struct edits *edits);

/* The working copy of a screen; the screen itself where there is none. NULL stays NULL. */
const struct screen *edits_of(const struct edits *edits, const struct screen *screen);
/* Drops the working copy. False where there was none. */
bool edits_undo(struct edits *edits, const struct screen *screen);

/* What is changed: columns by their numbers on show. */
struct edit {
    struct edits *edits;
    const struct screen *screen; /* on show, or its working copy */
    const struct column_list *columns;
    enum view_kind kind;
};

/* As the calls of view/view.h. The view chooses its columns anew after each that returned 0. */
int edit_add(const struct edit *edit, const struct column_name_scope *scope, const char *name,
             size_t place, struct err *err);
int edit_remove(const struct edit *edit, size_t column, struct err *err);
int edit_move(const struct edit *edit, size_t column, int step, struct err *err);
int edit_resize(const struct edit *edit, size_t column, int width, struct err *err);

#endif
