#include "unit/books.h"
#include "unit/test.h"

#define V(...) ((const uint64_t[]){__VA_ARGS__})

/* Who is who, as the ledger tells it: the roster is seen through it, with one CPU pair. */
static void open_two_cpus(void)
{
    books_cpu(1, 0);
    b->people[0] = (struct person){10, "prog", 7, 1000};
}

/* The whole family is gone before anybody could be asked, but for its oldest. */
static void owners_are_handed_down(void **state)
{
    open_two_cpus();
    b->people[0] = (struct person){10, "make", 7, 1000};
    books_fork(0, 20, 10, 10);
    books_name(0, 20, "cc", true, 11);
    books_fork(0, 30, 20, 12);
    books_name(0, 30, "as", true, 13);
    books_slice(0, 20, 14, 1, V(1));
    books_slice(0, 30, 15, 1, V(2));
    books_exit(0, 30, 16);
    books_exit(0, 20, 17);
    books_balance(false);
    assert_string_equal(books_task(30)->comm, "as");
    assert_string_equal(books_process_of(30)->comm, "as");
    assert_int_equal(books_process_of(30)->uid, 1000);
    assert_int_equal(books_process_of(30)->ppid, 20);
    assert_int_equal(books_process_of(20)->uid, 1000);
    assert_int_equal(books_process_of(20)->ppid, 10);
}

/* A parent that nobody knows: its child is asked at once, for all that descend from it. */
static void a_name_after_an_unknown_parent(void **state)
{
    open_two_cpus();
    b->people[0] = (struct person){20, "chain", 7, 1000};
    books_fork(0, 20, 10, 10);
    b->people[0] = (struct person){0};
    books_exit(0, 20, 12);
    books_fork(0, 30, 20, 11);
    books_slice(0, 30, 15, 1, V(2));
    books_exit(0, 30, 16);
    books_balance(false);
    assert_string_equal(books_task(30)->comm, "chain");
    assert_int_equal(books_process_of(30)->uid, 1000);
}

/* The kernel tells when owners change, in any order and before the records of that time. */
static void owners_change_without_exec(void **state)
{
    open_two_cpus();
    struct task_table *table = &b->ledger->task_table;
    table->owners_reported = true;
    b->people[0] = (struct person){10, "daemon", 1, 0};
    books_slice(0, 10, 5, 1, V(1));
    books_fork(0, 11, 10, 6);
    books_balance(false);
    task_table_change(table, &(struct owner_change){.time = 30, .pid = 10, .tid = 10, .uid = 2000});
    task_table_change(table, &(struct owner_change){.time = 50, .pid = 10, .tid = 11, .uid = 3000});
    task_table_change(table, &(struct owner_change){.time = 20, .pid = 10, .tid = 10, .uid = 1000});
    const pid_t born[] = {20, 30, 40, 50};
    const pid_t parents[] = {10, 10, 10, 11};
    for (size_t i = 0; i < 4; i++) { /* at 15, 25, 35 and 55; each ends soon */
        uint64_t time = i < 3 ? 15 + 10 * i : 55;
        books_fork(0, born[i], parents[i], time);
        books_slice(0, born[i], time + 1, 1, V(1));
        books_exit(0, born[i], time + 2);
    }
    books_slice(0, 10, 60, 1, V(1));
    books_slice(0, 11, 61, 1, V(1));
    b->people[0].uid = 9; /* nobody is asked */
    books_snapshot(false);
    static const uid_t uids[] = {0, 1000, 2000, 3000};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(books_process_of(born[i])->uid, uids[i]);
    assert_int_equal(books_process_of(10)->uid, 2000);
    assert_false(books_task(10)->other_owner);
    assert_true(books_task(11)->other_owner);
    assert_int_equal(books_task(11)->uid, 3000);
}

static void an_owner_that_could_not_be_read_is_inherited(void **state)
{
    open_two_cpus();
    b->people[0] = (struct person){10, "sh", 7, 1000};
    b->people[1] = (struct person){20, "sh", 10, (uid_t)-1}; /* died while it was asked */
    books_slice(0, 10, 5, 1, V(1));
    books_balance(false);
    books_fork(0, 20, 10, 10);
    books_slice(0, 20, 15, 1, V(1));
    books_snapshot(false);
    assert_int_equal(books_process_of(20)->uid, 1000);
}

static void a_child_that_ends_before_its_birth_is_told(void **state)
{
    open_two_cpus();
    books_slice(1, 20, 20, 1, V(5));
    books_exit(1, 20, 25);
    books_slice(1, -1, 26, 1, V(6));
    books_fork(0, 20, 10, 12);
    books_balance(false);
    books_expect_task(20, 26, V(11));
    assert_true(books_task(20)->exited);
    assert_string_equal(books_task(20)->comm, "prog");
    books_snapshot(false);
    books_snapshot(true);
    assert_null(books_task(20)); /* no child is left behind that never ends */
}

static void a_pid_that_is_used_again(void **state)
{
    open_two_cpus();
    books_fork(0, 20, 10, 10);
    books_name(0, 20, "first", true, 11);
    books_slice(1, 20, 20, 1, V(5));
    books_exit(1, 20, 25);
    books_slice(1, -1, 26, 1, V(6));
    books_fork(0, 20, 10, 30);
    books_name(0, 20, "second", true, 31);
    books_slice(1, 20, 40, 1, V(7));
    books_balance(false);
    assert_int_equal(b->snapshot->process_count, 2);
    const struct task_sample *first = NULL, *second = NULL;
    for (size_t t = 0; t < b->snapshot->task_count; t++) {
        if (strcmp(b->snapshot->tasks[t].comm, "first") == 0)
            first = &b->snapshot->tasks[t];
        if (strcmp(b->snapshot->tasks[t].comm, "second") == 0)
            second = &b->snapshot->tasks[t];
    }
    assert_non_null(first);
    assert_non_null(second);
    books_expect_counts(&first->counts, V(11));
    books_expect_counts(&second->counts, V(7));
    assert_int_not_equal(first->id, second->id);
    assert_true(first->exited);
    const struct process_info *processes = b->snapshot->processes;
    assert_int_not_equal(processes[first->process].id, processes[second->process].id);
    assert_true(processes[first->process].exited);
    assert_false(processes[second->process].exited);
    assert_string_equal(processes[first->process].comm, "first");
    assert_string_equal(processes[second->process].comm, "second");
}

/* As by two events while one takes over from the other. */
static void a_birth_that_is_told_twice(void **state)
{
    open_two_cpus();
    books_fork(0, 20, 10, 10);
    books_fork(0, 20, 10, 11);
    books_slice(1, 20, 20, 1, V(5));
    books_exit(1, 20, 25);
    books_exit(1, 20, 26);
    books_slice(1, -1, 27, 1, V(6));
    books_balance(false);
    assert_int_equal(b->snapshot->process_count, 1);
    books_expect_task(20, 27, V(11));
    assert_true(books_task(20)->exited);
}

/* Nothing told of the end of the first and the birth of the second, but it has another pid. */
static void a_tid_in_another_process(void **state)
{
    open_two_cpus();
    books_slice(0, 21, 10, 1, V(5));
    struct record r = {
        .kind = RECORD_COMM, .time = 20, .pid = 30, .tid = 21, .comm = {"new", false}};
    books_take(0, &r);
    struct books_read read = {.count = 3, .enabled = 30, .running = 30, .value = {2, 11}};
    books_take(0, &(struct record){.kind = RECORD_SAMPLE,
                                   .time = 30,
                                   .pid = 30,
                                   .tid = 21,
                                   .read = (const struct group_read *)&read});
    books_balance(false);
    assert_int_equal(b->snapshot->task_count, 2);
    const struct task_sample *tasks = b->snapshot->tasks;
    assert_true(tasks[0].exited);
    books_expect_counts(&tasks[0].counts, V(5));
    assert_int_equal(b->snapshot->processes[tasks[0].process].pid, 20);
    assert_false(tasks[1].exited);
    books_expect_counts(&tasks[1].counts, V(6));
    assert_int_equal(b->snapshot->processes[tasks[1].process].pid, 30);
    assert_string_equal(tasks[1].comm, "new");
}

/* The thread takes over the leader's tid; nothing tells that its own has gone. */
static void exec_by_another_thread_than_the_leader(void **state)
{
    open_two_cpus();
    b->people[1] = (struct person){11, "worker", 7, 1000};
    books_slice(0, 10, 10, 1, V(1));
    books_slice(0, 11, 20, 1, V(2));
    books_exit(0, 10, 25);
    books_name(1, 10, "new", true, 30);
    books_slice(1, 10, 40, 1, V(4));
    books_balance(false);
    assert_int_equal(b->snapshot->task_count, 3);
    assert_int_equal(b->snapshot->process_count, 1);
    size_t living = 0;
    for (size_t t = 0; t < 3; t++) {
        const struct task_sample *task = &b->snapshot->tasks[t];
        living += !task->exited;
        if (!task->exited) {
            assert_int_equal(task->tid, 10);
            assert_string_equal(task->comm, "new");
            books_expect_counts(&task->counts, V(4));
        }
    }
    assert_int_equal(living, 1);
    assert_true(books_task(11)->exited);
    assert_false(books_process_of(11)->exited);
    assert_string_equal(books_process_of(11)->comm, "new");
    books_snapshot(false);
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 1);
    books_exit(1, 10, 50);
    books_snapshot(false);
    assert_true(books_process_of(10)->exited);
}

static void exec_by_the_leader_of_many(void **state)
{
    open_two_cpus();
    b->people[0] = (struct person){10, "new", 7, 1000};
    books_slice(0, 10, 10, 1, V(1));
    books_slice(0, 11, 20, 1, V(2));
    books_slice(0, 20, 21, 1, V(2));
    books_exit(0, 11, 25);
    books_name(0, 12, "late", false, 35); /* a thread of the new program */
    books_name(1, 10, "new", true, 30);
    books_balance(false);
    assert_false(books_task(10)->exited);
    assert_true(books_task(11)->exited);
    assert_false(books_task(12)->exited);
    assert_false(books_process_of(10)->exited);
}

static void adopted_tasks_are_those_told_of_later(void **state)
{
    open_two_cpus();
    b->people[1] = (struct person){20, "child", 10, 1000};
    ledger_adopt(b->ledger, 20, 20, 15);
    books_balance(true);
    uint64_t id = books_task(20)->id;
    books_fork(0, 20, 10, 12); /* was in a ring meanwhile */
    books_slice(1, 20, 30, 1, V(6));
    books_balance(true);
    assert_int_equal(books_task(20)->id, id);
}

static void the_dead_are_not_adopted(void **state)
{
    open_two_cpus();
    ledger_adopt(b->ledger, 20, 20, 15); /* its parent has not asked for it yet */
    assert_false(task_table_meet_process(&b->ledger->task_table, 30, 15));
    books_balance(true);
    assert_int_equal(b->snapshot->task_count, 0);
}

static void ids_are_never_used_again(void **state)
{
    open_two_cpus();
    uint64_t last = 0;
    for (uint64_t i = 1; i <= 20; i++) {
        books_fork(0, 20, 10, i * 100);
        books_slice(1, 20, i * 100 + 10, 1, V(1));
        books_exit(1, 20, i * 100 + 20);
        books_slice(1, 20, i * 100 + 25, 1, V(1)); /* not reaped yet */
        books_snapshot(false);
        for (size_t t = 0; t < b->snapshot->task_count; t++) {
            const struct task_sample *task = &b->snapshot->tasks[t];
            assert_int_equal(task->counts.value[0], 2);
            assert_true(task->id > last || task->final);
        }
        last = b->snapshot->tasks[b->snapshot->task_count - 1].id;
    }
    books_expect_counts(&b->snapshot->cpus[1].counts, V(40));
    books_expect_counts(&b->snapshot->unattributed, V(0));
}
