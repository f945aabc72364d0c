#include "engine/cpu_records.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/tick.h"

#include <time.h>

static struct ledger_origin origin_of(const struct stream *stream)
{
    return (struct ledger_origin){
        .cpu = stream->cpu_events->number, .group = stream->group, .tick = stream->record.tick};
}

static bool next_record(const struct cpu_engine *engine, struct stream *stream)
{
    while ((stream->raw = ring_peek(&stream->ring))) {
        struct record *record = &stream->record;
        bool good = decode_record(stream->raw, record);
        /* Samples of groups that are closed by now are of no use. */
        if (good && record->kind == RECORD_SAMPLE && !stream->cpu_events->plan)
            good = false;
        if (good && record->kind == RECORD_SAMPLE && record->time == 0) {
            struct ledger_origin origin = origin_of(stream);
            record->time = ledger_time(engine->ledger, &origin, record);
        }
        if (good)
            return true;
        ring_pop(&stream->ring, stream->raw);
    }
    return false;
}

static void take_record(struct cpu_engine *engine, const struct stream *stream)
{
    struct ledger_origin origin = origin_of(stream);
    int cpu = stream->cpu_events->cpu;
    if (stream->record.kind == RECORD_LOST)
        log_line("lost %llu records of cpu %d, group %zu", (unsigned long long)stream->record.lost,
                 cpu, stream->group);
    else if (stream->record.kind == RECORD_THROTTLE)
        log_line("throttled: samples of cpu %d, group %zu", cpu, stream->group);
    prelude_take(engine->prelude, &stream->record);
    ledger_take(engine->ledger, &origin, &stream->record);
}

void cpu_records_set_switching(struct cpu_engine *engine, struct cpu_events *cpu_events, bool on)
{
    bool known = cpu_events_switch(cpu_events, on) && on;
    ledger_witness(engine->ledger, cpu_events->number, known ? clock_monotonic() : UINT64_MAX);
}

static bool awaits(const struct cpu_engine *engine)
{
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->plan && ledger_awaits(engine->ledger, engine->places[p]->number))
            return true;
    return false;
}

/* until: up to there, and from there on only while a CPU has not told who had it then. */
static void take_in(struct cpu_engine *engine, uint64_t until)
{
    struct stream *stream;
    /* What is written after this waits for the next time: of two rings the one looked at last could
     * tell of a task whose birth is in the other. */
    uint64_t cut = clock_monotonic();
    merge_clear(&engine->merge);
    for (size_t p = 0; p < engine->count; p++) {
        for (size_t i = 0; (stream = cpu_events_stream(engine->places[p], i)); i++) {
            ring_update(&stream->ring);
            engine->places[p]->overrun |= ring_full(&stream->ring);
            if (next_record(engine, stream))
                merge_add(&engine->merge, stream);
        }
    }
    while ((stream = merge_first(&engine->merge)) && stream->record.time <= cut &&
           (stream->record.time <= until || awaits(engine))) {
        take_record(engine, stream);
        ring_pop(&stream->ring, stream->raw);
        merge_advance(&engine->merge, next_record(engine, stream));
    }
    for (size_t p = 0; p < engine->count; p++) {
        struct cpu_events *cpu_events = engine->places[p];
        for (size_t i = 0; (stream = cpu_events_stream(cpu_events, i)); i++)
            ring_release(&stream->ring);
        bool wanted = cpu_events->plan && ledger_wants_switches(engine->ledger, cpu_events->number);
        if (cpu_events->plan && wanted != (cpu_events->switcher >= 0))
            cpu_records_set_switching(engine, cpu_events, wanted);
    }
}

void cpu_records_drain(struct cpu_engine *engine)
{
    take_in(engine, UINT64_MAX);
}

void cpu_records_set_ticks(struct cpu_engine *engine, uint64_t period)
{
    for (size_t p = 0; p < engine->count; p++)
        if (engine->places[p]->plan)
            cpu_events_tick(engine->places[p],
                            period ? period
                                   : tick_of(engine->delay, engine->places[p]->plan->sampled));
}

void cpu_records_settle(struct cpu_engine *engine)
{
    struct group_read *read = engine->counting->read;
    bool any = false;
    for (size_t p = 0; p < engine->count; p++) {
        struct cpu_events *cpu_events = engine->places[p];
        for (size_t g = 0; cpu_events->overrun && cpu_events->plan && g < cpu_events->plan->count;
             g++)
            if (cpu_events_read(cpu_events, g, read))
                ledger_settle(engine->ledger, cpu_events->number, g, read);
        any |= cpu_events->overrun;
        cpu_events->overrun = false;
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

/* The next sample on a CPU tells who has it, and may be a tick away: tickers are hurried until all
 * CPUs have told. Returns that time. A new period begins the timer anew (__perf_event_period()). */
uint64_t cpu_records_cut(struct cpu_engine *engine)
{
    enum { TRIES = 8 }; /* 13 ms in all: virtual CPUs may have to wait for a real one */
    uint64_t wait = tick_hurried(engine->count);
    uint64_t cut = ledger_cut(engine->ledger, clock_monotonic());
    cpu_records_set_ticks(engine, wait);
    /* Switches before the cut may not have been taken, also of a CPU that is not awaited. */
    take_in(engine, cut);
    for (int i = 0; i < TRIES && awaits(engine); i++, wait *= 2) {
        nanosleep(&(struct timespec){0, (long)wait}, NULL);
        take_in(engine, cut);
    }
    if (awaits(engine))
        log_line("cut at %llu ns: not all CPUs answered within %llu us", (unsigned long long)cut,
                 (unsigned long long)(clock_monotonic() - cut) / 1000);
    cpu_records_set_ticks(engine, 0);
    return cut;
}
