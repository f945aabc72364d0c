#include "model/frame.h"

#include <stdlib.h>

static void release_rows(struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(rows[i].counts);
    free(rows);
}

void frame_free(struct frame *frame)
{
    if (!frame)
        return;
    release_rows(frame->threads, frame->thread_count);
    release_rows(frame->processes, frame->process_count);
    release_rows(frame->cpus, frame->cpu_count);
    free(frame->idle.counts);
    free(frame->unattributed.counts);
    free(frame->total.counts);
    event_set_drop(frame->events);
    free(frame);
}

double frame_seconds(const struct frame *frame, const struct row *row)
{
    return row->interval > 0 ? row->interval : frame->interval;
}
