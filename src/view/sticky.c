#include "view/rows.h"

static void release_graves(struct graves *graves)
{
    for (size_t i = 0; i < graves->count; i++)
        row_sum_release(&graves->items[i].row);
    free(graves->items);
    map_release(&graves->by_id);
}

void sticky_release(struct sticky *sticky)
{
    release_graves(&sticky->threads);
    release_graves(&sticky->processes);
    map_release(&sticky->by_pid);
    event_set_drop(sticky->events);
    *sticky = (struct sticky){0};
}

/* Copies an ended row unless `only` excludes it. */
static void bury(struct graves *graves, const struct row *row, const struct row *process,
                 const struct frame *frame, uint64_t only)
{
    if (!row->exited || (only && row->id != only))
        return;
    const struct event_set *events = frame->events;
    struct ended *ended = map_get(&graves->by_id, row->id);
    if (!ended) { /* a new slot, or that of the task that ended first */
        if (!graves->items)
            graves->items = mem_array(STICKY_MAX, sizeof(*graves->items));
        ended = &graves->items[graves->next];
        graves->next = (graves->next + 1) % STICKY_MAX;
        if (graves->count < STICKY_MAX) {
            graves->count++;
            ended->row = row_sum_new(events);
        } else {
            map_remove(&graves->by_id, ended->row.id);
        }
        map_put(&graves->by_id, row->id, ended);
    }
    struct count *counts = ended->row.counts;
    struct group_time *times = ended->row.times;
    wait_facts_free(ended->row.wait_facts);
    ended->row = *row;
    ended->row.counts = counts;
    ended->row.times = times;
    ended->row.wait_facts = NULL;
    wait_facts_add(&ended->row.wait_facts, row->wait_facts);
    ended->row.asleep = false;
    ended->row.interval = frame->interval;
    ended->seq = frame->seq;
    memcpy(ended->process, process->comm, sizeof(ended->process));
    memcpy(counts, row->counts, events->count * sizeof(*counts));
    memcpy(times, row->times, events->groups * sizeof(*times));
}

void sticky_take(struct sticky *sticky, const struct frame *frame, uint64_t only)
{
    if (sticky->events != frame->events)
        sticky_release(sticky);
    if (frame->totals || frame->seq <= sticky->seq)
        return;
    if (!sticky->events)
        sticky->events = event_set_share(frame->events);
    sticky->seq = frame->seq;
    map_clear(&sticky->by_pid);
    for (size_t i = 0; i < frame->process_count; i++) {
        const struct row *row = &frame->processes[i];
        bury(&sticky->processes, row, row, frame, only);
        map_put(&sticky->by_pid, (uint64_t)row->pid, (void *)row);
    }
    for (size_t i = 0; i < frame->thread_count; i++) {
        const struct row *row = &frame->threads[i];
        const struct row *process = map_get(&sticky->by_pid, (uint64_t)row->pid);
        bury(&sticky->threads, row, process ? process : row, frame, only);
    }
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
