#include "view/sticky.h"
#include "base/mem.h"
#include "model/row_sum.h"

#include <stdlib.h>
#include <string.h>

void sticky_init(struct sticky *sticky)
{
    *sticky = (struct sticky){0};
    map_init(&sticky->threads.by_id);
    map_init(&sticky->processes.by_id);
    map_init(&sticky->by_pid);
}

static void release_graves(struct graves *graves)
{
    for (size_t i = 0; i < graves->count; i++)
        free(graves->items[i].row.counts);
    free(graves->items);
    map_release(&graves->by_id);
}

void sticky_release(struct sticky *sticky)
{
    release_graves(&sticky->threads);
    release_graves(&sticky->processes);
    map_release(&sticky->by_pid);
    event_set_drop(sticky->events);
    sticky_init(sticky);
}

void sticky_clear(struct sticky *sticky)
{
    if (sticky->events)
        sticky_release(sticky);
}

/* The grave of that row: its own, a new one, or that of the one who ended first. */
static struct ended *grave_for(struct graves *graves, const struct row *row,
                               const struct event_set *events)
{
    struct ended *ended = map_get(&graves->by_id, row->id);
    if (ended)
        return ended;
    if (!graves->items)
        graves->items = mem_array(STICKY_MOST, sizeof(*graves->items));
    ended = &graves->items[graves->next];
    graves->next = (graves->next + 1) % STICKY_MOST;
    if (graves->count < STICKY_MOST) {
        graves->count++;
        ended->row = row_sum_new(events);
    } else {
        map_remove(&graves->by_id, ended->row.id);
    }
    map_put(&graves->by_id, row->id, ended);
    return ended;
}

static void bury(struct graves *graves, const struct row *row, const struct row *process,
                 const struct frame *frame)
{
    const struct event_set *events = frame->events;
    struct ended *ended = grave_for(graves, row, events);
    struct count *counts = ended->row.counts;
    struct group_time *times = ended->row.times;
    ended->row = *row;
    ended->row.counts = counts;
    ended->row.times = times;
    ended->row.interval = frame->interval;
    ended->seq = frame->seq;
    memcpy(ended->process, process->comm, sizeof(ended->process));
    memcpy(counts, row->counts, events->count * sizeof(*counts));
    memcpy(times, row->times, events->groups * sizeof(*times));
}

static bool is_meant(const struct row *row, uint64_t only)
{
    return row->exited && (only == 0 || row->id == only);
}

static void take_processes(struct sticky *sticky, const struct frame *frame, uint64_t only)
{
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        if (is_meant(row, only))
            bury(&sticky->processes, row, row, frame);
        map_put(&sticky->by_pid, (uint64_t)row->pid, (void *)row);
    }
}

static void take_threads(struct sticky *sticky, const struct frame *frame, uint64_t only)
{
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *row = &frame->threads[i];
        if (!is_meant(row, only))
            continue;
        const struct row *process = map_get(&sticky->by_pid, (uint64_t)row->pid);
        bury(&sticky->threads, row, process ? process : row, frame);
    }
}

void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only)
{
    if (sticky->events && sticky->events != frame->events)
        sticky_release(sticky);
    if (frame->totals || frame->seq <= sticky->seq)
        return;
    if (!sticky->events)
        sticky->events = event_set_share(frame->events);
    sticky->seq = frame->seq;
    map_clear(&sticky->by_pid);
    take_processes(sticky, frame, only);
    take_threads(sticky, frame, only);
}

const struct ended *sticky_next(const struct sticky *sticky, const struct frame *frame,
                                bool threads, size_t *at)
{
    const struct graves *graves = threads ? &sticky->threads : &sticky->processes;
    if (frame->totals || frame->events != sticky->events)
        return NULL;
    while (*at < graves->count) {
        const struct ended *ended = &graves->items[(*at)++];
        if (ended->seq < frame->seq)
            return ended;
    }
    return NULL;
}
