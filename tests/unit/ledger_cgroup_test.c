#include "unit/books.h"
#include "unit/test.h"

/* The ledger of a cgroup: its groups stand still, and nothing is written, while others run. */
#define V(...) ((const uint64_t[]){__VA_ARGS__})

static void open_books(size_t events, const int *group_of)
{
    books_open(events, group_of, NULL);
    for (size_t i = 0; i < 2; i++) {
        if (b->layouts[i].events != b->set)
            continue;
        b->layouts[i].members_only = true;
        ledger_begin(b->ledger, &b->layouts[i]);
    }
    books_cpu(0, 0);
    ledger_witness(b->ledger, 0, 0);
}

/* A sample of a group that was enabled for `active` of the time, and counted for `running`. */
static void sample(size_t group, bool tick, pid_t tid, uint64_t time, uint64_t active,
                   uint64_t running, uint64_t switches, const uint64_t *counts)
{
    b->reads[0][group].time = time - active;
    books_part(0, group, tick, tid, time, running, switches, counts);
}

static void ran(pid_t tid, uint64_t from, uint64_t until, const uint64_t *counts)
{
    sample(0, false, tid, until, until - from, until - from, 1, counts);
}

/* Births and ends of others are heard, but they are nobody here. */
static void only_members_are_told(void **state)
{
    open_books(1, NULL);
    b->people[0] = (struct person){10, "member", 1, 0};
    books_fork(0, 30, 90, 50);
    books_name(0, 30, "other", true, 60);
    books_in(0, 10, 30, 100);
    ran(10, 100, 150, V(5));
    books_out(0, 10, 30, 151);
    books_exit(0, 30, 160);
    books_fork(0, 40, 10, 170);
    books_balance(false);
    assert_int_equal(b->snapshot->task_count, 1);
    assert_int_equal(b->snapshot->process_count, 1);
    books_expect_task(10, 51, V(5));
    ledger_adopt(b->ledger, 50, 50, 200); /* gone */
    b->people[1] = (struct person){60, "sleeper", 1, 0};
    ledger_adopt(b->ledger, 60, 60, 200);
    books_balance(true);
    assert_int_equal(b->snapshot->task_count, 2);
    books_expect_task(60, 0, V(0));
}

/* The last sample of a task that ended may name none: it is about the member that ended, never
 * about another whose end was heard. */
static void ends_of_others_are_no_matter(void **state)
{
    open_books(1, NULL);
    books_exit(0, 30, 50);
    books_in(0, 10, 30, 100);
    books_exit(0, 10, 140);
    ran(-1, 100, 150, V(5));
    books_out(0, -1, 40, 151);
    books_exit(0, 40, 160);
    books_in(0, -1, 40, 200); /* whose end came too early to be told */
    ran(-1, 200, 210, V(3));
    books_out(0, -1, 0, 211);
    books_balance(false);
    books_expect_task(10, 51, V(5));
    assert_null(books_task(30));
    assert_null(books_task(40));
    books_expect_counts(&b->snapshot->unattributed, V(3));
}

static void a_member_without_records(void **state)
{
    open_books(1, NULL);
    books_in(0, 10, 90, 100);
    ran(10, 100, 150, V(5));
    books_out(0, 10, 20, 151);
    /* One more switch than that of the sample's own task: somebody's. */
    books_in(0, 10, 20, 200);
    sample(0, false, 10, 250, 90, 90, 2, V(9));
    books_out(0, 10, 0, 251);
    books_balance(false);
    books_expect_task(10, 51 + 51, V(5));
    books_expect_counts(&b->snapshot->unattributed, V(9));
}

static void records_are_lost(void **state)
{
    open_books(1, NULL);
    books_in(0, 10, 90, 100);
    ran(10, 100, 150, V(5));
    books_out(0, 10, 20, 151);
    books_lost(0, 7, 300);
    books_in(0, 20, 10, 400); /* whether at once cannot be told */
    sample(0, false, 20, 450, 120, 120, 3, V(9));
    books_out(0, 20, 0, 451);
    books_balance(false);
    books_expect_task(10, 51, V(5));
    books_expect_task(20, 51, V(0));
    books_expect_counts(&b->snapshot->unattributed, V(9));
    assert_int_equal(b->snapshot->lost_records, 7);
}

/* Two groups that take turns: what one has of a slice is a part, and known as that. */
static void groups_in_turns(void **state)
{
    open_books(2, (const int[]){0, 1});
    books_in(0, 10, 90, 100);
    sample(0, false, 10, 150, 50, 50, 1, V(5));
    books_out(0, 10, 91, 150); /* group 1 was off: no record */
    books_in(0, 20, 91, 400);
    sample(1, false, 20, 460, 110, 25, 1, V(4)); /* partly 10's, perhaps */
    sample(0, false, 20, 460, 60, 60, 1, V(6));
    books_out(0, 20, 92, 460);
    books_in(0, 20, 92, 500);
    sample(1, true, 20, 530, 30, 30, 0, V(8));
    books_balance(false);
    books_expect_task(10, 50, V(5, 0));
    books_expect_task(20, 90, V(6, 8));
    books_expect_times(&books_task(10)->counts, 1, 50, 0);
    books_expect_times(&books_task(20)->counts, 1, 90, 30);
    books_expect_counts(&b->snapshot->unattributed, V(0, 4));
    books_expect_times(&b->snapshot->unattributed, 1, 0, 25);
}

/* ... but a group without hardware events is never stopped: a pause in its times is the kernel's.
 */
static void a_steady_group(void **state)
{
    open_books(1, NULL);
    b->groups[0].steady = true;
    books_in(0, 10, 90, 100);
    sample(0, false, 10, 150, 50, 49, 1, V(5));
    books_out(0, 10, 91, 150);
    books_balance(false);
    struct group_time cpu = b->snapshot->cpus[0].counts.times[0];
    const struct group_time *task = &b->snapshot->tasks[0].counts.times[0];
    assert_true(cpu.running == cpu.enabled && task->running == task->enabled);
    books_expect_task(10, 50, V(5));
}
