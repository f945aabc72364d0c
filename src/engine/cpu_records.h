/* A part of the system-wide engine: its state, and the records of all rings. Rings are merged by
 * time, so that the birth of a task on one CPU is known before it is seen running on another.
 * Between two births, ends or names the records of a CPU with one ring are taken in one go: samples
 * and switches add to counts, whatever the order of CPUs, and what is known of one CPU stays in the
 * cache. */
#ifndef ENGINE_CPU_RECORDS_H
#define ENGINE_CPU_RECORDS_H

#include "engine/cpu_events.h"
#include "engine/ledger.h"
#include "engine/ring.h"
#include "engine/prelude.h"
#include "engine/proc_tasks.h"
#include "sample/source.h"
#include "system/caps.h"

/* Bytes of a ring at least: it holds 1.3 ms of what a CPU writes at most (perf_event_mlock_kb
 * grants each CPU 512 KiB). */
enum { RING_MIN = 128 << 10 };

/* Times of records that concern other CPUs. */
struct turning_points {
    size_t count, room;
    uint64_t *times; /* the earliest first */
};

/* The state of counting between two calls of set_events. */
struct active_plan {
    struct group_plan plan; /* the groups that are open on each CPU */
    struct ledger_layout layout;
    struct group_read *read; /* scratch, large enough for any of the groups */
    uint64_t wakeups;        /* the tracepoint of wake-ups, 0: not wanted, or not available */
};

struct cpu_engine {
    struct source source;
    struct caps caps;
    uint64_t delay; /* ns */
    bool others;    /* CPUs that come online are counted too */
    int online;     /* open: which those are */
    int changes;    /* from owner_changes_open() */
    int events;     /* an epoll instance with all rings */
    /* Records do not say to which cgroup a task belongs, so the counters themselves are restricted
     * to the cgroup that is watched. */
    char *cgroup;  /* its directory, as system/cgroup.h finds it; NULL: everything is counted */
    int directory; /* descriptor of it; -1: counts everything */
    size_t ring_wanted, ring_bytes; /* of each ring; ring_bytes: what the mlock limit leaves */
    struct ledger *ledger;
    struct active_plan *active; /* NULL before the first set_events */
    /* The CPUs that are counted, and behind these the other online ones, where only births, names
     * and ends are recorded: of tasks that come from there. */
    size_t count, followed, room;
    struct cpu_events **cpus;
    struct merge merge;                   /* of all rings: scratch */
    struct turning_points turning_points; /* in the rings, not taken yet */
    size_t awaited; /* scratch of cpu_records_cut(): no CPU before this one is awaited */
    uint64_t cut;   /* the last one's time; 0: none yet */
    uint64_t generation, started;
    pid_t command;               /* the watched one, 0: none */
    struct prelude *prelude;     /* of a command, until its counts are moved; NULL: none */
    struct proc_scan_state scan; /* of the machine's tasks, if all CPUs are counted */
};

/* The ticker's period, ns, for a refresh interval (ns) and a number of groups: a divisor of the
 * interval, except for very short intervals. */
uint64_t cpu_records_period(uint64_t delay, size_t groups);
/* Sets the period of all tickers to the one that suits the delay. */
void cpu_records_set_ticks(struct cpu_engine *engine);
/* Whether the kernel writes switch records of that CPU from now on. */
void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu, bool on);

/* A CPU's i-th ring is among those that the engine waits for. */
void cpu_records_poll(const struct cpu_engine *engine, const struct cpu_events *cpu, size_t i);

/* Follows the tasks of the online CPUs that are not counted, also of those that are back online.
 * What cannot be followed is tried again with the next call. */
void cpu_records_follow(struct cpu_engine *engine, const struct cpulist *online);

/* Whether a ring is too full for its records to wait for the next snapshot. */
bool cpu_records_press(struct cpu_engine *engine);

/* Takes all records written so far. */
void cpu_records_drain(struct cpu_engine *engine);

/* Waits until the last slices of ended tasks of the command are known, so that its totals are
 * complete. The end of a task is known before: by moments, unless another task gets the CPU. */
void cpu_records_await_ends(struct cpu_engine *engine);

/* Cuts time: the next snapshot has the time up to the moment (ns) that it returns. */
uint64_t cpu_records_cut(struct cpu_engine *engine);

/* If a ring had no room, the kernel reports the loss with the next record, and what was counted
 * meanwhile comes with one after that: reads the counts now, so that they are in this interval. */
void cpu_records_settle(struct cpu_engine *engine);

#endif
