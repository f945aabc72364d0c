/* What the system-wide engine has open on one CPU: a tracker of births, ends and names with the
 * ring, a switcher for SWITCH records, and the groups of events with their samples. */
#ifndef ENGINE_CPU_EVENTS_H
#define ENGINE_CPU_EVENTS_H

#include "base/err.h"
#include "engine/decode.h"
#include "engine/group.h"
#include "engine/ring.h"

/* A ring and the record of it that is next in line. */
struct stream {
    struct cpu_events *cpu_events;
    size_t group; /* whose samples it carries */
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
    struct stream *stream; /* NULL for group 0, which writes into the place's, and shared events */
};

struct cpu_events {
    int cpu;
    size_t number; /* in the ledger */
    int tracker;
    int switcher;         /* -1: not wanted. Its mere existence makes each switch dearer */
    int cgroup;           /* only its tasks are counted, and told of by the switcher; -1: all */
    struct stream stream; /* the tracker's ring: also for the switcher and group 0 */
    const struct group_plan *plan; /* what is open here, NULL: no groups */
    struct open_group *groups;
    bool overrun;     /* a ring was found full since the engine last settled its books */
    uint64_t enabled; /* of the tracker, ns, when last looked at by cpu_events_lives */
};

/* What all software events of this engine have in common, so that their records can be told and
 * dated alike; watermark: bytes in the ring that wake the reader. */
struct perf_event_attr cpu_events_attr(uint64_t config, size_t watermark);

/* A place without groups; it must not be moved. ring_bytes as for ring_open. NULL with a message,
 * and errno ENODEV where the CPU is not online, ENOBUFS where rings must be smaller. */
struct cpu_events *cpu_events_open(int cpu, size_t ring_bytes, struct err *err);
void cpu_events_close(struct cpu_events *cpu_events); /* frees it */

/* Opens a place without groups anew, with rings of another size. -1 as for cpu_events_open; it is
 * dead then. */
int cpu_events_reopen(struct cpu_events *cpu_events, size_t ring_bytes, struct err *err);

/* From the next cpu_events_count on, whose style is then to say so, it counts the tasks of a cgroup
 * alone; the descriptor of its directory outlives the place. */
void cpu_events_confine(struct cpu_events *cpu_events, int cgroup);

/* Opens all groups of the plan, which outlives them, disabled. -1 with errno and none open:
 * *refused is the event it was about, -1 when it was none of the user's. */
int cpu_events_count(struct cpu_events *cpu_events, const struct group_plan *plan,
                     const struct group_style *style, int *refused);
void cpu_events_uncount(struct cpu_events *cpu_events);

void cpu_events_start(struct cpu_events *cpu_events); /* enables the groups */
bool cpu_events_switch(struct cpu_events *cpu_events,
                       bool on); /* SWITCH records; false where they do not begin */
void cpu_events_tick(struct cpu_events *cpu_events,
                     uint64_t period); /* ns between the ticker's samples */

/* The i-th ring, NULL after the last, and the descriptor to poll for it. */
struct stream *cpu_events_stream(struct cpu_events *cpu_events, size_t i);
int cpu_events_stream_fd(const struct cpu_events *cpu_events, size_t i);

/* The counts of a group now; read has room for them. False where there are none to be had. */
bool cpu_events_read(const struct cpu_events *cpu_events, size_t group, struct group_read *read);

/* Whether its events are enabled still: those of a CPU that went offline stay dead when it comes
 * back (kernel/events/core.c, perf_event_exit_cpu_context()). */
bool cpu_events_lives(struct cpu_events *cpu_events);

size_t cpu_events_descriptors(const struct cpu_events *cpu_events);

#endif
