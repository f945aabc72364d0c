#include "engine/code_stacks.h"
#include "base/mem.h"
#include "engine/code_rings.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WAIT = 80000000 }; /* ns, at the end of an interval */

struct held_sample {
    struct held_sample *next;
    uint64_t number; /* of its stack */
    struct profile_site site;
    bool in_kernel;   /* the sample itself */
    bool complete;    /* the chain, as far as frame pointers go */
    size_t kernel;    /* callers in kernel mode */
    size_t depth;     /* of frames[] */
    uint64_t *values; /* behind the frames */
    struct code_place frames[];
};

static int explain_branches(const struct sampling *sampling, int error, struct err *err)
{
    const char *why = error == EACCES || error == EPERM ? "that is not permitted"
                      : sampling->event.hardware
                          ? "this processor has no record of calls that the kernel can read"
                          : "the kernel has it only for events that the processor counts";
    return err_set(err,
                   "cannot sample '%s' with the processor's record of calls: %s (%s); use "
                   "--call-graph dwarf or fp",
                   sampling->event.name, why, strerror(error));
}

int code_stacks_check(const struct sampling *sampling, bool user_only, struct err *err)
{
    const struct watch *watch = &sampling->watch;
    size_t named = watch->pid_count + watch->name_count + watch->tid_count + (watch->command != 0);
    if (sampling->stacks == STACKS_DWARF && stack_registers.mask == 0)
        return err_set(err, "cannot copy stacks: on this processor they are not unwound; use "
                            "--call-graph fp");
    if (sampling->stacks == STACKS_DWARF && named != 1)
        return err_set(err, "cannot copy the stacks of all tasks: choose a process with -p, -t or "
                            "-- COMMAND, in the terminal with p on its row");
    if (sampling->stacks != STACKS_LBR)
        return 0;
    struct perf_event_attr attr = sampling->event.attr;
    attr.sample_type = code_rings_fields(false, STACKS_LBR);
    attr.sample_period = 1000003;
    attr.exclude_kernel = attr.exclude_hv = user_only;
    attr.disabled = 1;
    code_rings_callers(&attr, sampling);
    int fd = sys_open(&attr, false, 0, -1, -1);
    if (fd < 0)
        return explain_branches(sampling, errno, err);
    close(fd);
    return 0;
}

void code_stacks_begin(struct code_stacks *stacks, struct code_book *book, struct code_waits *waits)
{
    code_stacks_end(stacks);
    stacks->unwinder = unwinder_new(book);
    stacks->end = &stacks->first;
    stacks->waits = waits;
}

static struct held_sample *take_held(struct code_stacks *stacks)
{
    struct held_sample *held = stacks->first;
    stacks->first = held->next;
    if (!stacks->first)
        stacks->end = &stacks->first;
    return held;
}

void code_stacks_end(struct code_stacks *stacks)
{
    while (stacks->first)
        free(take_held(stacks));
    unwinder_free(stacks->unwinder);
    *stacks = (struct code_stacks){0};
}

/* Whether one more may be unwound. */
static bool within_rate(struct code_stacks *stacks, uint64_t time)
{
    enum { SECOND = 1000000000 };
    if (time - stacks->second >= SECOND) {
        stacks->second = time;
        stacks->count = 0;
    }
    return stacks->count++ < CODE_STACKS_MAX;
}

uint64_t *code_stacks_hold(struct code_stacks *stacks, struct profile_sum *sum,
                           const struct code_record *record, const struct profile_site *site,
                           const uint64_t *values, const struct profile_chain *chain, size_t kernel,
                           bool complete)
{
    struct profile *profile = sum->profile;
    size_t events = profile->events;
    profile->copied += record->sample.stack_size;
    if (!within_rate(stacks, record->time)) {
        profile->late++;
        return NULL;
    }
    struct unwound *stack = mem_alloc(sizeof(*stack));
    stack->number = stacks->numbers;
    stack->pid = record->pid;
    stack->epoch = code_book_epoch(profile->book, record->pid);
    stack->copy.size = record->sample.stack_size;
    memcpy(stack->copy.registers, record->sample.registers,
           stack_registers.count * sizeof(*record->sample.registers));
    stack->bytes = mem_alloc(record->sample.stack_size);
    memcpy(stack->bytes, record->sample.stack, record->sample.stack_size);
    if (!unwinder_put(stacks->unwinder, stack)) {
        unwound_free(stack);
        profile->late++;
        return NULL;
    }
    struct held_sample *held =
        mem_alloc(sizeof(*held) + chain->depth * sizeof(*held->frames) + events * sizeof(*values));
    *held = (struct held_sample){.number = stacks->numbers++,
                                 .site = *site,
                                 .in_kernel = record->sample.kernel,
                                 .complete = complete,
                                 .kernel = kernel,
                                 .depth = chain->depth,
                                 .values = (uint64_t *)&held->frames[chain->depth]};
    if (chain->depth)
        memcpy(held->frames, chain->frames, chain->depth * sizeof(*held->frames));
    if (events)
        memcpy(held->values, values, events * sizeof(*values));
    *stacks->end = held;
    stacks->end = &held->next;
    return held->values;
}

/* Adds a sample with its callers, and frees it. */
static void add_held(const struct code_stacks *stacks, struct profile_sum *sum,
                     struct held_sample *held, const struct profile_chain *chain, bool complete)
{
    held->site.chain = profile_sum_chain(sum, chain);
    profile_sum_add(sum, &held->site, held->values);
    if (stacks->waits)
        code_waits_settle(stacks->waits, held->site.tid, held->values, chain);
    sum->profile->short_stacks += !complete;
    free(held);
}

static void add_by_pointers(const struct code_stacks *stacks, struct profile_sum *sum,
                            struct held_sample *held)
{
    const struct profile_chain chain = {held->depth, held->frames};
    sum->profile->late++;
    add_held(stacks, sum, held, &chain, held->complete);
}

/* Whether frame pointers lead through the same callers, and on to the end. */
static bool goes_on(const struct held_sample *held, const struct profile_chain *chain)
{
    size_t from = held->kernel + held->in_kernel; /* where it is in user mode is told differently */
    if (!held->complete || held->depth <= chain->depth || chain->depth <= from)
        return false;
    for (size_t f = from; f < chain->depth; f++)
        if (held->frames[f].object != chain->frames[f].object ||
            held->frames[f].address != chain->frames[f].address)
            return false;
    return true;
}

static void add_unwound(const struct code_stacks *stacks, struct profile_sum *sum,
                        struct code_book *book, struct held_sample *held,
                        const struct stack_frames *unwound)
{
    struct code_place frames[STACK_FRAMES_MAX];
    struct profile_chain chain = {held->kernel, frames};
    bool whole = unwound->whole && held->kernel + unwound->count <= STACK_FRAMES_MAX;
    if (held->kernel)
        memcpy(frames, held->frames, held->kernel * sizeof(*frames));
    /* The first one is where the thread is in user mode: the sample itself, or its last caller. */
    for (size_t i = !held->in_kernel; i < unwound->count && chain.depth < STACK_FRAMES_MAX; i++)
        frames[chain.depth++] = code_book_place(book, held->site.pid, unwound->addresses[i], false);
    while (chain.depth > held->kernel && !code_book_is_mapped(book, frames[chain.depth - 1])) {
        chain.depth--;
        whole = false;
    }
    sum->profile->unwound++;
    if (!whole && goes_on(held, &chain))
        add_held(stacks, sum, held, &(struct profile_chain){held->depth, held->frames}, true);
    else
        add_held(stacks, sum, held, &chain, whole);
}

void code_stacks_collect(struct code_stacks *stacks, struct profile_sum *sum,
                         struct code_book *book)
{
    struct unwound *stack;
    while (stacks->unwinder && (stack = unwinder_take(stacks->unwinder))) {
        /* Those before it were given up with their interval. */
        if (stacks->first && stacks->first->number == stack->number) {
            struct held_sample *held = take_held(stacks);
            if (stack->good && stack->epoch == code_book_epoch(book, held->site.pid))
                add_unwound(stacks, sum, book, held, &stack->frames);
            else
                add_by_pointers(stacks, sum, held);
        }
        unwound_free(stack);
    }
}

void code_stacks_cut(struct code_stacks *stacks, struct profile_sum *sum, struct code_book *book)
{
    if (!stacks->unwinder)
        return;
    if (stacks->first)
        unwinder_wait(stacks->unwinder, WAIT);
    code_stacks_collect(stacks, sum, book);
    if (stacks->first)
        unwinder_drop(stacks->unwinder);
    while (stacks->first)
        add_by_pointers(stacks, sum, take_held(stacks));
    uint64_t time = unwinder_time(stacks->unwinder);
    sum->profile->unwinding += time - stacks->time;
    stacks->time = time;
}
