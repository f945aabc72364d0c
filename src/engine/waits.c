#include "engine/waits.h"

#include <stdlib.h>

void task_waits_free(struct task_waits *waits)
{
    if (waits)
        wait_facts_free(waits->facts);
    free(waits);
}

void waits_add(struct waits *waits, const struct waits *more)
{
    for (size_t i = 0; i < SCHEDULER_EVENTS; i++)
        waits->of[i] += more->of[i];
}

static uint64_t waits_span(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

void waits_pass(struct task_waits *waits, uint64_t time, struct waits *cpu)
{
    uint64_t *sum = waits->sum.of;
    uint64_t span = waits_span(waits->until, time);
    if (waits_ready(waits)) {
        sum[SCHEDULER_WAIT] += span;
        if (cpu)
            cpu->of[SCHEDULER_WAIT] += span;
    } else if (waits->state == WAITS_BLOCKED) {
        sum[SCHEDULER_BLOCK] += span;
    }
    waits->until += span;
}

/* A return from a wake-up, so long after it. */
static void waits_add_latency(struct waits *waits, uint64_t latency)
{
    waits->of[SCHEDULER_WAKEUPS]++;
    waits->of[SCHEDULER_LATENCY] += latency;
    if (latency > waits->of[SCHEDULER_LATENCY_MAX])
        waits->of[SCHEDULER_LATENCY_MAX] = latency;
}

void waits_run(struct task_waits *waits, uint64_t from, uint64_t until, bool wakes,
               struct waits *cpu)
{
    enum waits_state before = waits->state;
    uint64_t span = waits_span(waits->since, from);
    waits_pass(waits, from, cpu);
    if (before == WAITS_WOKEN) {
        waits_add_latency(&waits->sum, span);
        waits_add_latency(cpu, span);
        wait_facts_span(&waits->facts, SPAN_WAKEUP, span);
    } else if (before == WAITS_BLOCKED && !wakes) {
        waits->returns++;
        waits->ended_block += span;
    }
    bool waited = before == WAITS_WOKEN || before == WAITS_PREEMPTED;
    if (waited) {
        waits->ended_wait += span;
        wait_facts_span(&waits->facts, SPAN_WAIT, span);
    }
    if (before != WAITS_RUNNING) {
        waits->whole = waited || (before == WAITS_BLOCKED && span > 0);
        waits->since = from;
    }
    waits->state = WAITS_RUNNING;
    waits->until += waits_span(waits->until, until);
}

void waits_leave(struct task_waits *waits, uint64_t time, bool preempted, struct waits *cpu)
{
    uint64_t *sum = waits->sum.of;
    bool ran = waits->state == WAITS_RUNNING && waits->whole;
    waits->state = preempted ? WAITS_PREEMPTED : WAITS_BLOCKED;
    waits->until += waits_span(waits->until, time);
    if (ran)
        wait_facts_span(&waits->facts, SPAN_SLICE, waits->until - waits->since);
    waits->since = waits->until;
    waits->whole = true;
    sum[SCHEDULER_PREEMPTED] += preempted;
    sum[SCHEDULER_YIELDED] += !preempted;
    cpu->of[SCHEDULER_PREEMPTED] += preempted;
    cpu->of[SCHEDULER_YIELDED] += !preempted;
}

void waits_wake(struct task_waits *waits, uint64_t time)
{
    if (waits->state != WAITS_BLOCKED)
        return; /* it has not slept yet, or is known to be awake */
    waits_pass(waits, time, NULL);
    if (waits->whole)
        wait_facts_span(&waits->facts, SPAN_SLEEP, waits->until - waits->since);
    waits->state = WAITS_WOKEN;
    waits->since = waits->until;
    waits->whole = true;
}

void waits_born(struct task_waits *waits, uint64_t time)
{
    if (waits->state != WAITS_UNKNOWN || waits->until > 0)
        return; /* seen on a CPU before */
    waits->state = WAITS_WOKEN;
    waits->until = waits->since = time;
    waits->delay_known = true;
}

bool waits_ready(const struct task_waits *waits)
{
    return waits->state == WAITS_PREEMPTED || waits->state == WAITS_WOKEN;
}

void waits_take_delay(struct task_waits *waits, uint64_t delay, struct waits *cpu)
{
    uint64_t *block = &waits->sum.of[SCHEDULER_BLOCK];
    uint64_t waited = waits_span(waits->delay, delay);
    uint64_t woken = waits_span(waits->ended_wait, waited);
    if (woken > waits->ended_block)
        woken = waits->ended_block;
    struct waits more = {.of = {[SCHEDULER_WAIT] = woken,
                                [SCHEDULER_LATENCY] = woken,
                                [SCHEDULER_WAKEUPS] = waits->returns}};
    if (waits->delay_known) {
        waits_add(&waits->sum, &more);
        waits_add(cpu, &more);
        if (woken > 0)
            wait_facts_takers(&waits->facts)->none[TAKEN_OTHERS] += woken;
        *block -= woken < *block ? woken : *block;
    }
    waits->delay_known = true;
    waits->delay = delay;
    waits->ended_wait = waits->ended_block = waits->returns = 0;
}

void waits_compare(struct task_waits *waits, const struct waits_glance *before,
                   const struct waits_glance *now)
{
    uint64_t *sum = waits->sum.of;
    uint64_t off = waits_span(now->oncpu - before->oncpu, now->time - before->time);
    uint64_t delay = waits_span(before->delay, now->delay);
    uint64_t wait = waits_span(waits->ahead, delay);
    waits->ahead = waits_span(delay, waits->ahead);
    if (before->runnable && now->runnable && now->voluntary == before->voluntary) {
        waits->ahead += waits_span(wait, off);
        wait = off;
    }
    if (wait > off)
        wait = off;
    sum[SCHEDULER_WAIT] += wait;
    sum[SCHEDULER_BLOCK] += off - wait;
    sum[SCHEDULER_PREEMPTED] += now->forced - before->forced;
    sum[SCHEDULER_YIELDED] += now->voluntary - before->voluntary;
}

void waits_fill(struct waits *waits, bool of_task, uint64_t age, const struct event_set *set,
                struct counts *counts)
{
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (!event->kept || event->group < 0 || (scheduler_of_tasks(event->kept) && !of_task))
            continue;
        counts->value[e] = waits->of[event->kept];
        counts->times[event->group] = (struct group_time){age, age};
    }
    waits->of[SCHEDULER_LATENCY_MAX] = 0;
}
