/* A frame seen through settings (which rows, which columns, which order), as cells
 * of text with a role. Front ends draw cells; they know neither events nor ratios. Cells are made
 * on demand, so that only what is shown is computed. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "base/err.h"
#include "metric/metric_set.h"
#include "model/frame.h"
#include "view/cell.h"
#include "view/detail.h"
#include "view/edit.h"
#include "view/view_context.h"
#include "view/screen.h"
#include "view/settings.h"
#include "view/view_kind.h"

struct view;

/* catalog, screens and lookup outlive the view. The settings are the view's own to start with:
 * change them through view_settings(), then call view_apply(). */
struct view *view_new(const struct metric_set *metric_set, const struct screen_list *screens,
                      const struct view_lookup *lookup);
void view_free(struct view *view);
struct view_settings *view_settings(struct view *view);
const struct view_lookup *view_lookup_of(const struct view *view); /* as given, may be NULL */

/* A new frame (NULL: none); it outlives the view's use of it. Chooses columns again when the set of
 * events changed. Filters and sorts. */
void view_set_frame(struct view *view, const struct frame *frame);
/* After a change of settings: chooses columns, filters and sorts again. Columns got before are no
 * longer valid, here and in all calls that choose columns. */
void view_apply(struct view *view);

/* What is going to be counted, so that columns are known and can be asked for by name before the
 * first frame. Optional: a frame brings its set. A frame with another set is dropped. */
void view_set_events(struct view *view, struct event_set *events);

/* The filter. NULL or "" is none. -1 with a message where it is a condition with a mistake, and the
 * filter as it was. */
int view_set_filter(struct view *view, const char *text, struct err *err);
/* The same while it is being typed: a text that leaves no row, and is the beginning of another that
 * may, is not taken. */
enum view_typed {
    VIEW_TYPED_TAKEN,
    VIEW_TYPED_UNFINISHED, /* the beginning of a condition, or of a name; the old filter stays */
    VIEW_TYPED_WRONG,      /* a mistake; the old filter stays */
};
enum view_typed view_type_filter(struct view *view, const char *text, struct err *err);

/* Screens: a named set of columns. Without a choice (and again with name NULL) the first one whose
 * required events are all counted here is taken; before events are known, the first. -1 for a name
 * that is none, and for a screen with a column that nothing can fill. */
int view_choose_screen(struct view *view, const char *name, struct err *err);
const struct screen *view_screen(const struct view *view); /* NULL: there are none */

/* Columns, from left to right, at least one; events that no column of the screen uses have one of
 * their own behind the screen's, before the command. When threads are shown, `tid` follows `pid`.
 * The CPUs view leads with `cpu` and leaves out what only tasks have; those of users, commands and
 * cgroups lead with the number of processes and end with the name. */
size_t view_columns(const struct view *view);
const struct view_column *view_column(const struct view *view, size_t column);

/* The i-th of what may be a column; false after the last. Texts live until the metrics or the
 * events change. */
bool view_candidate(const struct view *view, size_t i, struct view_candidate *candidate);
/* After a change of the catalog, whose metrics may be elsewhere now. */
void view_renew_metrics(struct view *view);
/* The columns that make this screen again when it is loaded from INI text (struct column_list,
 * view/column_set.h): those of tasks, in the view of CPUs those of CPUs, which it returns. */
struct column_list;
enum view_kind view_choose_saved(const struct view *view, struct column_list *list);

/* Sorting. Numbers sort descending first, texts ascending; cells without a value come last, equal
 * ones in the order of thread ids. Without a choice the screen's own column sorts, in the CPUs view
 * the number of the CPU; so it is too while the chosen column is not shown. -1 if there is no
 * such column (before events are known: no fact and no metric). */
int view_sort_by(struct view *view, const char *name, bool reverse, struct err *err);
size_t view_sort_column(const struct view *view);
bool view_sort_reverse(const struct view *view);   /* not the column's own direction */
bool view_sort_ascending(const struct view *view); /* as shown now */
void view_sort_move(struct view *view, int step);  /* +1, -1: the next column that can sort */
void view_sort_invert(struct view *view);

/* Rows in order. */
size_t view_rows(const struct view *view);
const struct row *view_row(const struct view *view, size_t row);
/* Of a row that adds up processes: how many, and the key that they share (view/view_context.h). 0
 * for other rows. */
size_t view_row_processes(const struct view *view, size_t row, const char **key);

/* The cell as shown, in one of five states that differ in text as well as in role:
 *   12.3M   counted
 *   12.3M~  an estimate: multiplexed, or a ratio over different groups
 *   0       counted, and nothing happened
 *   n/a     undefined: nothing to divide by; or a percentage beyond 100 that says only that its two
 *           counts were scaled apart
 *   -       not counted: never 0 */
void view_cell(struct view *view, size_t row, size_t column, struct cell *cell);

#endif
