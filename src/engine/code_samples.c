#include "engine/code_samples.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 127 }; /* kernel.perf_event_max_stack, unless it was changed */

/* What the values of a group were at the sample before; one for each CPU and, where single tasks
 * are sampled, thread. */
struct code_before {
    uint64_t enabled, running;
    uint64_t values[];
};

void code_samples_begin(struct code_samples *samples)
{
    char text[32];
    const char *number = text;
    uint64_t most;
    samples->deltas = mem_array(samples->events + PROFILE_WAITS, sizeof(*samples->deltas));
    samples->depth_most = DEPTH_MAX;
    if (file_read("/proc/sys/kernel/perf_event_max_stack", text, sizeof(text)) > 0 &&
        str_take_number(&number, &most) && most < DEPTH_MAX)
        samples->depth_most = (size_t)most;
    if (samples->stacks == STACKS_DWARF)
        code_stacks_begin(&samples->held, samples->book,
                          samples->switches ? &samples->waits : NULL);
}

void code_samples_into(struct code_samples *samples, struct profile *profile)
{
    map_clear(&samples->sum.sites);
    map_clear(&samples->sum.chains);
    samples->sum.profile = profile;
}

void code_samples_end(struct code_samples *samples)
{
    void *before;
    for (size_t at = 0; (before = map_next(&samples->before, &at));)
        free(before);
    map_release(&samples->before);
    profile_sum_release(&samples->sum);
    code_waits_release(&samples->waits);
    code_stacks_end(&samples->held);
    free(samples->deltas);
    samples->deltas = NULL;
}

/* Sets what the events beside counted since the sample before on this CPU (of this thread, if
 * single tasks are sampled); returns what the sampled one did, which the sample stands for. Both
 * are scaled where the group was multiplexed. The period of the record is what the kernel aimed at:
 * where it adjusts it to a rate, that can be many times the count. Of a clock it is right, and the
 * count of a CPU's clock has idle time. */
static uint64_t take_values(struct code_samples *samples, const struct code_record *record)
{
    size_t events = samples->events;
    uint64_t weight = record->sample.period;
    memset(samples->deltas, 0, events * sizeof(*samples->deltas));
    if (!samples->reads || record->sample.value_count != events + 1)
        return weight;
    uint64_t key = ((uint64_t)record->sample.cpu << 32) + 1;
    if (!samples->whole)
        key += (uint64_t)record->tid;
    struct code_before *before = map_get(&samples->before, key);
    if (!before) {
        before = mem_alloc(sizeof(*before) + (events + 1) * sizeof(*before->values));
        map_put(&samples->before, key, before);
    }
    uint64_t enabled = record->sample.enabled - before->enabled;
    uint64_t running = record->sample.running - before->running;
    /* An event of a task on one CPU is enabled while the task runs on any: that says nothing. */
    bool scaled = samples->whole && running > 0 && running < enabled;
    double scale = scaled ? (double)enabled / (double)running : 1;
    before->enabled = record->sample.enabled;
    before->running = record->sample.running;
    for (size_t e = 0; e <= events; e++) {
        uint64_t value = record->sample.values[e], last = before->values[e];
        before->values[e] = value;
        /* Another thread with the same tid begins at 0. */
        uint64_t more = (uint64_t)((double)(value >= last ? value - last : value) * scale);
        if (e > 0)
            samples->deltas[e - 1] = more;
        else if (!samples->clock)
            weight = more;
    }
    return weight;
}

void code_samples_settle(struct code_samples *samples)
{
    code_stacks_collect(&samples->held, &samples->sum, samples->book);
}

void code_samples_cut(struct code_samples *samples, uint64_t time)
{
    code_stacks_cut(&samples->held, &samples->sum, samples->book);
    if (samples->switches)
        code_waits_cut(&samples->waits, &samples->sum, time);
}

/* The callers of a sample. */
struct taken_chain {
    struct profile_chain chain; /* its frames have room for DEPTH_MAX */
    size_t kernel;              /* the first ones, in kernel mode */
    size_t user;                /* addresses in user mode, with that of the sample */
    size_t all;                 /* addresses of both modes that the kernel gave */
};

static void take_caller(const struct code_samples *samples, const struct code_record *record,
                        struct taken_chain *taken, uint64_t address, bool kernel)
{
    if (taken->chain.depth < DEPTH_MAX)
        taken->chain.frames[taken->chain.depth++] =
            code_book_place(samples->book, record->pid, address, kernel);
}

/* Marks in the chain say in which mode the addresses after them are; the first address is that of
 * the sample itself, the others are return addresses. Where the processor recorded the calls, their
 * addresses are those of callers in user mode. */
static void take_chain(const struct code_samples *samples, const struct code_record *record,
                       struct taken_chain *taken)
{
    bool kernel = record->sample.kernel, self = true, recorded = samples->stacks == STACKS_LBR;
    for (size_t i = 0; i < record->sample.chain_count; i++) {
        uint64_t address = record->sample.chain[i];
        if (address >= (uint64_t)PERF_CONTEXT_MAX) {
            kernel = address == (uint64_t)PERF_CONTEXT_KERNEL;
            continue;
        }
        taken->all++;
        taken->user += !kernel;
        if (!self && (kernel || !recorded || taken->user == 1))
            take_caller(samples, record, taken, address - 1, kernel);
        taken->kernel += !self && kernel;
        self = false;
    }
    for (size_t i = 0; i < record->sample.branch_count; i++) {
        taken->user += taken->user > 0;
        take_caller(samples, record, taken, record->sample.branches[i * DECODE_CODE_BRANCH], false);
    }
}

/* As far as frame pointers or the processor say. The kernel stops at its limit, and does not say so
 * (kernel/events/callchain.c, get_perf_callchain()). */
static bool chain_ends(const struct code_samples *samples, const struct taken_chain *taken)
{
    const struct profile_chain *chain = &taken->chain;
    if (taken->all >= samples->depth_most)
        return false;
    return taken->user == 0 ||
           (taken->user > 1 && chain->depth > 0 &&
            code_book_is_mapped(samples->book, chain->frames[chain->depth - 1]));
}

/* A thread leaves its CPU in the scheduler: what called that is where it waits. */
static void leave_scheduler(const struct code_samples *samples, struct code_place *place,
                            struct taken_chain *taken)
{
    struct profile_chain *chain = &taken->chain;
    uint32_t kernel = place->object;
    while (chain->depth > 0 && place->object == kernel && place->address >= samples->scheduler[0] &&
           place->address < samples->scheduler[1]) {
        *place = *chain->frames++;
        chain->depth--;
        taken->kernel -= taken->kernel > 0;
    }
}

static void take_sample(struct code_samples *samples, const struct code_record *record)
{
    struct profile *profile = samples->sum.profile;
    struct code_place frames[DEPTH_MAX];
    struct taken_chain taken = {.chain = {0, frames}};
    struct profile_chain *chain = &taken.chain;
    uint64_t weight = take_values(samples, record);
    if (record->pid < 0) /* it has ended */
        return;
    struct profile_site site = {
        .pid = record->pid,
        .tid = record->tid,
        .place = code_book_place(samples->book, record->pid, record->sample.address,
                                 record->sample.kernel),
        .samples = 1,
        .weight = weight,
    };
    profile->exact += record->sample.exact;
    bool ends = true;
    if (samples->stacks != STACKS_NONE) {
        take_chain(samples, record, &taken);
        ends = chain_ends(samples, &taken);
    }
    if (samples->switches && record->sample.kernel)
        leave_scheduler(samples, &site.place, &taken);
    uint64_t *held = NULL;
    if (samples->held.unwinder && record->sample.stack)
        held = code_stacks_hold(&samples->held, &samples->sum, record, &site, samples->deltas,
                                chain, taken.kernel, ends);
    if (!held) {
        site.chain = profile_sum_chain(&samples->sum, chain);
        profile->short_stacks += !ends;
        profile_sum_add(&samples->sum, &site, samples->deltas);
    }
    if (samples->switches)
        code_waits_leave(&samples->waits, &site, chain, record->time, held);
}

static void take_switch(struct code_samples *samples, const struct code_record *record)
{
    if (record->way == CODE_SWITCH_IN)
        code_waits_return(&samples->waits, &samples->sum, record->tid, record->time);
    else if (record->way == CODE_SWITCH_PREEMPTED)
        code_waits_preempted(&samples->waits, record->tid);
}

void code_samples_take(void *ctx, const struct code_record *record)
{
    struct code_samples *samples = ctx;
    switch (record->kind) {
    case CODE_SAMPLE:
        take_sample(samples, record);
        break;
    case CODE_MAP:
        code_book_map(samples->book, record->pid, &record->mapping);
        break;
    case CODE_EXEC:
        code_book_exec(samples->book, record->pid, record->time);
        break;
    case CODE_FORK:
        code_book_fork(samples->book, record->parent, record->pid);
        break;
    case CODE_EXIT:
        if (samples->switches)
            code_waits_end(&samples->waits, record->pid, record->tid, record->time);
        break;
    case CODE_SWITCH:
        take_switch(samples, record);
        break;
    case CODE_KERNEL:
        code_book_kernel_changed(samples->book);
        break;
    case CODE_LOST:
        samples->sum.profile->lost += record->lost;
        break;
    case CODE_THROTTLE:
        samples->sum.profile->throttled++;
        break;
    case CODE_OTHER:
        break;
    }
}
