#include "engine/cpu_engine.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/facts.h"
#include "engine/ledger.h"
#include "engine/place.h"
#include "event/explain.h"
#include "system/procfs.h"
#include "system/topology.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS = 10, /* samples of a running task for each refresh, at least */
    /* Bytes of all rings together, of one at least (what perf_event_mlock_kb grants each CPU, less
     * its first page) and at most: 100 ms of 200,000 switches a second. */
    RINGS_BYTES = 32 << 20,
    RING_LEAST = 512 << 10,
    RING_MOST = 2 << 20,
};
static const uint64_t TICK_MOST = 100000000; /* ns: for long intervals */
static const uint64_t TICK_LEAST = 1000000;
/* Where groups take turns, what one counted since its last record is lost to the books when a
 * switch comes while it pauses. Turns last some milliseconds (perf_event_mux_interval_ms). */
static const uint64_t TICK_IN_TURNS = 2000000;

static const uint64_t MEETING_MOST = 50000000;

/* What is counted since one call of set_events. */
struct counting {
    struct group_plan plan;
    struct ledger_layout layout;
    struct group_read *read; /* scratch, room for any of its groups */
};

struct cpu_engine {
    struct source source;
    struct caps caps;
    uint64_t delay; /* ns */
    bool all;       /* snapshots list idle tasks too */
    bool others;    /* CPUs that come online are counted too */
    size_t ring_bytes;
    struct ledger *ledger;
    struct counting *counting; /* NULL before the first set_events */
    size_t count, room;
    struct place **places;
    struct stream **heap; /* those with a record at hand, the earliest first */
    size_t heap_count, heap_room;
    uint64_t generation, started;
};

/* Processes found in /proc. */
struct found {
    pid_t *pids;
    size_t count, room;
};

/* Who is being adopted: a thread of pid. */
struct adoption {
    struct cpu_engine *engine;
    pid_t pid;
};

/* A divisor of the delay, so that ticks and snapshots keep their distance: a running task is then
 * always equally late, and its share of each interval is whole. */
static uint64_t tick_of(uint64_t delay, size_t groups)
{
    uint64_t most = groups > 1 ? TICK_IN_TURNS : TICK_MOST;
    uint64_t ticks = (delay + most - 1) / most;
    uint64_t tick = delay / (ticks > TICKS ? ticks : TICKS);
    return tick > TICK_LEAST ? tick : TICK_LEAST;
}

static struct perf_event_attr sampler(uint64_t config, uint64_t period)
{
    struct perf_event_attr attr = place_attr(config, RING_LEAST / 4);
    attr.sample_period = period;
    attr.sample_type = DECODE_SAMPLE_FIELDS;
    attr.read_format = DECODE_READ_FORMAT;
    return attr;
}

static struct group_style style_of(const struct cpu_engine *engine, size_t groups)
{
    struct group_style style = {
        .samples = true,
        .switches = sampler(PERF_COUNT_SW_CONTEXT_SWITCHES, 1),
        .ticker = sampler(PERF_COUNT_SW_CPU_CLOCK, tick_of(engine->delay, groups)),
    };
    return style;
}

/* Taking in. The rings are merged by time, so that a birth on one CPU is known before the newborn
 * is seen running on another. */

static bool next_record(struct stream *stream)
{
    while ((stream->raw = ring_peek(&stream->ring))) {
        if (decode_record(stream->raw, &stream->record))
            return true;
        ring_pop(&stream->ring, stream->raw);
    }
    return false;
}

static void sift_down(struct cpu_engine *engine, size_t at)
{
    struct stream **heap = engine->heap, *moved = heap[at];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= engine->heap_count)
            break;
        if (child + 1 < engine->heap_count &&
            heap[child + 1]->record.time < heap[child]->record.time)
            child++;
        if (moved->record.time <= heap[child]->record.time)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void take_record(struct cpu_engine *engine, const struct stream *stream)
{
    const struct place *place = stream->place;
    struct ledger_origin origin = {.cpu = place->number, .group = stream->group};
    if (stream->record.kind == RECORD_SAMPLE) {
        if (!place->plan)
            return; /* written before its group was closed */
        origin.tick = stream->record.id == place->groups[stream->group].tick_id;
    }
    ledger_take(engine->ledger, &origin, &stream->record);
}

static void set_switching(struct cpu_engine *engine, struct place *place, bool on)
{
    place_switch(place, on);
    ledger_witness(engine->ledger, place->number, on ? clock_monotonic() : UINT64_MAX);
}

/* Switch records begin when all groups count: a slice that they tell of is then one that each group
 * was enabled in. */
static void start_place(struct cpu_engine *engine, struct place *place)
{
    place_start(place);
    set_switching(engine, place, true);
}

static void drain(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct stream *stream;
    engine->heap_count = 0;
    for (size_t p = 0; p < engine->count; p++) {
        for (size_t i = 0; (stream = place_stream(engine->places[p], i)); i++) {
            ring_update(&stream->ring);
            mem_grow(&engine->heap, &engine->heap_room, engine->heap_count + 1,
                     sizeof(*engine->heap));
            if (next_record(stream))
                engine->heap[engine->heap_count++] = stream;
        }
    }
    for (size_t i = engine->heap_count / 2; i-- > 0;)
        sift_down(engine, i);
    while (engine->heap_count) {
        struct stream *first = engine->heap[0];
        take_record(engine, first);
        ring_pop(&first->ring, first->raw);
        if (!next_record(first))
            engine->heap[0] = engine->heap[--engine->heap_count];
        if (engine->heap_count)
            sift_down(engine, 0);
    }
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = engine->places[p];
        for (size_t i = 0; (stream = place_stream(place, i)); i++)
            ring_release(&stream->ring);
        bool wanted = place->plan && ledger_wants_switches(engine->ledger, place->number);
        if (place->plan && wanted != place->switching)
            set_switching(engine, place, wanted);
    }
}

/* Counting. */

static void counting_free(struct counting *counting)
{
    if (!counting)
        return;
    free(counting->layout.groups);
    free(counting->layout.idle);
    free(counting->read);
    group_plan_release(&counting->plan);
    free(counting);
}

/* What follows from the plan. */
static void counting_complete(struct counting *counting)
{
    const struct group_plan *plan = &counting->plan;
    struct ledger_layout *layout = &counting->layout;
    size_t most = 0;
    layout->events = plan->set;
    layout->idle = mem_array(plan->list.count, sizeof(*layout->idle));
    layout->groups = mem_array(plan->count, sizeof(*layout->groups));
    for (size_t e = 0; e < plan->list.count; e++)
        layout->idle[e] = plan->list.events[e].idle;
    for (size_t g = 0; g < plan->count; g++) {
        const struct group_shape *shape = &plan->shapes[g];
        layout->groups[g] = (struct ledger_group){shape->values, shape->event_of, shape->switches};
        most = shape->values > most ? shape->values : most;
    }
    counting->read = group_read_new(most);
}

static void close_groups(struct cpu_engine *engine)
{
    for (size_t p = 0; p < engine->count; p++)
        place_uncount(engine->places[p]);
}

/* Opens the groups on all CPUs. -1 with errno, as place_count. A CPU that went offline meanwhile
 * is left without groups: the next snapshot sees to it. */
static int open_groups(struct cpu_engine *engine, const struct group_plan *plan, int *refused)
{
    struct group_style style = style_of(engine, plan->count);
    size_t open = 0;
    for (size_t p = 0; p < engine->count; p++) {
        if (place_count(engine->places[p], plan, &style, refused) == 0) {
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

static void make_plan(const struct cpu_engine *engine, const struct event_list *events,
                      struct group_plan *plan)
{
    struct group_style style = style_of(engine, 1);
    group_plan_make(plan, events, &style, trial_target(engine), &engine->caps);
}

/* A plan that is open on all CPUs, or -1 with a message. */
static int open_plan(struct cpu_engine *engine, const struct event_list *asked,
                     struct group_plan *plan, struct err *err)
{
    struct event_list list;
    event_list_copy(&list, asked);
    int result = 0;
    for (;;) {
        make_plan(engine, &list, plan);
        int refused = -1;
        if (open_groups(engine, plan, &refused) == 0)
            break;
        int error = errno;
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

static void start_counting(struct cpu_engine *engine)
{
    ledger_begin(engine->ledger, &engine->counting->layout);
    engine->generation++;
    engine->started = clock_monotonic();
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = engine->places[p];
        place->number = ledger_add_cpu(engine->ledger, place->cpu, engine->started);
        if (place->plan)
            start_place(engine, place);
    }
}

static bool find_process(void *ctx, pid_t pid)
{
    struct found *found = ctx;
    mem_grow(&found->pids, &found->room, found->count + 1, sizeof(*found->pids));
    found->pids[found->count++] = pid;
    return true;
}

/* Asks who is there, once: one that ends soon could not be asked later. The newest first, which are
 * the likeliest to be gone soon, and not for longer than the first table may wait for. */
static void meet_processes(struct cpu_engine *engine)
{
    uint64_t end = clock_monotonic() + MEETING_MOST;
    struct found found = {0};
    procfs_each_process(find_process, &found);
    /* Known since after it was found: a birth that the rings tell of later is its own. */
    for (uint64_t now; found.count > 0 && (now = clock_monotonic()) < end;)
        ledger_meet(engine->ledger, found.pids[--found.count], now);
    free(found.pids);
}

static int set_events(struct source *source, const struct event_list *events, struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct counting *old = engine->counting, *next = mem_alloc(sizeof(*next));
    if (old) {
        drain(source);
        close_groups(engine);
        drain(source); /* what the closed groups still wrote */
    }
    int result = open_plan(engine, events, &next->plan, err);
    if (result == 0) {
        counting_complete(next);
        engine->counting = next;
        start_counting(engine);
        if (!old)
            meet_processes(engine);
        counting_free(old);
        return 0;
    }
    free(next);
    /* What was counted before could be opened then, so it can now. */
    if (old && open_groups(engine, &old->plan, &(int){0}) == 0)
        start_counting(engine);
    return -1;
}

static struct event_set *check(struct source *source, const struct event_list *events)
{
    struct group_plan plan;
    make_plan((const struct cpu_engine *)source, events, &plan);
    return group_plan_detach(&plan);
}

/* CPUs that come and go. */

/* Takes a CPU out of the books: what its groups counted after their last record, if that can still
 * be read, is nobody's. */
static void retire_place(struct cpu_engine *engine, struct place *place)
{
    struct group_read *read = engine->counting->read;
    for (size_t g = 0; place->plan && g < place->plan->count; g++)
        if (place_read(place, g, read))
            ledger_close_group(engine->ledger, place->number, g, read);
    place_uncount(place);
}

static void revive_place(struct cpu_engine *engine, struct place *place)
{
    const struct group_plan *plan = &engine->counting->plan;
    struct group_style style = style_of(engine, plan->count);
    if (place_count(place, plan, &style, &(int){0}) < 0)
        return; /* gone again; the next snapshot tries anew */
    ledger_restart_cpu(engine->ledger, place->number, clock_monotonic());
    start_place(engine, place);
}

static struct place *find_place(const struct cpu_engine *engine, int cpu)
{
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->cpu == cpu)
            return engine->places[p];
    return NULL;
}

static struct place *add_place(struct cpu_engine *engine, int cpu, struct err *err)
{
    struct place *place = place_open(cpu, engine->ring_bytes, err);
    if (!place)
        return NULL;
    mem_grow(&engine->places, &engine->room, engine->count + 1, sizeof(*engine->places));
    engine->places[engine->count++] = place;
    return place;
}

/* A CPU's events die with it, also the side band: all of it is opened again when it is back. */
static void follow_cpus(struct cpu_engine *engine)
{
    struct cpulist online;
    if (topology_online(&online, NULL) < 0)
        return;
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = engine->places[p];
        if (place->plan && place_lives(place, engine->counting->read))
            continue;
        retire_place(engine, place);
        if (!cpulist_has(&online, place->cpu)) {
            ledger_remove_cpu(engine->ledger, place->number);
            continue;
        }
        struct place *next = place_open(place->cpu, engine->ring_bytes, NULL);
        if (!next)
            continue;
        next->number = place->number;
        place_close(place);
        engine->places[p] = next;
        revive_place(engine, next);
    }
    for (size_t c = 0; engine->others && c < online.count; c++) {
        int cpu = online.cpus[c];
        struct place *place = find_place(engine, cpu) ? NULL : add_place(engine, cpu, NULL);
        if (!place)
            continue;
        place->number = ledger_add_cpu(engine->ledger, cpu, clock_monotonic());
        revive_place(engine, place);
    }
    cpulist_release(&online);
}

/* The contract. */

static int set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    (void)source, (void)watch, (void)err; /* the ledger counts everybody; the view chooses */
    return 0;
}

static void set_delay(struct source *source, uint64_t delay)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    engine->delay = delay;
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->plan)
            place_tick(engine->places[p], tick_of(delay, engine->places[p]->plan->count));
}

static void set_idle(struct source *source, bool idle)
{
    ((struct cpu_engine *)source)->all = idle;
}

static void set_threads(struct source *source, bool threads)
{
    (void)source, (void)threads; /* the ledger knows each thread */
}

static size_t poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    const struct cpu_engine *engine = (const struct cpu_engine *)source;
    size_t count = 0;
    for (size_t p = 0; p < engine->count; p++) {
        for (size_t i = 0; place_stream(engine->places[p], i); i++, count++)
            if (count < room)
                fds[count] =
                    (struct pollfd){.fd = place_stream_fd(engine->places[p], i), .events = POLLIN};
    }
    return count;
}

static bool adopt_thread(void *ctx, pid_t tid)
{
    const struct adoption *adoption = ctx;
    /* It is there by now: a birth that the rings tell of later is its own. */
    ledger_adopt(adoption->engine->ledger, adoption->pid, tid, clock_monotonic());
    return true;
}

static bool adopt_process(void *ctx, pid_t pid)
{
    struct adoption *adoption = ctx;
    adoption->pid = pid;
    procfs_each_thread(pid, adopt_thread, adoption);
    return true;
}

static struct snapshot *take_snapshot(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    drain(source);
    follow_cpus(engine);
    struct snapshot *snapshot = snapshot_new(engine->counting->plan.set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->time = clock_monotonic();
    snapshot->wall = clock_wall();
    if (engine->all)
        procfs_each_process(adopt_process, &(struct adoption){engine, 0});
    ledger_snapshot(engine->ledger, snapshot, engine->all);
    for (size_t p = 0; p < engine->count; p++)
        snapshot->self.descriptors += place_descriptors(engine->places[p]);
    return snapshot;
}

static void close_engine(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    for (size_t p = 0; p < engine->count; p++)
        place_close(engine->places[p]);
    ledger_free(engine->ledger);
    counting_free(engine->counting);
    free(engine->places);
    free(engine->heap);
    free(engine);
}

struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err)
{
    static const struct source_ops ops = {
        "cpu",       set_events, check, set_watch,     set_delay,    set_idle,
        set_threads, poll_fds,   drain, take_snapshot, close_engine,
    };
    struct cpu_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    engine->others = others;
    engine->delay = delay;
    engine->ledger = ledger_new(&facts_lookup);
    size_t bytes = RINGS_BYTES / (cpus->count ? cpus->count : 1);
    engine->ring_bytes = bytes < RING_LEAST ? RING_LEAST : bytes > RING_MOST ? RING_MOST : bytes;
    for (size_t c = 0; c < cpus->count; c++) {
        if (!add_place(engine, cpus->cpus[c], err) && errno != ENODEV) {
            close_engine(&engine->source);
            return NULL;
        }
    }
    if (engine->count == 0) {
        close_engine(&engine->source);
        return NULL;
    }
    return &engine->source;
}
