#include "engine/cpu_records.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

uint64_t cpu_records_period(uint64_t delay, size_t groups)
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

void cpu_records_set_ticks(struct cpu_engine *engine)
{
    for (size_t c = 0; c < engine->count; c++)
        tick_as_usual(engine, engine->cpus[c]);
}

void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu, bool on)
{
    bool known = cpu_events_switch(cpu, on) && on;
    ledger_witness(engine->ledger, cpu->index, known ? clock_monotonic() : UINT64_MAX);
}

void cpu_records_poll(const struct cpu_engine *engine, const struct cpu_events *cpu, size_t i)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLET};
    epoll_ctl(engine->events, EPOLL_CTL_ADD, cpu_events_stream_fd(cpu, i), &event);
}

void cpu_records_follow(struct cpu_engine *engine, const struct cpulist *online)
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
        cpu_records_poll(engine, cpu, 0);
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

/* Of a sample in that ring; 0: its groups are closed. */
static size_t values_of(const struct cpu_engine *engine, const struct stream *stream)
{
    return stream->cpu->plan ? engine->active->layout.groups[stream->group].values : 0;
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

/* Samples and switches only add to what is known of their own CPU and of a task, and what comes of
 * losses is their own CPU's, too. */
static bool is_turning_point(const struct perf_event_header *header)
{
    return header->type == PERF_RECORD_FORK || header->type == PERF_RECORD_EXIT ||
           header->type == PERF_RECORD_COMM;
}

/* Notes the turning points that were written since the last call. */
static void search(struct turning_points *points, struct ring *ring)
{
    const struct perf_event_header *header;
    uint64_t at = ring->ahead > ring->tail ? ring->ahead : ring->tail;
    for (; (header = ring_header(ring, at)); at += header->size) {
        ring_fetch(ring, at);
        if (!is_turning_point(header))
            continue;
        mem_grow(&points->times, &points->room, points->count + 1, sizeof(*points->times));
        points->times[points->count++] = ring_last_word(ring, at, header->size);
    }
    ring->ahead = at;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void log_record(const struct stream *stream)
{
    if (stream->record.kind == RECORD_LOST)
        log_line("lost %llu records of cpu %d, group %zu", (unsigned long long)stream->record.lost,
                 stream->cpu->number, stream->group);
    else if (stream->record.kind == RECORD_THROTTLE)
        log_line("throttled: samples of cpu %d, group %zu", stream->cpu->number, stream->group);
}

static void take_record(struct cpu_engine *engine, const struct stream *stream)
{
    if (stream->record.kind != RECORD_SAMPLE)
        log_record(stream);
    if (engine->launch_overhead)
        launch_overhead_take(engine->launch_overhead, &stream->record);
    ledger_take(engine->ledger, stream->cpu->index, stream->group, &stream->record);
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

/* Takes records up to `until`, and later ones while it is not known which task had each CPU
 * then. */
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
            stream->values = values_of(engine, stream);
            ring_update(&stream->ring);
            engine->cpus[c]->overrun |= ring_full(&stream->ring);
            if (!one_by_one)
                search(points, &stream->ring);
            if (next_record(engine, stream))
                merge_add(&engine->merge, stream, stream->record.time);
        }
    }
    proc_tasks_hear(engine->changes, &engine->ledger->task_table);
    if (points->count > 1)
        qsort(points->times, points->count, sizeof(*points->times), by_time);
    size_t passed = 0;
    while ((stream = merge_first(&engine->merge)) && stream->record.time <= end &&
           (stream->record.time <= until || awaits(engine))) {
        while (passed < points->count && points->times[passed] < stream->record.time)
            passed++;
        uint64_t next = one_by_one               ? merge_second(&engine->merge)
                        : passed < points->count ? points->times[passed]
                                                 : UINT64_MAX;
        uint64_t last = until < end ? until : end, limit = next < last ? next : last;
        bool more;
        do {
            ring_fetch(&stream->ring, stream->ring.tail);
            take_record(engine, stream);
            ring_pop(&stream->ring, stream->raw);
            if (stream->values && !engine->launch_overhead)
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

bool cpu_records_press(struct cpu_engine *engine)
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

void cpu_records_drain(struct cpu_engine *engine)
{
    take_records(engine, UINT64_MAX);
}

void cpu_records_settle(struct cpu_engine *engine)
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
        cpu_records_drain(engine);
}

void cpu_records_await_ends(struct cpu_engine *engine)
{
    enum { TRIES = 100 };
    for (int i = 0; i < TRIES && ledger_awaits_command(engine->ledger); i++) {
        nanosleep(&(struct timespec){0, 500000}, NULL);
        cpu_records_drain(engine);
    }
}

/* The next sample on a CPU shows which task has it, and may be a tick away: the tickers run faster
 * until all CPUs are known. Their usual ticks come soon after a cut, since they begin at one. */
uint64_t cpu_records_cut(struct cpu_engine *engine)
{
    enum { TRIES = 8 }; /* 13 ms in all: virtual CPUs may have to wait for a real one */
    /* ns: long enough to set the period on all CPUs and set it back before it fires again. */
    uint64_t wait = 50000 + 4000 * (uint64_t)engine->count;
    uint64_t cut = ledger_cut(engine->ledger, clock_monotonic());
    /* Switches before the cut may be unread, also of a CPU that is not awaited. */
    take_records(engine, cut);
    for (size_t c = 0; c < engine->count; c++) {
        struct cpu_events *cpu = engine->cpus[c];
        cpu->asked = cpu->plan && ledger_awaits(engine->ledger, cpu->index);
        if (cpu->asked)
            cpu_events_tick(cpu, wait);
    }
    for (int i = 0; i < TRIES && awaits(engine); i++, wait *= 2) {
        struct timespec pause = clock_span(wait);
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
