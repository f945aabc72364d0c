/* The immutable result of one interval: what every thread, process and CPU did in it. Counts are
 * differences between snapshots, scaled for multiplexing. */
#pragma once

#include "sample/source.h"

/* One event's count in one row. */
struct count {
    uint64_t value;  /* raw * enabled / running, rounded */
    double coverage; /* running / enabled. 1: counted all the time; less: value is an estimate; 0:
                        (almost) never counted, value is meaningless. A row that did not run has
                        coverage 1 and value 0. */
};

/* A thread, a process, a CPU, idle, unattributed, or the total. */
struct row {
    uint64_t id;          /* stays the same from frame to frame; 0 for summary rows */
    uint64_t process;     /* thread rows: the id of its process' row; else 0 */
    pid_t pid, tid, ppid; /* process rows: tid = pid; CPU and summary rows: 0 */
    uid_t uid;            /* (uid_t)-1: not known */
    int cpu;              /* of a CPU row; else on which a task ran last; -1: not known */
    char comm[TASK_COMM_SIZE];
    size_t threads; /* process rows: its threads in this frame; else 1 */
    bool exited;
    bool again;             /* it had exited in an earlier interval, and ran on for a moment */
    bool command;           /* of the command or a descendant */
    bool ran;               /* was on a CPU in this interval, or counted anything */
    bool asleep;            /* did not run, in a frame that knows it: nothing is counted, and counts
                             * are those of frame->asleep */
    enum event_state state; /* not EVENT_COUNTED: why it could not be counted */
    double oncpu;           /* seconds on a CPU in the interval; of a CPU row: busy seconds; of a
                             * function: below 0 if it is not known */
    double interval;        /* seconds of the row's own interval; 0: the frame's */
    bool of_cgroup;         /* it adds up what ran in a cgroup */
    uint64_t cgroup;   /* of a task: in which it ran last, for frame_cgroup(); 0: not known. Of a
                        * process: its first thread's, if that ran */
    size_t part_count; /* of a thread that ran in several cgroups: its parts, of which it is the */
    struct row *parts; /* sum, in frame.parts */
    struct kernel_times
        *kernel_times; /* of CPUs and cgroups: what the kernel keeps of them; NULL: nothing */
    struct wait_facts *wait_facts; /* its own; NULL: none, or not known */
    struct count *counts;          /* one for each event of the frame's set */
    struct group_time *times;      /* of the interval, one for each group; behind the counts */
};

struct frame {
    struct event_set *events;
    uint64_t seq;    /* 1 for the first */
    double wall;     /* seconds since 1970 at the end of the interval */
    double interval; /* seconds */
    bool totals;     /* since counting began, not of one interval */
    bool last;       /* of the run: no other one follows */
    size_t thread_count;
    struct row *threads;
    size_t process_count;
    struct row *processes;
    struct row_store *store; /* to which all rows of tasks go back; NULL: they are freed */
    size_t room;             /* of all of them: processes are behind threads in their allocation */
    char *block;             /* counts and times of threads and processes that are not asleep */
    size_t block_used;       /* bytes */
    struct cgroup_names *cgroups; /* NULL: rows do not know their cgroups */
    struct row *parts;            /* of threads, what they did in one cgroup */
    char *part_block;             /* their counts and times */
    bool has_cpus; /* false: cpus, idle and unattributed are not known (task engine) */
    size_t cpu_count;
    struct row *cpus;         /* ascending */
    bool part;                /* cpus contain only the counts of the watched cgroup */
    struct machine_load load; /* load of the machine's CPUs in the interval, or if that is too
                               * short for clock ticks, in the last long enough one */
    struct kernel_times kernel_times;     /* the sum of the CPUs */
    struct row idle, unattributed, total; /* total: sum over cpus, or over threads without cpus */
    uint64_t *unassigned;                 /* what snapshot.unassigned has more, modulo 2^64; NULL */
    bool *whole;                          /* of each group: see frame_is_whole() */
    struct row asleep;                    /* what all rows have in common that are asleep */
    uint64_t lost_records;                /* in this interval */
    uint64_t throttled;                   /* in this interval */
    uint64_t denied_tasks, starved_tasks;
    double self_cpu;     /* CPU seconds that countertop used */
    double self_seconds; /* in this time: about the interval; for the first frame since the start */
    size_t self_descriptors;
    uint64_t self_rss;             /* bytes; 0: not known, without /proc */
    struct long_waits *long_waits; /* NULL: none, or not wanted */
    struct profile *profile;       /* in which code an event happened; NULL: nothing was sampled */
};

void frame_free(struct frame *frame); /* NULL is fine */

/* Rows that a frame gave back, for the next one: where all tasks are listed they are a large block,
 * which the kernel would have to map and clear for each frame. Shared by frames and who makes them,
 * in one thread. */
struct row_store {
    size_t users;
    struct row *rows; /* NULL: none */
    size_t room;
};

struct row_store *row_store_share(struct row_store *store); /* NULL: makes one */
void row_store_drop(struct row_store *store);               /* the last user frees it */
/* Sets frame->threads to room for at least that many rows, not zeroed, and frame->store. */
void row_store_take(struct row_store *store, struct frame *frame, size_t need);

/* The row of a process (tid 0), or of one of its threads (tid = pid: the first one); of several
 * whose number was used again the first in the frame, which owns it. NULL: there is none. */
const struct row *frame_row(const struct frame *frame, pid_t pid, pid_t tid);
/* The path of a row's cgroup, valid as long as the frame; NULL: not known. */
const char *frame_cgroup(const struct frame *frame, const struct row *row);
/* Whether self_descriptors is known; not without /proc. */
bool frame_has_descriptors(const struct frame *frame);
/* Seconds of a row's interval: its own or the frame's. */
double frame_seconds(const struct frame *frame, const struct row *row);
/* Whether a group counted on all CPUs in all of the interval. Then no count of its events is
 * scaled: what a task's records miss is unattributed, and would be counted twice. */
bool frame_is_whole(const struct frame *frame, size_t group);
/* Whether the total covers the machine, not only what is watched. */
bool frame_has_machine(const struct frame *frame);
/* CPUs used by what is counted, and CPUs busy with anything; -1: not known. *cpus gets the number
 * of CPUs. */
double frame_used(const struct frame *frame);
double frame_busy(const struct frame *frame, size_t *cpus);
/* The unattributed share of a count from which something is wrong. */
#define FRAME_UNATTRIBUTED_BAD 0.01

/* The shares of idle tasks and of what could not be attributed to a task in the count of the most
 * meaningful event, whose index is returned; -1: not known. */
int frame_accounts(const struct frame *frame, double *idle, double *unattributed);
/* countertop's own use of CPUs, 1 for one CPU. */
double frame_self_share(const struct frame *frame);

/* --- Rows that are sums of others: a process of its threads, a user of processes, the machine of
 * its CPUs --- */

/* A sum without parts, for row_sum_release(). */
struct row row_sum_new(const struct event_set *set);
void row_sum_release(struct row *sum);
/* The same with counts and times in the row_sum_size() bytes at `place`, which stay the caller's.
 */
struct row row_sum_in(void *place, const struct event_set *set);
size_t row_sum_size(const struct event_set *set);

/* Adds a finished row of the frame: what it counted before scaling, its times, seconds, threads and
 * `ran`, and its facts of waits. If the part could not be counted, the sum gets that state: without
 * the part it would be wrong. */
void row_sum_add(struct row *sum, const struct row *part, const struct frame *frame);

/* The count of an event in a finished row of the frame, before it was scaled. */
uint64_t row_sum_raw(const struct row *row, const struct frame *frame, size_t event);
/* A raw count of a group, scaled to the time in which the group was enabled; unscaled where the
 * CPUs counted the group all of the time (frame_is_whole()); 0 if the group never ran. */
uint64_t row_sum_scaled(uint64_t raw, const struct frame *frame, int group, struct group_time time);

/* Whether an event has a value in a row whose time of the event's group is this: a shared event has
 * one only in rows in which it was counted. */
bool row_sum_tells(const struct event_info *event, struct group_time time);

/* Finishes a sum after its last part: scales its counts, and sets their coverage, by the summed
 * times. (A sum of scaled parts would leave out each part that was never counted.) */
void row_sum_complete(struct row *sum, const struct frame *frame);

/* The coverage of an event in a row with these times of the groups, 0 to 1; 0 if it is not known,
 * or below 1 %, which is too little to estimate from. */
double row_sum_coverage(const struct event_info *event, const struct group_time *times);
