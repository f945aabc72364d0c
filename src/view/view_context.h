/* The data that cells are made from, besides their row. */
#pragma once

#include "view/settings.h"

/* The position of a CPU: numbers of the kernel, -1: not known. */
struct view_place {
    int socket, core; /* cores are numbered per socket */
    char type[32];    /* of its core: "Cortex-A55", "cpu_atom"; "": not known */
};

/* Words of "stat" after ")": the field number of proc_pid_stat(5) minus 3. */
enum {
    STAT_STATE = 0,
    STAT_PARENT = 1,
    STAT_USER_TIME = 11,
    STAT_KERNEL_TIME = 12,
    STAT_NICE = 16,
    STAT_THREADS = 17,
    STAT_START = 19,
    STAT_BLOCK_DELAY = 39
};

/* Questions of the view about tasks and CPUs, answered from /proc or by a test. Any may be NULL. */
struct view_lookup {
    void *ctx;
    const char *(*user)(void *ctx, uid_t uid); /* name, or NULL; valid until the next call */
    /* The name that `user` gives the user of a typed name or uid, which the caller frees; NULL with
     * a message that has the nearest: there is none. */
    char *(*user_meant)(void *ctx, const char *given, struct err *err);
    /* Why a table cannot have an event that is not counted, or what adds it; the caller frees it.
     */
    char *(*event_missing)(void *ctx, const char *event);
    /* The command line with spaces between words and without control characters, which the caller
     * frees; NULL if there is none (kernel threads, ended tasks). */
    char *(*cmdline)(void *ctx, pid_t pid);
    /* A word in a file of /proc/PID, or with tid of /proc/PID/task/TID: the n-th, from 0, after the
     * last `after` ("VmRSS:"; in "stat" ")", the end of the name; NULL: the start of the file). A
     * word that is too long is cut. False if there is none. */
    bool (*word)(void *ctx, pid_t pid, pid_t tid, const char *file, const char *after, int n,
                 char *word, size_t size);
    /* The path of a process' cgroup, "/" for the root; false if the process is gone. */
    bool (*cgroup)(void *ctx, pid_t pid, char *path, size_t size);
    /* A cgroup's limits and use now, which the caller frees; NULL: not known. */
    char *(*cgroup_state)(void *ctx, const char *path);
    /* The display name of a cgroup: a container's name or short id, a unit's name. */
    void (*cgroup_name)(void *ctx, const char *path, char *name, size_t size);
    /* The name of the container that has the cgroup; NULL: not known. Valid until the next call. */
    const char *(*container)(void *ctx, const char *path);
    /* Leaves unknown members unchanged. */
    void (*place)(void *ctx, int cpu, struct view_place *place);
    /* Seconds that a thread, or with tid 0 all threads of a process, waited for block I/O and for
     * pages from swap space since the start. False: this process may not ask, or it is gone. */
    bool (*delays)(void *ctx, pid_t pid, pid_t tid, double *block, double *swapin);
    /* What the task of a row waits for, the first thread of a process, read once in its sleep:
     * `seq` is the frame's. follow: a deadlock is looked for by reading what others wait for, else
     * only among rows that were asked about. False: it runs, has ended, or no recording has it. */
    bool (*waits)(void *ctx, const struct row *row, uint64_t seq, bool follow,
                  struct task_wait *wait);
    /* Bytes a second that the task of a row reads from and writes to disks, since the frame before
     * `seq`, if that asked for it, too. False: not known. */
    bool (*io)(void *ctx, const struct row *row, uint64_t seq, double *rate);
    /* Whether a process or thread does not exist, or no longer runs. *past is set instead where the
     * past is shown, of which the frame tells. */
    bool (*gone)(void *ctx, pid_t id, bool *past);
};

enum { USER_NUMBER = 16 };
/* A user's name, else the number, in `number`; NULL: not known. Valid until the next call. lookup
 * may be NULL. */
const char *view_user(const struct view_lookup *lookup, uid_t uid, char number[USER_NUMBER]);

/* Facts of a row that adds up processes or CPUs. */
struct group {
    char *key; /* its processes' uid, name or path (view/view_kind.h); NULL: not known */
    char *
        taker; /* of a pair: the key of those that had the CPU while the others waited; else NULL */
    uint64_t taken, sure, waited; /* ns: how long, as in struct wait_taker; of all waiting */
    size_t processes;
    size_t above; /* in a tree: the index of the group that it is in, + 1; 0: none */
    bool lent;    /* the row's counts are of a row of the frame */
    size_t cpus;
    struct view_place place;          /* of its first CPU */
    struct kernel_times kernel_times; /* of its CPUs: what the row points to */
    int heat;                         /* share in the heat column: 0 to HEAT_MAX, -1: not known */
};

enum { HEAT_MAX = 1000 };

struct groups {
    size_t count, room, group_room, cpu_room;
    struct row *rows;
    struct group *groups; /* by row */
    struct map found;     /* index + 1 of rows by id, while they are made */
    size_t *row_of;       /* the index of its row, by CPU of the frame */
};

struct view_context {
    const struct frame *frame;
    struct view_settings settings;    /* of the view, or changed; what it points to is the view's */
    const struct view_lookup *lookup; /* may be NULL */
    struct map *held;                 /* answers of proc_ask(), by question; NULL: none is held */
    const struct condition *condition; /* the parsed filter; NULL: plain text */
    const struct groups *ended;        /* rows that stand for ended tasks of one name */
    const struct groups *groups;       /* for rows that add up processes or CPUs */
    const struct functions *functions; /* for rows of functions */
    uid_t self;                        /* the user of this program */
    const struct row *const *rows;     /* those that were chosen last */
    size_t row_count;
};

/* A task that the user tagged. */
struct view_tagged {
    uint64_t id;
    pid_t pid, tid; /* tid = pid: a process, or its first thread */
    char comm[TASK_COMM_SIZE];
    bool exited;
};

struct tags {                  /* {0}: none */
    struct view_tagged *items; /* in the order of tagging */
    size_t count, room;
    uint64_t seq; /* of the last frame taken */
};

/* The facts of a row of groups (view/rows.c). */
const struct group *group_of(const struct groups *groups, const struct row *row);
/* Whether it is the row of all CPUs in a view of CPUs. */
bool group_is_machine(const struct view_context *context, const struct row *row);
/* How many ended tasks a row stands for; 0: it is none of the context's `ended`. */
size_t group_folded(const struct groups *ended, const struct row *row);
/* Writes the CPUs of a row: "0-3,8"; a list that is too long is cut at a comma and ends in "+". */
void group_cpus(const struct groups *groups, const struct frame *frame, const struct row *row,
                char *text, size_t size);
/* The i-th builtin column that identifies rows of a level; NULL after the last. */
const char *level_naming(enum view_level level, size_t i);

/* What /proc says of a task: a word of a file, its command line, its cgroup. */
enum proc_fact {
    PROC_STATE,
    PROC_PARENT,
    PROC_USER_TIME, /* clock ticks; also the kernel's */
    PROC_KERNEL_TIME,
    PROC_NICE,
    PROC_THREADS,
    PROC_START,       /* clock ticks since the machine's */
    PROC_BLOCK_DELAY, /* clock ticks */
    PROC_NAME,
    PROC_ALLOWED, /* CPUs */
    PROC_WCHAN,   /* "0" for those who may not know (proc_pid_wchan(5)) */
    PROC_PAGES,   /* that are present */
    PROC_OOM,
    PROC_CMDLINE,
    PROC_CGROUP,
};
/* The answer, which the caller frees; NULL: not known. While the view holds answers (view_hold()),
 * it stays what it was when it was first asked for. */
char *proc_ask(const struct view_context *context, pid_t pid, pid_t tid, enum proc_fact fact);

struct view;

/* The context for the cells of a view; valid until it changes. */
struct view_context view_context_of(const struct view *view);

/* The names that a typed word is looked up in. */
struct column_name_scope view_names(const struct view *view);
