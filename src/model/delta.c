#include "model/delta.h"
#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const double COVERAGE_LEAST = 0.01;

/* What was known of one thing in the last snapshot: all zero when it is new. */
struct last {
    struct counts counts;
    uint64_t oncpu;
    bool exited;
};

struct delta {
    struct event_set *events; /* of the last snapshot, NULL before the first */
    uint64_t generation, time, seq;
    uint64_t lost_records, throttled, self_cpu;
    struct map tasks; /* struct last by task id */
    struct map cpus;  /* struct last by CPU number */
    struct last idle, unattributed;
    struct group_time *spans; /* scratch: times of the row at hand, one for each group */
};

struct delta *delta_new(void)
{
    struct delta *delta = mem_alloc(sizeof(*delta));
    map_init(&delta->tasks);
    map_init(&delta->cpus);
    return delta;
}

static void last_free(struct last *last)
{
    if (last)
        counts_release(&last->counts);
    free(last);
}

static void forget_all(struct map *map)
{
    struct last *last;
    for (size_t at = 0; (last = map_next(map, &at));)
        last_free(last);
    map_clear(map);
}

static void forget_generation(struct delta *delta)
{
    forget_all(&delta->tasks);
    forget_all(&delta->cpus);
    counts_release(&delta->idle.counts);
    counts_release(&delta->unattributed.counts);
    free(delta->spans);
    delta->spans = NULL;
    event_set_drop(delta->events);
    delta->events = NULL;
}

void delta_free(struct delta *delta)
{
    if (!delta)
        return;
    forget_generation(delta);
    map_release(&delta->tasks);
    map_release(&delta->cpus);
    free(delta);
}

static void begin_generation(struct delta *delta, const struct snapshot *s)
{
    forget_generation(delta);
    delta->events = event_set_share(s->events);
    delta->generation = s->generation;
    delta->time = s->started;
    delta->idle.counts = counts_new(s->events);
    delta->unattributed.counts = counts_new(s->events);
    delta->spans = mem_array(s->events->groups, sizeof(*delta->spans));
}

static struct last *last_of(struct delta *delta, struct map *map, uint64_t key)
{
    struct last *last = map_get(map, key);
    if (!last) {
        last = mem_alloc(sizeof(*last));
        last->counts = counts_new(delta->events);
        map_put(map, key, last);
    }
    return last;
}

static struct row empty_row(const struct event_set *set)
{
    struct row row = {.cpu = -1, .uid = (uid_t)-1, .threads = 1, .state = EVENT_COUNTED};
    row.counts = mem_array(set->count, sizeof(*row.counts));
    return row;
}

static double coverage_of(struct group_time span)
{
    if (span.running >= span.enabled)
        return 1;
    return (double)span.running / (double)span.enabled;
}

/* Of less than a hundredth of the time nothing is concluded: not counted. */
static double coverage_to_show(struct group_time span)
{
    double coverage = coverage_of(span);
    return coverage < COVERAGE_LEAST ? 0 : coverage;
}

/* The one place where counts are scaled. 128 bits: enabled times a count overflows 64 of them
 * after a few seconds of a busy machine. */
static uint64_t scaled(uint64_t raw, struct group_time span)
{
    if (span.running >= span.enabled)
        return raw;
    if (span.running == 0)
        return 0;
    __uint128_t wide = (__uint128_t)raw * span.enabled + span.running / 2;
    return (uint64_t)(wide / span.running);
}

/* The row's counts from `last` to `now`, which becomes the new last; the spans of time of each
 * group are left in delta->spans. */
static void count_row(struct delta *delta, struct row *row, struct last *last,
                      const struct counts *now)
{
    const struct event_set *set = delta->events;
    for (size_t g = 0; g < set->groups; g++)
        delta->spans[g] = (struct group_time){
            now->times[g].enabled - last->counts.times[g].enabled,
            now->times[g].running - last->counts.times[g].running,
        };
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        struct group_time span = g >= 0 ? delta->spans[g] : (struct group_time){1, 0};
        uint64_t raw = now->value[e] - last->counts.value[e];
        row->counts[e] = (struct count){scaled(raw, span), coverage_to_show(span)};
        row->ran |= raw > 0;
    }
    counts_copy(&last->counts, now, set);
}

/* Adds a part to a sum; its coverage is that of the times added up in `spans`. */
static void add_counts(struct row *sum, const struct row *part, size_t events)
{
    for (size_t e = 0; e < events; e++)
        sum->counts[e].value += part->counts[e].value;
}

static void add_spans(struct group_time *sum, const struct group_time *part, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        sum[g].enabled += part[g].enabled;
        sum[g].running += part[g].running;
    }
}

static void set_coverage(struct row *row, const struct group_time *spans,
                         const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        row->counts[e].coverage = g >= 0 ? coverage_to_show(spans[g]) : 0;
    }
}

static void describe_task(struct row *row, const struct task_sample *task,
                          const struct process_info *process)
{
    row->id = task->id;
    row->pid = process->pid;
    row->tid = task->tid;
    row->ppid = process->ppid;
    row->uid = process->uid;
    row->cpu = task->cpu;
    row->exited = task->exited;
    row->command = process->command;
    row->state = task->state;
    memcpy(row->comm, task->comm, sizeof(row->comm));
}

static void describe_process(struct row *row, const struct process_info *process)
{
    row->id = process->id;
    row->pid = row->tid = process->pid;
    row->ppid = process->ppid;
    row->uid = process->uid;
    row->exited = process->exited;
    row->command = process->command;
    row->threads = 0;
    memcpy(row->comm, process->comm, sizeof(row->comm));
}

static void add_thread(struct row *process, double *busiest, const struct row *thread,
                       size_t events)
{
    process->threads++;
    process->oncpu += thread->oncpu;
    process->ran |= thread->ran;
    if (thread->oncpu >= *busiest) {
        *busiest = thread->oncpu;
        process->cpu = thread->cpu;
    }
    /* A sum without one of its parts would be wrong: rather no number, with the reason. */
    if (thread->state != EVENT_COUNTED)
        process->state = thread->state;
    add_counts(process, thread, events);
}

static void count_tasks(struct delta *delta, struct frame *frame, const struct snapshot *s)
{
    const struct event_set *set = s->events;
    size_t groups = set->groups;
    frame->threads = mem_array(s->task_count, sizeof(*frame->threads));
    frame->processes = mem_array(s->process_count, sizeof(*frame->processes));
    struct group_time *spans = mem_array(s->process_count * groups, sizeof(*spans));
    double *busiest = mem_array(s->process_count, sizeof(*busiest));
    struct group_time *all = mem_array(groups, sizeof(*all));

    for (size_t p = 0; p < s->process_count; p++) {
        frame->processes[p] = empty_row(set);
        describe_process(&frame->processes[p], &s->processes[p]);
    }
    for (size_t t = 0; t < s->task_count; t++) {
        const struct task_sample *task = &s->tasks[t];
        struct last *last = last_of(delta, &delta->tasks, task->id);
        struct row row = empty_row(set);
        describe_task(&row, task, &s->processes[task->process]);
        row.oncpu = (double)(task->oncpu - last->oncpu) / 1e9;
        row.ran = task->oncpu > last->oncpu;
        count_row(delta, &row, last, &task->counts);
        last->oncpu = task->oncpu;
        bool told = last->exited && !row.ran; /* its end was in the frame before */
        last->exited = task->exited;
        if (task->final)
            last_free(map_remove(&delta->tasks, task->id));
        if (told) {
            free(row.counts);
            continue;
        }
        add_thread(&frame->processes[task->process], &busiest[task->process], &row, set->count);
        add_spans(spans + task->process * groups, delta->spans, groups);
        add_spans(all, delta->spans, groups);
        add_counts(&frame->total, &row, set->count);
        frame->total.oncpu += row.oncpu;
        if (row.state != EVENT_COUNTED)
            frame->total.state = row.state; /* as for a process */
        frame->threads[frame->thread_count++] = row;
    }
    for (size_t p = 0; p < s->process_count; p++) {
        struct row *row = &frame->processes[p];
        if (row->threads == 0) {
            free(row->counts);
            continue;
        }
        set_coverage(row, spans + p * groups, set);
        frame->processes[frame->process_count++] = *row;
    }
    set_coverage(&frame->total, all, set);
    free(all);
    free(busiest);
    free(spans);
}

static int by_cpu(const void *a, const void *b)
{
    int x = ((const struct row *)a)->cpu, y = ((const struct row *)b)->cpu;
    return (x > y) - (x < y);
}

/* The total of a source that knows CPUs is theirs, counted apart from the threads' sum. */
static void count_cpus(struct delta *delta, struct frame *frame, const struct snapshot *s)
{
    const struct event_set *set = s->events;
    struct group_time *all = mem_array(set->groups, sizeof(*all));
    memset(frame->total.counts, 0, set->count * sizeof(*frame->total.counts));
    frame->total.oncpu = 0;
    frame->total.state = EVENT_COUNTED;
    frame->cpus = mem_array(s->cpu_count, sizeof(*frame->cpus));
    for (size_t c = 0; c < s->cpu_count; c++) {
        const struct cpu_sample *cpu = &s->cpus[c];
        struct last *last = last_of(delta, &delta->cpus, (uint64_t)cpu->cpu);
        struct row *row = &frame->cpus[frame->cpu_count++];
        *row = empty_row(set);
        row->cpu = cpu->cpu;
        row->id = (uint64_t)cpu->cpu + 1;
        row->oncpu = (double)(cpu->busy - last->oncpu) / 1e9;
        last->oncpu = cpu->busy;
        count_row(delta, row, last, &cpu->counts);
        row->ran = true;
        add_spans(all, delta->spans, set->groups);
        add_counts(&frame->total, row, set->count);
        frame->total.oncpu += row->oncpu;
    }
    qsort(frame->cpus, frame->cpu_count, sizeof(*frame->cpus), by_cpu);
    set_coverage(&frame->total, all, set);
    free(all);
    count_row(delta, &frame->idle, &delta->idle, &s->idle);
    count_row(delta, &frame->unattributed, &delta->unattributed, &s->unattributed);
}

struct frame *delta_advance(struct delta *delta, const struct snapshot *s)
{
    if (!delta->events || delta->generation != s->generation)
        begin_generation(delta, s);
    struct frame *frame = mem_alloc(sizeof(*frame));
    frame->events = event_set_share(s->events);
    frame->seq = ++delta->seq;
    frame->wall = s->wall;
    frame->interval = (double)(s->time - delta->time) / 1e9;
    frame->idle = empty_row(s->events);
    frame->unattributed = empty_row(s->events);
    frame->total = empty_row(s->events);
    count_tasks(delta, frame, s);
    frame->has_cpus = s->has_cpus;
    if (s->has_cpus)
        count_cpus(delta, frame, s);
    frame->lost_records = s->lost_records - delta->lost_records;
    frame->throttled = s->throttled - delta->throttled;
    frame->denied_tasks = s->denied_tasks;
    frame->starved_tasks = s->starved_tasks;
    frame->self_cpu = (double)(s->self.cpu - delta->self_cpu) / 1e9;
    frame->self_descriptors = s->self.descriptors;
    frame->self_rss = s->self.rss;
    delta->lost_records = s->lost_records;
    delta->throttled = s->throttled;
    delta->self_cpu = s->self.cpu;
    delta->time = s->time;
    return frame;
}
