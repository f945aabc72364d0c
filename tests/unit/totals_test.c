#include "model/totals.h"
#include "unit/handmade.h"
#include "unit/test.h"

static const uint64_t SECOND = 1000000000;

static struct event_set *two_events(void)
{
    static const char *const names[] = {"a", "b"};
    return handmade_set(2, names);
}

/* At `seconds` after the start of its generation, which is 100 s. */
static struct snapshot *snapshot_at(struct event_set *set, uint64_t generation, uint64_t seconds)
{
    struct snapshot *s = snapshot_new(set);
    s->generation = generation;
    s->started = 100 * SECOND;
    s->time = s->started + seconds * SECOND;
    s->wall = (double)seconds;
    return s;
}

/* A process with one thread: pid 1 is the command. Counts are cumulative. */
static void add(struct snapshot *s, pid_t pid, uint64_t seconds, uint64_t a, uint64_t b)
{
    struct process_info *process = snapshot_add_process(s);
    process->id = 1000u + (uint64_t)pid;
    process->pid = pid;
    process->command = pid == 1;
    struct task_sample *task = snapshot_add_task(s);
    task->id = (uint64_t)pid;
    task->tid = pid;
    task->process = s->process_count - 1;
    task->oncpu = seconds * SECOND;
    task->counts.value[0] = a;
    task->counts.value[1] = b;
    task->counts.times[0] = (struct group_time){task->oncpu, task->oncpu};
}

static void add_cpu(struct snapshot *s, int number, uint64_t a)
{
    struct cpu_sample *cpu = snapshot_add_cpu(s);
    cpu->cpu = number;
    cpu->counts.value[0] = a;
    s->has_cpus = true;
}

static void take(struct totals *totals, struct snapshot *s, const struct watch *watch)
{
    totals_take(totals, s, watch);
    snapshot_free(s);
}

static const struct row *process_of(const struct frame *frame, pid_t pid)
{
    for (size_t p = 0; p < frame->process_count; p++)
        if (frame->processes[p].pid == pid)
            return &frame->processes[p];
    return NULL;
}

/* What was counted before a command's run is none of it, but what countertop itself took is. */
static void test_it_can_begin_later(void **state)
{
    struct event_set *set = two_events(), *next = two_events();
    struct watch watch = {0};
    struct totals *totals = totals_new(0);
    struct snapshot *s = snapshot_at(set, 1, 2);
    add(s, 1, 1, 10, 100);
    add_cpu(s, 0, 40);
    s->idle.value[0] = 30;
    s->self.cpu = SECOND;
    totals_begin(totals, s);
    assert_null(totals_frame(totals));
    s = snapshot_at(set, 1, 5);
    add(s, 1, 3, 15, 150);
    add(s, 2, 1, 7, 70);
    add_cpu(s, 0, 90);
    s->idle.value[0] = 68;
    s->self.cpu = 2 * SECOND;
    take(totals, s, &watch);
    for (int again = 0; again < 2; again++) {
        struct frame *frame = totals_frame(totals);
        assert_int_equal(frame->seq, 1);
        assert_true(frame->totals);
        assert_true(frame->interval == 3);
        assert_int_equal(process_of(frame, 1)->counts[0].value, 5);
        assert_int_equal(process_of(frame, 1)->counts[1].value, 50);
        assert_true(process_of(frame, 1)->oncpu == 2);
        assert_int_equal(process_of(frame, 2)->counts[0].value, 7);
        assert_int_equal(frame->total.counts[0].value, 50);
        assert_int_equal(frame->idle.counts[0].value, 38);
        assert_true(frame->self_cpu == 2);
        frame_free(frame);
    }
    /* Another generation knows nothing of it. */
    s = snapshot_at(next, 2, 1);
    add(s, 1, 1, 3, 4);
    take(totals, s, &watch);
    struct frame *frame = totals_frame(totals);
    assert_true(frame->interval == 1);
    assert_int_equal(process_of(frame, 1)->counts[0].value, 3);
    frame_free(frame);
    totals_free(totals);
    event_set_drop(set);
    event_set_drop(next);
}

/* Threads that end, of which `most` may be kept; process 1 lives on, the others end too. */
static void take_ended(struct totals *totals, struct event_set *set, size_t from, size_t count)
{
    struct watch watch = {0};
    struct snapshot *s = snapshot_at(set, 1, 1);
    for (size_t t = 0; t < count; t++) {
        pid_t tid = (pid_t)(10 + from + t);
        add(s, t % 2 ? tid : 1, 1, 10, 1);
        struct task_sample *task = &s->tasks[t];
        task->id = (uint64_t)tid;
        task->tid = tid;
        task->exited = task->final = true;
        s->processes[t].exited = t % 2;
    }
    take(totals, s, &watch);
}

static void test_what_ended_first_is_added_up(void **state)
{
    enum { MOST = 8, ROUNDS = 20, EACH = 4 };
    struct event_set *set = two_events();
    struct totals *totals = totals_new(MOST);
    for (size_t i = 0; i < ROUNDS; i++) {
        take_ended(totals, set, i * EACH, EACH);
        struct frame *frame = totals_frame(totals);
        /* Those kept, and a row for process 1 and for those that ended with their process. */
        assert_true(frame->thread_count <= MOST + 2);
        uint64_t sum = 0, living = 0;
        for (size_t t = 0; t < frame->thread_count; t++) {
            sum += frame->threads[t].counts[0].value;
            living += frame->threads[t].pid == 1 ? frame->threads[t].counts[0].value : 0;
        }
        assert_int_equal(sum, (i + 1) * EACH * 10);
        assert_int_equal(living, sum / 2);
        assert_int_equal(frame->total.counts[1].value, (i + 1) * EACH);
        assert_int_equal(process_of(frame, 1)->counts[0].value, living);
        assert_true(process_of(frame, 1)->oncpu == (double)(i + 1) * EACH / 2);
        const struct row *others = process_of(frame, 0);
        assert_int_equal(others != NULL, i * EACH >= MOST);
        if (others)
            assert_string_equal(others->comm, "(ended)");
        frame_free(frame);
    }
    /* The newest is one of those kept. */
    struct frame *frame = totals_frame(totals);
    assert_non_null(process_of(frame, 10 + ROUNDS * EACH - 1));
    frame_free(frame);
    totals_free(totals);
    event_set_drop(set);
}

static void test_a_process_that_ends_later_is_added_up_with_its_threads(void **state)
{
    struct event_set *set = two_events();
    struct watch watch = {0};
    struct totals *totals = totals_new(2);
    for (size_t i = 0; i < 3; i++)
        take_ended(totals, set, i, 1);
    struct frame *frame = totals_frame(totals);
    assert_null(process_of(frame, 0));
    frame_free(frame);
    struct snapshot *s = snapshot_at(set, 1, 2);
    add(s, 1, 1, 10, 1);
    s->processes[0].exited = s->tasks[0].exited = s->tasks[0].final = true;
    take(totals, s, &watch);
    for (size_t i = 4; i < 12; i++)
        take_ended(totals, set, i * 2, 2);
    frame = totals_frame(totals);
    assert_int_equal(frame->total.counts[0].value, 200);
    assert_true(frame->thread_count <= 2 + 2);
    frame_free(frame);
    totals_free(totals);
    event_set_drop(set);
}
