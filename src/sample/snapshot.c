#include "sample/snapshot.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

const char *event_state_name(enum event_state state)
{
    static const char *const names[] = {
        [EVENT_COUNTED] = "counted",
        [EVENT_UNSUPPORTED] = "unsupported",
        [EVENT_DENIED] = "denied",
        [EVENT_NO_COUNTER] = "no_counter",
        [EVENT_NO_DESCRIPTOR] = "no_descriptor",
        [EVENT_INVALID] = "invalid",
    };
    return names[state];
}

struct event_set *event_set_new(size_t count)
{
    struct event_set *set = mem_alloc(sizeof(*set));
    set->references = 1;
    set->count = count;
    set->events = mem_array(count, sizeof(*set->events));
    for (size_t i = 0; i < count; i++)
        set->events[i].scale = 1;
    return set;
}

struct event_set *event_set_share(struct event_set *set)
{
    __atomic_add_fetch(&set->references, 1, __ATOMIC_RELAXED);
    return set;
}

void event_set_drop(struct event_set *set)
{
    if (!set || __atomic_sub_fetch(&set->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->events[i].name);
        free(set->events[i].pmu);
        free(set->events[i].unit);
        free(set->events[i].encoding);
        free(set->events[i].reason);
    }
    free(set->events);
    free(set->note);
    free(set);
}

int event_set_find(const struct event_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->events[i].name, name) == 0)
            return (int)i;
    return -1;
}

size_t event_set_turns(const struct event_set *set, size_t *events)
{
    bool *seen = mem_array(set->groups, sizeof(*seen));
    size_t turns = 0;
    *events = 0;
    for (size_t e = 0; e < set->count; e++) {
        const struct event_info *event = &set->events[e];
        if (!event->hardware || event->shared || event->group < 0)
            continue;
        turns += !seen[event->group];
        seen[event->group] = true;
        ++*events;
    }
    free(seen);
    return turns;
}

struct counts counts_new(const struct event_set *set)
{
    size_t values = set->count * sizeof(uint64_t);
    char *piece = mem_alloc(values + set->groups * sizeof(struct group_time));
    return (struct counts){(uint64_t *)piece, (struct group_time *)(piece + values)};
}

void counts_release(struct counts *counts)
{
    free(counts->value);
    *counts = (struct counts){0};
}

void counts_copy(struct counts *to, const struct counts *from, const struct event_set *set)
{
    memcpy(to->value, from->value, set->count * sizeof(*to->value));
    memcpy(to->times, from->times, set->groups * sizeof(*to->times));
}

void counts_add(struct counts *to, const struct counts *from, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        to->value[e] += from->value[e];
    for (size_t g = 0; g < set->groups; g++) {
        to->times[g].enabled += from->times[g].enabled;
        to->times[g].running += from->times[g].running;
    }
}

struct snapshot *snapshot_new(struct event_set *events)
{
    struct snapshot *snapshot = mem_alloc(sizeof(*snapshot));
    snapshot->events = event_set_share(events);
    snapshot->idle = counts_new(events);
    snapshot->unattributed = counts_new(events);
    return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    for (size_t i = 0; i < snapshot->task_count; i++)
        counts_release(&snapshot->tasks[i].counts);
    for (size_t i = 0; i < snapshot->cpu_count; i++)
        counts_release(&snapshot->cpus[i].counts);
    counts_release(&snapshot->idle);
    counts_release(&snapshot->unattributed);
    free(snapshot->processes);
    free(snapshot->tasks);
    free(snapshot->cpus);
    load_release(&snapshot->load);
    free(snapshot->note);
    event_set_drop(snapshot->events);
    free(snapshot);
}

struct process_info *snapshot_add_process(struct snapshot *s)
{
    mem_grow(&s->processes, &s->process_room, s->process_count + 1, sizeof(*s->processes));
    return &s->processes[s->process_count++];
}

struct task_sample *snapshot_add_task(struct snapshot *s)
{
    mem_grow(&s->tasks, &s->task_room, s->task_count + 1, sizeof(*s->tasks));
    struct task_sample *task = &s->tasks[s->task_count++];
    task->counts = counts_new(s->events);
    return task;
}

struct cpu_sample *snapshot_add_cpu(struct snapshot *s)
{
    mem_grow(&s->cpus, &s->cpu_room, s->cpu_count + 1, sizeof(*s->cpus));
    struct cpu_sample *cpu = &s->cpus[s->cpu_count++];
    cpu->counts = counts_new(s->events);
    return cpu;
}
