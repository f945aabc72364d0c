#include "model/living.h"
#include "base/mem.h"

#include <stdlib.h>

void living_release(struct living *living)
{
    for (size_t i = 0; i < living->task_count; i++)
        if (living->tasks[i].place)
            *living->tasks[i].place = 0;
    free(living->tasks);
    free(living->processes);
    map_release(&living->owners);
    *living = (struct living){0};
}

static void put_row(struct row *to, const struct row *from, const struct frame *frame)
{
    *to = *from;
    to->counts = frame->asleep.counts;
    to->times = frame->asleep.times;
}

void living_fill(struct living *living, struct frame *frame)
{
    size_t tasks = 0, processes = 0;
    for (size_t i = 0; i < living->task_count; i++) {
        if (!living->tasks[i].place)
            continue;
        if (tasks < i) {
            living->tasks[tasks] = living->tasks[i];
            *living->tasks[tasks].place = tasks + 1;
        }
        put_row(&frame->threads[tasks], &living->tasks[tasks].row, frame);
        tasks++;
    }
    for (size_t i = 0; i < living->process_count; i++) {
        const struct row *process = &living->processes[i];
        if (process->threads == 0) {
            map_remove(&living->owners, process->id);
            continue;
        }
        if (processes < i) {
            living->processes[processes] = *process;
            map_put(&living->owners, process->id, (void *)(uintptr_t)(processes + 1));
        }
        put_row(&frame->processes[processes], &living->processes[processes], frame);
        processes++;
    }
    living->task_count = frame->thread_count = tasks;
    living->process_count = frame->process_count = processes;
}

/* What is known of a row without what it did in an interval. */
static struct row at_rest(const struct row *row)
{
    struct row rest = *row;
    rest.ran = rest.exited = false;
    rest.asleep = true;
    rest.state = EVENT_COUNTED;
    rest.oncpu = 0;
    rest.counts = NULL;
    rest.times = NULL;
    return rest;
}

size_t living_process(const struct living *living, uint64_t id)
{
    return (uintptr_t)map_get(&living->owners, id) - 1;
}

void living_keep_process(struct living *living, const struct row *row)
{
    size_t at = living_process(living, row->id);
    if (at == SIZE_MAX)
        return;
    size_t threads = living->processes[at].threads;
    living->processes[at] = at_rest(row);
    living->processes[at].threads = threads;
}

void living_keep(struct living *living, const struct row *row, size_t *place)
{
    if (*place == 0) {
        mem_grow(&living->tasks, &living->task_room, living->task_count + 1,
                 sizeof(*living->tasks));
        *place = ++living->task_count;
        size_t owner = living_process(living, row->process);
        if (owner == SIZE_MAX) {
            owner = living->process_count++;
            mem_grow(&living->processes, &living->process_room, owner + 1,
                     sizeof(*living->processes));
            living->processes[owner] = (struct row){.id = row->process};
            map_put(&living->owners, row->process, (void *)(uintptr_t)(owner + 1));
        }
        living->processes[owner].threads++;
    }
    living->tasks[*place - 1] = (struct living_task){at_rest(row), place};
}

void living_remove(struct living *living, size_t *place)
{
    if (*place == 0)
        return;
    struct living_task *task = &living->tasks[*place - 1];
    living->processes[living_process(living, task->row.process)].threads--;
    task->place = NULL;
    *place = 0;
}
