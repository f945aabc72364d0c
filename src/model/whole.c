#include "model/whole.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/delta.h"

#include <stdlib.h>
#include <string.h>

/* All snapshots of a generation in one: counts in them are cumulative, so the last that told of a
 * task is right; but those of single intervals are added up. */
struct whole {
    bool adds;             /* what is taken is of a single interval */
    struct snapshot *from; /* what was counted before, of the first generation; NULL: nothing */
    struct snapshot *sum;  /* NULL before the first */
    struct map tasks;      /* by task id: where it is in the sum's tasks, see remember() */
    struct map processes;  /* likewise */
    struct map cpus;       /* by number of the CPU */
    size_t ended, ended_most;
    struct machine_load load, before; /* as the last snapshot has it, and when the sum began */
};

struct whole *whole_new(size_t ended_most)
{
    struct whole *whole = mem_alloc(sizeof(*whole));
    whole->ended_most = ended_most;
    map_init(&whole->tasks);
    map_init(&whole->processes);
    map_init(&whole->cpus);
    return whole;
}

void whole_free(struct whole *whole)
{
    if (!whole)
        return;
    snapshot_free(whole->from);
    snapshot_free(whole->sum);
    load_release(&whole->load);
    load_release(&whole->before);
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
    whole->ended = 0;
    load_release(&whole->before);
    load_copy(&whole->before, &whole->load);
    whole->sum = snapshot_new(s->events);
    whole->sum->generation = s->generation;
    whole->sum->started = s->started;
}

/* Copies what is cumulative, and adds what is not. */
static void take_counts(const struct whole *whole, struct counts *to, const struct counts *from)
{
    if (whole->adds)
        counts_add(to, from, whole->sum->events);
    else
        counts_copy(to, from, whole->sum->events);
}

static void take_number(const struct whole *whole, uint64_t *to, uint64_t from)
{
    *to = whole->adds ? *to + from : from;
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
    uint64_t oncpu = kept->oncpu;
    whole->ended += task->final && !kept->final;
    *kept = *task;
    kept->counts = counts;
    kept->oncpu = oncpu;
    take_number(whole, &kept->oncpu, task->oncpu);
    take_counts(whole, &kept->counts, &task->counts);
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
    take_number(whole, &whole->sum->cpus[index].busy, cpu->busy);
    take_counts(whole, &whole->sum->cpus[index].counts, &cpu->counts);
}

static void take_load(struct whole *whole, const struct machine_load *load)
{
    struct machine_load *sum = &whole->sum->load;
    free(sum->reason);
    sum->reason = mem_strdup(load->reason);
    for (size_t c = 0; c < load->count; c++) {
        const struct cpu_load *now = &load->cpus[c], *before = load_find(&whole->before, now->cpu);
        struct cpu_load *to = load_of(sum, now->cpu);
        bool less = before && !whole->adds;
        take_number(whole, &to->busy, now->busy - (less ? before->busy : 0));
        take_number(whole, &to->total, now->total - (less ? before->total : 0));
    }
    if (whole->adds)
        return;
    load_release(&whole->load);
    load_copy(&whole->load, load);
}

/* --- Adding up what ended --- */

/* Ids of rows that add up: no task has one like them (sample/snapshot.h: ids count from 1). */
static const uint64_t ADDED_UP = 1ull << 63;

static void name_ended(char comm[TASK_COMM_SIZE])
{
    strcpy(comm, "(ended)");
}

/* The process without pid, for those that ended. */
static struct process_info *ended_process(struct whole *whole)
{
    size_t index;
    if (!recall(&whole->processes, ADDED_UP, &index)) {
        struct process_info process = {.id = ADDED_UP, .uid = (uid_t)-1, .exited = true};
        name_ended(process.comm);
        index = take_process(whole, &process);
    }
    return &whole->sum->processes[index];
}

/* The row that adds up what the task is one of; makes tasks move. */
static struct task_sample *sum_of(struct whole *whole, size_t task)
{
    struct snapshot *sum = whole->sum;
    const struct process_info *process = &sum->processes[sum->tasks[task].process];
    if (process->exited)
        process = ended_process(whole);
    size_t owner = (size_t)(process - sum->processes), index;
    uint64_t id = process->id | ADDED_UP;
    if (!recall(&whole->tasks, id, &index)) {
        index = sum->task_count;
        struct task_sample *row = snapshot_add_task(sum);
        row->id = id;
        row->process = owner;
        row->cpu = -1;
        row->exited = true;
        row->several = true;
        name_ended(row->comm);
        remember(&whole->tasks, id, index);
    }
    return &sum->tasks[index];
}

/* Whether a task, or what was added up in a process that has ended since, is to be added up. One
 * that is listed again must not be: it would be counted twice. */
static bool is_over(const struct whole *whole, const struct task_sample *task)
{
    if (task->id & ADDED_UP)
        return task->id != ADDED_UP && whole->sum->processes[task->process].exited;
    return task->final;
}

/* Adds up the first that ended until half as many are left as may be: so that it is seldom done. */
static void add_up(struct whole *whole)
{
    struct snapshot *sum = whole->sum;
    size_t before = sum->task_count, kept = 0;
    for (size_t t = 0; t < before && whole->ended > whole->ended_most / 2; t++) {
        uint64_t id = sum->tasks[t].id;
        if (!is_over(whole, &sum->tasks[t]))
            continue;
        struct task_sample *row = sum_of(whole, t), *task = &sum->tasks[t];
        row->oncpu += task->oncpu;
        if (task->state != EVENT_COUNTED)
            row->state = task->state;
        counts_add(&row->counts, &task->counts, sum->events);
        map_remove(&whole->tasks, id);
        task->id = 0;
        whole->ended -= task->final;
    }
    for (size_t t = 0; t < sum->task_count; t++) {
        if (sum->tasks[t].id == 0) {
            counts_release(&sum->tasks[t].counts);
            continue;
        }
        remember(&whole->tasks, sum->tasks[t].id, kept);
        sum->tasks[kept++] = sum->tasks[t];
    }
    /* What is added is expected to be zeroed. */
    memset(&sum->tasks[kept], 0, (sum->task_count - kept) * sizeof(*sum->tasks));
    sum->task_count = kept;
}

/* Lets go of processes that no task belongs to any more. */
static void drop_processes(struct whole *whole)
{
    struct snapshot *sum = whole->sum;
    size_t *place = mem_array(sum->process_count, sizeof(*place)), kept = 0;
    for (size_t t = 0; t < sum->task_count; t++)
        place[sum->tasks[t].process] = 1;
    for (size_t p = 0; p < sum->process_count; p++) {
        if (!place[p]) {
            map_remove(&whole->processes, sum->processes[p].id);
            continue;
        }
        remember(&whole->processes, sum->processes[p].id, kept);
        place[p] = kept;
        sum->processes[kept++] = sum->processes[p];
    }
    for (size_t t = 0; t < sum->task_count; t++)
        sum->tasks[t].process = place[sum->tasks[t].process];
    memset(&sum->processes[kept], 0, (sum->process_count - kept) * sizeof(*sum->processes));
    sum->process_count = kept;
    free(place);
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

void whole_begin(struct whole *whole, struct snapshot *snapshot)
{
    whole->from = snapshot;
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
    if (whole->ended_most && whole->ended > whole->ended_most) {
        add_up(whole);
        drop_processes(whole);
    }
    for (size_t c = 0; c < s->cpu_count; c++)
        take_cpu(whole, &s->cpus[c]);
    sum->has_cpus = s->has_cpus;
    sum->part = s->part;
    take_load(whole, &s->load);
    take_counts(whole, &sum->idle, &s->idle);
    take_counts(whole, &sum->unattributed, &s->unattributed);
    take_number(whole, &sum->time, s->time);
    sum->wall = s->wall;
    take_number(whole, &sum->lost_records, s->lost_records);
    take_number(whole, &sum->throttled, s->throttled);
    sum->denied_tasks = s->denied_tasks;
    sum->starved_tasks = s->starved_tasks;
    uint64_t cpu = sum->self.cpu, time = sum->self.time;
    sum->self = s->self;
    sum->self.cpu = cpu;
    sum->self.time = time;
    take_number(whole, &sum->self.cpu, s->self.cpu);
    take_number(whole, &sum->self.time, s->self.time);
}

void whole_add(struct whole *whole, const struct snapshot *interval, const struct watch *watch)
{
    whole->adds = true;
    whole_take(whole, interval, watch);
    whole->adds = false;
}

struct frame *whole_frame(const struct whole *whole)
{
    if (!whole->sum)
        return NULL;
    bool from = whole->from && whole->from->generation == whole->sum->generation;
    struct frame *frame = from ? delta_between(whole->from, whole->sum) : delta_alone(whole->sum);
    frame->whole = true;
    return frame;
}
