#include "engine/code_rings.h"
#include "base/mem.h"
#include "code/stack_registers.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    CODE_RING_BYTES = 512 << 10, /* what perf_event_mlock_kb grants each CPU, with a page */
    /* Some tenths of a second at the usual rate: what a process has mapped is read while it lives.
     */
    CODE_WAKEUP_BYTES = 16 << 10,
};

uint64_t code_rings_fields(bool reads, enum stacks stacks)
{
    static const uint64_t more[] = {
        [STACKS_FP] = PERF_SAMPLE_CALLCHAIN,
        [STACKS_DWARF] = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
        [STACKS_LBR] = PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
        [STACKS_NONE] = 0,
    };
    return (uint64_t)DECODE_CODE_FIELDS | (reads ? PERF_SAMPLE_READ : 0u) | more[stacks];
}

void code_rings_callers(struct perf_event_attr *attr, const struct sampling *sampling)
{
    if (sampling->stacks == STACKS_DWARF) {
        attr->sample_regs_user = stack_registers.mask;
        attr->sample_stack_user = sampling->copy;
    } else if (sampling->stacks == STACKS_LBR) {
        attr->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK |
                                   PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES;
    }
}

void code_rings_follow(struct perf_event_attr *attr, bool build_ids)
{
    attr->mmap = attr->mmap2 = attr->comm = attr->comm_exec = attr->task = 1;
    attr->build_id = build_ids;
}

/* The owner of a ring: counts nothing, of all tasks or of this program. */
static int open_owner(int cpu, bool whole, bool user_only, bool build_ids)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = DECODE_CODE_FIELDS,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = CODE_WAKEUP_BYTES,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };
    if (whole) {
        code_rings_follow(&attr, build_ids);
        attr.ksymbol = 1;
    }
    return sys_open(&attr, false, whole ? -1 : 0, cpu, -1);
}

int code_rings_open(struct code_rings *rings, const struct cpulist *cpus, bool whole,
                    bool user_only, bool *build_ids, struct err *err)
{
    *rings = (struct code_rings){.rings = mem_array(cpus->count, sizeof(*rings->rings))};
    *build_ids = true;
    for (size_t c = 0; c < cpus->count; c++) {
        struct code_ring *ring = &rings->rings[rings->count];
        struct err why = {""};
        *ring = (struct code_ring){.cpu = cpus->cpus[c]};
        ring->fd = open_owner(ring->cpu, whole, user_only, *build_ids);
        if (ring->fd < 0 && (errno == EINVAL || errno == E2BIG) && *build_ids) {
            *build_ids = false;
            ring->fd = open_owner(ring->cpu, whole, user_only, false);
        }
        if (ring->fd < 0 && errno == ENODEV)
            continue; /* it is offline */
        if (ring->fd >= 0) {
            int result = ring_open_within(&ring->ring, ring->fd, CODE_RING_BYTES, &why);
            rings->count++;
            if (result == 0)
                continue;
        }
        err_set(err, "cannot sample on cpu %d: %s", ring->cpu,
                *why.text ? why.text : strerror(errno));
        code_rings_close(rings);
        return -1;
    }
    return 0;
}

void code_rings_close(struct code_rings *rings)
{
    for (size_t r = 0; r < rings->count; r++) {
        ring_close(&rings->rings[r].ring);
        close(rings->rings[r].fd);
    }
    free(rings->rings);
    merge_release(&rings->merge);
    *rings = (struct code_rings){0};
}

/* Reads the ring's next record; false if it has none. */
static bool next_code_record(const struct code_rings *rings, struct code_ring *ring)
{
    while ((ring->raw = ring_peek(&ring->ring))) {
        if (decode_code_record(ring->raw, rings->fields, &ring->record))
            return true;
        ring_pop(&ring->ring, ring->raw);
    }
    return false;
}

void code_rings_drain(struct code_rings *rings, uint64_t until,
                      void (*take)(void *ctx, const struct code_record *record), void *ctx)
{
    struct code_ring *ring;
    for (size_t r = 0; r < rings->count; r++) {
        ring = &rings->rings[r];
        ring_update(&ring->ring);
        if (next_code_record(rings, ring))
            merge_add(&rings->merge, ring, ring->record.time);
    }
    while ((ring = merge_first(&rings->merge)) && ring->record.time <= until) {
        take(ctx, &ring->record);
        ring_pop(&ring->ring, ring->raw);
        bool more = next_code_record(rings, ring);
        merge_advance(&rings->merge, more, ring->record.time);
    }
    rings->merge.count = 0; /* the others stay in their rings */
    for (size_t r = 0; r < rings->count; r++)
        ring_release(&rings->rings[r].ring);
}
