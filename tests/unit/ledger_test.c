#include "unit/books.h"
#include "unit/test.h"

/* Counts and values, by event. */
#define V(...) ((const uint64_t[]){__VA_ARGS__})

static void a_thread_never_switched_out(void **state)
{
    books_slice(0, 0, 50, 1, V(3));
    for (uint64_t i = 1; i <= 9; i++)
        books_tick(0, 10, 50 + i * 100, 0, V(1000));
    books_balance(false);
    books_expect_task(10, 900, V(9000));
    books_tick(0, 10, 1050, 0, V(1000));
    books_slice(0, 10, 1060, 1, V(100)); /* now it is */
    books_slice(0, 11, 1070, 1, V(5));
    books_balance(false);
    books_expect_task(10, 1010, V(10100));
    books_expect_task(11, 10, V(5));
    books_expect_rest(V(3), V(0));
}

static void an_exiting_thread_whose_pid_is_gone(void **state)
{
    books_slice(0, 0, 10, 1, V(1));
    books_exit(0, 10, 15);
    books_slice(0, -1, 20, 1, V(100));
    books_slice(0, 0, 30, 1, V(1));
    books_slice(0, 20, 40, 1, V(5));
    books_balance(false);
    books_expect_task(10, 10, V(100));
    assert_true(books_task(10)->exited);
    books_expect_task(20, 10, V(5));
    books_expect_rest(V(2), V(0));
    /* Without anybody who ended there, such a sample is nobody's. */
    books_slice(0, -1, 50, 1, V(9));
    books_snapshot(false);
    books_expect_counts(&b->snapshot->unattributed, V(9));
}

static void an_exiting_thread_in_two_groups(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    books_in(0, 10, 20, 1);
    books_exit(0, 10, 15);
    books_part(0, 0, true, -1, 18, 18, 0, V(1)); /* a tick on its last steps */
    books_part(0, 0, false, -1, 20, 2, 1, V(100));
    books_part(0, 1, false, -1, 21, 21, 1, V(200));
    books_out(0, -1, 20, 22);
    books_in(0, 20, -1, 23);
    books_part(0, 0, false, 20, 30, 10, 1, V(3));
    books_part(0, 1, false, 20, 30, 9, 1, V(4));
    books_balance(false);
    books_expect_task(10, 21, V(101, 200));
    books_expect_task(20, 8, V(3, 4));
    books_expect_counts(&b->snapshot->unattributed, V(0, 0));
}

/* 10 is on its way out when 20 gets the CPU and ends before it. */
static void two_that_exit_within_each_other(void **state)
{
    books_exit(0, 10, 5);
    books_slice(0, 10, 10, 1, V(1)); /* preempted, and still known */
    books_exit(0, 20, 15);
    books_slice(0, -1, 20, 1, V(200));
    books_slice(0, -1, 30, 1, V(10)); /* surely not 20 again */
    books_slice(0, 0, 40, 1, V(5));
    books_balance(false);
    books_expect_task(20, 10, V(200));
    uint64_t ten = books_task(10)->counts.value[0];
    assert_int_equal(ten + b->snapshot->unattributed.value[0], 11);
    books_expect_counts(&b->snapshot->idle, V(5));
}

static void two_that_exit_told_apart_by_their_switches(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    books_in(0, 20, 10, 1);
    books_exit(0, 20, 5);
    books_part(0, 0, false, -1, 10, 10, 1, V(100));
    books_part(0, 1, false, -1, 10, 10, 1, V(200));
    books_out(0, -1, -1, 11);
    books_in(0, -1, -1, 12); /* ended on another CPU */
    books_part(0, 1, false, -1, 20, 10, 1, V(2));
    books_part(0, 0, false, -1, 20, 10, 1, V(1));
    books_balance(false);
    books_expect_task(20, 10, V(100, 200));
    books_expect_counts(&b->snapshot->unattributed, V(1, 2));
}

static void an_end_in_sight_is_no_end_to_come(void **state)
{
    books_exit(0, 10, 5);
    books_slice(0, 10, 10, 1, V(1)); /* its last, not reaped yet */
    books_slice(0, 0, 20, 1, V(1));
    books_slice(0, -1, 30, 1, V(8)); /* one that ended on another CPU */
    books_exit(0, 20, 35);
    books_lost(0, 1, 36);
    books_slice(0, 0, 40, 1, V(16));
    books_slice(0, -1, 50, 1, V(32)); /* 20 may be long gone */
    books_balance(false);
    books_expect_task(10, 10, V(1));
    books_expect_task(20, 0, V(0));
    books_expect_counts(&b->snapshot->unattributed, V(56));
}

static void ends_that_never_show(void **state)
{
    for (pid_t tid = 10; tid < 50; tid++)
        books_exit(0, tid, (uint64_t)tid);
    books_slice(0, -1, 60, 1, V(7));
    books_balance(false);
    books_expect_task(49, 60, V(7));
    books_snapshot(false);
    books_slice(0, 0, 70, 1, V(1));
    books_slice(0, -1, 80, 1, V(2)); /* all of them are forgotten */
    books_snapshot(false);
    assert_int_equal(b->snapshot->task_count, 0);
    books_expect_counts(&b->snapshot->unattributed, V(2));
}

static void the_dead_are_listed_twice(void **state)
{
    books_slice(0, 10, 10, 1, V(5));
    books_exit(0, 10, 15);
    books_balance(false);
    books_expect_task(10, 10, V(5));
    assert_true(books_task(10)->exited);
    assert_false(books_task(10)->final);
    books_slice(0, -1, 20, 1, V(7)); /* late */
    books_balance(false);
    books_expect_task(10, 20, V(12));
    assert_true(books_task(10)->final);
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 0);
    books_slice(0, -1, 30, 1, V(2)); /* by somebody long forgotten */
    books_snapshot(false);
    books_expect_counts(&b->snapshot->unattributed, V(2));
}

static void loss_is_credited_to_nobody(void **state)
{
    books_cpu(1, 0);
    b->people[0] = (struct person){10, "ten", 1, 0};
    b->people[1] = (struct person){20, "twenty", 1, 0};
    books_slice(0, 0, 10, 1, V(1));
    books_slice(0, 10, 20, 1, V(100));
    books_lost(0, 17, 90);
    books_slice(0, 10, 100, 18, V(5000));
    books_slice(0, 20, 110, 1, V(30));
    books_slice(1, 20, 115, 1, V(4)); /* nothing was lost here */
    books_balance(false);
    books_expect_task(10, 10, V(100));
    books_expect_task(20, 125, V(34));
    books_expect_rest(V(1), V(5000));
    assert_int_equal(b->snapshot->lost_records, 17);
    assert_int_equal(b->snapshot->cpus[0].busy, 20);
    /* Even where the next record looks as if nothing was missing. */
    books_lost(0, 2, 115);
    books_slice(0, 20, 120, 1, V(6));
    books_tick(0, 10, 130, 0, V(2));
    books_balance(true);
    books_expect_counts(&b->snapshot->unattributed, V(5006));
    books_expect_task(10, 20, V(102));
    assert_int_equal(b->snapshot->lost_records, 19);
}

static void loss_in_two_groups(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    b->people[0] = (struct person){10, "ten", 1, 0};
    books_in(0, 10, 0, 0);
    books_lost(0, 1, 90);
    books_in(0, 10, 20, 95); /* the lost slices did not end by this */
    books_part(0, 0, false, 10, 100, 100, 3, V(50));
    books_part(0, 1, false, 10, 101, 101, 3, V(60));
    books_out(0, 10, 10, 102);
    books_in(0, 10, 10, 103);
    books_part(0, 0, false, 10, 110, 10, 1, V(5));
    books_part(0, 1, false, 10, 110, 9, 1, V(6));
    books_balance(false);
    books_expect_task(10, 15, V(5, 6)); /* from 95 on it was seen to run */
    books_expect_counts(&b->snapshot->unattributed, V(50, 60));
}

static void the_ends_that_were_lost(void **state)
{
    b->people[0] = (struct person){10, "ten", 1, 0};
    b->people[1] = (struct person){20, "twenty", 1, 0};
    books_slice(0, 10, 10, 1, V(1));
    books_slice(0, 20, 20, 1, V(1));
    books_balance(false);
    b->people[1].tid = 0; /* 20 is gone, unheard */
    books_lost(0, 5, 30);
    books_snapshot(false);
    assert_int_equal(b->snapshot->task_count, 1);
    assert_true(books_task(20)->exited);
    books_final(20);
    books_snapshot(true);
    assert_int_equal(b->snapshot->task_count, 1);
    assert_non_null(books_task(10));
}

static void records_of_another_shape(void **state)
{
    books_open(2, NULL, (const enum idle_share[]){IDLE_NONE, IDLE_NONE});
    books_cpu(0, 0);
    books_slice(0, 10, 10, 1, V(1, 2));
    struct books_read wrong = {.count = 3, .enabled = 20, .running = 20, .value = {2, 50, 60}};
    books_take(0, &(struct record){.kind = RECORD_SAMPLE,
                                   .time = 20,
                                   .pid = 20,
                                   .tid = 20,
                                   .read = (const struct group_read *)&wrong});
    books_slice(0, 10, 30, 2, V(100, 200)); /* has what the one before should have told */
    books_slice(0, 10, 40, 1, V(3, 4));
    books_balance(false);
    books_expect_counts(&b->snapshot->unattributed, V(100, 200));
    books_expect_counts(&books_task(10)->counts, V(4, 6));
}

static void a_cpu_goes_and_comes(void **state)
{
    books_cpu(1, 0);
    b->people[0] = (struct person){10, "ten", 1, 0};
    books_slice(0, 10, 10, 1, V(1));
    books_slice(1, 10, 20, 1, V(2));
    struct books_read last = b->reads[1][0];
    last.value[1] += 5;
    ledger_close_group(b->ledger, 1, 0, (const struct group_read *)&last);
    ledger_remove_cpu(b->ledger, 1);
    books_balance(false);
    books_expect_counts(&b->snapshot->cpus[1].counts, V(7));
    books_expect_counts(&b->snapshot->unattributed, V(5));
    struct snapshot *s = snapshot_new(b->set);
    ledger_snapshot(b->ledger, s, false);
    assert_int_equal(s->cpu_count, 1);
    snapshot_free(s);

    ledger_restart_cpu(b->ledger, 1, 1000);
    b->reads[1][0] = (struct books_read){.time = 1000};
    books_slice(1, 10, 1010, 1, V(3));
    books_balance(true);
    books_expect_task(10, 40, V(6));
    books_expect_counts(&b->snapshot->cpus[1].counts, V(10));
    assert_int_equal(b->snapshot->cpus[1].busy, 30);
    assert_int_equal(b->snapshot->cpus[1].cpu, 1);
}

static void throttling_is_told(void **state)
{
    books_take(0, &(struct record){.kind = RECORD_THROTTLE});
    books_take(0, &(struct record){.kind = RECORD_THROTTLE});
    books_take(0, &(struct record){.kind = RECORD_OTHER});
    books_snapshot(false);
    assert_int_equal(b->snapshot->throttled, 2);
    assert_int_equal(b->snapshot->lost_records, 0);
}

static void other_events_begin_at_zero(void **state)
{
    b->people[0] = (struct person){10, "ten", 1, 0};
    books_slice(0, 10, 10, 1, V(5));
    books_slice(0, 0, 20, 1, V(5));
    books_slice(0, -1, 30, 1, V(5));
    books_balance(false);
    uint64_t id = books_task(10)->id;
    books_slice(0, 10, 40, 1, V(5));

    books_begin(3, NULL, NULL);
    books_cpu(2, 1000);
    books_slice(0, 10, 1010, 1, V(1, 2, 3));
    books_balance(false);
    books_expect_task(10, 10, V(1, 2, 3));
    assert_int_equal(books_task(10)->id, id);
    books_expect_rest(V(0, 0, 0), V(0, 0, 0));
    assert_int_equal(b->snapshot->cpus[0].cpu, 2);
    assert_int_equal(b->snapshot->cpus[0].busy, 10);
}

/* Those whose end was told before are not told again. */
static void the_dead_of_the_events_before(void **state)
{
    books_slice(0, 10, 10, 1, V(5));
    books_exit(0, 10, 15);
    books_balance(false);
    assert_true(books_task(10)->exited);
    books_slice(0, 20, 20, 1, V(5));
    books_exit(0, 20, 25);

    books_begin(1, NULL, NULL);
    books_cpu(0, 1000);
    books_slice(0, -1, 1010, 1, V(3)); /* of whom, was forgotten with the CPU */
    books_snapshot(false);
    assert_null(books_task(10));
    assert_true(books_task(20)->exited);
    books_expect_task(20, 0, V(0));
    books_expect_counts(&b->snapshot->unattributed, V(3));
}
