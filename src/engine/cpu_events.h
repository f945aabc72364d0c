/* The events that the system-wide engine opens on one CPU: a tracker, which owns the ring and
 * records births, ends and names; a switcher, which writes SWITCH records; and the groups of events
 * with their samples. */
#pragma once

#include "engine/group.h"
#include "engine/ring.h"

/* A ring and its next record. */
struct stream {
    struct cpu_events *cpu;
    size_t group;  /* whose samples it carries */
    size_t values; /* of such a sample; 0: those of closed groups are ignored */
    int fd;        /* that is readable when the ring fills; the CPU's or the group's */
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

/* Tracepoints that write a record each time. */
enum tracer { TRACER_WAKEUPS, TRACER_MIGRATIONS, TRACERS };

struct cpu_events {
    int number;
    size_t index; /* in the ledger */
    int tracker;
    int switcher;                  /* -1: not wanted. If it is open, each switch costs more; it
                                      replaces the tracker then, unless it is a cgroup's */
    int tracers[TRACERS];          /* -1: not open */
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

/* Opens the tracker of a CPU, with a ring of at most that many bytes, and no groups. cgroups: the
 * kernel can report new cgroups. The result must not be moved; cpu_events_close() frees it. NULL
 * with a message, and errno ENODEV if the CPU is not online, ENOBUFS if rings must be smaller. */
struct cpu_events *cpu_events_open(int number, size_t ring_bytes, bool cgroups, struct err *err);
void cpu_events_close(struct cpu_events *cpu); /* frees it */

/* Opens a CPU that has no groups again, with rings of another size. -1 with errno as for
 * cpu_events_open(): then nothing of it is open. */
int cpu_events_reopen(struct cpu_events *cpu, size_t ring_bytes);

/* From the next cpu_events_count() on, counts only the tasks of a cgroup, given by a descriptor of
 * its directory, which stays the caller's and open; -1: all tasks. The style of that call has to
 * have `cgroup` set. */
void cpu_events_confine(struct cpu_events *cpu, int cgroup);

/* Opens all groups of the plan, disabled; borrows the plan until cpu_events_uncount(). -1 with
 * errno and no group open: *refused is the index of the event that failed, -1 if it was none of the
 * user's. */
int cpu_events_count(struct cpu_events *cpu, const struct group_plan *plan,
                     const struct group_style *style, int *refused);
/* Closes all groups. Keeps errno. */
void cpu_events_uncount(struct cpu_events *cpu);

/* Starts or stops the SWITCH records of a CPU. False if they cannot be started, as on a CPU that
 * was offline: nothing changes then. A birth or end at that moment may be recorded twice, but never
 * not at all. */
bool cpu_events_switch(struct cpu_events *cpu, bool on);
/* Starts a tracer's records of what that CPU does, by the number of the tracepoint; 0 stops them.
 * -1 with errno if they cannot be started. */
int cpu_events_trace(struct cpu_events *cpu, enum tracer tracer, uint64_t tracepoint);
/* Sets the period of the CPU's tickers, ns, and so restarts their timers (__perf_event_period()).
 */
void cpu_events_tick(struct cpu_events *cpu, uint64_t period);

/* The i-th ring of a CPU, NULL after the last. */
struct stream *cpu_events_stream(struct cpu_events *cpu, size_t i);

/* Reads the present counts of a group into `read`, which has room for them. False on failure. */
bool cpu_events_read(const struct cpu_events *cpu, size_t group, struct group_read *read);

/* Whether its events still count: those of a CPU that was offline since they were opened count
 * nothing any more (kernel/events/core.c, perf_event_exit_cpu_context()). Asking interrupts the
 * CPU. */
bool cpu_events_lives(struct cpu_events *cpu);

/* The number of its open descriptors. */
size_t cpu_events_descriptors(const struct cpu_events *cpu);
