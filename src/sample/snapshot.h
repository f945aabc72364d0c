/* What a source knows at one instant: cumulative raw counts of every task that ran since the
 * snapshot before, of every CPU, and where the rest went. A snapshot is complete in itself: it
 * shares nothing with its source but the reference-counted event set, and is immutable once handed
 * over. Differences between two of them are formed in model/. */
#ifndef SAMPLE_SNAPSHOT_H
#define SAMPLE_SNAPSHOT_H

#include "event/event_set.h"
#include "sample/load.h"

#include <stdint.h>
#include <sys/types.h>

enum { TASK_COMM_SIZE = 16 }; /* TASK_COMM_LEN of the kernel, include/linux/sched.h */

/* Nanoseconds a perf group was enabled, and in that time really counted (perf_event_open(2),
 * PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING). */
struct group_time {
    uint64_t enabled;
    uint64_t running;
};

/* Cumulative since the generation began. */
struct counts {
    uint64_t *value;          /* one for each event of the set, unscaled */
    struct group_time *times; /* one for each group of the set; in one piece with value */
};

/* A process (thread group). */
struct process_info {
    uint64_t id; /* of this process alone: a pid that is used again gets another id */
    pid_t pid;
    pid_t ppid;  /* 0: none or not known */
    uid_t uid;   /* (uid_t)-1: not known */
    char comm[TASK_COMM_SIZE];
    bool exited;
    bool command; /* it is watch.command, or descends from it */
};

/* A task (thread) and what it did. */
struct task_sample {
    uint64_t id;    /* of this thread alone, as for processes */
    size_t process; /* index into the snapshot's processes */
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    int cpu;        /* where it ran last, -1 not known */
    bool exited;
    bool final;     /* exited, and never listed again: what is remembered of it can go */
    uint64_t oncpu; /* cumulative nanoseconds on a CPU */
    bool several;   /* it stands for threads that are counted together, not for one */
    enum event_state state; /* not EVENT_COUNTED: nothing could be counted for this task, why */
    struct counts counts;
};

struct cpu_sample {
    int cpu;
    uint64_t busy;  /* cumulative nanoseconds with a task other than idle */
    struct counts counts;
};

/* What countertop itself costs. */
struct self_cost {
    uint64_t cpu;     /* cumulative nanoseconds of CPU time of the whole process */
    uint64_t time;    /* ns that the process had been there when that was measured */
    size_t descriptors; /* perf descriptors open */
    uint64_t rss;     /* bytes */
};

struct snapshot {
    struct event_set *events;
    uint64_t generation; /* when it differs from the snapshot before, all counts began anew */
    uint64_t started;    /* when this generation began: monotonic, ns; all counts were 0 then */
    uint64_t time;       /* monotonic, ns */
    uint64_t late;       /* ns: tasks' counts and times were read up to so much later */
    size_t online;       /* CPUs; 0: not known */
    double wall;         /* seconds since 1970 */

    size_t process_count, process_room;
    struct process_info *processes; /* those that the tasks belong to */
    size_t task_count, task_room;
    struct task_sample *tasks; /* those that ran or ended since the snapshot before; all when idle
                                  tasks were asked for. Only those of watch.cgroup */
    bool has_cpus; /* false: cpus, idle and unattributed are unknown to this source (task engine) */
    size_t cpu_count, cpu_room;
    struct cpu_sample *cpus;
    bool part; /* the CPUs too are told of only as far as watch.cgroup had them */
    struct machine_load load; /* cumulative since counting began; left to the source's caller */
    struct counts idle;         /* the idle tasks of all CPUs */
    struct counts unattributed; /* counted, but by whom is not known (loss, partly seen slices) */

    uint64_t lost_records; /* cumulative */
    uint64_t throttled;    /* cumulative */
    uint64_t denied_tasks; /* tasks that may not be counted for lack of permission */
    uint64_t starved_tasks; /* tasks not counted because descriptors ran out */
    char *note; /* why tasks are not counted, and what helps, one line; NULL: nothing to say */
    struct self_cost self;
};

/* An empty snapshot for that set (takes a reference). */
struct snapshot *snapshot_new(struct event_set *events);
void snapshot_free(struct snapshot *snapshot); /* NULL is fine */

/* Adds a zeroed element and returns it; pointers returned before become invalid. Their counts
 * arrays are allocated, freed with the snapshot. */
struct process_info *snapshot_add_process(struct snapshot *snapshot);
struct task_sample *snapshot_add_task(struct snapshot *snapshot);
struct cpu_sample *snapshot_add_cpu(struct snapshot *snapshot);

/* Copies and sums of counts for that set. */
struct counts counts_new(const struct event_set *set); /* zeroed */
void counts_release(struct counts *counts);
void counts_copy(struct counts *to, const struct counts *from, const struct event_set *set);
void counts_add(struct counts *to, const struct counts *from, const struct event_set *set);

#endif
