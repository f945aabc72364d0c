#include "engine/code_samples.h"

/* Time off the CPU by the code that led there: from a thread's switch to its next one in, in ns.
 * What has passed until an interval ends belongs to that interval. */

struct code_wait {
    struct profile_site site;
    struct profile_chain chain; /* owned */
    enum { WAIT_NONE, WAIT_BLOCKED, WAIT_PREEMPTED, WAIT_ENDED } state;
    uint64_t *values; /* of the sample that is held; NULL: none */
    uint64_t since;   /* of the wait, or the end of the last interval in it; NONE: when it was back,
                         0:   it has not run yet */
};

static void code_wait_free(struct code_wait *wait)
{
    free(wait->chain.frames);
    free(wait);
}

static struct code_wait *wait_of(struct map *waits, pid_t pid, pid_t tid)
{
    struct code_wait *wait = map_get(waits, (uint64_t)tid);
    if (!wait) {
        wait = mem_alloc(sizeof(*wait));
        wait->site.pid = pid;
        wait->site.tid = tid;
        map_put(waits, (uint64_t)tid, wait);
    }
    return wait;
}

void code_samples_asleep(struct code_samples *samples, pid_t pid, pid_t tid)
{
    wait_of(&samples->waits, pid, tid);
}

size_t code_samples_unknown(const struct code_samples *samples)
{
    size_t unknown = 0;
    MAP_EACH (const struct code_wait, wait, &samples->waits)
        unknown += wait->since == 0;
    return unknown;
}

static void keep_chain(struct code_wait *wait, const struct profile_chain *chain)
{
    wait->chain.frames = mem_resize(wait->chain.frames, chain->depth + 1, sizeof(*chain->frames));
    memcpy(wait->chain.frames, chain->frames, chain->depth * sizeof(*chain->frames));
    wait->chain.depth = chain->depth;
}

/* A thread leaves its CPU at that time; the site says who and where. Copies. values: of the sample,
 * which is held until its callers are known: until then they get the time instead of the
 * profile; NULL: it is not held. */
static void code_waits_leave(struct map *waits, const struct profile_site *site,
                             const struct profile_chain *chain, uint64_t time, uint64_t *values)
{
    struct code_wait *wait = site->tid ? wait_of(waits, site->pid, site->tid) : NULL;
    /* A record of another CPU may be read before an earlier one of this CPU. */
    if (!wait || wait->state == WAIT_ENDED || wait->since > time)
        return;
    keep_chain(wait, chain);
    wait->values = values;
    wait->site = *site;
    wait->state = WAIT_BLOCKED;
    wait->since = time;
}

/* Adds what has passed of a wait. */
static void add_wait(struct code_wait *wait, struct profile_sum *sum, uint64_t time)
{
    uint64_t passed[PROFILE_WAITS] = {0}, *values = wait->values ? wait->values : passed;
    struct profile_site site = wait->site;
    if (time <= wait->since)
        return;
    values[wait->state == WAIT_PREEMPTED ? PROFILE_PREEMPTED : PROFILE_BLOCKED] +=
        time - wait->since;
    wait->since = time;
    if (wait->values)
        return;
    site.samples = site.weight = 0;
    site.chain = profile_sum_chain(sum, &wait->chain);
    profile_sum_add(sum, &site, passed);
}

/* It is back on a CPU: the profile, whose values are those of PROFILE_WAITS, gets its time. */
static void code_waits_return(struct map *waits, struct profile_sum *sum, pid_t tid, uint64_t time)
{
    struct code_wait *wait = map_get(waits, (uint64_t)tid);
    if (!wait || wait->state == WAIT_ENDED)
        return;
    if (wait->state != WAIT_NONE)
        add_wait(wait, sum, time);
    wait->state = WAIT_NONE;
    wait->since = time;
}

/* The interval ends: the profile gets what has passed of all waits. */
static void code_waits_cut(struct map *waits, struct profile_sum *sum, uint64_t time)
{
    enum { LINGERS = 1000000000 };      /* ns from a thread's end to its last switch, at most */
    bool lost = sum->profile->lost > 0; /* the ends of threads, too, perhaps */
    size_t gone_count = 0, gone_room = 0;
    AUTO_FREE pid_t *gone = NULL;
    MAP_EACH (struct code_wait, wait, waits) {
        bool ended = wait->state == WAIT_ENDED && wait->since + LINGERS < time;
        ended |= lost && kill(wait->site.pid, 0) < 0 && errno == ESRCH;
        if (ended) {
            *MEM_ADD(gone, gone_count, gone_room) = wait->site.tid;
        } else if (wait->state == WAIT_BLOCKED || wait->state == WAIT_PREEMPTED) {
            add_wait(wait, sum, time);
        }
    }
    for (size_t i = 0; i < gone_count; i++)
        code_wait_free(map_remove(waits, (uint64_t)gone[i]));
}

/* Samples whose stacks were copied, until they are unwound or the interval ends. */

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

static struct held_sample *take_held(struct code_stacks *stacks)
{
    struct held_sample *held = stacks->first;
    stacks->first = held->next;
    if (!stacks->first)
        stacks->end = &stacks->first;
    return held;
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

/* Keeps a sample with its values and the stack of its record; `chain`: its callers by frame
 * pointers, of which the first `kernel` are in kernel mode. Returns the values that it keeps until
 * its callers are known; NULL: it is not kept, as there are too many, and was counted
 * as late. */
static uint64_t *code_stacks_hold(struct code_samples *samples, const struct code_record *record,
                                  const struct profile_site *site, const uint64_t *values,
                                  const struct profile_chain *chain, size_t kernel, bool complete)
{
    struct code_stacks *stacks = &samples->held;
    struct profile *profile = samples->sum.profile;
    size_t events = profile->events;
    profile->copied += record->sample.stack_size;
    if (!within_rate(stacks, record->common.time)) {
        profile->late++;
        return NULL;
    }
    struct unwound *stack = mem_alloc(sizeof(*stack));
    stack->number = stacks->numbers;
    stack->pid = record->common.pid;
    stack->epoch = code_book_epoch(profile->book, record->common.pid);
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
static void add_held(struct code_samples *samples, struct held_sample *held,
                     const struct profile_chain *chain, bool complete)
{
    held->site.chain = profile_sum_chain(&samples->sum, chain);
    profile_sum_add(&samples->sum, &held->site, held->values);
    struct code_wait *wait = map_get(&samples->waits, (uint64_t)held->site.tid);
    if (wait && wait->values == held->values) { /* it has not left its CPU once more since */
        keep_chain(wait, chain);
        wait->values = NULL;
    }
    samples->sum.profile->short_stacks += !complete;
    free(held);
}

static void add_by_pointers(struct code_samples *samples, struct held_sample *held)
{
    const struct profile_chain chain = {held->depth, held->frames};
    samples->sum.profile->late++;
    add_held(samples, held, &chain, held->complete);
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

static void add_unwound(struct code_samples *samples, struct held_sample *held,
                        const struct stack_frames *unwound)
{
    struct code_place frames[STACK_FRAMES_MAX];
    struct profile_chain chain = {held->kernel, frames};
    bool whole = unwound->whole && held->kernel + unwound->count <= STACK_FRAMES_MAX;
    if (held->kernel)
        memcpy(frames, held->frames, held->kernel * sizeof(*frames));
    /* The first one is where the thread is in user mode: the sample itself, or its last caller. */
    for (size_t i = !held->in_kernel; i < unwound->count && chain.depth < STACK_FRAMES_MAX; i++)
        frames[chain.depth++] =
            code_book_place(samples->book, held->site.pid, unwound->addresses[i], false);
    while (chain.depth > held->kernel &&
           !code_book_is_mapped(samples->book, frames[chain.depth - 1])) {
        chain.depth--;
        whole = false;
    }
    samples->sum.profile->unwound++;
    if (!whole && goes_on(held, &chain))
        add_held(samples, held, &(struct profile_chain){held->depth, held->frames}, true);
    else
        add_held(samples, held, &chain, whole);
}

void code_samples_settle(struct code_samples *samples)
{
    struct code_stacks *stacks = &samples->held;
    struct unwound *stack;
    while (stacks->unwinder && (stack = unwinder_take(stacks->unwinder))) {
        /* Those before it were given up with their interval. */
        if (stacks->first && stacks->first->number == stack->number) {
            struct held_sample *held = take_held(stacks);
            if (stack->good && stack->epoch == code_book_epoch(samples->book, held->site.pid))
                add_unwound(samples, held, &stack->frames);
            else
                add_by_pointers(samples, held);
        }
        unwound_free(stack);
    }
}

/* The interval ends: after a short time the others are added with their callers by frame pointers.
 */
static void code_stacks_cut(struct code_samples *samples)
{
    struct code_stacks *stacks = &samples->held;
    enum { WAIT = 80000000 }; /* ns */
    if (!stacks->unwinder)
        return;
    if (stacks->first)
        unwinder_wait(stacks->unwinder, WAIT);
    code_samples_settle(samples);
    if (stacks->first)
        unwinder_drop(stacks->unwinder);
    while (stacks->first)
        add_by_pointers(samples, take_held(stacks));
    uint64_t time = unwinder_time(stacks->unwinder);
    samples->sum.profile->unwinding += time - stacks->time;
    stacks->time = time;
}

enum { DEPTH_MAX = 127 }; /* kernel.perf_event_max_stack, unless it was changed */

/* What the values of a group were at the sample before; one for each CPU and, where single tasks
 * are sampled, thread. */
struct code_before {
    uint64_t enabled, running;
    uint64_t values[];
};

/* The threads of a process that run, and when each was sampled last. */
struct code_running {
    size_t count, room;
    struct {
        pid_t tid;
        uint64_t seen;
    } * threads;
};

/* The weight of a sample by elapsed time: its part among the threads of the process that run. */
static uint64_t divide_weight(struct code_samples *samples, const struct record *record,
                              uint64_t weight)
{
    struct profile *profile = samples->sum.profile;
    struct code_running *running = map_get(&samples->running, (uint64_t)record->pid);
    size_t kept = 0;
    if (!running) {
        running = mem_alloc(sizeof(*running));
        map_put(&samples->running, (uint64_t)record->pid, running);
    }
    for (size_t i = 0; i < running->count; i++)
        if (running->threads[i].tid != record->tid &&
            running->threads[i].seen + samples->together > record->time)
            running->threads[kept++] = running->threads[i];
    mem_grow(&running->threads, &running->room, kept + 1, sizeof(*running->threads));
    running->threads[kept].tid = record->tid;
    running->threads[kept].seen = record->time;
    running->count = kept + 1;
    profile->ran += weight;
    profile->alone += kept == 0 ? weight : 0;
    return weight / running->count;
}

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
    samples->held.end = &samples->held.first;
    if (samples->stacks == STACKS_DWARF)
        samples->held.unwinder = unwinder_new(samples->book);
}

void code_samples_into(struct code_samples *samples, struct profile *profile)
{
    map_clear(&samples->sum.sites);
    map_clear(&samples->sum.chains);
    samples->sum.profile = profile;
}

void code_samples_end(struct code_samples *samples)
{
    MAP_EACH (struct code_running, running, &samples->running)
        free(running->threads);
    MAP_EACH (struct code_wait, wait, &samples->waits)
        code_wait_free(wait);
    while (samples->held.first)
        free(take_held(&samples->held));
    unwinder_free(samples->held.unwinder);
    map_free(&samples->running);
    map_free(&samples->before);
    profile_sum_release(&samples->sum);
    map_release(&samples->waits);
    samples->held = (struct code_stacks){0};
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
        key += (uint64_t)record->common.tid;
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

void code_samples_cut(struct code_samples *samples, uint64_t time)
{
    code_stacks_cut(samples);
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
            code_book_place(samples->book, record->common.pid, address, kernel);
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
    if (record->common.pid < 0) /* it has ended */
        return;
    if (samples->together)
        weight = divide_weight(samples, &record->common, weight);
    struct profile_site site = {
        .pid = record->common.pid,
        .tid = record->common.tid,
        .place = code_book_place(samples->book, record->common.pid, record->sample.address,
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
        held = code_stacks_hold(samples, record, &site, samples->deltas, chain, taken.kernel, ends);
    if (!held) {
        site.chain = profile_sum_chain(&samples->sum, chain);
        profile->short_stacks += !ends;
        profile_sum_add(&samples->sum, &site, samples->deltas);
    }
    if (samples->switches)
        code_waits_leave(&samples->waits, &site, chain, record->common.time, held);
}

void code_samples_take(struct code_samples *samples, const struct code_record *record)
{
    const struct record *common = &record->common;
    struct code_wait *wait;
    switch (common->kind) {
    case RECORD_SAMPLE:
        take_sample(samples, record);
        break;
    case RECORD_MAP:
        code_book_map(samples->book, common->pid, &record->mapping);
        break;
    case RECORD_COMM:
        if (common->comm.exec)
            code_book_exec(samples->book, common->pid, common->time);
        break;
    case RECORD_FORK:
        if (common->pid != common->parent.ppid)
            code_book_fork(samples->book, common->parent.ppid, common->pid);
        break;
    case RECORD_EXIT: /* it leaves its CPU once more */
        if (!samples->switches)
            break;
        wait = wait_of(&samples->waits, common->pid, common->tid);
        wait->state = WAIT_ENDED;
        wait->since = common->time;
        break;
    case RECORD_SWITCH_IN:
        code_waits_return(&samples->waits, &samples->sum, common->tid, common->time);
        break;
    case RECORD_SWITCH_OUT: /* the sample before it said where, this one says why */
        wait = map_get(&samples->waits, (uint64_t)common->tid);
        if (common->preempted && wait && wait->state == WAIT_BLOCKED)
            wait->state = WAIT_PREEMPTED;
        break;
    case RECORD_KERNEL:
        code_book_kernel_changed(samples->book);
        break;
    case RECORD_LOST:
        samples->sum.profile->lost += common->lost;
        break;
    case RECORD_THROTTLE:
        samples->sum.profile->throttled++;
        break;
    default:
        break;
    }
}
