/* Frames built by hand, for tests of what is made from frames. */
#pragma once

#include "metric/metric_set.h"
#include "base/mem.h"
#include "model/frame.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

/* An event set from names; all counted software events of group 0, to be changed afterwards. */
static inline struct event_set *handmade_set(size_t count, const char *const *names)
{
    struct event_set *set = event_set_new(count);
    set->groups = 1;
    for (size_t i = 0; i < count; i++) {
        set->events[i].name = mem_strdup(names[i]);
        set->events[i].unit = mem_strdup("");
        set->events[i].state = EVENT_COUNTED;
    }
    return set;
}

enum { HANDMADE_ROWS = 65536 }; /* of threads and processes in a frame, at most */

/* An empty frame of one second; takes over the reference to the set. */
static inline struct frame *handmade_frame(struct event_set *set)
{
    struct frame *frame = mem_alloc(sizeof(*frame));
    frame->events = set;
    frame->seq = 1;
    frame->interval = 1;
    frame->idle = row_sum_new(set);
    frame->unattributed = row_sum_new(set);
    frame->total = row_sum_new(set);
    frame->block = mem_array(HANDMADE_ROWS, row_sum_size(set));
    frame->threads = mem_array(HANDMADE_ROWS, sizeof(*frame->threads));
    frame->processes =
        frame->threads + HANDMADE_ROWS / 2; /* frame_free() frees them with the threads */
    return frame;
}

/* A row that ran, with the values given, counted throughout. */
static inline struct row handmade_row(const struct frame *frame, const uint64_t *values)
{
    struct row row = row_sum_new(frame->events);
    row.threads = 1;
    row.ran = true;
    for (size_t i = 0; i < frame->events->count; i++)
        row.counts[i] = (struct count){values ? values[i] : 0, 1};
    return row;
}

/* A row of a thread or a process: its counts are the frame's from now on, as frame_free() has them.
 */
static inline struct row handmade_task(struct frame *frame, struct row row)
{
    struct row task = row;
    struct row place = row_sum_in(frame->block + frame->block_used, frame->events);
    task.counts = memcpy(place.counts, row.counts, row_sum_size(frame->events));
    task.times = place.times;
    frame->block_used += row_sum_size(frame->events);
    free(row.counts);
    return task;
}

static inline struct row *handmade_add(struct row **rows, size_t *count, struct row row)
{
    *rows = mem_resize(*rows, *count + 1, sizeof(row));
    (*rows)[*count] = row;
    return &(*rows)[(*count)++];
}

/* A process with one thread of the same ids; its row. */
static inline struct row *handmade_process(struct frame *frame, pid_t pid, const char *comm,
                                           double oncpu, const uint64_t *values)
{
    struct row row = handmade_row(frame, values), thread = handmade_row(frame, values);
    row.id = (uint64_t)pid;
    row.pid = row.tid = pid;
    row.oncpu = oncpu;
    strncpy(row.comm, comm, sizeof(row.comm) - 1);
    struct count *counts = thread.counts;
    struct group_time *times = thread.times;
    thread = row;
    thread.counts = counts;
    thread.times = times;
    frame->threads[frame->thread_count++] = handmade_task(frame, thread);
    frame->processes[frame->process_count] = handmade_task(frame, row);
    return &frame->processes[frame->process_count++];
}

/* Adds a metric to the set, or replaces it, as a user does while the program runs. -1 with a
 * message. */
static inline int set_metric(struct metric_set *metric_set, const char *name, const char *expr,
                             const char *unit, struct err *err)
{
    struct metric metric;
    int result = metric_set_draft(metric_set, name, expr, unit, &metric, err);
    if (result < 0)
        metric_release(&metric);
    else
        metric_set_take(metric_set, &metric);
    return result;
}
