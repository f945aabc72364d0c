/* The counts of a source at one instant: cumulative raw counts of every task that ran since the
 * previous snapshot, of every CPU, and of idle and unattributed time. A snapshot shares nothing
 * with its source but the reference-counted event set, and is immutable once it is handed over.
 * model/ computes the differences between snapshots. */
#pragma once

#include "sample/load.h"
#include "sample/profile.h"
#include "sample/wait_facts.h"

/* --- Which paths cgroups have, by their ids: what the engine knew when it made a snapshot. It is
 * immutable, and shared by reference between threads. --- */

struct cgroup_names;

struct cgroup_name {
    uint64_t id; /* in the kernel, never 0: the inode number of its directory */
    const char *path;
};

/* Copies the names, whose order may be changed, and which have each id once. */
struct cgroup_names *cgroup_names_new(struct cgroup_name *names, size_t count);
struct cgroup_names *cgroup_names_share(struct cgroup_names *names);
void cgroup_names_drop(struct cgroup_names *names); /* NULL is fine, as in the others */

/* The names, and those of `more`: paths by id, of other cgroups. */
struct cgroup_names *cgroup_names_join(const struct cgroup_names *names, const struct map *more);

/* The path of that cgroup, NULL: not known. It is valid as long as the names. */
const char *cgroup_names_find(const struct cgroup_names *names, uint64_t id);

/* --- Snapshots --- */

/* Nanoseconds in which a perf group was enabled, and of these in which it counted
 * (perf_event_open(2), PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING). */
struct group_time {
    uint64_t enabled;
    uint64_t running;
};

/* Cumulative since the generation began; the largest of an interval (scheduler_is_peak()) since the
 * snapshot before. */
struct counts {
    uint64_t *value;          /* one for each event of the set, unscaled */
    struct group_time *times; /* one for each group of the set; in value's allocation */
};

/* Where a task left a cgroup: what it had counted until then, cumulative as its counts. */
struct task_move {
    uint64_t cgroup; /* that it left */
    uint64_t oncpu;
    struct counts counts; /* without peaks */
};

/* A process (thread group). */
struct process_info {
    uint64_t id; /* unique: another process that reuses the pid has another id */
    pid_t pid;
    pid_t ppid; /* 0: none or not known */
    uid_t uid;  /* (uid_t)-1: not known */
    char comm[TASK_COMM_SIZE];
    bool exited;
    bool command; /* it is watch.command, or descends from it */
};

/* A task (thread) and its counts. */
struct task_sample {
    uint64_t id;    /* unique, as for processes */
    size_t process; /* index into the snapshot's processes */
    pid_t tid;
    char comm[TASK_COMM_SIZE];
    int cpu;          /* on which it ran last; -1: not known */
    bool other_owner; /* it is not its process's uid, but this one: */
    uid_t uid;
    bool exited;
    bool final;        /* exited, and never listed again: its state can be freed */
    uint64_t oncpu;    /* cumulative nanoseconds on a CPU */
    uint64_t cgroup;   /* in which it ran last; 0: not known */
    size_t move_count; /* since the previous snapshot, in their order */
    struct task_move *moves;
    bool several;           /* stands for several threads that are counted together */
    enum event_state state; /* not EVENT_COUNTED: why the task could not be counted */
    struct counts counts;
    struct wait_facts *wait_facts; /* since the previous snapshot; NULL: none */
};

struct cpu_sample {
    int cpu;
    uint64_t busy; /* cumulative nanoseconds with a task other than idle */
    struct counts counts;
};

/* countertop's own cost. */
struct self_cost {
    uint64_t cpu;       /* cumulative CPU time of the whole process, ns */
    uint64_t time;      /* age of the process when that was measured, ns */
    size_t descriptors; /* open perf descriptors */
    uint64_t rss;       /* bytes */
};

struct snapshot {
    struct event_set *events;
    uint64_t generation; /* changes when all counts start at 0 again */
    uint64_t started;    /* when this generation began: monotonic, ns */
    uint64_t time;       /* monotonic, ns */
    uint64_t late;       /* ns: tasks' counts and times were read up to this much later */
    size_t online;       /* CPUs; 0: not known */
    double wall;         /* seconds since 1970 */

    size_t process_count, process_room;
    struct process_info *processes; /* of the tasks */
    size_t task_count, task_room;
    struct task_sample *tasks; /* those that ran or ended since the previous snapshot; only those of
                                * watch.cgroup */
    bool active;               /* idle tasks are omitted, except some that were just renamed */
    bool whole;    /* all tasks are known: a task that is omitted did nothing since an earlier whole
                    * snapshot listed it, and all snapshots since then were whole */
    bool has_cpus; /* false: cpus, idle and unattributed are unknown to this source (task engine) */
    size_t cpu_count, cpu_room;
    struct cpu_sample *cpus;
    bool part;                /* counts of CPUs also cover only watch.cgroup */
    struct machine_load load; /* cumulative since counting began; set by the source's caller */
    /* Of the tasks' cgroups. NULL: the source does not know them; they are read from /proc. */
    struct cgroup_names *cgroups;
    struct counts idle;         /* the idle tasks of all CPUs */
    struct counts unattributed; /* of no known task (lost records, partly seen slices) */
    /* Of a command: for each event, and last for the ns on CPUs, what is counted and in no task yet
     * (engine/family.h). It falls when a task gets it. NULL: not known. */
    uint64_t *unassigned;

    uint64_t lost_records;  /* cumulative */
    uint64_t throttled;     /* cumulative */
    uint64_t denied_tasks;  /* tasks not counted for lack of permission */
    uint64_t starved_tasks; /* tasks not counted because descriptors ran out */
    char *note;             /* why tasks are not counted, and the remedy, one line; NULL: all are */
    struct long_waits *long_waits; /* since the previous snapshot; NULL: none, or not wanted */
    struct self_cost self;
    struct profile *profile; /* of the time since the previous snapshot; NULL: nothing is sampled */
};

/* An empty snapshot for the set (takes a reference). */
struct snapshot *snapshot_new(struct event_set *events);
void snapshot_free(struct snapshot *snapshot); /* NULL is fine */

/* Adds a zeroed element and returns it; earlier pointers become invalid. Counts are allocated, and
 * freed with the snapshot. */
struct process_info *snapshot_add_process(struct snapshot *snapshot);
struct task_sample *snapshot_add_task(struct snapshot *snapshot);
struct cpu_sample *snapshot_add_cpu(struct snapshot *snapshot);

/* Frees moves of a task. */
void task_moves_free(struct task_move *moves, size_t count);

/* Writes into each taker (sample/wait_facts.h) the name of its process. One whose process is not in
 * the snapshot keeps the name that it has. Call it when all processes have been added. */
void snapshot_name_takers(struct snapshot *snapshot);

/* What decides whether a task of a snapshot is watched. Its strings are the snapshot's, which lists
 * only tasks of the cgroup. */
struct watched snapshot_watched(const struct snapshot *snapshot, const struct task_sample *task);

/* Counts for a set: new, copies and sums. */
struct counts counts_new(const struct event_set *set); /* zeroed */
void counts_release(struct counts *counts);
/* For a local `AUTO_COUNTS struct counts sum = counts_new(set);`: released where its block ends. */
#define AUTO_COUNTS __attribute__((unused, cleanup(counts_release)))
/* Counts that use the counts_size() bytes at `place`, which stay as they are and the caller's. */
struct counts counts_in(void *place, const struct event_set *set);
size_t counts_size(const struct event_set *set);
/* Copies into counts that have their arrays. */
void counts_copy(struct counts *to, const struct counts *from, const struct event_set *set);
/* Adds values and times; of a peak (scheduler_is_peak()) keeps the larger value. */
void counts_add(struct counts *to, const struct counts *from, const struct event_set *set);
