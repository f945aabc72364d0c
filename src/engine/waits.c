#include "engine/waits.h"

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

void waits_fill(struct waits *waits, bool of_task, uint64_t age, uint64_t told,
                const struct event_set *set, struct counts *counts)
{
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (!event->kept || event->group < 0 || (scheduler_of_tasks(event->kept) && !of_task))
            continue;
        counts->value[e] = waits->of[event->kept];
        counts->times[event->group] = (struct group_time){age, told};
    }
    waits->of[SCHEDULER_LATENCY_MAX] = 0;
}
