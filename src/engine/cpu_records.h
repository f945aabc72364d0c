/* The internal header of the system-wide engine (engine/engines.h): its state, the events that
 * it opens on each CPU, and how it takes the records of all rings into the ledger.
 *
 * Rings are merged by time, so that the birth of a task on one CPU is known before another CPU
 * reports it running. Between two births, ends or names the order of CPUs makes no difference,
 * since samples and switches only add to counts: then the records of a CPU that has one ring are
 * taken in one go, which keeps what is known of that CPU in the cache. */
#ifndef ENGINE_CPU_RECORDS_H
#define ENGINE_CPU_RECORDS_H

#include "base/err.h"
#include "engine/decode.h"
#include "engine/group.h"
#include "engine/ledger.h"
#include "engine/launch_overhead.h"
#include "engine/proc_tasks.h"
#include "engine/ring.h"
#include "sample/source.h"
#include "system/caps.h"

/* --- The events of one CPU: a tracker, which owns the ring and records births, ends and names; a
 * switcher, which writes SWITCH records; and the groups of events with their samples. --- */

/* A ring and its next record. */
struct stream {
    struct cpu_events *cpu;
    size_t group;  /* whose samples it carries */
    size_t values; /* of such a sample; 0: those of closed groups are ignored */
    struct ring ring;
    struct record record; /* valid while `raw` is not NULL */
    const struct perf_event_header *raw;
};

/* A group that is open on a CPU.
 *
 * Each group has a ring of its own, since the id in a sample of a software event cannot be trusted:
 * from Linux 6.2 on the events that one context switch triggers share a perf_sample_data, and all
 * but the first (of whatever process) keep the id and the time that the first one filled in
 * (kernel/events/core.c, do_perf_sw_event() and perf_prepare_sample()). The ticker is a timer with
 * data of its own. */
struct open_group {
    int *fds;              /* NULL: not open; so is a shared event's on most CPUs */
    struct stream *stream; /* NULL for group 0, which writes to the tracker's, and shared events */
};

struct cpu_events {
    int number;
    size_t index; /* in the ledger */
    int tracker;
    int switcher;                  /* -1: not wanted. If it is open, each switch costs more; it
                                      replaces the tracker then, unless it is a cgroup's */
    int waker;                     /* writes a record for each wake-up; -1: not open */
    int cgroup;                    /* only its tasks are counted, and in SWITCH records; -1: all */
    bool cgroups;                  /* the tracker reports new ones */
    struct stream stream;          /* the tracker's ring: also for the switcher and group 0 */
    const struct group_plan *plan; /* groups open here; NULL: none */
    struct open_group *groups;
    bool asked;       /* for a record: its tickers run faster */
    bool overrun;     /* a ring was found full since cpu_records_settle() */
    bool dead;        /* it was offline since its events were opened */
    uint64_t enabled; /* of the event that records births, ns, at the last check */
    uint64_t checked; /* monotonic, ns: when that check was done */
};

/* The common attributes of all software events of this engine, so that their records have the same
 * format and clock; watermark: bytes in the ring that wake the reader. */
struct perf_event_attr cpu_events_attr(uint64_t config, size_t watermark);

/* Opens the tracker of a CPU, with a ring of at most that many bytes, and no groups. cgroups: the
 * kernel can report new cgroups. The result must not be moved; cpu_events_close() frees it. NULL
 * with a message, and errno ENODEV if the CPU is not online, ENOBUFS if rings must be smaller. */
struct cpu_events *cpu_events_open(int number, size_t ring_bytes, bool cgroups, struct err *err);
void cpu_events_close(struct cpu_events *cpu); /* frees it */

/* Opens a CPU that has no groups again, with rings of another size. -1 with errno as for
 * cpu_events_open(): then nothing of it is open. */
int cpu_events_reopen(struct cpu_events *cpu, size_t ring_bytes);

/* From the next cpu_events_count() on, whose style must be for cgroups, counts only the tasks of a
 * cgroup, given by a descriptor of its directory, which stays the caller's. */
void cpu_events_confine(struct cpu_events *cpu, int cgroup);

/* Opens all groups of the plan, disabled; borrows the plan until cpu_events_uncount(). -1 with
 * errno and no group open: *refused is the index of the event that failed, -1 if it was none of the
 * user's. */
int cpu_events_count(struct cpu_events *cpu, const struct group_plan *plan,
                     const struct group_style *style, int *refused);
/* Closes all groups. */
void cpu_events_uncount(struct cpu_events *cpu);

/* Starts or stops the SWITCH records of a CPU. False if they cannot be started, as on a CPU that
 * was offline: nothing changes then. A birth or end at that moment may be recorded twice, but never
 * not at all. */
bool cpu_events_switch(struct cpu_events *cpu, bool on);
/* Starts records of wake-ups by the tasks on that CPU, by the number of the tracepoint; 0 stops
 * them. -1 with errno if they cannot be started. */
int cpu_events_wake(struct cpu_events *cpu, uint64_t tracepoint);
/* Sets the period of the CPU's tickers, ns, and so restarts their timers (__perf_event_period()).
 */
void cpu_events_tick(struct cpu_events *cpu, uint64_t period);

/* The i-th ring of a CPU, NULL after the last; and the descriptor that is readable when it fills.
 */
struct stream *cpu_events_stream(struct cpu_events *cpu, size_t i);
int cpu_events_stream_fd(const struct cpu_events *cpu, size_t i);

/* Reads the present counts of a group into `read`, which has room for them. False on failure. */
bool cpu_events_read(const struct cpu_events *cpu, size_t group, struct group_read *read);

/* Whether its events still count: those of a CPU that was offline since they were opened count
 * nothing any more (kernel/events/core.c, perf_event_exit_cpu_context()). Asking interrupts the
 * CPU. */
bool cpu_events_lives(struct cpu_events *cpu);

/* The number of its open descriptors. */
size_t cpu_events_descriptors(const struct cpu_events *cpu);

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
    /* The counters themselves are restricted to the cgroup that is watched. */
    char *cgroup;  /* its directory, as system/cgroup.h finds it; NULL: everything is counted */
    int directory; /* descriptor of it; -1: counts everything */
    bool cgroups;  /* the kernel writes cgroups into samples, and reports new ones */
    size_t ring_wanted, ring_bytes; /* of each ring; ring_bytes: what the mlock limit leaves */
    struct ledger *ledger;
    struct active_plan *active; /* NULL before the first set_events */
    /* The CPUs that are counted, and behind these the other online ones, where only births, names
     * and ends are recorded: of tasks that come from there. */
    size_t count, followed, room;
    struct cpu_events **cpus;
    struct merge merge;                   /* of all rings: scratch */
    struct turning_points turning_points; /* in the rings, not taken yet */
    uint64_t generation, started;
    pid_t command; /* the watched one, 0: none */
    struct launch_overhead
        *launch_overhead;        /* of a command, until its counts are moved; NULL: none */
    int launch_error;            /* launch_overhead_begin() gave it */
    struct proc_scan_state scan; /* of the machine's tasks, if all CPUs are counted */
};

/* --- The records of all CPUs --- */

/* The period of tickers, ns, that suits a refresh interval (ns) and a number of groups: a divisor
 * of the interval, but at least 1 ms. */
uint64_t cpu_records_period(uint64_t delay, size_t groups);
/* Sets the period of all tickers to the one that suits the delay. */
void cpu_records_set_ticks(struct cpu_engine *engine);
/* Starts or stops the SWITCH records of a CPU, and lets the ledger know. */
void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu, bool on);

/* Adds a CPU's i-th ring to those that wake the engine. */
void cpu_records_poll(const struct cpu_engine *engine, const struct cpu_events *cpu, size_t i);

/* Opens a tracker on each online CPU that is not counted, so that births, names and ends of its
 * tasks are known. One that cannot be opened is tried again by the next call. */
void cpu_records_follow(struct cpu_engine *engine, const struct cpulist *online);

/* Whether some ring is a quarter full, so that records should be drained now. Below that, draining
 * waits: larger batches are cheaper. */
bool cpu_records_press(struct cpu_engine *engine);

/* Takes all records written before the call into the ledger. */
void cpu_records_drain(struct cpu_engine *engine);

/* Waits, at most 50 ms, until the record at the end of the last slice of each ended task of the
 * command has come, so that the command's totals are complete. */
void cpu_records_await_ends(struct cpu_engine *engine);

/* Ends the interval of the next snapshot at the moment (monotonic, ns) that it returns, and drains
 * the rings. Waits up to 13 ms for CPUs to report which task had them at that moment. */
uint64_t cpu_records_cut(struct cpu_engine *engine);

/* Reads the counts of each CPU on which a ring was found full, as unattributed. The kernel reports
 * a loss only with a later record, and the counts with one after that: without this they would be
 * in a later interval. */
void cpu_records_settle(struct cpu_engine *engine);

#endif
