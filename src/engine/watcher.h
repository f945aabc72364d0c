/* The watched tasks of the task engine: finds them, opens and reads their counters, notices their
 * end, and gives descriptors to the busiest when there are not enough.
 *
 * Each thread that exists when its counters are opened, a root, gets a set of perf groups, which
 * the kernel passes on to all tasks that the root creates (perf_event_open(2), inherit). So a task
 * that is born later, even one that lives and dies between two reads, is counted exactly in its
 * root's counts, without a descriptor. */
#pragma once

#include "engine/group.h"
#include "engine/task_table.h"
#include "system/procfs.h"

/* A sign, read without a system call, that a thread was put on a CPU: an event of that thread with
 * its first page mapped (perf_event_open(2), struct perf_event_mmap_page). Whenever the kernel
 * starts a software event, which it does each time the thread gets a CPU, it updates the page and
 * adds 2 to its `lock` (kernel/events/core.c, perf_swevent_add(), cpu_clock_event_add() and
 * task_clock_event_add(): perf_event_update_userpage()). */

struct idle_sign {
    int fd;                                  /* its event */
    bool shared;                             /* which counts; else it is there for the sign only */
    const struct perf_event_mmap_page *page; /* NULL: there is no sign */
};

/* How many signs may be open, 0: none. Each locks a page: half of what RLIMIT_MEMLOCK allows, since
 * this program's rings need the rest. The kernel takes pages that perf_event_mlock_kb grants first.
 * Tries with this event, on the calling thread, whether the kernel writes the page; takes about a
 * millisecond. */
size_t idle_sign_limit(const struct perf_event_attr *filler);

/* filler: the attributes of an event that counts nothing. False, with errno, if it cannot be opened
 * or mapped; then nothing stays open. */
bool idle_sign_open(struct idle_sign *sign, const struct perf_event_attr *filler, pid_t tid);
/* Makes a sign of a software event that counts for a thread and no others (the kernel maps none
 * that others inherit: perf_mmap()): the thread takes less time at each switch than for one more
 * event. False, with errno, if it cannot be mapped. Close the sign before the event. */
bool idle_sign_share(struct idle_sign *sign, int fd);
void idle_sign_close(struct idle_sign *sign);

/* Changes whenever the thread is put on a CPU; only after 2^31 times the value is an earlier one
 * again. A thread that was on no CPU at one value is on none while the value stays the same.
 * Without a sign it is always 0. */
uint32_t idle_sign_value(const struct idle_sign *sign);

/* How many of the signs, all of them open, belong to threads that have not ended. */
size_t idle_sign_count_living(const struct idle_sign *const *signs, size_t count);

enum reach {
    REACH_THREAD,      /* this thread only */
    REACH_PROCESS,     /* all threads of the process, now and later */
    REACH_DESCENDANTS, /* and all its descendants */
};

/* Common state of all task_counters of an engine. */
struct opener {
    const struct group_plan *plan;
    struct group_style style;
    size_t values;     /* descriptors of one set: of all groups together */
    size_t words;      /* uint64_t that a read of all of them gives */
    struct counts sum; /* scratch */
    size_t open;       /* descriptors in use */
    size_t most;       /* descriptors in use when one was refused; SIZE_MAX: never refused */
    size_t siblings;   /* threads of the process that are opened one by one now; 0: none */
    size_t signs;      /* idle signs */
    size_t signs_most; /* SIZE_MAX: not yet known */
};

/* The counters of a thread, a process or a command. Invariant: their counts never decrease, also
 * when descriptors are closed and opened again: `past` has what the closed ones counted. */
struct task_counters {
    enum reach reach;
    pid_t pid, tid;                /* tid == pid except for threads */
    bool command;                  /* it is the command or one of its descendants */
    bool on_exec;                  /* counts from the execution of a program on */
    uint64_t start;                /* as in struct procfs_task: differs if the pid is reused */
    struct task *task;             /* in the task table; NULL: it has no row */
    struct task_counters **listed; /* of the first thread of a process: all its threads; NULL:
 not known */
    size_t listed_count;
    enum event_state state;
    size_t threads;     /* when opening was tried last */
    size_t count;       /* of roots */
    int *fds;           /* of all roots and all their groups */
    struct root *roots; /* in the same order */
    uint64_t *readings; /* of all roots and all their groups: struct group_read */
    struct counts past; /* of closed descriptors; no arrays: none were closed */
    uint64_t past_oncpu;
    uint64_t seen;  /* scan in which it was last found */
    uint64_t ran;   /* scan in which it last ran */
    uint64_t asked; /* monotonic ns: when its name was read */
    bool doubtful;  /* threads were born or ended while it was opened: one may not be counted */
    /* The kernel may have removed its events. */
    struct procfs_glance glance; /* of its process when it was opened or last checked */
    bool suspect;                /* the events may be removed */
    bool partly;                 /* some of it was not counted in this interval */
    bool denied;   /* suspect, and its counts are hidden until the events prove to exist */
    uint64_t base; /* CPU time, ns, when it was last examined; UINT64_MAX: not yet */
    /* CPU time, ns, at the last comparison: by /proc and by its own counts. */
    uint64_t spent, counted;
    /* How busy it is. */
    double rate;               /* CPUs used */
    uint64_t rated;            /* monotonic ns: when the rate was found; 0: starts again */
    uint64_t time;             /* CPU time then, ns */
    struct waits_glance waits; /* at the last read of what it does on no CPU; time 0: none */
};

/* Gives descriptors to the busiest tasks when there are not enough for all. Pure. */

/* A task that has descriptors or needs some. */
struct fd_budget {
    void *who;
    double rate; /* CPUs used */
    size_t need; /* descriptors, all or none */
    bool has;
    bool move; /* result: it gets what it needs, or gives up what it has */
};

/* Sorts the tasks by descending rate and sets `move`; at most `most` tasks get descriptors. `room`:
 * free descriptors. With hysteresis: descriptors are taken only for a task that is at least twice
 * as busy as all that lose theirs to it. Otherwise two tasks of similar rate would swap for ever,
 * and each swap costs both some counting. Returns how many get descriptors. */
size_t fd_budget_choose(struct fd_budget *tasks, size_t count, size_t room, size_t most);

struct watcher {
    /* Set by the owner. */
    const struct caps *caps;
    const struct watch *watch;
    struct task_table *task_table;
    bool threads;         /* each thread by itself, not processes as a whole */
    bool waits;           /* also what they do on no CPU; then threads is set */
    struct opener opener; /* of the current plan */

    bool command_ran, command_over; /* watch.command has executed its program; has ended */
    struct map counters;            /* by tid */
    uint64_t scans;
    uint64_t now; /* monotonic ns: of the last scan */
    /* Results of the last watcher_read. */
    uint64_t denied, starved;         /* threads */
    const struct task_counters *lost; /* one that is not counted completely; NULL: none */
    int refusal;                      /* errno of the last open that was denied */
    int shortage;                     /* ... that found no descriptor */
    int unlisted;                     /* errno of the last scan's reading of /proc; 0: it has all */
    size_t cursor;                    /* in the map, for rate_starved */
};

/* Whether processes are watched by name, user or cgroup, or all of them are: then each scan looks
 * at all processes. */
bool watcher_searches(const struct watch *watch);

/* Opens counters for new watched tasks and closes those of tasks that are gone or no longer
 * watched. */
void watcher_scan(struct watcher *watcher);

/* Reads all counters into the task table, and marks the tasks that ran or are not counted for the
 * next snapshot. Sets the results above. */
void watcher_read(struct watcher *watcher);

/* Where descriptors run short, closes the counters of idle tasks and opens those of the busiest
 *. Call it after a snapshot was made. */
void watcher_share(struct watcher *watcher);

void watcher_clear(struct watcher *watcher); /* closes all counters and ends their rows */
