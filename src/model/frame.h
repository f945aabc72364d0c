/* The immutable result of one interval: what every thread, process and CPU did in it. Counts are
 * differences, scaled once, here, for multiplexing. */
#ifndef MODEL_FRAME_H
#define MODEL_FRAME_H

#include "sample/session.h"
#include "sample/snapshot.h"

/* One event's count in one row. */
struct count {
    uint64_t value;  /* raw * enabled / running, rounded */
    double coverage; /* running / enabled: 1 counted throughout; in between: value is an estimate;
                        0: enabled but (next to) never on a counter, value means nothing. A row that
                        did not run has 1 and the value 0, which is true. */
};

/* A thread, a process, a CPU, idle, unattributed, or the total. */
struct row {
    uint64_t id;          /* the same in every frame for the same thing; 0 for the summary rows */
    uint64_t process;     /* thread rows: the id of the row of its process; else 0 */
    pid_t pid, tid, ppid; /* of a process row tid = pid; 0 of other rows */
    uid_t uid;            /* (uid_t)-1: not known */
    int cpu;              /* the CPU of a CPU row; where a task ran last; -1 not known */
    char comm[TASK_COMM_SIZE];
    size_t threads; /* process rows: its threads in this frame; else 1 */
    bool exited;
    bool command;           /* of the process that was started to be watched, or of a descendant */
    bool ran;               /* was on a CPU in this interval, or counted anything */
    enum event_state state; /* not EVENT_COUNTED: nothing could be counted for it, why */
    double oncpu;           /* seconds on a CPU in the interval; of a CPU row: busy seconds */
    double interval; /* seconds of the interval that it is of, where that is not the frame's; 0 */
    struct count *counts;     /* one for each event of the frame's set */
    struct group_time *times; /* of the interval, one for each group; in one piece with counts */
};

struct frame {
    struct event_set *events;
    uint64_t seq;    /* 1 for the first */
    double wall;     /* seconds since 1970 at the end of the interval */
    double interval; /* seconds */
    bool totals;     /* of the whole time since counting began, not of one interval */
    size_t thread_count;
    struct row *threads;
    size_t process_count;
    struct row *processes;
    bool has_cpus; /* false: cpus, idle and unattributed are not known (task engine) */
    size_t cpu_count;
    struct row *cpus;         /* ascending */
    bool part;                /* and these as far as the watched cgroup had them */
    struct machine_load load; /* what the machine's CPUs did in the interval: in the last one of
                                 some clock ticks, where this one is too short for a share */
    struct row idle, unattributed, total; /* total: sum over cpus, or over threads without cpus */
    uint64_t lost_records;                /* in this interval */
    uint64_t throttled;                   /* in this interval */
    uint64_t denied_tasks, starved_tasks;
    double self_cpu;     /* CPU seconds countertop took */
    double self_seconds; /* in so many seconds: about this interval, and what was before it
                            where it is the first */
    size_t self_descriptors;
    uint64_t self_rss; /* bytes; 0: not known, without /proc */
};

void frame_free(struct frame *frame); /* NULL is fine */

/* Whether self_descriptors says something: without /proc there is nothing to count on. */
bool frame_has_descriptors(const struct frame *frame);

/* Seconds of the interval that a row on show with the frame is of. */
double frame_seconds(const struct frame *frame, const struct row *row);

/* Whether the total is that of the machine, or of what is watched alone. */
bool frame_has_machine(const struct frame *frame);
/* CPUs that what is counted kept busy, and that anybody did; -1: not known, else *cpus: of so
 * many. */
double frame_used(const struct frame *frame);
double frame_busy(const struct frame *frame, size_t *cpus);
/* From 0 to 1 for each CPU. */
double frame_self_share(const struct frame *frame);

#endif
