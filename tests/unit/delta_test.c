#include "model/delta.h"
#include "unit/handmade.h"
#include "unit/loads.h"
#include "unit/test.h"

static const uint64_t SECOND = 1000000000;

/* "a" and "b" are counted by groups 0 and 1, "c" not at all. */
static struct event_set *three_events(void)
{
    static const char *const names[] = {"a", "b", "c"};
    struct event_set *set = handmade_set(3, names);
    set->groups = 2;
    set->events[1].group = 1;
    set->events[2].group = -1;
    set->events[2].state = EVENT_UNSUPPORTED;
    return set;
}

static struct event_set *set;
static struct delta *delta;

static int setup(void **state)
{
    set = three_events();
    delta = delta_new(NULL);
    return 0;
}

static int teardown(void **state)
{
    delta_free(delta);
    event_set_drop(set);
    return 0;
}

/* At `seconds` after the start of its generation, which is 100 s. */
static struct snapshot *snapshot_at(uint64_t generation, uint64_t seconds)
{
    struct snapshot *s = snapshot_new(set);
    s->generation = generation;
    s->started = 100 * SECOND;
    s->time = s->started + seconds * SECOND;
    s->wall = (double)seconds;
    return s;
}

static void set_counts(struct counts *counts, uint64_t a, uint64_t b, struct group_time first,
                       struct group_time second)
{
    counts->value[0] = a;
    counts->value[1] = b;
    counts->times[0] = first;
    counts->times[1] = second;
}

static struct process_info *add_process(struct snapshot *s, pid_t pid, const char *comm)
{
    struct process_info *process = snapshot_add_process(s);
    process->id = 1000u + (uint64_t)pid;
    process->pid = pid;
    process->ppid = 1;
    process->uid = 50;
    strcpy(process->comm, comm);
    return process;
}

/* A thread of the process added last, counted by both groups all the time it ran. */
static struct task_sample *add_task(struct snapshot *s, uint64_t id, uint64_t oncpu, uint64_t a,
                                    uint64_t b)
{
    struct task_sample *task = snapshot_add_task(s);
    task->id = id;
    task->process = s->process_count - 1;
    task->tid = (pid_t)id;
    strcpy(task->comm, "thread");
    task->cpu = (int)(id % 7);
    task->oncpu = oncpu;
    set_counts(&task->counts, a, b, (struct group_time){oncpu, oncpu},
               (struct group_time){oncpu, oncpu});
    return task;
}

static struct frame *advance(struct snapshot *s)
{
    struct frame *frame = delta_advance(delta, s);
    snapshot_free(s);
    return frame;
}

static void expect_count(struct count count, uint64_t value, double coverage)
{
    assert_int_equal(count.value, value);
    assert_true(count.coverage == coverage);
}

static struct count scaled_once(uint64_t raw, uint64_t enabled, uint64_t running)
{
    teardown(NULL);
    setup(NULL);
    struct snapshot *s = snapshot_at(1, 1);
    add_process(s, 10, "prog");
    struct task_sample *task = add_task(s, 10, 1, 0, 0);
    set_counts(&task->counts, 0, raw, (struct group_time){1, 1},
               (struct group_time){enabled, running});
    struct frame *frame = advance(s);
    struct count count = frame->threads[0].counts[1];
    /* The sums are of what is scaled. */
    expect_count(frame->processes[0].counts[1], count.value, count.coverage);
    expect_count(frame->total.counts[1], count.value, count.coverage);
    frame_free(frame);
    return count;
}

static void multiplexed_counts_are_scaled(void **state)
{
    expect_count(scaled_once(100, 1000, 1000), 100, 1);
    expect_count(scaled_once(100, 1000, 500), 200, 0.5);
    expect_count(scaled_once(100, 1000, 2000), 100, 1);
    expect_count(scaled_once(100, 1000, 0), 0, 0);
    expect_count(scaled_once(0, 0, 0), 0, 1);
    expect_count(scaled_once(10, 3, 2), 15, 2.0 / 3);
    /* Rounded to the nearest: 5 * 4 / 3 = 6.67, 4 * 4 / 3 = 5.33. */
    expect_count(scaled_once(5, 4, 3), 7, 0.75);
    expect_count(scaled_once(4, 4, 3), 5, 0.75);
    /* Beyond 64 bits in between: an hour of 4 GHz in ns. */
    expect_count(scaled_once(14400000000000u, 3600000000000u, 1800000000000u), 28800000000000u,
                 0.5);
}

/* A sum stands for all the time of its parts, also for those that the group never counted. */
static void sums_are_scaled_by_their_times(void **state)
{
    struct snapshot *s = snapshot_at(1, 1);
    static const struct group_time times[] = {{100, 50}, {300, 0}, {200, 100}};
    static const uint64_t raw[] = {10, 0, 35};
    add_process(s, 10, "prog");
    for (uint64_t t = 0; t < 3; t++)
        set_counts(&add_task(s, 10 + t, 1, 0, 0)->counts, 0, raw[t], (struct group_time){1, 1},
                   times[t]);
    struct frame *frame = advance(s);
    expect_count(frame->threads[0].counts[1], 20, 0.5);
    expect_count(frame->threads[1].counts[1], 0, 0);
    expect_count(frame->threads[2].counts[1], 70, 0.5);
    expect_count(frame->processes[0].counts[1], 180, 0.25); /* 45 * 600 / 150 */
    expect_count(frame->total.counts[1], 180, 0.25);
    frame_free(frame);
}

/* A task that ran without records beside a group that counted all the time: the rest of its count
 * is unattributed, and nothing is counted twice. */
static void whole_counts_are_not_scaled(void **state)
{
    for (uint64_t turns = 0; turns < 2; turns++) { /* group 0 takes turns in the second interval */
        struct snapshot *s = snapshot_at(1, 1 + turns);
        uint64_t time = (1 + turns) * SECOND;
        struct group_time all = {time, time}, part = {time, time / 4};
        s->has_cpus = true;
        add_process(s, 10, "prog");
        set_counts(&add_task(s, 10, time, 0, 0)->counts, 25 + 25 * turns, 1, part, all);
        struct cpu_sample *cpu = snapshot_add_cpu(s);
        cpu->busy = time;
        set_counts(&cpu->counts, 100 + 100 * turns, 1,
                   (struct group_time){time, turns ? SECOND + SECOND / 2 : time}, all);
        set_counts(&s->unattributed, 75 + 75 * turns, 0, all, all);
        struct frame *frame = advance(s);
        expect_count(frame->threads[0].counts[0], turns ? 100 : 25, 0.25);
        assert_int_equal(frame->unattributed.counts[0].value, 75);
        expect_count(frame->total.counts[0], turns ? 200 : 100, turns ? 0.5 : 1);
        frame_free(frame);
    }
}

/* ... and if that is too small a part of its time to be shown, so is what was counted of it. */
static void whole_counts_balance_without_what_is_not_shown(void **state)
{
    struct snapshot *s = snapshot_at(1, 1);
    struct group_time all = {SECOND, SECOND}, part = {SECOND, SECOND / 100000};
    s->has_cpus = true;
    add_process(s, 10, "prog");
    set_counts(&add_task(s, 10, SECOND, 0, 0)->counts, 4, 1, part, all);
    struct cpu_sample *cpu = snapshot_add_cpu(s);
    cpu->busy = SECOND;
    set_counts(&cpu->counts, 100, 1, all, all);
    set_counts(&s->unattributed, 96, 0, all, all);
    struct frame *frame = advance(s);
    expect_count(frame->threads[0].counts[0], 0, 0);
    expect_count(frame->processes[0].counts[0], 0, 0);
    assert_int_equal(frame->unattributed.counts[0].value, 100);
    expect_count(frame->total.counts[0], 100, 1);
    frame_free(frame);
}

/* What is left of an exact total is exact: time may be credited to idle before what was counted. */
static void what_is_left_of_whole_counts_is_whole(void **state)
{
    struct snapshot *s = snapshot_at(1, 1);
    struct group_time all = {SECOND, SECOND}, early = {SECOND / 2, 0};
    s->has_cpus = true;
    set_counts(&snapshot_add_cpu(s)->counts, 100, 1, all, all);
    set_counts(&s->idle, 30, 0, early, all);
    set_counts(&s->unattributed, 70, 0, early, all);
    struct frame *frame = advance(s);
    expect_count(frame->idle.counts[0], 0, 0);
    expect_count(frame->unattributed.counts[0], 100, 1);
    frame_free(frame);
}

/* A thread that slept since counting began is first listed when it runs: its sleep of this interval
 * is what its life in it has room for. One that was born meanwhile has all of its own. */
static void the_first_row_of_a_sleeper_is_of_its_interval(void **state)
{
    static const char *const names[] = {"wait-time", "block-time"};
    event_set_drop(set);
    set = handmade_set(2, names);
    set->groups = 2;
    for (int e = 0; e < 2; e++) {
        set->events[e].kept = e ? SCHEDULER_BLOCK : SCHEDULER_WAIT;
        set->events[e].shared = true;
        set->events[e].group = e;
    }
    frame_free(advance(snapshot_at(1, 3)));
    struct snapshot *s = snapshot_at(1, 4);
    add_process(s, 10, "prog");
    add_task(s, 10, SECOND / 4, SECOND / 8, 4 * SECOND - SECOND / 4 - SECOND / 8);
    add_task(s, 11, SECOND / 4, SECOND / 8, SECOND / 2);
    struct frame *frame = advance(s);
    expect_count(frame->threads[0].counts[1], SECOND - SECOND / 4 - SECOND / 8, 1);
    expect_count(frame->threads[1].counts[1], SECOND / 2, 1);
    frame_free(frame);
}

static void scaled_by_the_times_of_the_interval(void **state)
{
    static const struct {
        uint64_t b, enabled, running, value;
        double coverage;
    } steps[] = {
        {100, 1000, 1000, 100, 1},
        {200, 2000, 1250, 400, 0.25},
        {250, 2000, 1250, 50, 1},
        {250, 3000, 1250, 0, 0},
    };
    for (uint64_t i = 0; i < 4; i++) {
        struct snapshot *s = snapshot_at(1, i + 1);
        add_process(s, 10, "prog");
        set_counts(&add_task(s, 10, i, 0, 0)->counts, 0, steps[i].b, (struct group_time){i, i},
                   (struct group_time){steps[i].enabled, steps[i].running});
        struct frame *frame = advance(s);
        expect_count(frame->threads[0].counts[1], steps[i].value, steps[i].coverage);
        frame_free(frame);
    }
}

static void a_generation_begins_at_zero(void **state)
{
    struct snapshot *s = snapshot_at(1, 1);
    add_process(s, 10, "one");
    add_task(s, 10, 300, 1000, 10);
    s->lost_records = 5;
    s->self.cpu = SECOND;
    frame_free(advance(s));
    event_set_drop(set);

    static const char *const names[] = {"d"};
    set = handmade_set(1, names);
    s = snapshot_at(2, 60);
    s->started = 150 * SECOND;
    add_process(s, 10, "one");
    struct task_sample *task = snapshot_add_task(s);
    *task = (struct task_sample){.id = 10, .oncpu = 40, .counts = task->counts};
    task->counts.value[0] = 17;
    task->counts.times[0] = (struct group_time){40, 40};
    s->lost_records = 7; /* goes on */
    s->self.cpu = 3 * SECOND;
    struct frame *frame = advance(s);
    assert_ptr_equal(frame->events, set);
    assert_true(frame->seq == 2 && frame->interval == 10);
    expect_count(frame->threads[0].counts[0], 17, 1);
    assert_true(frame->threads[0].oncpu == 4e-8);
    assert_true(frame->lost_records == 2 && frame->self_cpu == 2);
    teardown(state);
    setup(state);
    assert_string_equal(frame->events->events[0].name, "d"); /* a frame keeps its events */
    frame_free(frame);
}

/* The frame after one more second in which the task ended long ago, ended now or runs. */
static struct frame *ending(uint64_t seconds, uint64_t oncpu, bool exited, bool final)
{
    struct snapshot *s = snapshot_at(1, seconds);
    add_process(s, 10, "one")->exited = exited;
    struct task_sample *task = add_task(s, 10, oncpu, oncpu, oncpu);
    task->exited = exited;
    task->final = final;
    return advance(s);
}

/* After the final time nothing is remembered: an id that comes again begins at 0. */
static void expect_forgotten(void)
{
    struct frame *frame = ending(3, 6, false, false);
    expect_count(frame->threads[0].counts[0], 6, 1);
    frame_free(frame);
}

static void the_dead_that_ran_late_are_told_again(void **state)
{
    struct frame *frame = ending(1, 5, true, false);
    struct snapshot *s = frame_snapshot_of_frame(frame, 1);
    assert_false(frame->threads[0].again || frame->processes[0].again);
    assert_true(s->tasks[0].exited && s->processes[0].exited);
    snapshot_free(s);
    frame_free(frame);
    frame = ending(2, 6, true, true);
    assert_int_equal(frame->thread_count, 1);
    assert_true(frame->threads[0].exited && frame->threads[0].again && frame->processes[0].again);
    expect_count(frame->threads[0].counts[0], 1, 1);
    expect_count(frame->total.counts[0], 1, 1);
    s = frame_snapshot_of_frame(frame, 1); /* recordings have the end once, too */
    assert_true(s->tasks[0].final && !s->tasks[0].exited && !s->processes[0].exited);
    snapshot_free(s);
    frame_free(frame);
    expect_forgotten();
}

static struct cpu_sample *add_cpu(struct snapshot *s, int number, uint64_t busy, uint64_t a,
                                  uint64_t b, uint64_t span)
{
    struct cpu_sample *cpu = snapshot_add_cpu(s);
    cpu->cpu = number;
    cpu->busy = busy;
    set_counts(&cpu->counts, a, b, (struct group_time){span, span},
               (struct group_time){span, span});
    return cpu;
}

/* Many snapshots of tasks that come, run, end and end late: no count is lost or told twice. */
static void sums_balance(void **state)
{
    enum { TASKS = 40, ROUNDS = 30 };
    uint64_t ran[TASKS] = {0}, told[TASKS] = {0}, random = 7, all = 0, dead[TASKS] = {0};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        struct snapshot *s = snapshot_at(1, round);
        s->has_cpus = true;
        for (uint64_t i = 0; i < TASKS; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            bool runs = random >> 62 && dead[i] < 2;
            uint64_t more = runs ? random >> 50 & 255 : 0;
            if (!more && dead[i] != 1)
                continue;
            ran[i] += more;
            all += more;
            add_process(s, (pid_t)i + 1, "p");
            struct task_sample *task = add_task(s, i + 1, ran[i], ran[i], 0);
            task->final = dead[i] == 1;
            if (dead[i] == 1 || random >> 40 & 1)
                dead[i]++;
            task->exited = dead[i] > 0;
        }
        add_cpu(s, 0, all, all, 0, round);
        struct frame *frame = advance(s);
        uint64_t sum = 0;
        for (size_t t = 0; t < frame->thread_count; t++) {
            sum += frame->threads[t].counts[0].value;
            told[frame->threads[t].id - 1] += frame->threads[t].counts[0].value;
        }
        assert_int_equal(frame->total.counts[0].value, sum);
        sum = 0;
        for (size_t p = 0; p < frame->process_count; p++)
            sum += frame->processes[p].counts[0].value;
        assert_int_equal(frame->total.counts[0].value, sum);
        frame_free(frame);
    }
    for (size_t i = 0; i < TASKS; i++)
        assert_int_equal(told[i], ran[i]);
}

/* The thread `id` of process 10, and how its time is known. */
static double seconds_told(struct snapshot *s, bool several, uint64_t oncpu)
{
    add_process(s, 10, "p");
    add_task(s, 1, oncpu, 0, 0)->several = several;
    struct frame *frame = advance(s);
    double seconds = frame->thread_count ? frame->threads[0].oncpu : 0;
    frame_free(frame);
    return seconds;
}

static void no_thread_runs_longer_than_the_interval(void **state)
{
    double told = seconds_told(snapshot_at(1, 1), false, SECOND + 3000000);
    assert_true(told == 1);
    told = seconds_told(snapshot_at(1, 2), false, 2 * SECOND + 1000000);
    assert_true(told == 1);
    told = seconds_told(snapshot_at(1, 3), false, 2 * SECOND + 6000000);
    assert_true(told == 0.006); /* nothing is lost */
}

static void threads_that_are_read_late(void **state)
{
    struct snapshot *s = snapshot_at(1, 1);
    s->late = 2000000;
    assert_true(seconds_told(s, true, 3 * SECOND + 6000000) == 3);
    s = snapshot_at(1, 2);
    s->late = 2000000; /* which does not explain so much: there were more threads */
    assert_true(seconds_told(s, true, 6 * SECOND + 106000000) == 3.106);
    s = snapshot_at(1, 3);
    s->late = 2000000;
    s->online = 2;
    assert_true(seconds_told(s, true, 9 * SECOND) == 2); /* all that there is */
}

static void expect_load(struct snapshot *s, double share, double kernel)
{
    size_t cpus;
    struct frame *frame = advance(s);
    double busy = load_mean(&frame->load, CPU_BUSY, &cpus);
    assert_true(busy == share);
    assert_true(load_mean(&frame->load, CPU_KERNEL, NULL) == kernel);
    assert_int_equal(cpus, share < 0 ? 0 : 2);
    assert_true(frame_busy(frame, &cpus) == (share < 0 ? share : 2 * share));
    frame_free(frame);
}

static struct snapshot *with_load(struct snapshot *s, uint64_t first, uint64_t second,
                                  uint64_t total)
{
    *load_of(&s->load, 3) = cpu_load_of(3, second * 10000000, 0, total * 10000000);
    *load_of(&s->load, 1) = cpu_load_of(1, first * 10000000, first * 2500000, total * 10000000);
    assert_int_equal(s->load.cpus[0].cpu, 1);
    return s;
}

static void how_busy_the_machine_was(void **state)
{
    expect_load(with_load(snapshot_at(1, 1), 1, 1, 3), -1, -1); /* too few ticks */
    expect_load(with_load(snapshot_at(1, 2), 10, 5, 10), 0.75, 0.125);
    expect_load(with_load(snapshot_at(1, 3), 10, 5, 13), 0.75, 0.125); /* still */
    expect_load(with_load(snapshot_at(1, 4), 15, 5, 20), 0.25, 0.0625);
    expect_load(with_load(snapshot_at(2, 5), 25, 15, 30), 1, 0.125); /* other events */
}
