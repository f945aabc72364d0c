/* The visible rows and their order. */
#pragma once

#include "view/column.h"

/* Sorting rows. */

/* A row with its key. The key is made once per row, because that may read /proc. */
struct sort_item {
    double number; /* of the column */
    uint64_t id;   /* decides between equal keys */
    const struct row *row;
    uint32_t place; /* index before sorting */
    uint32_t text;  /* or offset in the sorter's texts */
    bool absent;    /* has no value */
};

/* Keeps its memory. */
struct sorter {
    struct sort_item *items; /* sorted */
    size_t room;
    struct str texts;        /* initialize before the first sort */
    struct map places;       /* of tasks on a terminal, by the ids of rows: where the last sort by a
                              * measured column put them, from 1 */
    enum view_amount amount; /* at that sort */
    bool text, ascending;
};

/* Tasks under their parents: processes under the process that started them, threads under their
 * process.
 *
 * A folded row adds up all its descendants, as a process adds up its threads. So the visible rows
 * still add up to the total. Unfolded rows have their own numbers. */

/* A row in the tree of one frame. Nodes are referred to by index + 1, 0: none. */
struct tree_node {
    const struct row *row; /* as shown: a sum if it is folded */
    uint32_t parent, child, sibling;
    uint32_t folding; /* the folded node that contains it; 0: it is shown itself */
    uint32_t place;   /* index among the rows shown */
    bool thread;
    bool placed; /* parent is given, and the row has what is below it */
    bool past;   /* ended before this interval: its counts are not of this frame */
    bool wanted; /* to be shown; else only as a parent */
    bool kept;   /* wanted, or a node below it is */
    bool folded, has_children;
    bool summed; /* row is a sum */
    enum { NODE_NEW, NODE_ON_PATH, NODE_DONE } state;
};

/* Keeps its memory between frames. */
struct tree {
    struct tree_node *nodes;
    size_t count, room;
    struct map by_pid;
    uint32_t *order; /* kept nodes, parents first; later those shown, from top to bottom */
    size_t ordered, order_room;
    struct row *sums;
    size_t sum_count, sum_room;
    bool folded_all;  /* true: all but `folds` are folded; false: only `folds` are */
    struct map folds; /* by row id; as long as the tree lives, also in later frames */
};

/* The node at an index of the rows shown. */
const struct tree_node *tree_at(const struct tree *tree, size_t place);
/* The index of its parent; false if it has none. */
bool tree_parent(const struct tree *tree, size_t place, size_t *parent);
/* The text before its name: lines to at most two dozen parents, and "[+] " if it is folded. */
void tree_lines(const struct tree *tree, size_t place, bool ascii, struct str *lines);

/* Ended tasks with their last values; the settings decide whether they are visible. */

/* Maximum number of threads, and of processes: the first ones are dropped. A few MiB. */
enum { STICKY_MAX = 4096 };

struct ended {
    struct row row;               /* owns its counts */
    uint64_t seq;                 /* of the frame in which it ended */
    char process[TASK_COMM_SIZE]; /* name of its process */
};

struct sticky {
    struct event_set *events; /* the set of the counts; NULL: nothing is kept */
    uint64_t seq;             /* of the last frame taken */
    struct graves {
        struct ended *items; /* STICKY_MAX elements, NULL: none yet; they never move */
        size_t count, next;  /* next: index for the next task */
        struct map by_id;
    } threads, processes;
    struct map by_pid; /* processes of the frame being taken */
};

/* Rows that add up the processes of a user, a name, or a cgroup. */

/* Marks tasks that ended in a frame; drops those that had ended before, unless they are `kept`. */
void tags_take(struct tags *tags, const struct frame *frame, bool kept);

/* Keys of processes from /proc, which has only running ones: by id, and by pid. */
struct key_memory {
    enum view_kind kind;
    struct map known, before; /* used since, and before that frame */
    uint64_t turned;
    struct map rows; /* of the frame's processes by pid; made when one is needed */
};

void key_memory_release(struct key_memory *memory);

/* Memory is kept, so that a refresh with as many rows as before allocates nothing. */
struct rows {
    const struct row **items; /* in order */
    size_t count, room;
    bool tree_shown;      /* the items are rows of the tree */
    bool all;             /* no particular tasks are watched */
    struct map processes; /* rows by pid, if tasks are watched or highlighted */
    struct map chosen;    /* pids of processes with a watched thread */
    struct map ended;     /* ids of processes with a watched thread that has ended */
    double watched;       /* seconds on CPUs of the watched threads, if not all are */
    /* The frame's processes, of which those with watched and other threads are sums of the watched
     * ones; NULL: there are none of these. */
    struct row *sums;
    const struct frame *summed; /* that frame */
    struct map sum_of;          /* these sums, by the process's id */
    struct sorter sorter;
    struct groups groups; /* for views that add up processes or CPUs */
    struct key_memory *keys;
    struct groups folds; /* on a terminal: of tasks that ended in the interval */
    struct map opened;   /* hashes of names whose ended tasks have rows of their own */
    struct functions functions;
    struct annotated annotated; /* function whose instructions are shown */
    struct tree tree;
    struct sticky sticky;
    struct tags tags;
};

struct order {
    const struct column *column; /* the sort column */
    bool ascending;
    const struct column *heat; /* the column that CPUs are compared by; NULL: none */
};

void rows_init(struct rows *rows, struct key_memory *keys); /* keys outlives it */
void rows_release(struct rows *rows);

/* Remembers which tasks ended in a frame; call before rows_choose. */
void rows_take(struct rows *rows, const struct view_context *context);
void rows_choose(struct rows *rows, const struct view_context *context, const struct order *order);

/* Makes the rows that are sums of tasks (groups, users, ended tasks) anew for this frame, and notes
 * which tasks are watched; rows_choose() begins with it. Which rows are shown stays as it was. */
void rows_make(struct rows *rows, const struct view_context *context);

/* All rows of the current view, visible or not. Those of groups and CPUs are of their own frame. */
const struct row *rows_of_kind(const struct rows *rows, const struct view_context *context,
                               size_t *count);

/* Whether the samples of a task are wanted: it is watched, and was to be sampled. ctx: a struct
 * sample_scope, after rows_make(). For the functions of model/functions.h. */
struct sample_scope {
    const struct rows *rows;
    const struct view_context *context;
};
bool rows_want_sample(void *ctx, pid_t pid, pid_t tid);

/* The row of the process, or NULL. Only for the frame shown, if tasks are watched or highlighted:
 * threads are watched by the name of their process. */
const struct row *rows_process(const struct rows *rows, pid_t pid);

/* What decides whether a row's process or thread is watched, with the name of its process. It
 * borrows both. */
struct watched rows_watched(const struct row *row, const char *process);
