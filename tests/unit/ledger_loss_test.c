#include "unit/books.h"
#include "unit/test.h"

/* What the ledger makes of rings that ran over, and of tasks that are forgotten. */
#define V(...) ((const uint64_t[]){__VA_ARGS__})

/* The counters as they are read at that time, where the records since the last one are lost. */
static void settle(size_t cpu, size_t group, uint64_t time, uint64_t switches,
                   const uint64_t *counts)
{
    struct books_read *read = &b->reads[cpu][group];
    read->count = b->groups[group].values;
    read->enabled += time - read->time;
    read->running += time - read->time;
    read->time = time;
    read->value[0] += switches;
    for (size_t v = 1; v + 1 < read->count; v++)
        read->value[v] += counts[v - 1];
    ledger_settle(b->ledger, cpu, group, (const struct group_read *)read);
}

static void a_ring_that_ran_over(void **state)
{
    b->people[0] = (struct person){10, "ten", 1, 0};
    b->people[1] = (struct person){20, "twenty", 1, 0};
    books_slice(0, 10, 10, 1, V(100));
    /* Nothing is known until 1000, not even how much is lost: that comes with a later record. */
    settle(0, 0, 1000, 50, V(7000));
    books_balance(false);
    books_expect_task(10, 10, V(100));
    books_expect_counts(&b->snapshot->unattributed, V(7000));
    books_expect_times(&b->snapshot->unattributed, 0, 990, 990);
    books_expect_times(&b->snapshot->cpus[0].counts, 0, 1000, 1000);
    assert_int_equal(b->snapshot->lost_records, 0);

    books_lost(0, 49, 1010);
    books_slice(0, 20, 1020, 1, V(5)); /* who else ran since 1000 is not known */
    books_slice(0, 10, 1030, 1, V(6));
    books_balance(true);
    books_expect_task(10, 20, V(106));
    books_expect_task(20, 0, V(0));
    books_expect_counts(&b->snapshot->unattributed, V(7005));
    assert_int_equal(b->snapshot->lost_records, 49);
}

/* What was in the ring when its counters were read is in what was read. */
static void records_older_than_the_settlement(void **state)
{
    b->people[0] = (struct person){10, "ten", 1, 0};
    books_slice(0, 10, 10, 1, V(1));
    struct books_read old = b->reads[0][0];
    settle(0, 0, 1000, 50, V(7000));
    old.enabled = old.running = 900;
    old.value[0] += 40;
    old.value[1] += 6000;
    books_take(0, &(struct record){.kind = RECORD_SAMPLE,
                                   .time = 900,
                                   .pid = 10,
                                   .tid = 10,
                                   .read = (const struct group_read *)&old});
    books_slice(0, 10, 1100, 1, V(2));
    books_slice(0, 10, 1200, 1, V(4));
    books_balance(false);
    books_expect_counts(&b->snapshot->unattributed, V(7002));
    books_expect_counts(&b->snapshot->cpus[0].counts, V(7007));
    books_expect_task(10, 110, V(5));
}

static void each_group_is_settled(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    b->people[0] = (struct person){10, "ten", 1, 0};
    books_in(0, 10, 0, 0);
    books_part(0, 0, false, 10, 10, 10, 1, V(1));
    books_part(0, 1, false, 10, 10, 10, 1, V(2));
    books_out(0, 10, 0, 10);
    settle(0, 0, 500, 9, V(10));
    settle(0, 1, 510, 9, V(20));
    books_balance(false);
    books_expect_counts(&b->snapshot->unattributed, V(10, 20));
    books_expect_times(&b->snapshot->unattributed, 0, 490, 490);
    books_expect_times(&b->snapshot->unattributed, 1, 500, 500);
}

/* Their counts stay in the sum, though nobody lists them any more. */
static void the_forgotten_stay_in_the_balance(void **state)
{
    for (uint64_t i = 0; i < 100; i++) {
        books_exit(0, 10 + (pid_t)i, 10 * i + 5);
        books_slice(0, -1, 10 * i + 10, 1, V(i));
        books_snapshot(false);
        assert_true(ledger_balanced(b->ledger));
    }
    books_snapshot(false);
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 0);
    assert_true(ledger_balanced(b->ledger));
    books_expect_counts(&b->snapshot->cpus[0].counts, V(4950));
}

/* A task that ended on a CPU which is no longer counted when it is forgotten. */
static void an_end_on_a_cpu_of_another_time(void **state)
{
    books_open(1, NULL, NULL);
    for (int c = 0; c < 3; c++)
        books_cpu(c, 0);
    books_exit(2, 10, 5);
    books_begin(1, NULL, NULL);
    books_cpu(0, 100);
    books_snapshot(false);
    books_snapshot(false);
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 0);
    /* Told of on two CPUs, it is one task all the same. */
    books_cpu(1, 100);
    books_exit(0, 20, 110);
    books_exit(1, 20, 111);
    books_snapshot(false);
    books_snapshot(false);
    books_slice(0, -1, 120, 1, V(1));
    books_slice(1, -1, 120, 1, V(2));
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 0);
    books_expect_counts(&b->snapshot->unattributed, V(3));
}
