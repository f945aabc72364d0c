#include "model/delta.h"
#include "model/totals.h"
#include "unit/loads.h"
#include "unit/recorded.h"
#include "unit/test.h"

#include <stdlib.h>

static void assert_same_row(const struct row *a, const struct row *b, const struct event_set *set)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->process, b->process);
    assert_int_equal(a->pid, b->pid);
    assert_int_equal(a->tid, b->tid);
    assert_int_equal(a->ppid, b->ppid);
    assert_int_equal(a->uid, b->uid);
    assert_int_equal(a->cpu, b->cpu);
    assert_string_equal(a->comm, b->comm);
    assert_int_equal(a->threads, b->threads);
    assert_true(a->exited == b->exited && a->command == b->command && a->ran == b->ran);
    assert_int_equal(a->state, b->state);
    assert_true(a->oncpu == b->oncpu);
    for (size_t e = 0; e < set->count; e++) {
        assert_int_equal(a->counts[e].value, b->counts[e].value);
        assert_true(a->counts[e].coverage == b->counts[e].coverage);
    }
    assert_memory_equal(a->times, b->times, set->groups * sizeof(*a->times));
}

static void assert_same_rows(const struct row *a, const struct row *b, size_t count,
                             const struct event_set *set)
{
    for (size_t i = 0; i < count; i++)
        assert_same_row(&a[i], &b[i], set);
}

static void assert_same_frame(const struct frame *a, const struct frame *b)
{
    assert_int_equal(a->seq, b->seq);
    assert_true(a->wall == b->wall && a->interval == b->interval);
    assert_int_equal(a->thread_count, b->thread_count);
    assert_int_equal(a->process_count, b->process_count);
    assert_int_equal(a->cpu_count, b->cpu_count);
    assert_same_rows(a->threads, b->threads, a->thread_count, a->events);
    assert_same_rows(a->processes, b->processes, a->process_count, a->events);
    assert_same_rows(a->cpus, b->cpus, a->cpu_count, a->events);
    assert_same_row(&a->idle, &b->idle, a->events);
    assert_same_row(&a->unattributed, &b->unattributed, a->events);
    assert_same_row(&a->total, &b->total, a->events);
    assert_int_equal(a->lost_records, b->lost_records);
    assert_int_equal(a->throttled, b->throttled);
    assert_true(a->self_cpu == b->self_cpu && a->self_seconds == b->self_seconds);
    assert_int_equal(a->load.count, b->load.count);
    for (size_t c = 0; c < a->load.count; c++)
        assert_true(a->load.cpus[c].again == b->load.cpus[c].again);
    size_t first, second;
    assert_true(load_mean(&a->load, CPU_BUSY, &first) == load_mean(&b->load, CPU_BUSY, &second));
    assert_true(load_mean(&a->load, CPU_KERNEL, NULL) == load_mean(&b->load, CPU_KERNEL, NULL));
    assert_int_equal(first, second);
}

/* Adds to what was cumulative, as a source does; the first groups counted all the time. */
static void grow(struct counts *counts, const struct event_set *set, size_t steady)
{
    for (size_t g = 0; g < set->groups; g++) {
        uint64_t enabled = (uint64_t)lrand48() + 1;
        counts->times[g].enabled += enabled;
        counts->times[g].running += g >= steady ? (uint64_t)lrand48() % (enabled + 1) : enabled;
    }
    for (size_t e = 0; e < set->count; e++)
        if (set->events[e].group == 0 || counts->times[set->events[e].group].running)
            counts->value[e] += (uint64_t)lrand48() << (lrand48() % 10);
}

/* The next snapshot of a machine with some processes of two threads and two CPUs. */
static struct snapshot *advance(const struct snapshot *before, struct event_set *set)
{
    enum { PROCESSES = 20 };
    struct snapshot *s = snapshot_new(set);
    s->started = 5 * SECOND;
    s->time = before ? before->time + SECOND + (uint64_t)lrand48() : 6 * SECOND;
    s->wall = (double)s->time / 1e9;
    s->has_cpus = true;
    for (size_t p = 0; p < PROCESSES; p++) {
        struct process_info *process = snapshot_add_process(s);
        *process = (struct process_info){.id = p + 1, .pid = (pid_t)p + 100, .comm = "p"};
        for (size_t t = 0; t < 2; t++) {
            struct task_sample *task = snapshot_add_task(s);
            const struct task_sample *old = before ? &before->tasks[s->task_count - 1] : NULL;
            task->id = 1000 + s->task_count;
            task->process = p;
            task->tid = (pid_t)(100 + p + t * 50);
            task->exited = p == 3 && (before != NULL);
            task->cpu = task->exited ? 1 : (int)(lrand48() % 2);
            task->oncpu =
                (old ? old->oncpu : 0) + (task->exited ? 0 : (uint64_t)lrand48() % SECOND);
            if (old)
                counts_copy(&task->counts, &old->counts, set);
            if (!task->exited)
                grow(&task->counts, set, 1);
        }
    }
    size_t whole = 1 + (size_t)lrand48() % 2; /* groups that CPUs always count, tasks do not */
    for (int c = 0; c < 2; c++) {
        struct cpu_sample *cpu = snapshot_add_cpu(s);
        cpu->cpu = c;
        cpu->busy = (before ? before->cpus[c].busy : 0) + (uint64_t)lrand48();
        if (before)
            counts_copy(&cpu->counts, &before->cpus[c].counts, set);
        grow(&cpu->counts, set, whole);
    }
    if (before)
        counts_copy(&s->idle, &before->idle, set);
    grow(&s->idle, set, whole);
    s->lost_records = (before ? before->lost_records : 0) + 2;
    s->throttled = before ? before->throttled : 1;
    s->self.cpu = (before ? before->self.cpu : 0) + (uint64_t)lrand48();
    s->self.time = (before ? before->self.time : 0) + SECOND;
    for (int c = 0; c < 2; c++) {
        const struct cpu_load *old = before ? load_find(&before->load, c) : NULL;
        /* Some are too short for clock ticks, but not the last one. */
        uint64_t length = s->lost_records % 6 ? SECOND : SECOND / 100;
        uint64_t busy = (uint64_t)lrand48() % length;
        const uint64_t *times = old ? old->kernel_times.time : (uint64_t[CPU_TIMES]){0};
        *load_of(&s->load, c) = cpu_load_of(c, times[CPU_BUSY] + busy, times[CPU_KERNEL] + busy / 3,
                                            times[CPU_TIME] + length);
    }
    return s;
}

/* Intervals that are added up are the whole. */
static void test_intervals_make_the_whole(void **state)
{
    struct event_set *set = recorded_set(3); /* one group: nothing is scaled */
    struct delta *delta = delta_new(NULL);
    struct totals *taken = totals_new(0), *added = totals_new(0);
    struct watch watch = {0};
    struct snapshot *now = NULL;
    srand48(8);
    for (int i = 0; i < 20; i++) {
        struct snapshot *next = advance(now, set);
        struct frame *frame = delta_advance(delta, next);
        struct snapshot *interval = frame_snapshot_of_frame(frame, 1);
        totals_take(taken, next, &watch);
        totals_add(added, interval, &watch);
        snapshot_free(interval);
        frame_free(frame);
        snapshot_free(now);
        now = next;
    }
    struct frame *a = totals_frame(taken), *b = totals_frame(added);
    assert_same_frame(a, b);
    frame_free(a);
    frame_free(b);
    totals_free(taken);
    totals_free(added);
    snapshot_free(now);
    delta_free(delta);
    event_set_drop(set);
}
