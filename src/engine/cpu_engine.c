#include "engine/engines.h"
#include "engine/cpu_events.h"
#include "engine/launch_overhead.h"
#include "engine/probe_open.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "system/cgroup.h"
#include "system/topology.h"

#include <sched.h>
#include <sys/epoll.h>

enum {
    RINGS_BYTES = 32 << 20, /* of all rings together */
    /* Of one at least: it holds 1.3 ms of what a CPU writes at most (perf_event_mlock_kb grants
     * each CPU 512 KiB). */
    RING_MIN = 128 << 10,
    RING_MAX = 4 << 20, /* of one: 40 ms of what a CPU writes at most */
    /* What a CPU writes at most: 700,000 switches a second with eight events. */
    BYTES_PER_US = 96,
    /* ns. Three times so long after the start records are drained early: a CPU that had a pause has
     * shown whether its idle task writes samples; where it does, SWITCH records, which cost all
     * tasks, are off then. */
    EARLY = 80000000,
};

/* Times of records that concern other CPUs. */
struct turning_points {
    size_t count, room;
    uint64_t *times; /* the earliest first */
};

/* The state of counting between two calls of set_events. */
struct active_plan {
    struct group_plan plan; /* the groups that are open on each CPU */
    struct ledger_layout layout;
    struct group_read *read; /* scratch, large enough for any of the groups */
};

struct cpu_engine {
    struct source source;
    struct caps caps;
    uint64_t delay; /* ns */
    bool others;    /* CPUs that come online are counted too */
    int online;     /* open: which those are */
    int changes;    /* from owner_changes_open() */
    uint64_t heard; /* until when records were taken when these were heard last */
    int events;     /* an epoll instance with all rings */
    /* The counters themselves are restricted to the cgroup that is watched. */
    char *cgroup;  /* its directory, as system/cgroup.h finds it; NULL: everything is counted */
    int directory; /* descriptor of it; -1: counts everything */
    bool cgroups;  /* the kernel writes cgroups into samples, and reports new ones */
    size_t ring_wanted, ring_bytes; /* of each ring; ring_bytes: what the mlock limit leaves */
    struct ledger *ledger;
    struct active_plan *active; /* NULL before the first set_events */
    /* The CPUs that are counted, and behind these the other online ones, where only births, names
     * and ends are recorded: of tasks that come from there. */
    size_t count, followed, room;
    struct cpu_events **cpus;
    struct merge merge;                   /* of all rings: scratch */
    struct turning_points turning_points; /* in the rings, not taken yet */
    uint64_t generation, started;
    pid_t command; /* the watched one, 0: none */
    struct launch_overhead
        *launch_overhead;        /* of a command, until its counts are moved; NULL: none */
    int launch_error;            /* launch_overhead_begin() gave it */
    struct proc_scan_state scan; /* of the machine's tasks, if all CPUs are counted */
};

/* --- The records of all CPUs ---
 *
 * Rings are merged by time, so that the birth of a task on one CPU is known before another CPU
 * reports it running. Between two births, ends or names the order of CPUs makes no difference,
 * since samples and switches only add to counts: then the records of a CPU that has one ring are
 * taken in one go, which keeps what is known of that CPU in the cache. */

/* The period of tickers, ns, that suits a refresh interval (ns) and a number of groups: a divisor
 * of the interval, but at least 1 ms. */
static uint64_t cpu_records_period(uint64_t delay, size_t groups)
{
    enum { TICKS = 10 };                        /* per interval, at least */
    static const uint64_t TICK_MAX = 100000000; /* ns: for long intervals */
    static const uint64_t TICK_MIN = 1000000;
    /* If groups are multiplexed, what a group counted since its last record cannot be credited when
     * a switch happens while the group pauses. Turns last some milliseconds
     * (perf_event_mux_interval_ms). */
    static const uint64_t TICK_IN_TURNS = 2000000;
    uint64_t most = groups > 1 ? TICK_IN_TURNS : TICK_MAX;
    uint64_t ticks = (delay + most - 1) / most;
    uint64_t tick = delay / (ticks > TICKS ? ticks : TICKS);
    return tick > TICK_MIN ? tick : TICK_MIN;
}

static void tick_as_usual(const struct cpu_engine *engine, struct cpu_events *cpu)
{
    if (cpu->plan)
        cpu_events_tick(cpu, cpu_records_period(engine->delay, cpu->plan->sampled));
}

/* Starts or stops the SWITCH records of a CPU, and lets the ledger know. */
static void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu, bool on)
{
    bool known = cpu_events_switch(cpu, on) && on;
    ledger_witness(engine->ledger, cpu->index, known ? clock_monotonic() : UINT64_MAX);
}

/* Adds a ring to those that wake the engine. */
static void cpu_records_poll(const struct cpu_engine *engine, const struct stream *stream)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(engine->events, EPOLL_CTL_ADD, stream->fd, &event);
}

/* Opens a tracker on each online CPU that is not counted, so that births, names and ends of its
 * tasks are known. One that cannot be opened is tried again by the next call. */
static void cpu_records_follow(struct cpu_engine *engine, const struct cpulist *online)
{
    for (size_t o = 0; o < online->count; o++) {
        size_t c = 0;
        while (c < engine->followed && engine->cpus[c]->number != online->cpus[o])
            c++;
        if (c < engine->count)
            continue;
        bool known = c < engine->followed;
        struct cpu_events *cpu =
            known ? engine->cpus[c]
                  : cpu_events_open(online->cpus[o], RING_MIN, engine->cgroups, NULL);
        if (!cpu || (known && (!cpu->dead || cpu_events_reopen(cpu, RING_MIN) < 0)))
            continue;
        cpu_records_poll(engine, &cpu->stream);
        if (known)
            continue;
        mem_grow(&engine->cpus, &engine->room, engine->followed + 1, sizeof(*engine->cpus));
        engine->cpus[engine->followed++] = cpu;
        if (engine->active)
            cpu->index = ledger_follow_cpu(engine->ledger, cpu->number, clock_monotonic());
    }
    for (size_t c = engine->count; c < engine->followed; c++)
        engine->cpus[c]->dead |= !cpulist_has(online, engine->cpus[c]->number);
}

static inline bool next_record(const struct cpu_engine *engine, struct stream *stream)
{
    while ((stream->raw = ring_peek(&stream->ring))) {
        struct record *record = &stream->record;
        bool good = decode_record(stream->raw, stream->values, record);
        if (good && record->kind == RECORD_SAMPLE) {
            good = stream->values > 0; /* ignores records of closed groups */
            if (good && engine->active->layout.cgroups)
                good = decode_cgroup(stream->raw, record);
            if (good && record->time == 0)
                record->time =
                    ledger_time(engine->ledger, stream->cpu->index, stream->group, record);
        }
        if (good)
            return true;
        ring_pop(&stream->ring, stream->raw);
    }
    return false;
}

/* Whether it is not known of all CPUs which task had them at the cut. */
static bool awaits(const struct cpu_engine *engine)
{
    bool any = false;
    for (size_t c = 0; c < engine->count && !any; c++)
        any = engine->cpus[c]->plan && ledger_awaits(engine->ledger, engine->cpus[c]->index);
    return any;
}

/* Notes the turning points that were written since the last call. Samples and switches only add to
 * what is known of their own CPU and of a task, and what comes of losses is their own CPU's, too.
 */
static void search(struct turning_points *points, struct ring *ring)
{
    const struct perf_event_header *header;
    uint64_t at = ring->ahead > ring->tail ? ring->ahead : ring->tail;
    for (; (header = ring_header(ring, at)); at += header->size) {
        ring_fetch(ring, at);
        if (header->type != PERF_RECORD_FORK && header->type != PERF_RECORD_EXIT &&
            header->type != PERF_RECORD_COMM)
            continue;
        mem_grow(&points->times, &points->room, points->count + 1, sizeof(*points->times));
        points->times[points->count++] = ring_last_word(ring, at, header->size);
    }
    ring->ahead = at;
}

static void take_record(struct cpu_engine *engine, const struct stream *stream)
{
    const struct record *record = &stream->record;
    if (record->kind == RECORD_LOST)
        log_line("lost %llu records of cpu %d, group %zu", (unsigned long long)record->lost,
                 stream->cpu->number, stream->group);
    else if (record->kind == RECORD_THROTTLE)
        log_line("throttled: samples of cpu %d, group %zu", stream->cpu->number, stream->group);
    if (engine->launch_overhead)
        launch_overhead_take(engine->launch_overhead, record);
    ledger_take(engine->ledger, stream->cpu->index, stream->group, record);
}

/* Whether each record is taken after all that are earlier. Where waiting is kept, a wake-up is
 * about two CPUs. Where a CPU has several rings, the switch records in one of them say whose slices
 * the samples in the others are. */
static bool is_one_by_one(const struct cpu_engine *engine)
{
    bool one_by_one = engine->launch_overhead || (engine->active && engine->active->layout.waits);
    for (size_t c = 0; c < engine->count && !one_by_one; c++)
        one_by_one = cpu_events_stream(engine->cpus[c], 1);
    return one_by_one;
}

static const uint64_t UP_TO_NOW = UINT64_MAX;

/* Takes records up to `until` (ns), or all that were written before the call; and later ones while
 * it is not known which task had each CPU then. */
static void take_records(struct cpu_engine *engine, uint64_t until)
{
    struct stream *stream;
    struct turning_points *points = &engine->turning_points;
    /* Records written after this wait for the next call: the ring read last could name a task whose
     * birth is in another ring. */
    uint64_t end = clock_monotonic();
    bool one_by_one = is_one_by_one(engine);
    engine->ledger->waits.over = engine->source.waits_over;
    engine->merge.count = 0;
    for (size_t c = 0; c < engine->followed; c++) {
        for (size_t i = 0; (stream = cpu_events_stream(engine->cpus[c], i)); i++) {
            stream->values =
                stream->cpu->plan ? engine->active->layout.groups[stream->group].values : 0;
            ring_update(&stream->ring);
            engine->cpus[c]->overrun |= ring_full(&stream->ring);
            if (!one_by_one)
                search(points, &stream->ring);
            if (next_record(engine, stream))
                merge_add(&engine->merge, stream, stream->record.time);
        }
    }
    /* Once for an interval's end, and before births, which inherit an owner. */
    if (one_by_one || points->count || until == UP_TO_NOW || until != engine->heard)
        proc_tasks_hear(engine->changes, &engine->ledger->task_table);
    engine->heard = until;
    mem_sort(points->times, points->count, sizeof(*points->times));
    size_t passed = 0;
    while ((stream = merge_first(&engine->merge)) && stream->record.time <= end &&
           (stream->record.time <= until || awaits(engine))) {
        while (passed < points->count && points->times[passed] < stream->record.time)
            passed++;
        uint64_t next = one_by_one               ? merge_second(&engine->merge)
                        : passed < points->count ? points->times[passed]
                                                 : UINT64_MAX;
        uint64_t last = until < end ? until : end, limit = next < last ? next : last;
        /* Beside switch records no sample is. */
        bool plain = stream->values && stream->cpu->switcher < 0 && !engine->launch_overhead, more;
        do {
            ring_fetch(&stream->ring, stream->ring.tail);
            take_record(engine, stream);
            ring_pop(&stream->ring, stream->raw);
            if (plain)
                ledger_take_plain(engine->ledger, stream->cpu->index, stream->group, &stream->ring,
                                  limit);
            more = next_record(engine, stream);
        } while (more && stream->record.time < limit);
        merge_advance(&engine->merge, more, stream->record.time);
    }
    points->count -= passed;
    if (passed)
        memmove(points->times, points->times + passed, points->count * sizeof(*points->times));
    for (size_t c = 0; c < engine->followed; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        for (size_t i = 0; (stream = cpu_events_stream(cpu, i)); i++)
            ring_release(&stream->ring);
        bool wanted = cpu->plan && ledger_wants_switches(engine->ledger, cpu->index);
        if (cpu->plan && wanted != (cpu->switcher >= 0))
            cpu_records_set_switching(engine, cpu, wanted);
    }
}

/* Whether some ring is a quarter full, so that records should be drained now. Below that, draining
 * waits: larger batches are cheaper. */
static bool cpu_records_press(struct cpu_engine *engine)
{
    struct stream *stream;
    bool press = false;
    /* Another CPU wrote each of these last: all are fetched at once. */
    for (size_t c = 0; c < engine->followed; c++)
        for (size_t i = 0; (stream = cpu_events_stream(engine->cpus[c], i)); i++)
            if (stream->ring.page)
                __builtin_prefetch(&stream->ring.page->data_head);
    for (size_t c = 0; !press && c < engine->followed; c++)
        for (size_t i = 0; (stream = cpu_events_stream(engine->cpus[c], i)); i++) {
            ring_update(&stream->ring);
            press |= ring_filling(&stream->ring);
        }
    return press;
}

/* Reads the counts of each CPU on which a ring was found full, as unattributed. The kernel reports
 * a loss only with a later record, and the counts with one after that: without this they would be
 * in a later interval. */
static void cpu_records_settle(struct cpu_engine *engine)
{
    struct group_read *read = engine->active->read;
    bool any = false;
    for (size_t c = 0; c < engine->count; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        for (size_t g = 0; cpu->overrun && cpu->plan && g < cpu->plan->count; g++)
            if (cpu_events_read(cpu, g, read))
                ledger_settle(engine->ledger, cpu->index, g, read);
        any |= cpu->overrun;
        cpu->overrun = false;
    }
    if (any)
        take_records(engine, UP_TO_NOW);
}

/* Waits, at most 50 ms, until the record at the end of the last slice of each ended task of the
 * command has come, so that the command's totals are complete. */
static void cpu_records_await_ends(struct cpu_engine *engine)
{
    enum { TRIES = 100 };
    take_records(engine, UP_TO_NOW);
    for (int i = 0; i < TRIES && ledger_awaits_command(engine->ledger); i++) {
        nanosleep(&(struct timespec){0, 500000}, NULL);
        take_records(engine, UP_TO_NOW);
    }
}

/* Ends the interval of the next snapshot at the moment (monotonic, ns) that it returns, and drains
 * the rings. Waits up to 13 ms for CPUs to report which task had them at that moment: the next
 * sample on a CPU shows that, and may be a tick away, so the tickers run faster until all CPUs are
 * known. Their usual ticks come soon after a cut, since they begin at one. */
static uint64_t cpu_records_cut(struct cpu_engine *engine)
{
    enum { TRIES = 8 }; /* 13 ms in all: virtual CPUs may have to wait for a real one */
    /* ns: long enough to set the period on all CPUs and set it back before it fires again. */
    uint64_t wait = 50000 + 4000 * (uint64_t)engine->count;
    uint64_t cut = ledger_cut(engine->ledger, clock_monotonic());
    int here = sched_getcpu();
    /* Switches before the cut may be unread, also of a CPU that is not awaited. */
    take_records(engine, cut);
    for (int i = 0; i < TRIES && awaits(engine); i++, wait *= 2) {
        struct timespec pause = clock_span(wait);
        for (size_t c = 0; c < engine->count; c++) {
            struct cpu_events *cpu = engine->cpus[c];
            if (cpu->asked || !cpu->plan || !ledger_awaits(engine->ledger, cpu->index) ||
                (i == 0 && cpu->number == here)) /* where the pause is a switch */
                continue;
            cpu->asked = true;
            cpu_events_tick(cpu, wait);
        }
        nanosleep(&pause, NULL);
        take_records(engine, cut);
    }
    if (awaits(engine))
        log_line("cut at %llu ns: not all CPUs answered within %llu us", (unsigned long long)cut,
                 (unsigned long long)(clock_monotonic() - cut) / 1000);
    for (size_t c = 0; c < engine->count; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        if (cpu->asked)
            tick_as_usual(engine, cpu);
        cpu->asked = false;
    }
    return cut;
}

/* --- The attributes of groups --- */

/* Whether samples name cgroups: they are wanted, and the kernel can (since 5.7, with
 * CONFIG_CGROUP_PERF). */
static bool tells_cgroups(const struct cpu_engine *engine)
{
    return engine->source.cgroups && engine->cgroups;
}

static struct perf_event_attr sampling_attr(const struct cpu_engine *engine, uint64_t config,
                                            uint64_t fields, uint64_t period)
{
    struct perf_event_attr attr = sys_record_attr(config, engine->ring_bytes / 4);
    attr.sample_period = period;
    attr.sample_type = fields | (tells_cgroups(engine) ? PERF_SAMPLE_CGROUP : 0);
    attr.read_format = DECODE_READ_FORMAT;
    return attr;
}

/* Whether switches have anything to read: else their samples, which cost the tasks that switch, are
 * left out where switch records are written anyway. */
static bool is_unsampled(const struct cpu_engine *engine, const struct group_plan *plan)
{
    const struct event_set *set = plan->set;
    bool read = !event_set_waits(set) || tells_cgroups(engine);
    for (size_t e = 0; e < set->count; e++)
        read |= set->events[e].group >= 0 && set->events[e].group < (int)plan->sampled;
    return !read;
}

/* groups: how many sample. */
static struct group_style cpu_engine_style_of(const struct cpu_engine *engine, size_t groups,
                                              bool unsampled)
{
    bool confined = engine->directory >= 0;
    /* A group that counts all of the time is a clock of its own (ledger_time). */
    uint64_t time = confined ? PERF_SAMPLE_TIME : 0;
    return (struct group_style){
        .samples = true,
        .cgroup = confined,
        .switches = sampling_attr(engine, PERF_COUNT_SW_CONTEXT_SWITCHES,
                                  DECODE_SWITCH_FIELDS | time, unsampled ? 0 : 1),
        .ticker = sampling_attr(engine, PERF_COUNT_SW_CPU_CLOCK, DECODE_TICK_FIELDS,
                                cpu_records_period(engine->delay, groups)),
    };
}

static void cpu_engine_drain(struct source *source)
{
    enum { READY_MAX = 64 };
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct epoll_event ready[READY_MAX]; /* else they would wake it again */
    epoll_wait(engine->events, ready, READY_MAX, 0);
    bool early = source->drain_at && clock_monotonic() >= source->drain_at;
    if (early)
        source->drain_at =
            source->drain_at < engine->started + 3 * EARLY ? source->drain_at + EARLY : 0;
    if (early || cpu_records_press(engine))
        take_records(engine, UP_TO_NOW);
}

/* One descriptor stands for all rings, so that waiting takes no longer on more CPUs. A ring can be
 * left alone for as long as the busiest CPU needs to fill the three quarters that may be empty. */
static void poll_cpu(struct cpu_engine *engine, struct cpu_events *cpu)
{
    struct stream *stream;
    for (size_t i = 0; (stream = cpu_events_stream(cpu, i)); i++) {
        cpu_records_poll(engine, stream);
        uint64_t rest = stream->ring.size / 4 * 3 * 1000 / BYTES_PER_US;
        if (rest < engine->source.rest)
            engine->source.rest = rest;
    }
}

/* --- Opening and starting --- */

/* Switch records begin when all groups count: then each group was enabled throughout each slice in
 * these records. A CPU whose groups cannot be enabled is left without, as one that went offline. */
static void start_cpu(struct cpu_engine *engine, struct cpu_events *cpu)
{
    for (size_t g = 0; g < cpu->plan->count; g++)
        if (cpu->groups[g].fds && sys_enable(cpu->groups[g].fds[0]) < 0) {
            cpu_events_uncount(cpu);
            return;
        }
    poll_cpu(engine, cpu);
    cpu_records_set_switching(engine, cpu, true);
    if (cpu_events_trace(cpu, TRACER_WAKEUPS, engine->active->layout.wakeups) < 0 ||
        cpu_events_trace(cpu, TRACER_MIGRATIONS, engine->active->layout.migrations.tracepoint) < 0)
        log_line("tracepoints on cpu %d: no records, %s", cpu->number, err_reason(errno));
    engine->ledger->waits.whole = clock_monotonic();
}

static void close_groups(struct cpu_engine *engine)
{
    for (size_t c = 0; c < engine->count; c++)
        cpu_events_uncount(engine->cpus[c]);
}

/* Opens the groups on all CPUs. -1 with errno, as cpu_events_count. A CPU that went offline
 * meanwhile is left without groups: the next snapshot removes it. */
static int open_groups(struct cpu_engine *engine, const struct group_plan *plan, int *refused)
{
    struct group_style style =
        cpu_engine_style_of(engine, plan->sampled, is_unsampled(engine, plan));
    size_t open = 0;
    for (size_t c = 0; c < engine->count; c++) {
        if (cpu_events_count(engine->cpus[c], plan, &style, refused) == 0) {
            open++;
        } else if (errno != ENODEV) {
            close_groups(engine);
            return -1;
        }
    }
    return open ? 0 : -1;
}

/* Trials run on the present CPU, if that is counted: an event of another CPU is opened and closed
 * there by interrupting it. */
static void cpu_engine_make_plan(const struct cpu_engine *engine, const struct event_list *events,
                                 struct group_plan *plan)
{
    struct group_style style = cpu_engine_style_of(engine, 1, false);
    struct group_target trial = {-1, engine->cpus[0]->number};
    int here = sched_getcpu();
    for (size_t c = 0; c < engine->count; c++)
        if (engine->cpus[c]->number == here)
            trial.cpu = here;
    AUTO_EVENTS struct event_list list;
    event_list_copy(&list, events);
    if (wakeups_wanted(&list)) {
        struct event why;
        wakeups_judge_records(&list, wakeups_tracepoint(trial.cpu, &engine->caps, &why), &why);
        free(why.reason);
    }
    group_plan_make(plan, &list, &style, trial, &engine->caps);
}

/* Halves all rings, while no groups are open. False if they cannot be smaller. */
static bool shrink_rings(struct cpu_engine *engine)
{
    engine->ring_bytes = ring_smaller(engine->ring_bytes);
    log_line("rings: halved to %zu bytes", engine->ring_bytes);
    for (size_t c = 0; engine->ring_bytes && c < engine->count; c++)
        if (cpu_events_reopen(engine->cpus[c], engine->ring_bytes) < 0 && errno != ENODEV)
            return false;
    return engine->ring_bytes;
}

/* Makes a plan that is open on all CPUs, without the events that prevent it. -1 with a message
 * if there is none. */
static int open_plan(struct cpu_engine *engine, const struct event_list *asked,
                     struct group_plan *plan, struct err *err)
{
    AUTO_EVENTS struct event_list list;
    event_list_copy(&list, asked);
    for (;;) {
        cpu_engine_make_plan(engine, &list, plan);
        int refused = -1;
        if (open_groups(engine, plan, &refused) == 0)
            break;
        int error = errno;
        if (error == ENOBUFS && shrink_rings(engine)) {
            group_plan_release(plan);
            continue;
        }
        /* Gives up the event that failed, else the last one that still counts, which leaves its
         * descriptor to the others. */
        for (size_t e = plan->list.count; refused < 0 && e-- > 0;)
            if (plan->list.events[e].state == EVENT_COUNTED)
                refused = (int)e;
        if (refused < 0) {
            group_plan_release(plan);
            return err_set(err, "cannot count on %zu CPUs: %s", engine->count, err_reason(error));
        }
        explain_refusal(&plan->list.events[refused], error, true, &engine->caps);
        event_list_release(&list);
        event_list_copy(&list, &plan->list);
        group_plan_release(plan);
    }
    size_t wanted = engine->ring_wanted, page = (size_t)sysconf(_SC_PAGESIZE);
    if (engine->ring_bytes < wanted)
        plan->set->note = mem_printf(
            "rings of %zu KiB instead of %zu (ulimit -l and kernel.perf_event_mlock_kb allow no "
            "more), records may be lost: as root, run 'sysctl kernel.perf_event_mlock_kb=%zu'",
            engine->ring_bytes >> 10, wanted >> 10, plan->sampled * ((wanted + page) >> 10));
    return 0;
}

static void active_plan_free(struct active_plan *active)
{
    if (!active)
        return;
    free(active->layout.idle);
    free(active->read);
    group_plan_release(&active->plan);
    free(active);
}

/* Opens these events on all CPUs. NULL with a message. */
static struct active_plan *active_plan_open(struct cpu_engine *engine,
                                            const struct event_list *events, struct err *err)
{
    struct active_plan *active = mem_alloc(sizeof(*active));
    const struct group_plan *plan = &active->plan;
    struct ledger_layout *layout = &active->layout;
    size_t most = 0;
    if (open_plan(engine, events, &active->plan, err) < 0) {
        free(active);
        return NULL;
    }
    layout->events = plan->set;
    layout->members_only = engine->directory >= 0;
    layout->shared = plan->set->groups - plan->sampled;
    layout->waits = event_set_waits(plan->set);
    layout->unsampled = is_unsampled(engine, plan);
    layout->cgroups = tells_cgroups(engine);
    if (layout->waits) {
        struct event why;
        layout->wakeups = wakeups_tracepoint(engine->cpus[0]->number, &engine->caps, &why);
        if (layout->wakeups)
            migrations_find(engine->cpus[0]->number, &layout->migrations);
        free(why.reason);
    }
    layout->idle = mem_array(plan->list.count, sizeof(*layout->idle));
    layout->groups = plan->shapes;
    for (size_t e = 0; e < plan->list.count; e++)
        layout->idle[e] = plan->list.events[e].idle;
    for (size_t g = 0; g < plan->count; g++)
        most = plan->shapes[g].values > most ? plan->shapes[g].values : most;
    active->read = group_read_new(most);
    return active;
}

/* Reads the paths of all cgroups, if samples named one that no record did. */
static void look_at_cgroups(struct cpu_engine *engine)
{
    struct cgroup_table *table = &engine->ledger->cgroups;
    if (!engine->active->layout.cgroups || !cgroup_table_wants_look(table))
        return;
    cgroup_each(cgroup_table_found, table);
    cgroup_table_looked(table, &engine->ledger->task_table);
}

static void cpu_engine_start_counting(struct cpu_engine *engine)
{
    ledger_begin(engine->ledger, &engine->active->layout);
    engine->generation++;
    engine->started = clock_monotonic();
    engine->source.rest = UINT64_MAX;
    engine->source.drain_at = engine->started + EARLY;
    for (size_t c = 0; c < engine->count; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        cpu->index = ledger_add_cpu(engine->ledger, cpu->number, engine->started);
        if (cpu->plan)
            start_cpu(engine, cpu);
    }
    for (size_t c = engine->count; c < engine->followed; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        cpu->index = ledger_follow_cpu(engine->ledger, cpu->number, engine->started);
    }
    engine->launch_error = launch_overhead_begin(engine->launch_overhead, &engine->active->plan);
    look_at_cgroups(engine);
}

static int cpu_engine_set_events(struct source *source, const struct event_list *events,
                                 struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct active_plan *old = engine->active;
    if (old) {
        take_records(engine, UP_TO_NOW);
        close_groups(engine);
        take_records(engine, UP_TO_NOW); /* the last records of the closed groups */
    }
    if (!engine->generation) /* births are recorded: who ends before it is met counts nothing */
        proc_tasks_meet(engine->ledger);
    struct active_plan *next = active_plan_open(engine, events, err);
    if (next) {
        engine->active = next;
        cpu_engine_start_counting(engine);
        if (!old) /* names and owners come from parents that may end soon */
            take_records(engine, UP_TO_NOW);
        active_plan_free(old);
        return 0;
    }
    /* The old events could be opened before, so they can be now. */
    if (old && open_groups(engine, &old->plan, &(int){0}) == 0)
        cpu_engine_start_counting(engine);
    return -1;
}

/* Opens the same events again, where some are. */
static int count_again(struct cpu_engine *engine, struct err *err)
{
    return engine->active ? cpu_engine_set_events(&engine->source, &engine->active->plan.list, err)
                          : 0;
}

static struct event_set *cpu_engine_check(struct source *source, const struct event_list *events)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct group_plan plan;
    if (engine->active) /* what is permitted may have changed since the start */
        probe_open_caps(&engine->caps);
    cpu_engine_make_plan(engine, events, &plan);
    return group_plan_detach(&plan);
}

/* --- CPU hotplug --- */

static struct cpu_events *new_cpu(const struct cpu_engine *engine, int number, struct err *err)
{
    size_t bytes = engine->ring_bytes;
    struct cpu_events *cpu = cpu_events_open(number, bytes, engine->cgroups, err);
    /* While rings are in use, the ring of a new CPU may have to be smaller. */
    while (!cpu && errno == ENOBUFS && engine->active && (bytes = ring_smaller(bytes)))
        cpu = cpu_events_open(number, bytes, engine->cgroups, err);
    if (cpu)
        cpu_events_confine(cpu, engine->directory);
    return cpu;
}

/* While none is only followed. */
static struct cpu_events *add_cpu(struct cpu_engine *engine, int number, struct err *err)
{
    struct cpu_events *cpu = new_cpu(engine, number, err);
    if (!cpu)
        return NULL;
    mem_grow(&engine->cpus, &engine->room, engine->count + 1, sizeof(*engine->cpus));
    engine->cpus[engine->count] = cpu;
    engine->followed = ++engine->count;
    return cpu;
}

/* What its groups from that one on have counted since their last record, if it can be read, is
 * unattributed. */
static void close_group_counts(struct cpu_engine *engine, struct cpu_events *cpu, size_t first)
{
    struct group_read *read = engine->active->read;
    for (size_t g = first; cpu->plan && g < cpu->plan->count; g++)
        if (cpu_events_read(cpu, g, read))
            ledger_close_group(engine->ledger, cpu->index, g, read);
}

static void revive_cpu(struct cpu_engine *engine, struct cpu_events *cpu)
{
    const struct group_plan *plan = &engine->active->plan;
    struct group_style style =
        cpu_engine_style_of(engine, plan->sampled, is_unsampled(engine, plan));
    if (cpu_events_count(cpu, plan, &style, &(int){0}) < 0)
        return; /* offline again; the next snapshot tries again */
    ledger_restart_cpu(engine->ledger, cpu->index, clock_monotonic());
    start_cpu(engine, cpu);
    log_line("cpu %d is online again", cpu->number);
}

/* All events of a CPU that goes offline are dead, the tracker too: they are opened again when it is
 * back. */
static void follow_cpus(struct cpu_engine *engine)
{
    AUTO_CPUS struct cpulist online = {0};
    if (topology_online_again(engine->online, &online, NULL) < 0)
        return;
    size_t live = 0; /* CPUs in use that are online */
    for (size_t c = 0; c < engine->count; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        /* Who wrote a record at the cut need not be asked: asking interrupts that CPU. */
        bool wrote = !cpu->dead && engine->ledger->cpus[cpu->index].boundary >= engine->ledger->cut;
        if (cpu->plan && (wrote || cpu_events_lives(cpu))) {
            live++;
            continue;
        }
        if (cpu->plan) /* its records after the cut are its last */
            take_records(engine, UP_TO_NOW);
        close_group_counts(engine, cpu, 0);
        cpu_events_uncount(cpu);
        log_line("cpu %d is offline", cpu->number);
        if (!cpulist_has(&online, cpu->number)) {
            ledger_remove_cpu(engine->ledger, cpu->index);
            continue;
        }
        struct cpu_events *next = new_cpu(engine, cpu->number, NULL);
        if (!next)
            continue;
        next->index = cpu->index;
        cpu_events_close(cpu);
        engine->cpus[c] = next;
        revive_cpu(engine, next);
        live++;
    }
    for (size_t o = 0; engine->others && live < online.count && o < online.count; o++) {
        bool known = false;
        for (size_t c = 0; c < engine->count; c++)
            known |= engine->cpus[c]->number == online.cpus[o];
        struct cpu_events *cpu = known ? NULL : add_cpu(engine, online.cpus[o], NULL);
        if (cpu) {
            cpu->index = ledger_add_cpu(engine->ledger, cpu->number, clock_monotonic());
            revive_cpu(engine, cpu);
        }
    }
    if (!engine->others)
        cpu_records_follow(engine, &online);
}

/* --- Watched tasks --- */

/* Whether the kernel can name cgroups. */
static bool can_tell_cgroups(void)
{
    struct perf_event_attr attr = sys_record_attr(PERF_COUNT_SW_DUMMY, 1);
    attr.sample_type |= PERF_SAMPLE_CGROUP;
    attr.cgroup = 1;
    return sys_try(&attr, false, 0, -1) == 0;
}

/* Errors of the kernel's perf_cgroup_connect(); perf_event_open(2) documents only EBADF. On version
 * 2 cgroups get perf's controller, an implicit one, when any controller is enabled for them
 * (kernel/cgroup/cgroup.c, cgroup_calc_subtree_ss_mask(); seen on 6.12). */
static const char *cgroup_cause(int error)
{
    if (error == EINVAL)
        return "this kernel counts no cgroups (it is built without CONFIG_CGROUP_PERF)";
    if (error == EBADF)
        return "its directory is in no hierarchy of cgroups";
    if (error == ENOENT)
        return "it was removed, or its hierarchy has no controller enabled: as root, write '+cpu' "
               "to the cgroup.subtree_control of the root";
    return err_reason(error);
}

/* Restricts the next groups to a cgroup; NULL: none. -1 with a message and nothing changed if the
 * kernel cannot count it. */
static int confine(struct cpu_engine *engine, const char *cgroup, struct err *err)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    int directory = -1;
    /* The root contains everything, also the idle tasks: no restriction. */
    if (cgroup && !cgroup_is_root(cgroup)) {
        directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int error =
            directory < 0 ? errno : sys_try(&attr, true, directory, engine->cpus[0]->number);
        if (error) {
            file_close(directory);
            return err_set(err, "cannot count cgroup '%.200s': %s", cgroup, cgroup_cause(error));
        }
    }
    file_close(engine->directory);
    free(engine->cgroup);
    engine->cgroup = mem_strdup(cgroup);
    engine->directory = directory;
    for (size_t c = 0; c < engine->count; c++)
        cpu_events_confine(engine->cpus[c], directory);
    return 0;
}

/* The ledger counts all tasks, and the view chooses, except for a cgroup. */
static int cpu_engine_set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    if (watch->command && watch->command != engine->command) {
        engine->command = watch->command;
        if (engine->active)
            take_records(engine, UP_TO_NOW);
        task_table_forget_command(&engine->ledger->task_table);
        launch_overhead_free(engine->launch_overhead);
        engine->launch_overhead = launch_overhead_new(&engine->ledger->task_table, watch->command);
        if (engine->active)
            engine->launch_error =
                launch_overhead_begin(engine->launch_overhead, &engine->active->plan);
    }
    if (str_equal(engine->cgroup, watch->cgroup))
        return 0;
    AUTO_FREE char *before = mem_strdup(engine->cgroup);
    if (confine(engine, watch->cgroup, err) < 0)
        return -1;
    int result = count_again(engine, err);
    if (result < 0 && confine(engine, before, NULL) == 0)
        count_again(engine, NULL);
    return result;
}

/* --- The other methods of struct source --- */

static int cpu_engine_set_cgroups(struct source *source, struct err *err)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    bool change = engine->active && tells_cgroups(engine) != engine->active->layout.cgroups;
    return change ? count_again(engine, err) : 0;
}

static void cpu_engine_set_delay(struct source *source, uint64_t delay)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    engine->delay = delay;
    for (size_t c = 0; c < engine->count; c++)
        tick_as_usual(engine, engine->cpus[c]);
}

static size_t cpu_engine_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    if (room)
        *fds = (struct pollfd){.fd = ((struct cpu_engine *)source)->events, .events = POLLIN};
    return 1;
}

static struct snapshot *cpu_engine_take_snapshot(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    struct active_plan *active = engine->active;
    if (engine->command)
        cpu_records_await_ends(engine);
    double wall = clock_wall();
    uint64_t time = cpu_records_cut(engine);
    engine->launch_overhead = launch_overhead_settle(engine->launch_overhead);
    cpu_records_settle(engine);
    for (size_t c = 0; c < engine->count; c++) /* groups of shared events write no records */
        close_group_counts(engine, engine->cpus[c], active->plan.sampled);
    follow_cpus(engine);
    struct snapshot *snapshot = snapshot_new(active->plan.set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->time = time;
    snapshot->wall = wall;
    bool confined = engine->directory >= 0;
    snapshot->part = confined;
    if (engine->launch_error)
        snapshot->note = mem_printf("the command's row has what starting it counted: %s",
                                    err_reason(engine->launch_error));
    if (source->all && engine->others && !confined)
        proc_tasks_keep(&engine->scan, engine->ledger, engine->generation);
    else if (source->all)
        proc_tasks_adopt(engine->ledger, confined ? engine->cgroup : NULL);
    look_at_cgroups(engine);
    ledger_snapshot(engine->ledger, snapshot, source->all);
    for (size_t c = 0; c < engine->followed; c++)
        snapshot->self.descriptors += cpu_events_descriptors(engine->cpus[c]);
    return snapshot;
}

static void cpu_engine_close_engine(struct source *source)
{
    struct cpu_engine *engine = (struct cpu_engine *)source;
    for (size_t c = 0; c < engine->followed; c++)
        cpu_events_close(engine->cpus[c]);
    file_close(engine->online);
    file_close(engine->events);
    file_close(engine->changes);
    file_close(engine->directory);
    launch_overhead_free(engine->launch_overhead);
    ledger_free(engine->ledger);
    active_plan_free(engine->active);
    free(engine->cgroup);
    free(engine->cpus);
    merge_release(&engine->merge);
    free(engine->turning_points.times);
    free(engine);
}

struct source *cpu_engine_new(const struct cpulist *cpus, bool others, const struct caps *caps,
                              uint64_t delay, struct err *err)
{
    static const struct source_ops ops = {
        .name = "cpu",
        .set_events = cpu_engine_set_events,
        .check = cpu_engine_check,
        .set_watch = cpu_engine_set_watch,
        .set_cgroups = cpu_engine_set_cgroups,
        .set_delay = cpu_engine_set_delay,
        .poll_fds = cpu_engine_poll_fds,
        .drain = cpu_engine_drain,
        .snapshot = cpu_engine_take_snapshot,
        .close = cpu_engine_close_engine,
    };
    struct cpu_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    engine->others = others;
    engine->online = topology_keep_online();
    engine->events = epoll_create1(EPOLL_CLOEXEC);
    engine->directory = -1;
    engine->cgroups = can_tell_cgroups() && cgroup_tells();
    engine->delay = delay;
    engine->ledger = ledger_new(&proc_tasks_lookup);
    engine->ledger->paths_known = cgroup_sees_all();
    engine->changes = owner_changes_open();
    engine->ledger->task_table.owners_reported = engine->changes >= 0;
    size_t bytes = RINGS_BYTES / (cpus->count ? cpus->count : 1);
    engine->ring_wanted = bytes < RING_MIN ? RING_MIN : bytes > RING_MAX ? RING_MAX : bytes;
    engine->ring_bytes = engine->ring_wanted;
    bool failed = engine->events < 0;
    if (failed)
        err_set(err, "cannot wait for records: %s", err_reason(errno));
    for (size_t c = 0; !failed && c < cpus->count;) {
        if (add_cpu(engine, cpus->cpus[c], err) || errno == ENODEV)
            c++;
        else
            failed = errno != ENOBUFS || !shrink_rings(engine);
    }
    AUTO_CPUS struct cpulist online = {0};
    if (!failed && !others && topology_online(&online, NULL) == 0)
        cpu_records_follow(engine, &online);
    if (!failed && engine->count > 0)
        return &engine->source;
    cpu_engine_close_engine(&engine->source);
    return NULL;
}
