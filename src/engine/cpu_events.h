/* The open events of the system-wide engine on one CPU: a tracker of births, ends and names with
 * the ring, a switcher for SWITCH records, and the groups of events with their samples. */
#ifndef ENGINE_CPU_EVENTS_H
#define ENGINE_CPU_EVENTS_H

#include "base/err.h"
#include "engine/decode.h"
#include "engine/group.h"
#include "engine/ring.h"

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
    struct stream stream;          /* the tracker's ring: also for the switcher and group 0 */
    const struct group_plan *plan; /* groups open here; NULL: none */
    struct open_group *groups;
    uint64_t records; /* taken since the last cut (cpu_records_cut) */
    uint64_t ticks;   /* monotonic: its tickers' usual period began then; 0: not known */
    bool asked;       /* for a record: its tickers run faster */
    bool overrun;     /* a ring was found full since cpu_records_settle() */
    bool dead;        /* it was offline since its events were opened */
    uint64_t enabled; /* of the event that records births, ns, at the last check */
    uint64_t told;    /* monotonic, ns: just after that check */
};

/* The common attributes of all software events of this engine, so that their records have the same
 * format and clock; watermark: bytes in the ring that wake the reader. */
struct perf_event_attr cpu_events_attr(uint64_t config, size_t watermark);

/* A CPU without groups; it must not be moved. ring_bytes as for ring_open. NULL with a message, and
 * errno ENODEV if the CPU is not online, ENOBUFS if rings must be smaller. */
struct cpu_events *cpu_events_open(int number, size_t ring_bytes, struct err *err);
void cpu_events_close(struct cpu_events *cpu); /* frees it */

/* Opens a CPU without groups again, with rings of another size. -1 as for cpu_events_open; then
 * nothing of it is open. */
int cpu_events_reopen(struct cpu_events *cpu, size_t ring_bytes, struct err *err);

/* From the next cpu_events_count on, with a style for cgroups, counts only the tasks of a cgroup;
 * the caller owns the descriptor of its directory. */
void cpu_events_confine(struct cpu_events *cpu, int cgroup);

/* Opens all groups of the plan, which outlives them, disabled. -1 with errno and none open;
 * *refused is the event that failed, -1 if it was not a user's event. */
int cpu_events_count(struct cpu_events *cpu, const struct group_plan *plan,
                     const struct group_style *style, int *refused);
void cpu_events_uncount(struct cpu_events *cpu);

/* Starts or stops SWITCH records; false if they do not start, as where its events are dead: they
 * stay as they are then. A birth or end at that moment may be recorded twice, but is not missed. */
bool cpu_events_switch(struct cpu_events *cpu, bool on);
/* Starts records of the wake-ups by tasks of that CPU: a tracepoint's number, 0: stops them. -1
 * with errno if they do not start. */
int cpu_events_wake(struct cpu_events *cpu, uint64_t tracepoint);
/* The period of the tickers, ns. Setting it restarts the timer (__perf_event_period()). */
void cpu_events_tick(struct cpu_events *cpu, uint64_t period);

/* The i-th ring, NULL after the last, and the descriptor to poll for it. */
struct stream *cpu_events_stream(struct cpu_events *cpu, size_t i);
int cpu_events_stream_fd(const struct cpu_events *cpu, size_t i);

/* The counts of a group now; read has room for them. False if they cannot be read. */
bool cpu_events_read(const struct cpu_events *cpu, size_t group, struct group_read *read);

/* Whether its events still count: those of a CPU that was offline since they were opened count
 * nothing any more (kernel/events/core.c, perf_event_exit_cpu_context()). Asking interrupts the
 * CPU. */
bool cpu_events_lives(struct cpu_events *cpu);

size_t cpu_events_descriptors(const struct cpu_events *cpu);

#endif
