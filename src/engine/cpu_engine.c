#include "engine/cpu_engine.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/cpu_records.h"
#include "engine/probe_open.h"
#include "engine/proc_names.h"
#include "engine/tick.h"
#include "event/explain.h"
#include "system/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* Bytes of all rings together, of one at least (what perf_event_mlock_kb grants each CPU, less
     * its first page) and at most: 100 ms of 500,000 switches a second. */
    RINGS_BYTES = 32 << 20,
    RING_LEAST = 512 << 10,
    RING_MOST = 4 << 20,
};

static struct perf_event_attr sampler(const struct cpu_engine *engine, uint64_t config,
                                      uint64_t fields, uint64_t period)
{
    struct perf_event_attr attr = cpu_events_attr(config, engine->ring_bytes / 4);
    attr.sample_period = period;
    attr.sample_type = fields;
    attr.read_format = DECODE_READ_FORMAT;
    return attr;
}

static struct group_style cpu_engine_style_of(const struct cpu_engine *engine, size_t groups)
{
    /* A group that counts all of the time is a clock of its own (ledger_time). */
    uint64_t time = engine->scope.directory >= 0 ? PERF_SAMPLE_TIME : 0;
    struct group_style style = {
        .samples = true,
        .cgroup = engine->scope.directory >= 0,
        .switches = sampler(engine, PERF_COUNT_SW_CONTEXT_SWITCHES, DECODE_SWITCH_FIELDS | time, 1),
        .ticker = sampler(engine, PERF_COUNT_SW_CPU_CLOCK, DECODE_TICK_FIELDS,
                          tick_of(engine->delay, groups)),
    };
    return style;
}

static void cpu_engine_drain(struct source *source)
{
    cpu_records_drain((struct cpu_engine *)source);
}

/* Counting. */

/* Switch records begin when all groups count: a slice that they tell of is then one that each group
 * was enabled in. */
static void start_place(struct cpu_engine *engine, struct cpu_events *cpu_events)
{
    cpu_events_start(cpu_events);
    cpu_records_set_switching(engine, cpu_events, true);
}

static void close_groups(struct cpu_engine *engine)
{
    for (size_t p = 0; p < engine->count; p++)
        cpu_events_uncount(engine->places[p]);
}

/* Opens the groups on all CPUs. -1 with errno, as cpu_events_count. A CPU that went offline
 * meanwhile is left without groups: the next snapshot sees to it. */
static int open_groups(struct cpu_engine *engine, const struct group_plan *plan, int *refused)
{
    struct group_style style = cpu_engine_style_of(engine, plan->sampled);
    size_t open = 0;
    for (size_t p = 0; p < engine->count; p++) {
        if (cpu_events_count(engine->places[p], plan, &style, refused) == 0) {
            open++;
        } else if (errno != ENODEV) {
            int error = errno;
            close_groups(engine);
            errno = error;
            return -1;
        }
    }
    return open ? 0 : -1;
}

/* The event to give up when opening failed: the one it was about, else the last that still counts,
 * which leaves its descriptor to the others. NULL when there is none. */
static struct event *victim(struct event_list *list, int refused)
{
    if (refused >= 0)
        return &list->events[refused];
    for (size_t e = list->count; e-- > 0;)
        if (list->events[e].state == EVENT_COUNTED)
            return &list->events[e];
    return NULL;
}

/* Trials run where we are, if that is counted: an event of another CPU is opened and closed there
 * by interrupting it. */
static struct group_target trial_target(const struct cpu_engine *engine)
{
    struct group_target target = {-1, engine->places[0]->cpu};
    int here = sched_getcpu();
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->cpu == here)
            target.cpu = here;
    return target;
}

static void cpu_engine_make_plan(const struct cpu_engine *engine, const struct event_list *events,
                                 struct group_plan *plan)
{
    struct group_style style = cpu_engine_style_of(engine, 1);
    group_plan_make(plan, events, &style, trial_target(engine), &engine->caps);
}

/* Halves all rings, which are without groups. False where that does not go. */
static bool shrink_rings(struct cpu_engine *engine)
{
    engine->ring_bytes = ring_smaller(engine->ring_bytes);
    log_line("rings: halved to %zu bytes", engine->ring_bytes);
    for (size_t p = 0; engine->ring_bytes && p < engine->count; p++)
        if (cpu_events_reopen(engine->places[p], engine->ring_bytes, NULL) < 0 && errno != ENODEV)
            return false;
    return engine->ring_bytes;
}

/* A plan that is open on all CPUs, or -1 with a message. */
static int open_plan(struct cpu_engine *engine, const struct event_list *asked,
                     struct group_plan *plan, struct err *err)
{
    struct event_list list;
    event_list_copy(&list, asked);
    int result = 0;
    for (;;) {
        cpu_engine_make_plan(engine, &list, plan);
        int refused = -1;
        if (open_groups(engine, plan, &refused) == 0) {
            plan->set->note = ring_note(engine->ring_bytes, engine->ring_wanted, plan->sampled);
            break;
        }
        int error = errno;
        if (error == ENOBUFS && shrink_rings(engine)) {
            group_plan_release(plan);
            continue;
        }
        struct event *event = victim(&plan->list, refused);
        if (!event) {
            result = err_set(err, "cannot count on %zu CPUs: %s%s", engine->count, strerror(error),
                             error == EMFILE ? "; raise the limit with 'ulimit -n'" : "");
            group_plan_release(plan);
            break;
        }
        explain_refusal(event, error, true, &engine->caps);
        event_list_release(&list);
        event_list_copy(&list, &plan->list);
        group_plan_release(plan);
    }
    event_list_release(&list);
    return result;
}

static void cpu_engine_start_counting(struct cpu_engine *engine)
{
    ledger_begin(engine->ledger, &engine->counting->layout);
    engine->generation++;
    engine->started = clock_monotonic();
    for (size_t p = 0; p < engine->count; p++) {
        struct cpu_events *cpu_events = engine->places[p];
        cpu_events->number = ledger_add_cpu(engine->ledger, cpu_events->cpu, engine->started);
        if (cpu_events->plan)
            start_place(engine, cpu_events);
    }
    prelude_begin(engine->prelude, &engine->counting->plan);
}

static int cpu_engine_set_events(struct source *source, const struct event_list *events,
                                 struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct active_plan *old = engine->counting, *next = mem_alloc(sizeof(*next));
    if (old) {
        cpu_records_drain(engine);
        close_groups(engine);
        cpu_records_drain(engine); /* what the closed groups still wrote */
    }
    int result = open_plan(engine, events, &next->plan, err);
    if (result == 0) {
        active_plan_complete(next, engine->scope.directory >= 0);
        engine->counting = next;
        cpu_engine_start_counting(engine);
        if (!old)
            proc_seed_meet(engine->ledger);
        active_plan_free(old);
        return 0;
    }
    free(next);
    /* What was counted before could be opened then, so it can now. */
    if (old && open_groups(engine, &old->plan, &(int){0}) == 0)
        cpu_engine_start_counting(engine);
    return -1;
}

static struct event_set *cpu_engine_check(struct source *source, const struct event_list *events)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct group_plan plan;
    probe_open_caps(&engine->caps); /* what is permitted may have changed since the start */
    cpu_engine_make_plan(engine, events, &plan);
    return group_plan_detach(&plan);
}

/* CPUs that come and go. */

/* Takes a CPU out of the books: what its groups counted after their last record, if that can still
 * be read, is nobody's. */
static void retire_place(struct cpu_engine *engine, struct cpu_events *cpu_events)
{
    struct group_read *read = engine->counting->read;
    if (cpu_events->plan) /* its records after the cut are its last */
        cpu_records_drain(engine);
    for (size_t g = 0; cpu_events->plan && g < cpu_events->plan->count; g++)
        if (cpu_events_read(cpu_events, g, read))
            ledger_close_group(engine->ledger, cpu_events->number, g, read);
    cpu_events_uncount(cpu_events);
    log_line("cpu %d is offline", cpu_events->cpu);
}

static void revive_place(struct cpu_engine *engine, struct cpu_events *cpu_events)
{
    const struct group_plan *plan = &engine->counting->plan;
    struct group_style style = cpu_engine_style_of(engine, plan->sampled);
    if (cpu_events_count(cpu_events, plan, &style, &(int){0}) < 0)
        return; /* gone again; the next snapshot tries anew */
    ledger_restart_cpu(engine->ledger, cpu_events->number, clock_monotonic());
    start_place(engine, cpu_events);
    log_line("cpu %d is online again", cpu_events->cpu);
}

static struct cpu_events *find_place(const struct cpu_engine *engine, int cpu)
{
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->cpu == cpu)
            return engine->places[p];
    return NULL;
}

static struct cpu_events *cpu_engine_new_place(const struct cpu_engine *engine, int cpu,
                                               struct err *err)
{
    size_t bytes = engine->ring_bytes;
    struct cpu_events *cpu_events = cpu_events_open(cpu, bytes, err);
    /* Beside rings that are in use, that of a CPU that comes later may have to be smaller. */
    while (!cpu_events && errno == ENOBUFS && engine->counting && (bytes = ring_smaller(bytes)))
        cpu_events = cpu_events_open(cpu, bytes, err);
    if (cpu_events)
        cpu_events_confine(cpu_events, engine->scope.directory);
    return cpu_events;
}

static struct cpu_events *add_place(struct cpu_engine *engine, int cpu, struct err *err)
{
    struct cpu_events *cpu_events = cpu_engine_new_place(engine, cpu, err);
    if (!cpu_events)
        return NULL;
    mem_grow(&engine->places, &engine->room, engine->count + 1, sizeof(*engine->places));
    engine->places[engine->count++] = cpu_events;
    return cpu_events;
}

/* A CPU's events die with it, also the side band: all of it is opened again when it is back. */
static void follow_cpus(struct cpu_engine *engine)
{
    struct cpulist online;
    if (topology_online_again(engine->online, &online, NULL) < 0)
        return;
    size_t live = 0; /* each of another CPU that is online */
    for (size_t p = 0; p < engine->count; p++) {
        struct cpu_events *cpu_events = engine->places[p];
        if (cpu_events->plan && cpu_events_lives(cpu_events)) {
            live++;
            continue;
        }
        retire_place(engine, cpu_events);
        if (!cpulist_has(&online, cpu_events->cpu)) {
            ledger_remove_cpu(engine->ledger, cpu_events->number);
            continue;
        }
        struct cpu_events *next = cpu_engine_new_place(engine, cpu_events->cpu, NULL);
        if (!next)
            continue;
        next->number = cpu_events->number;
        cpu_events_close(cpu_events);
        engine->places[p] = next;
        revive_place(engine, next);
        live++;
    }
    for (size_t c = 0; engine->others && live < online.count && c < online.count; c++) {
        int cpu = online.cpus[c];
        struct cpu_events *cpu_events =
            find_place(engine, cpu) ? NULL : add_place(engine, cpu, NULL);
        if (!cpu_events)
            continue;
        cpu_events->number = ledger_add_cpu(engine->ledger, cpu, clock_monotonic());
        revive_place(engine, cpu_events);
    }
    cpulist_release(&online);
}

/* The contract. */

/* The ledger counts everybody, and the view chooses; but for a cgroup. */
static int cpu_engine_set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    if (watch->command && watch->command != engine->command) {
        engine->command = watch->command;
        engine->prelude = prelude_new(ledger_tasks(engine->ledger), watch->command);
        if (engine->counting)
            prelude_begin(engine->prelude, &engine->counting->plan);
    }
    if (str_equal(engine->scope.cgroup, watch->cgroup))
        return 0;
    if (scope_set(&engine->scope, watch->cgroup, engine->places[0]->cpu, err) < 0)
        return -1;
    for (size_t p = 0; p < engine->count; p++)
        cpu_events_confine(engine->places[p], engine->scope.directory);
    if (!engine->counting)
        return 0;
    struct event_list list;
    event_list_copy(&list, &engine->counting->plan.list);
    int result = cpu_engine_set_events(source, &list, err);
    event_list_release(&list);
    return result;
}

static void cpu_engine_set_delay(struct source *source, uint64_t delay)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    engine->delay = delay;
    cpu_records_set_ticks(engine, 0);
}

static void cpu_engine_set_idle(struct source *source, bool idle)
{
    ((struct cpu_engine *)source)->all = idle;
}

static void cpu_engine_set_threads(struct source *source, bool threads)
{
    (void)source, (void)threads; /* the ledger knows each thread */
}

static size_t cpu_engine_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    const struct cpu_engine *engine = (const struct cpu_engine *)source;
    size_t count = 0;
    for (size_t p = 0; p < engine->count; p++) {
        for (size_t i = 0; cpu_events_stream(engine->places[p], i); i++, count++)
            if (count < room)
                fds[count] = (struct pollfd){.fd = cpu_events_stream_fd(engine->places[p], i),
                                             .events = POLLIN};
    }
    return count;
}

static struct snapshot *cpu_engine_take_snapshot(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    cpu_records_drain(engine);
    cpu_records_await_ends(engine);
    double wall = clock_wall();
    uint64_t time = cpu_records_cut(engine);
    engine->prelude = prelude_settle(engine->prelude);
    cpu_records_settle(engine);
    for (size_t p = 0; p < engine->count; p++)
        active_plan_read_shared(engine->counting, engine->ledger, engine->places[p]);
    follow_cpus(engine);
    struct snapshot *snapshot = snapshot_new(engine->counting->plan.set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->time = time;
    snapshot->wall = wall;
    bool confined = engine->scope.directory >= 0;
    snapshot->part = confined;
    if (engine->all && engine->others && !confined)
        proc_seed_keep(&engine->census, engine->ledger, engine->generation);
    else if (engine->all)
        proc_seed_adopt(engine->ledger, confined ? engine->scope.cgroup : NULL);
    ledger_snapshot(engine->ledger, snapshot, engine->all);
    for (size_t p = 0; p < engine->count; p++)
        snapshot->self.descriptors += cpu_events_descriptors(engine->places[p]);
    return snapshot;
}

static void cpu_engine_close_engine(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    for (size_t p = 0; p < engine->count; p++)
        cpu_events_close(engine->places[p]);
    if (engine->online >= 0)
        close(engine->online);
    prelude_free(engine->prelude);
    ledger_free(engine->ledger);
    active_plan_free(engine->counting);
    scope_release(&engine->scope);
    free(engine->places);
    merge_release(&engine->merge);
    free(engine);
}

struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err)
{
    static const struct source_ops ops = {
        "cpu",
        cpu_engine_set_events,
        cpu_engine_check,
        cpu_engine_set_watch,
        cpu_engine_set_delay,
        cpu_engine_set_idle,
        cpu_engine_set_threads,
        cpu_engine_poll_fds,
        cpu_engine_drain,
        cpu_engine_take_snapshot,
        cpu_engine_close_engine,
    };
    struct cpu_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    engine->others = others;
    engine->online = topology_keep_online();
    scope_init(&engine->scope);
    engine->delay = delay;
    engine->ledger = ledger_new(&proc_names_lookup);
    size_t bytes = RINGS_BYTES / (cpus->count ? cpus->count : 1);
    engine->ring_wanted = bytes < RING_LEAST ? RING_LEAST : bytes > RING_MOST ? RING_MOST : bytes;
    engine->ring_bytes = engine->ring_wanted;
    for (size_t c = 0; c < cpus->count;) {
        if (add_place(engine, cpus->cpus[c], err) || errno == ENODEV) {
            c++;
        } else if (errno != ENOBUFS || !shrink_rings(engine)) {
            cpu_engine_close_engine(&engine->source);
            return NULL;
        }
    }
    if (engine->count == 0) {
        cpu_engine_close_engine(&engine->source);
        return NULL;
    }
    return &engine->source;
}
