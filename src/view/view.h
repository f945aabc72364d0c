/* Shows a frame through settings (which rows, which columns, which order), as cells of text with a
 * role. Front ends draw cells; they know neither events nor ratios. Cells are made on demand. */
#pragma once

#include "metric/metric_set.h"
#include "view/detail.h"
#include "view/screen.h"
#include "view/view_kind.h"

/* metric_set, screens and lookup outlive the view. */
struct view *view_new(const struct metric_set *metric_set, const struct screen_list *screens,
                      const struct view_lookup *lookup);
void view_free(struct view *view);

/* The settings, which the view owns. */
const struct view_settings *view_settings(const struct view *view);
/* Asks for other settings, of which the view makes a copy (`sampled` stays): chooses columns,
 * filters and sorts again. A filter that is no condition is plain text. */
void view_change(struct view *view, const struct view_settings *next);
/* The same with another frame at once, as of view_set_frame(): rows are chosen only once. */
void view_change_frame(struct view *view, const struct view_settings *next,
                       const struct frame *frame);
/* Only rows of these tasks, when rows are chosen next. */
void view_watch(struct view *view, const struct watch *watch);

const struct view_lookup *view_lookup_of(const struct view *view); /* may be NULL */

/* held: from now on what the lookup says of a task stays as it is first said. */
void view_hold(struct view *view, bool held);

/* Sets the frame (NULL: none), which must outlive its use here. If the set of events changed,
 * chooses columns again. Filters and sorts. */
void view_set_frame(struct view *view, const struct frame *frame);
/* CPUs used by what is watched in the frame; -1 if that is the machine, or if there is no frame. */
double view_watched(const struct view *view);
/* Chooses columns, filters and sorts again, where other names or metrics are known. This and all
 * other calls that choose columns invalidate columns. */
void view_apply(struct view *view);

/* Announces the events, to name columns before the first frame. Drops a frame with another set. */
void view_set_events(struct view *view, struct event_set *events);

/* Sets the filter; NULL or "" removes it. -1 with a message: a mistake, the old one stays. */
int view_set_filter(struct view *view, const char *text, struct err *err);
/* The condition that a text with comparisons, but no condition, was meant to be: for 'root cpu > 5'
 * that is 'user = root and cpu > 5'. NULL: none; else the caller frees it. */
char *view_meant_filter(const struct view *view, const char *text);
bool view_filters_text(const struct view *view); /* the filter is plain text, not a condition */
/* The same while it is typed: not used is what leaves no rows, but may become another filter. */
enum view_typed {
    VIEW_TYPED_TAKEN,
    VIEW_TYPED_UNFINISHED, /* the beginning of a condition or name; the old filter stays */
    VIEW_TYPED_WRONG,      /* a mistake; the old filter stays */
};
enum view_typed view_type_filter(struct view *view, const char *text, struct err *err);

/* Screens: a named set of columns. By default (or with name NULL) the first one whose required
 * events are all counted is used; before events are known, the first. -1 for an unknown name, and
 * for a screen with a column that cannot be filled. turns: a screen of CPUs is shown in their view,
 * and the next one in that of tasks. */
int view_choose_screen(struct view *view, const char *name, bool turns, struct err *err);
const struct screen *view_screen(const struct view *view); /* NULL: there are none */
const struct screen_list *view_screens(const struct view *view);

/* Columns, from left to right, at least one. Events that no column of the screen uses have columns
 * of their own after the screen's, before the naming column, and `coverage_pct` if they are
 * multiplexed. If threads are shown, `tid` follows
 * `pid`. The CPUs view begins with `cpu` and leaves out columns of tasks; views of users, commands
 * and cgroups begin with the number of processes and end with the name. */
size_t view_columns(const struct view *view);
const struct view_column *view_column(const struct view *view, size_t column);
/* Whether anything that is shown, or the filter, is about cgroups. */
bool view_tells_cgroups(const struct view *view);
/* As builtin_cgroup(), from /proc; NULL, too, if no cgroups are shown. */
const char *view_cgroup(const struct view *view, const struct row *row, char *path, size_t size);
/* What the task of a row waits for; all zero: nothing is known. False: no column shows it. */
bool view_waits(const struct view *view, const struct row *row, struct task_wait *wait);
enum strip_kind view_column_strip(const struct view *view, size_t column);
/* How many cells the last column must keep where this one is shown; 0: it is shown anyway. */
int view_column_spare(const struct view *view, size_t column);

/* The i-th possible column; false after the last. Valid until metrics or events change. */
bool view_candidate(const struct view *view, size_t i, struct view_candidate *candidate);
/* Call after a change of the set of metrics: they may have moved. */
void view_renew_metrics(struct view *view);
/* The columns to save, so that loading the INI text gives this screen again (struct column_list,
 * view/column.h): those of tasks; in the view of CPUs those of CPUs. Returns which. */
struct column_list;
enum view_kind view_choose_saved(const struct view *view, struct column_list *list);

/* Sorting. Numbers sort descending, texts ascending; cells without a value come last, equal ones
 * are sorted by thread id. By default, and while the chosen column is not shown, the screen's own
 * column sorts, in the CPUs view the number of the CPU. -1 if there is no such column (before
 * events are known: no builtin column or metric). In the view of heat the column chosen is the one
 * whose values are drawn; the order stays. */
int view_sort_by(struct view *view, const char *name, bool reverse, struct err *err);
size_t view_sort_column(const struct view *view);
/* Whether rows are sorted in ascending order now. */
bool view_sort_ascending(const struct view *view);
void view_sort_move(struct view *view, int step); /* +1, -1: the next column that can sort */
void view_sort_invert(struct view *view);

/* Rows, sorted. */
size_t view_rows(const struct view *view);
const struct row *view_row(const struct view *view, size_t row);
/* What is known of a row that adds up processes (view/view_context.h); NULL for other rows. */
const struct group *view_row_group(const struct view *view, size_t row);

/* What the rows that pass the filter have together, a second, of the column sorted by, in a frame
 * that is not shown. NAN: it is not measured, or the frame is of other events. */
double view_rows_total(struct view *view, const struct frame *frame);

/* The cell as shown, in one of five states that differ in text as well as in role:
 *   12.3M   counted
 *   12.3M~  an estimate: multiplexed, or a ratio over different groups
 *   0       counted, and nothing happened
 *   n/a     undefined: nothing to divide by; or a percentage beyond 100 that says only that its two
 *           counts were scaled apart
 *   -       not counted: never 0 */
void view_cell(struct view *view, size_t row, size_t column, struct cell *cell);
/* Why it is "-", valid as long as the frame; NULL: it is not. */
const char *view_missing(const struct view *view, size_t row, size_t column);
/* Whether a row that is asleep has the same cells in all frames as long as its facts, and what
 * view_asleep_cells() tells, are the same: nothing is read from /proc, drawn or compared. */
bool view_asleep_lasts(const struct view *view);
/* Appends the columns, and the texts that all sleeping rows have. row: one of them. */
void view_asleep_cells(struct view *view, size_t row, struct str *text);
/* The command line of the process of a row, safe for a terminal, for front ends with room beside
 * its name. False where the last column is not the name or has it already, or none is known. */
bool view_command_line(const struct view *view, size_t row, char *text, size_t size);

/* Edits the columns of the current screen in a working copy. A screen keeps its copy until
 * view_undo_edits(), also while another screen is shown or other events are counted. A call that
 * changes something invalidates columns. -1 with a message: there is no such column, it is shown
 * already, its position is fixed (the naming column is last), or it is the only one. */

/* Inserts before column number `place` (after the last: at the end); takes a name or a title. */
int view_add_column(struct view *view, const char *name, size_t place, struct err *err);
/* -1 with the message of view_add_column() if rows of this view can have no value of the metric. */
int view_check_metric(const struct view *view, const struct metric *metric, struct err *err);
int view_remove_column(struct view *view, size_t column, struct err *err);
int view_move_column(struct view *view, size_t column, int step, struct err *err); /* +1, -1 */
/* In cells, COLUMN_MIN to COLUMN_MAX (view/screen.h); 0: the default. */
int view_resize_column(struct view *view, size_t column, int width, struct err *err);
void view_undo_edits(struct view *view); /* restores the screen's text */

/* Where nothing that is watched ran: a sentence for the place of the rows, appended to `text`, in
 * which `idle` names the key or option that shows them. False: all tasks are watched, or rows of
 * others are shown. */
bool view_tell_asleep(const struct view *view, const char *idle, struct str *text);
/* How many threads of the processes in the table did not run in the interval; asks /proc. */
size_t view_asleep_threads(const struct view *view);

/* Of a view of takers: who takes from whom as a matrix, in lines of at most `width` (at least 80)
 * cells: of the twelve that waited longest, what parts the twelve that took most had. False: it is
 * another view, or nothing is known. */
bool view_format_taken(const struct view *view, int width, struct str *text);
