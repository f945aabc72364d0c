/* The rings of events that sample code, one a CPU, and their records in the order of time: so the
 * mapping of a library is known before a sample in it, whichever CPU wrote it. */
#ifndef ENGINE_CODE_RINGS_H
#define ENGINE_CODE_RINGS_H

#include "base/cpulist.h"
#include "engine/decode_code.h"
#include "engine/merge.h"
#include "engine/ring.h"
#include "sample/profile.h"

enum {
    DECODE_CODE_READ =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
};

struct code_ring {
    int cpu;
    int fd; /* of the event that owns the ring; others write to it (sys_set_output()) */
    struct ring ring;
    struct code_record record; /* the next one */
    const struct perf_event_header *raw;
};

struct code_rings { /* zeroed: none are open */
    struct code_ring *rings;
    size_t count;
    uint64_t fields;    /* the sample_type of the events */
    struct merge merge; /* for code_rings_drain() */
};

/* The sample_type of events whose samples have a group's values, and callers. */
uint64_t code_rings_fields(bool reads, enum stacks stacks);
/* What else an event needs for its callers. */
void code_rings_callers(struct perf_event_attr *attr, const struct sampling *sampling);

/* Makes an event report what its tasks map and execute, and the kernel's own new code. */
void code_rings_follow(struct perf_event_attr *attr, bool build_ids);

/* Opens a ring on each CPU that is online. whole: it also gets what all tasks map and execute;
 * *build_ids receives whether the kernel reports build-ids (Linux 5.12). -1 with a message and none
 * open. */
int code_rings_open(struct code_rings *rings, const struct cpulist *cpus, bool whole,
                    bool user_only, bool *build_ids, struct err *err);
void code_rings_close(struct code_rings *rings);

/* Passes on all records written up to that time (monotonic, ns). */
void code_rings_drain(struct code_rings *rings, uint64_t until,
                      void (*take)(void *ctx, const struct code_record *record), void *ctx);

#endif
