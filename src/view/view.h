/* What is on show: a frame seen through settings (which rows, which columns, which order), as cells
 * of text with a role. Front ends draw cells; they know neither events nor ratios. Cells are made
 * on demand, so that only what is shown is computed. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "base/err.h"
#include "metric/metric_set.h"
#include "model/frame.h"
#include "view/role.h"
#include "view/screen.h"

#include <stdbool.h>

/* In the order of the words of --view. The last three show rows that add up the processes of a
 * user, of a name, of a cgroup. */
enum view_kind {
    VIEW_TASKS,
    VIEW_CPUS,
    VIEW_USERS,
    VIEW_COMMANDS,
    VIEW_CGROUPS,
    VIEW_LAST = VIEW_CGROUPS,
};

/* What of a count is on show, in the order of the words of --show: how many a second, how many in
 * the interval, or how many since counting began. The last needs a frame of that whole time. */
enum view_amount { AMOUNT_RATE, AMOUNT_INTERVAL, AMOUNT_TOTAL };

/* What a row of the CPUs view adds up, in the order of the words of --level. */
enum view_level { LEVEL_CPU, LEVEL_CORE, LEVEL_SOCKET, LEVEL_TYPE };

struct view_settings {
    enum view_kind kind;
    enum view_amount amount;
    bool exact;         /* all digits of counts, without SI suffixes */
    bool threads;       /* threads instead of processes */
    bool idle;          /* also what did not run */
    bool cmdline;       /* command lines instead of names, whole paths of cgroups */
    bool ascii;         /* only ASCII in cells */
    char *filter;       /* only rows whose name or command line contains this, or, where it is a
                           condition on columns (view/condition.h), that satisfy it; NULL: all.
                           view_set_filter() checks it; what is no condition is plain text */
    struct watch watch; /* only rows of these */
    bool tree;          /* tasks under their parents; threads, too, under their process */
    bool sticky;        /* tasks that ended stay on show, as they were last; some thousands */
    uint64_t kept;      /* the id of a task that does so in any case; 0: none */
    double least_cpu;   /* only rows that take so many %CPU; 0: any. Not of CPUs */
    enum view_level level;
    struct watch highlight; /* rows of these are marked; empty: none */
};

/* Where a CPU is: numbers as the kernel has them, -1: not known. */
struct view_place {
    int socket, core; /* cores are numbered in each socket */
    char type[32];    /* of its core: "Cortex-A55", "cpu_atom"; "": not known */
};

/* What the view asks about a task that is on show, from /proc or a test. May be NULL. */
struct view_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid); /* name, or NULL; lives until the next call */
    /* Command line, spaces between the words, no control characters; false where there is none
     * (kernel threads, ended tasks). */
    bool (*cmdline)(void *ctx, pid_t pid, char *buffer, size_t size);
    /* State letter ('R', 'S' ...; '\0': not known) and number of threads (0: not known). */
    void (*state)(void *ctx, pid_t pid, pid_t tid, char *state, size_t *threads);
    /* Path of the cgroup of a process, "/" for the root; false for one that is gone. */
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
    /* What people call it: a container's short id, a unit's name. */
    void (*cgroup_name)(void *ctx, const char *path, char *name, size_t size);
    /* Leaves as it is what is not known. */
    void (*place)(void *ctx, int cpu, struct view_place *place);
};

struct view;
struct detail;

/* catalog, screens and lookup outlive the view. The settings are the view's own to start with:
 * change them through view_settings(), then call view_apply(). */
struct view *view_new(const struct metric_set *metric_set, const struct screen_list *screens,
                      const struct view_lookup *lookup);
void view_free(struct view *view);
struct view_settings *view_settings(struct view *view);
/* Whether frames are to have the tasks that did not run, too: those that are on show, or may be as
 * parents in the tree. */
bool view_needs_idle(const struct view_settings *settings);
const struct view_lookup *view_lookup_of(const struct view *view); /* as given, may be NULL */

/* A new frame (NULL: none); it outlives the view's use of it. Chooses columns anew when the set of
 * events changed. Filters and sorts. */
void view_set_frame(struct view *view, const struct frame *frame);
/* After a change of settings: chooses columns, filters and sorts again. Columns got before are no
 * longer valid, here and in all calls that choose columns. */
void view_apply(struct view *view);

/* What is going to be counted, so that columns are known and can be asked for by name before the
 * first frame. Optional: a frame brings its set. A frame with another set is let go of. */
void view_set_events(struct view *view, struct event_set *events);

/* The filter. NULL or "" is none. -1 with a message where it is a condition with a mistake, and the
 * filter as it was. */
int view_set_filter(struct view *view, const char *text, struct err *err);
/* The same while it is being typed: what leaves no row because more is to come is not taken. */
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
 * their own behind the screen's, before the command. With threads on show, `tid` follows `pid`. The
 * CPUs view leads with `cpu` and leaves out what only tasks have; those of users, commands and
 * cgroups lead with the number of processes and end with the name. */
size_t view_columns(const struct view *view);

struct view_column {
    const char *name;  /* "pid", "ipc", "cycles": for --sort, and unique */
    const char *title; /* "PID", "IPC" */
    const char *help;  /* one sentence */
    int width;         /* of the cells, without the space between; the last column takes the rest */
    bool left;         /* aligned left, else right */
};

const struct view_column *view_column(const struct view *view, size_t column);

/* Editing the columns of the screen on show, in a working copy that it keeps until that is undone,
 * also while other screens are on show or other events are counted. Columns got before are no
 * longer valid after a call that changed something. -1 with a message: no such column, it is on
 * show already, it has its place in this view (the name of the rows is last), the last one is not
 * removed. */
/* Before column number `place` (behind the last: at the end); a name or a title. */
int view_add_column(struct view *view, const char *name, size_t place, struct err *err);
int view_remove_column(struct view *view, size_t column, struct err *err);
int view_move_column(struct view *view, size_t column, int step, struct err *err); /* +1, -1 */
/* In cells, COLUMN_LEAST to COLUMN_MOST (view/screen.h); 0: as wide as usual. */
int view_resize_column(struct view *view, size_t column, int width, struct err *err);
bool view_edited(const struct view *view); /* whether the screen on show was */
void view_undo_edits(struct view *view);   /* the screen on show as its text has it */

/* What may be a column: facts, metrics, counted events. */
struct view_candidate {
    const char *name, *title, *help;
    const char *expr; /* of a metric; else NULL */
    char needs[160];  /* of a metric the events that it needs and that are not counted: "cycles,
                         branches"; "" where it can be computed */
    bool fits;        /* rows of the view on show have it */
    bool shown;
};
/* The i-th; false after the last. Texts live until the catalog or the events change. */
bool view_candidate(const struct view *view, size_t i, struct view_candidate *candidate);
/* After a change of the catalog, whose metrics may be elsewhere now. */
void view_renew_metrics(struct view *view);
/* The columns that make this screen again when it is loaded from INI text (struct column_list,
 * view/choose.h): those of tasks, in the view of CPUs those of CPUs, which it returns. */
struct column_list;
enum view_kind view_choose_saved(const struct view *view, struct column_list *list);

/* Sorting. Numbers sort descending first, texts ascending; cells without a value come last, equal
 * ones in the order of thread ids. Without a choice the screen's own column sorts, in the CPUs view
 * the number of the CPU; so it is too while a column that was chosen is not on show. -1 for a name
 * that is no column (before events are known: no fact and no metric). */
int view_sort_by(struct view *view, const char *name, bool reverse, struct err *err);
size_t view_sort_column(const struct view *view);
bool view_sort_reverse(const struct view *view);   /* the other way round than the column's own */
bool view_sort_ascending(const struct view *view); /* as it is on show now */
void view_sort_move(struct view *view, int step);  /* +1, -1: the next column that can sort */
void view_sort_invert(struct view *view);

/* Rows in order. */
size_t view_rows(const struct view *view);
const struct row *view_row(const struct view *view, size_t row);
/* Of a row that adds up processes: how many, and of which cgroup in that view (NULL: not known, for
 * they ended before they could be asked). 0 for other rows. */
size_t view_row_processes(const struct view *view, size_t row, const char **cgroup);

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

/* "a second", "in the interval", "since the start": what the amount on show is. */
const char *view_amount_text(enum view_amount amount);

struct cell {
    char text[256]; /* UTF-8 without control characters, not padded; cut to the column's width
                       except in the last column */
    enum role role;
    bool marked; /* an estimate (scaled, or a ratio over different groups): text ends in '~' so
                    that the meaning does not hang on colour */
    size_t lead; /* bytes at the beginning of text that are lines of the tree, not the name */
};

/* The cell as shown, in one of five states that differ in text as well as in role:
 *   12.3M   counted
 *   12.3M~  an estimate: multiplexed, or a ratio over different groups
 *   0       counted, and nothing happened
 *   n/a     undefined: nothing to divide by; or a percentage beyond 100 that says only that its two
 *           counts were scaled apart
 *   -       not counted: never 0 */
void view_cell(struct view *view, size_t row, size_t column, struct cell *cell);

#endif
