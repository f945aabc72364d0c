#include "model/frame_snapshot.h"
#include "base/map.h"
#include "base/mem.h"
#include "model/delta.h"
#include "model/row_sum.h"

#include <math.h>
#include <string.h>

static uint64_t nanoseconds(double seconds)
{
    return (uint64_t)llround(seconds * 1e9);
}

static void frame_snapshot_take_counts(struct counts *counts, const struct row *row,
                                       const struct frame *frame)
{
    const struct event_set *set = frame->events;
    memcpy(counts->times, row->times, set->groups * sizeof(*counts->times));
    for (size_t e = 0; e < set->count; e++)
        counts->value[e] = set->events[e].group >= 0 ? row_sum_raw(row, frame, e) : 0;
}

/* Maps hold pointers that are not NULL, so an index is stored as index + 1. */
static void frame_snapshot_take_tasks(struct snapshot *s, const struct frame *frame)
{
    struct map places = {0};
    for (size_t p = 0; p < frame->process_count; p++) {
        const struct row *row = &frame->processes[p];
        struct process_info *process = snapshot_add_process(s);
        process->id = row->id;
        process->pid = row->pid;
        process->ppid = row->ppid;
        process->uid = row->uid;
        memcpy(process->comm, row->comm, sizeof(process->comm));
        process->exited = row->exited;
        process->command = row->command;
        map_put(&places, row->id, (void *)(uintptr_t)(p + 1));
    }
    snapshot_reserve(s, frame->thread_count);
    for (size_t t = 0; t < frame->thread_count; t++) {
        const struct row *row = &frame->threads[t];
        struct task_sample *task = snapshot_add_task(s);
        task->id = row->id;
        task->process = (uintptr_t)map_get(&places, row->process) - 1;
        task->tid = row->tid;
        memcpy(task->comm, row->comm, sizeof(task->comm));
        task->cpu = row->cpu;
        task->uid = row->uid;
        task->other_owner = row->uid != s->processes[task->process].uid;
        task->exited = task->final = row->exited;
        task->oncpu = nanoseconds(row->oncpu);
        task->several = true; /* so that delta.c does not limit its time to the interval */
        task->state = row->state;
        frame_snapshot_take_counts(&task->counts, row, frame);
    }
    map_release(&places);
}

struct snapshot *frame_snapshot_of_frame(const struct frame *frame, uint64_t generation)
{
    struct snapshot *s = snapshot_new(frame->events);
    s->generation = generation;
    s->time = nanoseconds(frame->interval);
    s->wall = frame->wall;
    frame_snapshot_take_tasks(s, frame);
    s->has_cpus = frame->has_cpus;
    for (size_t c = 0; c < frame->cpu_count; c++) {
        struct cpu_sample *cpu = snapshot_add_cpu(s);
        cpu->cpu = frame->cpus[c].cpu;
        cpu->busy = nanoseconds(frame->cpus[c].oncpu);
        frame_snapshot_take_counts(&cpu->counts, &frame->cpus[c], frame);
    }
    s->part = frame->part;
    load_copy(&s->load, &frame->load);
    frame_snapshot_take_counts(&s->idle, &frame->idle, frame);
    frame_snapshot_take_counts(&s->unattributed, &frame->unattributed, frame);
    s->lost_records = frame->lost_records;
    s->throttled = frame->throttled;
    s->denied_tasks = frame->denied_tasks;
    s->starved_tasks = frame->starved_tasks;
    s->self.cpu = nanoseconds(frame->self_cpu);
    s->self.time = nanoseconds(frame->self_seconds);
    s->self.descriptors = frame->self_descriptors;
    s->self.rss = frame->self_rss;
    s->profile = profile_share(frame->profile);
    return s;
}

struct frame *frame_snapshot_frame(const struct snapshot *interval, uint64_t seq)
{
    struct frame *frame = delta_alone(interval);
    frame->seq = seq;
    return frame;
}
