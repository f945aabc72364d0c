#include "model/whole.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/delta.h"

#include <stdlib.h>
#include <string.h>

/* All snapshots of a generation in one: counts in them are cumulative, so the last that told of a
 * task is right. */
struct whole {
    struct snapshot *sum; /* NULL before the first */
    struct map tasks;     /* by task id: where it is in the sum's tasks, see remember() */
    struct map processes; /* likewise */
    struct map cpus;      /* by number of the CPU */
};

struct whole *whole_new(void)
{
    struct whole *whole = mem_alloc(sizeof(*whole));
    map_init(&whole->tasks);
    map_init(&whole->processes);
    map_init(&whole->cpus);
    return whole;
}

void whole_free(struct whole *whole)
{
    if (!whole)
        return;
    snapshot_free(whole->sum);
    map_release(&whole->tasks);
    map_release(&whole->processes);
    map_release(&whole->cpus);
    free(whole);
}

/* A map owns no values: an index is kept as a pointer, and never NULL. */
static void remember(struct map *map, uint64_t key, size_t index)
{
    map_put(map, key, (void *)(uintptr_t)(index + 1));
}

static bool recall(const struct map *map, uint64_t key, size_t *index)
{
    uintptr_t value = (uintptr_t)map_get(map, key);
    *index = value - 1;
    return value != 0;
}

static void begin(struct whole *whole, const struct snapshot *s)
{
    snapshot_free(whole->sum);
    map_clear(&whole->tasks);
    map_clear(&whole->processes);
    map_clear(&whole->cpus);
    whole->sum = snapshot_new(s->events);
    whole->sum->generation = s->generation;
    whole->sum->started = s->started;
}

static size_t take_process(struct whole *whole, const struct process_info *process)
{
    size_t index;
    if (!recall(&whole->processes, process->id, &index)) {
        index = whole->sum->process_count;
        snapshot_add_process(whole->sum);
        remember(&whole->processes, process->id, index);
    }
    whole->sum->processes[index] = *process;
    return index;
}

static void take_task(struct whole *whole, const struct task_sample *task,
                      const struct process_info *process)
{
    size_t index;
    if (!recall(&whole->tasks, task->id, &index)) {
        index = whole->sum->task_count;
        snapshot_add_task(whole->sum);
        remember(&whole->tasks, task->id, index);
    }
    struct task_sample *kept = &whole->sum->tasks[index];
    struct counts counts = kept->counts;
    *kept = *task;
    kept->counts = counts;
    counts_copy(&kept->counts, &task->counts, whole->sum->events);
    kept->process = take_process(whole, process);
}

static void take_cpu(struct whole *whole, const struct cpu_sample *cpu)
{
    size_t index;
    if (!recall(&whole->cpus, (uint64_t)cpu->cpu, &index)) {
        index = whole->sum->cpu_count;
        snapshot_add_cpu(whole->sum)->cpu = cpu->cpu;
        remember(&whole->cpus, (uint64_t)cpu->cpu, index);
    }
    whole->sum->cpus[index].busy = cpu->busy;
    counts_copy(&whole->sum->cpus[index].counts, &cpu->counts, whole->sum->events);
}

static bool is_wanted(const struct watch *watch, const struct task_sample *task,
                      const struct process_info *process)
{
    struct watched thread = {
        .pid = process->pid,
        .tid = task->tid,
        .comm = process->comm,
        .uid = process->uid,
        .command = process->command,
        .in_cgroup = true, /* not known here */
    };
    return watch_all(watch) || watch_may_have(watch, &thread);
}

void whole_take(struct whole *whole, const struct snapshot *s, const struct watch *watch)
{
    if (!whole->sum || whole->sum->generation != s->generation)
        begin(whole, s);
    struct snapshot *sum = whole->sum;
    for (size_t t = 0; t < s->task_count; t++) {
        const struct process_info *process = &s->processes[s->tasks[t].process];
        if (is_wanted(watch, &s->tasks[t], process))
            take_task(whole, &s->tasks[t], process);
    }
    for (size_t c = 0; c < s->cpu_count; c++)
        take_cpu(whole, &s->cpus[c]);
    sum->has_cpus = s->has_cpus;
    counts_copy(&sum->idle, &s->idle, s->events);
    counts_copy(&sum->unattributed, &s->unattributed, s->events);
    sum->time = s->time;
    sum->wall = s->wall;
    sum->lost_records = s->lost_records;
    sum->throttled = s->throttled;
    sum->denied_tasks = s->denied_tasks;
    sum->starved_tasks = s->starved_tasks;
    sum->self = s->self;
}

struct frame *whole_frame(const struct whole *whole)
{
    if (!whole->sum)
        return NULL;
    struct delta *delta = delta_new();
    struct frame *frame = delta_advance(delta, whole->sum);
    delta_free(delta);
    return frame;
}
