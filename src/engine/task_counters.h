/* What descriptors are opened for by the task engine: a thread, a process or a command. Each of the
 * threads that are there at that time, its roots, gets a set of perf groups of its own. The kernel
 * hands these on to all that a root begets (perf_event_open(2), inherit): what is born later, also
 * what lives and dies between two reads, is in the root's counts, exactly, without a descriptor. */
#ifndef ENGINE_TASK_COUNTERS_H
#define ENGINE_TASK_COUNTERS_H

#include "engine/group.h"
#include "engine/task_table.h"
#include "system/procfs.h"

enum reach {
    REACH_THREAD,      /* this thread alone */
    REACH_PROCESS,     /* all threads that the process has or begets */
    REACH_DESCENDANTS, /* and all its child processes, and theirs */
};

/* What all attachments of an engine have in common. */
struct opener {
    const struct group_plan *plan;
    struct group_style style;
    size_t values;           /* descriptors of one set: of all groups together */
    struct group_read *read; /* scratch for any group */
    struct counts sum;       /* scratch */
    size_t open;             /* descriptors in use */
    size_t most;             /* that many were in use when one was refused; SIZE_MAX: never */
};

struct task_counters {
    enum reach reach;
    pid_t pid, tid;    /* tid is pid but for threads */
    bool command;      /* it was started to be watched, or descends from what was */
    bool on_exec;      /* it counts from the execution of a program on */
    uint64_t start;    /* as in struct procfs_task: tells a pid that is used again */
    struct task *task; /* in the roster; NULL where it is nobody's business here */
    enum event_state state;
    size_t threads;     /* that were there when it was tried last */
    size_t count;       /* of roots */
    int *fds;           /* of all roots and all their groups, one after the other */
    struct counts past; /* of descriptors that are closed; no arrays: none was */
    uint64_t past_oncpu;
    uint64_t seen;  /* scan in which it was last found */
    uint64_t ran;   /* scan in which it was last known to run */
    uint64_t asked; /* monotonic ns: when its name was read */

    /* Whether its events are there still. */
    struct procfs_glance glance; /* at its process: when it was opened, or last believed in */
    bool suspect;                /* they may be gone */
    bool partly;                 /* some of it was not counted in this interval */
    bool denied;   /* ... and what they count is not shown until they are known not to be */
    uint64_t base; /* its CPU time in ns when it was last examined; UINT64_MAX: not yet */

    /* Its CPU time in ns when it was last judged, by /proc and by its own counts. */
    uint64_t spent, counted;

    /* How busy it is. */
    double rate;    /* CPUs that it uses */
    uint64_t rated; /* monotonic ns: when that was found; 0: anew */
    uint64_t time;  /* its CPU time in ns then */
};

/* Finds the roots and opens their sets; they count, or wait for the execution of a program. -1 with
 * errno and nothing open: ESRCH when nobody is there any more. */
int task_counters_open(struct task_counters *at, struct opener *opener);

/* Brings the counts and the on-CPU time of its task up to date: *ran whether it was on a CPU since
 * the last time. -1 and both as they were when the kernel does not tell. */
int task_counters_read(struct task_counters *at, struct opener *opener, bool *ran);

/* Closes all its descriptors, after a last read; task_counters_open may be called again. */
void task_counters_close(struct task_counters *at, struct opener *opener);

/* Drops what it owns, descriptors included; the task is the roster's. */
void task_counters_free(struct task_counters *at, struct opener *opener);

#endif
