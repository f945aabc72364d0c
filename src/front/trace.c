/* Trace events for the viewers of browsers (Perfetto, chrome://tracing), in the array form of the
 * "Trace Event Format" (Google): an event a line. A task has a slice (X) for each interval in which
 * it ran, with what JSON says of it, and a counter (C) for each event, which has its count of the
 * interval. When a task ran within an interval is not known, so a slice is as long as that. Slices
 * of a task never overlap: Perfetto leaves such ones out. Long waits (--waits-over) are from when
 * they began to when they ended (b and e). All times are ns since 1970. */
#include "base/json.h"
#include "front/batch.h"

/* A task that has events. */
struct traced {
    uint64_t id; /* of its row */
    pid_t pid, tid;
    char comm[TASK_COMM_SIZE];
    uint64_t refresh; /* the last one in which it ran */
};

static void trace_time(struct str *line, const char *key, uint64_t time)
{
    enum { MICRO = 1000 };
    json_number(line, key, "%llu.%03u", (unsigned long long)(time / MICRO),
                (unsigned)(time % MICRO));
}

/* Begins an event; its object is left open. */
static struct str *trace_begin(struct batch *batch, const char *name, const char *phase,
                               uint64_t time, pid_t pid, pid_t tid)
{
    struct str *line = &batch->text;
    str_add(line, batch->refresh == 1 && !line->length ? "[\n" : ",\n");
    json_open(line, NULL, '{');
    json_text(line, "name", name);
    json_text(line, "ph", phase);
    trace_time(line, "ts", time);
    json_number(line, "pid", "%d", (int)pid);
    json_number(line, "tid", "%d", (int)tid);
    return line;
}

/* Ends an event that has one argument. */
static void trace_end(struct str *line)
{
    json_close(line, '}');
    json_close(line, '}');
}

static void trace_name(struct batch *batch, const char *what, const char *name, pid_t pid,
                       pid_t tid)
{
    struct str *line = trace_begin(batch, what, "M", 0, pid, tid);
    json_open(line, "args", '{');
    json_text(line, "name", name);
    trace_end(line);
}

/* Counters are those of processes: others of its threads have an id. */
static void trace_count(struct batch *batch, const char *name, uint64_t time, pid_t pid, pid_t tid,
                        const char *format, double value)
{
    struct str *line = trace_begin(batch, name, "C", time, pid, tid);
    if (pid != tid)
        json_number(line, "id", "%d", (int)tid);
    json_open(line, "args", '{');
    json_number(line, "value", format, value);
    trace_end(line);
}

static void trace_counts(struct batch *batch, const struct traced *task, uint64_t time,
                         const struct row *row)
{
    const struct frame *frame = batch->frame;
    for (size_t e = 0; e < frame->events->count; e++)
        if (frame->events->events[e].state == EVENT_COUNTED &&
            (!row || eval_event(frame, row, e).state != VALUE_MISSING))
            trace_count(batch, frame->events->events[e].name, time, task->pid, task->tid, "%.0f",
                        row ? (double)row->counts[e].value : 0);
}

/* begin: of the interval. */
static void trace_row(struct batch *batch, const struct row *row, uint64_t begin)
{
    const struct frame *frame = batch->frame;
    struct traced *task = map_get(&batch->traced, row->id);
    uint64_t end = batch->traced_until, length = (uint64_t)(frame_seconds(frame, row) * 1e9);
    begin = length < end - begin ? end - length : begin;
    if (!task)
        map_put(&batch->traced, row->id, task = mem_alloc(sizeof(*task)));
    if (strcmp(task->comm, row->comm) != 0) {
        const struct row *process = row->process ? frame_row(frame, row->pid, 0) : row;
        trace_name(batch, "process_name", process ? process->comm : row->comm, row->pid, row->tid);
        trace_name(batch, "thread_name", row->comm, row->pid, row->tid);
    }
    *task = (struct traced){row->id, row->pid, row->tid, "", batch->refresh};
    memcpy(task->comm, row->comm, sizeof(task->comm));
    struct str *line = trace_begin(batch, row->comm, "X", begin, row->pid, row->tid);
    json_text(line, "cat", "ran");
    trace_time(line, "dur", end - begin);
    json_open(line, "args", '{');
    json_number(line, "oncpu", "%.9f", row->oncpu);
    json_add_taken(line, row);
    json_end_row(batch, line, row); /* of the arguments */
    json_close(line, '}');
    trace_counts(batch, task, begin, row);
}

/* Of asynchronous events those with one id are a track. */
static void trace_wait(struct batch *batch, const struct long_wait *wait, bool begins)
{
    int64_t ago = (int64_t)((batch->frame->wall - wait->time) * 1e9);
    uint64_t time = batch->traced_until - (uint64_t)ago - (begins ? wait->length : 0);
    struct str *line =
        trace_begin(batch, "wait", begins ? "b" : "e", time, wait->pid, wait->task.id);
    json_text(line, "cat", "wait");
    json_number(line, "id", "%d", (int)wait->task.id);
    json_open(line, "args", '{');
    if (begins)
        json_add_long_wait(line, batch->frame, wait);
    trace_end(line);
}

int trace_write(struct batch *batch, const struct session *session UNUSED, struct err *err UNUSED)
{
    const struct frame *frame = batch->frame;
    uint64_t length = (uint64_t)(frame->interval * 1e9);
    uint64_t begin = (uint64_t)(frame->wall * 1e9) - length;
    struct map running = {0};
    struct traced *task;
    batch_show_tasks(batch);
    batch->refresh++;
    begin = begin < batch->traced_until ? batch->traced_until : begin;
    batch->traced_until = begin + length;
    if (batch->refresh == 1)
        trace_name(batch, "process_name", "CPUs", 0, 0);
    for (size_t c = 0; c < frame->cpu_count; c++) {
        char name[32];
        snprintf(name, sizeof(name), "CPU %d %%", frame->cpus[c].cpu);
        if (frame->interval > 0)
            trace_count(batch, name, begin, 0, 0, "%.3f",
                        100 * frame->cpus[c].oncpu / frame->interval);
    }
    for (size_t r = 0; r < view_rows(batch->in.view); r++)
        if (view_row(batch->in.view, r)->ran)
            trace_row(batch, view_row(batch->in.view, r), begin);
    for (size_t at = 0; (task = map_next(&batch->traced, &at));)
        if (task->refresh == batch->refresh) {
            map_put(&running, task->id, task);
        } else {
            trace_counts(batch, task, begin, NULL); /* it did nothing any more */
            free(task);
        }
    map_release(&batch->traced);
    batch->traced = running;
    const struct long_wait *wait;
    for (size_t at = 0; (wait = batch_next_wait(batch, &at));) {
        trace_wait(batch, wait, true);
        trace_wait(batch, wait, false);
    }
    str_add(&batch->text, "\n");
    return 0;
}
