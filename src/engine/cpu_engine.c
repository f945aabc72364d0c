#include "engine/cpu_engine.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/decode.h"
#include "engine/facts.h"
#include "engine/group.h"
#include "engine/ledger.h"
#include "engine/ring.h"
#include "engine/sys.h"
#include "event/explain.h"
#include "system/procfs.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TICKS = 10, /* samples of a running task for each refresh, at least */
    /* Of all rings together, of one at least (what perf_event_mlock_kb grants each CPU, less its
     * first page) and at most: 100 ms of 200,000 switches a second. */
    RINGS_BYTES = 32 << 20,
    RING_LEAST = 512 << 10,
    RING_MOST = 2 << 20,
};
static const uint64_t TICK_MOST = 100000000; /* ns: for long intervals */
static const uint64_t TICK_LEAST = 1000000;

/* A ring and the record of it that is next in line. */
struct stream {
    struct place *place;
    size_t group;         /* whose samples it carries */
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
    int *fds;         /* NULL: not open */
    uint64_t tick_id;
    struct stream *stream;
};

/* What is open on one CPU. */
struct place {
    int cpu;
    size_t number;        /* in the ledger */
    int tracker;          /* births, ends and names */
    int switcher;         /* SWITCH records, where the ledger wants them */
    bool switching;
    struct stream stream; /* the tracker's ring: also the switcher's records and group 0 */
    struct open_group *groups;
};

/* What is counted since one call of set_events. */
struct counting {
    struct group_plan plan;
    struct ledger_layout layout;
};

struct cpu_engine {
    struct source source;
    struct caps caps;
    uint64_t tick; /* ns between the ticker's samples */
    bool all;      /* snapshots list idle tasks too */
    struct ledger *ledger;
    struct counting *counting; /* NULL before the first set_events */
    size_t count;
    struct place *places;
    struct stream **heap; /* those with a record at hand, the earliest first */
    size_t heap_count;
    uint64_t generation, started;
};

/* Who is being adopted: a thread of pid. */
struct adoption {
    struct cpu_engine *engine;
    pid_t pid;
    uint64_t time;
};

/* A divisor of the delay, so that ticks and snapshots keep their distance: a running task is then
 * always equally late, and its share of each interval is whole. */
static uint64_t tick_of(uint64_t delay)
{
    uint64_t ticks = (delay + TICK_MOST - 1) / TICK_MOST;
    uint64_t tick = delay / (ticks > TICKS ? ticks : TICKS);
    return tick > TICK_LEAST ? tick : TICK_LEAST;
}

/* Opening. */

static struct perf_event_attr base_attr(uint64_t config)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .sample_type = DECODE_ID_FIELDS,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = RING_LEAST / 4,
    };
    return attr;
}

static struct group_style style_of(const struct cpu_engine *engine)
{
    struct group_style style = {
        .samples = true,
        .switches = base_attr(PERF_COUNT_SW_CONTEXT_SWITCHES),
        .ticker = base_attr(PERF_COUNT_SW_CPU_CLOCK),
    };
    style.switches.sample_type = style.ticker.sample_type = DECODE_SAMPLE_FIELDS;
    style.switches.read_format = style.ticker.read_format = DECODE_READ_FORMAT;
    style.switches.sample_period = 1;
    style.ticker.sample_period = engine->tick;
    return style;
}

static void place_close(struct place *place)
{
    ring_close(&place->stream.ring);
    if (place->switcher >= 0)
        close(place->switcher);
    if (place->tracker >= 0)
        close(place->tracker);
    place->switcher = place->tracker = -1;
}

static int place_open(struct place *place, int cpu, size_t ring_bytes, struct err *err)
{
    *place = (struct place){.cpu = cpu, .tracker = -1, .switcher = -1, .stream.place = place};
    struct perf_event_attr attr = base_attr(PERF_COUNT_SW_DUMMY);
    attr.task = attr.comm = attr.comm_exec = 1;
    place->tracker = sys_open(&attr, -1, cpu, -1);
    if (place->tracker < 0) {
        int error = errno;
        return err_set(err, "cannot follow the tasks of cpu %d: %s", cpu, strerror(error));
    }
    attr = base_attr(PERF_COUNT_SW_DUMMY);
    attr.context_switch = 1;
    attr.disabled = 1;
    place->switcher = sys_open(&attr, -1, cpu, -1);
    if (place->switcher < 0) {
        int error = errno;
        place_close(place);
        return err_set(err, "cannot follow the switches of cpu %d: %s", cpu, strerror(error));
    }
    if (ring_open(&place->stream.ring, place->tracker, ring_bytes, err) < 0 ||
        sys_set_output(place->switcher, place->tracker) < 0) {
        place_close(place);
        return -1;
    }
    return 0;
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
        if (!place->groups)
            return; /* written before its group was closed */
        origin.tick = stream->record.id == place->groups[stream->group].tick_id;
    }
    ledger_take(engine->ledger, &origin, &stream->record);
}

static void set_switching(struct cpu_engine *engine, struct place *place, bool on)
{
    place->switching = on;
    if (on)
        sys_enable(place->switcher, false);
    else
        sys_disable(place->switcher, false);
    ledger_witness(engine->ledger, place->number, on ? clock_monotonic() : UINT64_MAX);
}

static void choose_switches(struct cpu_engine *engine, struct place *place)
{
    bool wanted = ledger_wants_switches(engine->ledger, place->number);
    if (wanted != place->switching)
        set_switching(engine, place, wanted);
}

/* The i-th stream of a place: the tracker's, then those of the groups that have their own. */
static struct stream *stream_at(struct cpu_engine *engine, struct place *place, size_t i)
{
    if (i == 0)
        return &place->stream;
    bool more = place->groups && i < engine->counting->plan.count;
    return more ? place->groups[i].stream : NULL;
}

static void drain(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct stream *stream;
    engine->heap_count = 0;
    for (size_t p = 0; p < engine->count; p++) {
        for (size_t i = 0; (stream = stream_at(engine, &engine->places[p], i)); i++) {
            ring_update(&stream->ring);
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
        for (size_t i = 0; (stream = stream_at(engine, &engine->places[p], i)); i++)
            ring_release(&stream->ring);
        choose_switches(engine, &engine->places[p]);
    }
}

/* Groups. */

static void group_stop(struct open_group *group, const struct group_shape *shape)
{
    if (group->stream)
        ring_close(&group->stream->ring);
    free(group->stream);
    if (group->fds)
        group_close(group->fds, shape->values);
    free(group->fds);
}

static void groups_close(struct cpu_engine *engine, const struct group_plan *plan)
{
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = &engine->places[p];
        for (size_t g = 0; place->groups && g < plan->count; g++)
            group_stop(&place->groups[g], &plan->shapes[g]);
        free(place->groups);
        place->groups = NULL;
    }
}

/* A ring for a group: group 0 writes into the tracker's, the others into their own. */
static int group_connect(struct place *place, size_t number, struct open_group *group, int switches,
                         int ticker)
{
    if (number > 0) {
        group->stream = mem_alloc(sizeof(*group->stream));
        *group->stream = (struct stream){.place = place, .group = number};
        if (ring_open(&group->stream->ring, switches, place->stream.ring.size, NULL) < 0)
            return -1;
        return sys_set_output(ticker, switches);
    }
    if (sys_set_output(switches, place->tracker) < 0)
        return -1;
    return sys_set_output(ticker, place->tracker);
}

/* -1 with errno; *refused is the position in the group that failed. */
static int group_start(struct cpu_engine *engine, const struct group_plan *plan, size_t number,
                       struct place *place, size_t *refused)
{
    struct group_style style = style_of(engine);
    const struct group_shape *shape = &plan->shapes[number];
    struct open_group *group = &place->groups[number];
    int *fds = mem_array(shape->values, sizeof(*fds)), ticker = (int)shape->values - 1;
    *refused = shape->switches;
    if (group_open(plan, number, &style, (struct group_target){-1, place->cpu}, fds, refused) < 0) {
        free(fds);
        return -1;
    }
    group->fds = fds;
    if (sys_id(fds[ticker], &group->tick_id) < 0)
        return -1;
    return group_connect(place, number, group, fds[shape->switches], fds[ticker]);
}

/* Opens all groups on all CPUs. -1 with errno; *refused is then the event it was about, -1 when it
 * was none of the user's. */
static int groups_open(struct cpu_engine *engine, const struct group_plan *plan, int *refused)
{
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = &engine->places[p];
        place->groups = mem_array(plan->count, sizeof(*place->groups));
        for (size_t g = 0; g < plan->count; g++) {
            size_t position;
            if (group_start(engine, plan, g, place, &position) < 0) {
                int saved = errno;
                *refused = plan->shapes[g].event_of[position];
                groups_close(engine, plan);
                errno = saved;
                return -1;
            }
        }
    }
    return 0;
}

static struct ledger_layout layout_of(const struct group_plan *plan)
{
    struct ledger_layout layout = {
        .events = plan->set,
        .idle = mem_array(plan->list.count, sizeof(*layout.idle)),
        .groups = mem_array(plan->count, sizeof(*layout.groups)),
    };
    for (size_t e = 0; e < plan->list.count; e++)
        layout.idle[e] = plan->list.events[e].idle;
    for (size_t g = 0; g < plan->count; g++) {
        const struct group_shape *shape = &plan->shapes[g];
        layout.groups[g] = (struct ledger_group){shape->values, shape->event_of, shape->switches};
    }
    return layout;
}

static void counting_free(struct counting *counting)
{
    if (!counting)
        return;
    free(counting->layout.groups);
    free(counting->layout.idle);
    group_plan_release(&counting->plan);
    free(counting);
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
    struct group_target target = {-1, engine->places[0].cpu};
    int here = sched_getcpu();
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p].cpu == here)
            target.cpu = here;
    return target;
}

/* A plan that is open on all CPUs, or -1 with a message. */
static int open_counting(struct cpu_engine *engine, const struct event_list *asked,
                         struct group_plan *plan, struct err *err)
{
    struct group_style style = style_of(engine);
    struct event_list list;
    event_list_copy(&list, asked);
    int result = 0;
    for (;;) {
        group_plan_make(plan, &list, &style, trial_target(engine), &engine->caps);
        int refused = -1;
        if (groups_open(engine, plan, &refused) == 0)
            break;
        int error = errno;
        struct event *event = victim(&plan->list, refused);
        if (!event) {
            result = err_set(err, "cannot count on all CPUs: %s", strerror(error));
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
    const struct group_plan *plan = &engine->counting->plan;
    engine->generation++;
    engine->started = clock_monotonic();
    for (size_t p = 0; p < engine->count; p++) {
        struct place *place = &engine->places[p];
        ledger_add_cpu(engine->ledger, place->cpu, engine->started); /* place->number */
        set_switching(engine, place, true);
        for (size_t g = 0; g < plan->count; g++)
            sys_enable(place->groups[g].fds[0], false);
    }
}

static int set_events(struct source *source, const struct event_list *events, struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct counting *old = engine->counting;
    if (old) {
        drain(source);
        groups_close(engine, &old->plan);
        drain(source); /* what the closed groups still wrote */
    }
    struct counting *next = mem_alloc(sizeof(*next));
    if (open_counting(engine, events, &next->plan, err) < 0) {
        free(next);
        /* What was counted before opened then, so it does now. */
        if (!old || groups_open(engine, &old->plan, &(int){0}) < 0)
            return -1;
        ledger_begin(engine->ledger, &old->layout);
        start_counting(engine);
        return -1;
    }
    next->layout = layout_of(&next->plan);
    ledger_begin(engine->ledger, &next->layout);
    engine->counting = next;
    counting_free(old);
    free(engine->heap);
    engine->heap = mem_array(engine->count * next->plan.count, sizeof(*engine->heap));
    start_counting(engine);
    return 0;
}

static struct event_set *check(struct source *source, const struct event_list *events)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct group_style style = style_of(engine);
    struct group_plan plan;
    group_plan_make(&plan, events, &style, trial_target(engine), &engine->caps);
    struct event_set *set = event_set_share(plan.set);
    group_plan_release(&plan);
    return set;
}

static int set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    (void)source, (void)watch, (void)err; /* the ledger counts everybody; the view chooses */
    return 0;
}

static void set_delay(struct source *source, uint64_t delay)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    engine->tick = tick_of(delay);
    if (!engine->counting)
        return;
    const struct group_plan *plan = &engine->counting->plan;
    for (size_t p = 0; p < engine->count; p++)
        for (size_t g = 0; engine->places[p].groups && g < plan->count; g++)
            sys_set_period(engine->places[p].groups[g].fds[plan->shapes[g].values - 1],
                           engine->tick);
}

static void set_idle(struct source *source, bool idle)
{
    ((struct cpu_engine *)source)->all = idle;
}

static size_t poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    const struct cpu_engine *engine = (const struct cpu_engine *)source;
    const struct group_plan *plan = &engine->counting->plan;
    size_t count = 0;
    for (size_t p = 0; p < engine->count; p++) {
        const struct place *place = &engine->places[p];
        for (size_t g = 0; g < plan->count; g++, count++) {
            if (count >= room || !place->groups)
                continue;
            int ring = g ? place->groups[g].fds[plan->shapes[g].switches] : place->tracker;
            fds[count] = (struct pollfd){.fd = ring, .events = POLLIN};
        }
    }
    return count;
}

static bool adopt_thread(void *ctx, pid_t tid)
{
    const struct adoption *adoption = ctx;
    ledger_adopt(adoption->engine->ledger, adoption->pid, tid, adoption->time);
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
    const struct group_plan *plan = &engine->counting->plan;
    drain(source);
    struct snapshot *snapshot = snapshot_new(plan->set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->time = clock_monotonic();
    snapshot->wall = clock_wall();
    if (engine->all)
        procfs_each_process(adopt_process, &(struct adoption){engine, 0, snapshot->time});
    ledger_snapshot(engine->ledger, snapshot, engine->all);
    size_t each = 2; /* tracker and switcher */
    for (size_t g = 0; g < plan->count; g++)
        each += plan->shapes[g].values;
    snapshot->self.descriptors = engine->count * each;
    return snapshot;
}

static void close_engine(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    if (engine->counting)
        groups_close(engine, &engine->counting->plan);
    for (size_t p = 0; p < engine->count; p++)
        place_close(&engine->places[p]);
    ledger_free(engine->ledger);
    counting_free(engine->counting);
    free(engine->places);
    free(engine->heap);
    free(engine);
}

struct source *cpu_engine_new(const struct cpulist *cpus, const struct caps *caps, uint64_t delay,
                              struct err *err)
{
    static const struct source_ops ops = {
        "cpu", set_events, check, set_watch, set_delay, set_idle, poll_fds, drain, take_snapshot,
        close_engine,
    };
    struct cpu_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    engine->tick = tick_of(delay);
    engine->ledger = ledger_new(&facts_lookup);
    engine->places = mem_array(cpus->count, sizeof(*engine->places));
    size_t bytes = RINGS_BYTES / cpus->count;
    bytes = bytes < RING_LEAST ? RING_LEAST : bytes > RING_MOST ? RING_MOST : bytes;
    for (; engine->count < cpus->count; engine->count++) {
        int cpu = cpus->cpus[engine->count];
        if (place_open(&engine->places[engine->count], cpu, bytes, err) < 0) {
            close_engine(&engine->source);
            return NULL;
        }
        engine->places[engine->count].number = engine->count;
    }
    return &engine->source;
}
