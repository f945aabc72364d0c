#include "unit/handmade.h"
#include "unit/test.h"

static const char *const names[] = {"a", "b"};

static void states_have_the_words_of_the_contract(void **state)
{
    assert_string_equal(event_state_name(EVENT_COUNTED), "counted");
    assert_string_equal(event_state_name(EVENT_UNSUPPORTED), "unsupported");
    assert_string_equal(event_state_name(EVENT_DENIED), "denied");
    assert_string_equal(event_state_name(EVENT_NO_COUNTER), "no_counter");
    assert_string_equal(event_state_name(EVENT_NO_DESCRIPTOR), "no_descriptor");
    assert_string_equal(event_state_name(EVENT_INVALID), "invalid");
}

static void event_sets_are_shared(void **state)
{
    struct event_set *set = handmade_set(2, names);
    assert_int_equal(event_set_find(set, "a"), 0);
    assert_int_equal(event_set_find(set, "b"), 1);
    assert_int_equal(event_set_find(set, "c"), -1);
    assert_ptr_equal(event_set_share(set), set);
    event_set_drop(set);
    assert_string_equal(set->events[1].name, "b");
    event_set_drop(set);
    event_set_drop(NULL);
    event_set_drop(event_set_new(0));
}

static void counts_are_copied(void **state)
{
    struct event_set *set = handmade_set(2, names);
    set->groups = 2;
    struct counts a = counts_new(set), b = counts_new(set);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(a.value[i], 0);
        assert_int_equal(a.times[i].enabled, 0);
        assert_int_equal(a.times[i].running, 0);
        a.value[i] = 10u + (unsigned)i;
        a.times[i] = (struct group_time){20u + (unsigned)i, 30u + (unsigned)i};
    }
    counts_copy(&b, &a, set);
    a.value[0] = 0;
    assert_int_equal(b.value[0], 10);
    assert_int_equal(b.value[1], 11);
    assert_int_equal(b.times[1].enabled, 21);
    assert_int_equal(b.times[1].running, 31);
    counts_release(&a);
    counts_release(&a);
    counts_release(&b);
    event_set_drop(set);
}

static void a_snapshot_keeps_its_events(void **state)
{
    struct event_set *set = handmade_set(2, names);
    struct snapshot *s = snapshot_new(set);
    event_set_drop(set);
    for (size_t i = 0; i < 100; i++) {
        struct process_info *process = snapshot_add_process(s);
        assert_int_equal(process->id, 0);
        process->id = i;
        struct task_sample *task = snapshot_add_task(s);
        assert_int_equal(task->id, 0);
        assert_int_equal(task->counts.value[1], 0);
        task->counts.value[1] = i;
        struct cpu_sample *cpu = snapshot_add_cpu(s);
        assert_int_equal(cpu->counts.times[0].running, 0);
        cpu->counts.times[0].running = i;
    }
    assert_int_equal(s->process_count, 100);
    assert_int_equal(s->task_count, 100);
    assert_int_equal(s->cpu_count, 100);
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(s->processes[i].id, i);
        assert_int_equal(s->tasks[i].counts.value[1], i);
        assert_int_equal(s->cpus[i].counts.times[0].running, i);
    }
    assert_string_equal(s->events->events[0].name, "a");
    assert_int_equal(s->idle.value[1], 0);
    assert_int_equal(s->unattributed.times[0].enabled, 0);
    snapshot_free(s);
    snapshot_free(NULL);
}
