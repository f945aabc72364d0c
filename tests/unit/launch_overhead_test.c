#include "engine/launch_overhead.h"
#include "unit/handmade.h"
#include "unit/test.h"

#include <unistd.h>

/* No process can have this pid (include/linux/threads.h, PID_MAX_LIMIT): its own counters cannot be
 * opened, so what it does before the exec is known by its slices only. */
static const pid_t CHILD = (4 << 20) + 7;

struct stage {
    struct event_set *set;
    int event_of[1];
    struct group_shape shape;
    struct group_plan plan;
    struct task_table task_table;
    struct launch_overhead *launch_overhead;
    struct task *child, *own;
};

static bool find_comm(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE])
{
    (void)ctx, (void)pid, (void)tid;
    strcpy(comm, "countertop");
    return true;
}

static bool find_process(void *ctx, pid_t pid, struct process_info *process)
{
    (void)ctx, (void)pid, (void)process;
    return false;
}

static bool find_alive(void *ctx, pid_t pid, pid_t tid)
{
    (void)ctx, (void)pid, (void)tid;
    return true;
}

static void stage_open(struct stage *stage)
{
    static const struct task_table_lookup lookup = {
        .comm = find_comm, .process = find_process, .alive = find_alive};
    static const char *const names[] = {"a"};
    *stage = (struct stage){.set = handmade_set(1, names), .event_of = {-1}};
    stage->shape = (struct group_shape){.values = 1, .event_of = stage->event_of, .ticker = 1};
    stage->plan = (struct group_plan){.set = stage->set, .count = 1, .shapes = &stage->shape};
    task_table_init(&stage->task_table, &lookup);
    task_table_count(&stage->task_table, stage->set);
    stage->launch_overhead = launch_overhead_new(&stage->task_table, CHILD);
    launch_overhead_begin(stage->launch_overhead, &stage->plan);
    stage->child = task_table_task(&stage->task_table, CHILD, CHILD, 1);
    stage->own = task_table_task(&stage->task_table, getpid(), getpid(), 1);
}

static void stage_close(struct stage *stage)
{
    launch_overhead_free(stage->launch_overhead);
    task_table_release(&stage->task_table);
    event_set_drop(stage->set);
}

static void run(struct task *task, uint64_t count, uint64_t time)
{
    task->counts.value[0] += count;
    task->counts.times[0].enabled += time;
    task->counts.times[0].running += time;
    task->oncpu += time;
}

static void expect(const struct task *task, uint64_t count, uint64_t time)
{
    assert_int_equal(task->counts.value[0], count);
    assert_int_equal(task->counts.times[0].enabled, time);
    assert_int_equal(task->counts.times[0].running, time);
    assert_int_equal(task->oncpu, time);
}

static void take(struct stage *stage, pid_t pid, bool exec)
{
    struct record record = {.kind = RECORD_COMM, .pid = pid, .tid = pid, .comm = {"make", exec}};
    launch_overhead_take(stage->launch_overhead, &record);
}

static void what_comes_before_the_command_is_ours(void **state)
{
    struct stage stage;
    stage_open(&stage);
    run(stage.own, 1000, 100);
    run(stage.child, 5, 50);
    stage.launch_overhead = launch_overhead_settle(stage.launch_overhead);
    assert_non_null(stage.launch_overhead);
    expect(stage.child, 0, 0);
    expect(stage.own, 1005, 150);
    assert_true(stage.own->touched);

    /* Another name, and another process' exec, are no execution of the command. */
    take(&stage, CHILD, false);
    take(&stage, CHILD + 1, true);
    run(stage.child, 3, 30);
    take(&stage, CHILD, true);
    expect(stage.child, 0, 0);
    run(stage.child, 70, 700);
    stage.launch_overhead = launch_overhead_settle(stage.launch_overhead);
    assert_null(stage.launch_overhead);
    expect(stage.child, 70, 700);
    expect(stage.own, 1008, 180);
    stage_close(&stage);
}
