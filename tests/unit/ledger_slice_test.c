#include "engine/ledger.h"
#include "unit/books.h"
#include "unit/test.h"

/* What the ledger makes of slices that it does not see whole: idle tasks without records, groups
 * that the kernel takes from their counters. */
#define V(...) ((const uint64_t[]){__VA_ARGS__})

static const enum idle_share every_share[] = {IDLE_NONE, IDLE_TIME, IDLE_SWITCHES, IDLE_UNKNOWN};

static void silent_idle(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_in(0, 10, 20, 1);
    books_slice(0, 10, 10, 1, V(5, 10, 1, 100));
    books_out(0, 10, 0, 11);
    /* Idle from 11 to 91: counts its time, one switch, some of what is not known. */
    books_in(0, 10, 0, 91);
    books_slice(0, 10, 100, 2, V(7, 90, 2, 300));
    books_out(0, 10, 20, 101);
    books_in(0, 20, 10, 102);
    books_slice(0, 20, 110, 1, V(3, 10, 1, 50));
    books_balance(false);
    books_expect_task(10, 21, V(12, 20, 2, 100));
    books_expect_task(20, 9, V(3, 10, 1, 50));
    books_expect_rest(V(0, 80, 1, 0), V(0, 0, 0, 300));
    assert_int_equal(b->snapshot->cpus[0].busy, 30);
    books_expect_times(&b->snapshot->idle, 0, 80, 80);
    books_expect_times(&b->snapshot->cpus[0].counts, 0, 110, 110);
    assert_true(ledger_wants_switches(b->ledger, 0));
}

static void what_did_not_happen_needs_no_share(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_slice(0, 10, 10, 1, V(0, 10, 1, 0));
    books_out(0, 10, 0, 10);
    books_in(0, 10, 0, 90);
    books_slice(0, 10, 100, 2, V(0, 90, 0, 0)); /* switches in user mode: none */
    books_balance(false);
    books_expect_task(10, 20, V(0, 20, 1, 0));
    books_expect_rest(V(0, 80, 0, 0), V(0, 0, 0, 0));
}

static void a_tick_after_silent_idle(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_slice(0, 10, 10, 1, V(1, 10, 1, 1));
    books_out(0, 10, 0, 10);
    books_in(0, 10, 0, 90);
    books_tick(0, 10, 100, 1, V(2, 90, 1, 2)); /* idle's switch alone */
    books_tick(0, 10, 200, 0, V(3, 100, 0, 4));
    books_slice(0, 10, 250, 1, V(4, 50, 1, 8));
    books_balance(false);
    books_expect_task(10, 170, V(10, 170, 2, 13));
    books_expect_rest(V(0, 80, 1, 0), V(0, 0, 0, 2));
}

/* Only switch records show whether a silent slice was idle or a task. */
static void a_silent_slice_without_switch_records(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_slice(0, 10, 10, 1, V(1, 10, 1, 1));
    books_slice(0, 10, 100, 2, V(2, 90, 2, 2));
    books_slice(0, 20, 110, 1, V(3, 10, 1, 4));
    books_balance(false);
    books_expect_task(10, 10, V(1, 10, 1, 1));
    books_expect_task(20, 10, V(3, 10, 1, 4));
    books_expect_rest(V(0, 0, 0, 0), V(2, 90, 2, 2));
    assert_int_equal(b->snapshot->cpus[0].busy, 20);
}

/* Where idle writes records, a silent slice was another task's. */
static void a_silent_slice_where_idle_writes(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_slice(0, 10, 10, 1, V(1, 10, 1, 1));
    books_slice(0, 0, 50, 1, V(0, 40, 1, 0));
    books_slice(0, 10, 100, 2, V(2, 50, 2, 2));
    books_balance(false);
    books_expect_task(10, 10, V(1, 10, 1, 1));
    books_expect_rest(V(0, 40, 1, 0), V(2, 50, 2, 2));
}

/* Others than idle can be silent too: their time is known, their counts are not. */
static void a_silent_task(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    b->people[0] = (struct person){30, "silent", 1, 0};
    books_in(0, 10, 20, 0);
    books_slice(0, 10, 10, 1, V(1, 10, 1, 1));
    books_out(0, 10, 30, 10);
    books_in(0, 20, 30, 90);
    books_slice(0, 20, 100, 2, V(2, 90, 2, 2));
    books_out(0, 20, 0, 100);
    books_in(0, 20, 30, 150); /* idle, then 30: for how long each? */
    books_slice(0, 20, 160, 3, V(4, 60, 3, 4));
    books_out(0, 20, 10, 160);
    books_in(0, 10, 20, 160);
    books_slice(0, 10, 170, 1, V(8, 10, 1, 8));
    books_balance(false);
    books_expect_task(10, 20, V(9, 20, 2, 9));
    books_expect_task(20, 20, V(0, 0, 0, 0));
    books_expect_task(30, 80, V(0, 0, 0, 0));
    assert_string_equal(books_task(30)->comm, "silent");
    books_expect_times(&books_task(30)->counts, 0, 80, 0);
    books_expect_rest(V(0, 0, 0, 0), V(6, 150, 5, 6));
    assert_int_equal(b->snapshot->cpus[0].busy, 120);
}

static void when_switches_are_wanted(void **state)
{
    books_cpu(1, 0);
    books_cpu(2, 0);
    assert_true(ledger_wants_switches(b->ledger, 0)); /* idle has not been seen */
    books_slice(0, 10, 10, 1, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));
    books_slice(0, 0, 20, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));
    assert_true(ledger_wants_switches(b->ledger, 1)); /* each CPU for itself */
    /* Idle does not always write: now and then that is borne, not all the time. */
    uint64_t time = 30;
    for (int i = 0; i < 1000; i++)
        books_slice(0, 10, time++, i % 200 ? 1 : 2, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 8; i++)
        books_slice(0, 10, time++, 2, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 1000; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 24; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));

    books_slice(2, 0, 10, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 2));
    books_part(2, 0, false, 10, 20, 9, 1, V(1)); /* paused */
    assert_true(ledger_wants_switches(b->ledger, 2));

    books_begin(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    books_part(0, 0, false, 0, 10, 10, 1, V(1));
    books_part(0, 1, false, 0, 10, 10, 1, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0)); /* two groups take turns */
}

/* Without switch records a silent slice of idle or a task takes the counts of the next one along:
 * they are left out only where that is very rare. */
static void when_idle_and_tasks_are_silent(void **state)
{
    uint64_t time = 10;
    for (int i = 0; i < 40000; i++) {
        books_slice(0, 10, time++, i % 1000 ? 1 : 2, V(1));
        assert_true(ledger_wants_switches(b->ledger, 0) || i < 1000);
    }
    for (int i = 0; i < 40000; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 40000; i++) {
        books_slice(0, 10, time++, i % 8000 ? 1 : 3, V(1)); /* silent ones in a row, too */
        assert_false(ledger_wants_switches(b->ledger, 0));
    }
    for (int i = 0; i < 12000; i++)
        books_slice(0, 10, time++, i % 1000 ? 1 : 3, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));

    /* A long one is enough, and then it takes longer. */
    for (int i = 0; i < 40000; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));
    books_slice(0, 10, time += 2000000, 2, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 40000; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_true(ledger_wants_switches(b->ledger, 0));
    for (int i = 0; i < 40000; i++)
        books_slice(0, 10, time++, 1, V(1));
    assert_false(ledger_wants_switches(b->ledger, 0));
    /* Nor may one last over the end of an interval. */
    ledger_cut(b->ledger, time + 500000);
    books_balance(false);
    assert_true(ledger_wants_switches(b->ledger, 0));
}

/* Switch records that are still in the ring when they are not wanted any more change nothing. */
static void switches_that_are_not_wanted(void **state)
{
    books_open(1, NULL, (const enum idle_share[]){IDLE_TIME});
    books_cpu(0, 0);
    books_in(0, 0, 10, 1);
    books_slice(0, 0, 10, 1, V(10));
    books_out(0, 0, 10, 11);
    books_in(0, 10, 0, 12);
    books_slice(0, 10, 20, 1, V(10));
    books_slice(0, 0, 30, 1, V(10)); /* no more of them */
    books_slice(0, 20, 40, 1, V(10));
    books_balance(false);
    books_expect_task(10, 9, V(10));
    books_expect_task(20, 10, V(10));
    books_expect_counts(&b->snapshot->idle, V(20));
}

/* One group, taken from its counters within slices. */
static void a_group_that_pauses(void **state)
{
    books_slice(0, 0, 10, 1, V(1));
    /* It is not known yet that it may: nobody can tell who had the CPU meanwhile. */
    books_part(0, 0, false, 10, 30, 15, 1, V(50));
    books_in(0, 20, 10, 31);
    /* Wholly within a slice: 20 alone can have done that. */
    books_part(0, 0, true, 20, 40, 6, 0, V(100));
    books_part(0, 0, false, 20, 50, 4, 1, V(200));
    books_out(0, 20, 10, 50);
    books_in(0, 10, 20, 50);
    books_part(0, 0, false, 10, 60, 10, 1, V(7));
    books_balance(false);
    books_expect_counts(&books_task(20)->counts, V(300));
    books_expect_times(&books_task(20)->counts, 0, 20, 10);
    books_expect_counts(&books_task(10)->counts, V(7));
    books_expect_counts(&b->snapshot->unattributed, V(50));
}

static void pauses_over_a_switch(void **state)
{
    books_in(0, 10, 20, 0);
    books_part(0, 0, true, 10, 10, 10, 0, V(1));
    books_out(0, 10, 20, 20); /* in the middle of a pause */
    books_in(0, 20, 10, 20);
    books_part(0, 0, false, 20, 40, 15, 1, V(2));
    /* The switch records are missing: it is not known to be one slice. */
    books_part(0, 0, false, 10, 50, 5, 1, V(4));
    books_balance(false);
    books_expect_counts(&books_task(10)->counts, V(1));
    books_expect_counts(&books_task(20)->counts, V(0));
    books_expect_counts(&b->snapshot->unattributed, V(6));
}

/* Two groups take turns; that a group missed the end of a slice shows in its time alone. */
static void groups_that_take_turns(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    books_in(0, 10, 20, 0);
    /* 10 runs to 100; group 1 counts to 40, then does not until 230. */
    books_part(0, 1, true, 10, 40, 40, 0, V(400));
    books_part(0, 0, false, 10, 100, 100, 1, V(1));
    books_out(0, 10, 20, 100);
    books_in(0, 20, 10, 100);
    /* 20 runs to 200. */
    books_part(0, 0, false, 20, 200, 100, 1, V(2));
    books_out(0, 20, 10, 200);
    books_in(0, 10, 20, 200);
    /* 10 runs to 300: group 1 sees the end of that, but not the beginning. */
    books_part(0, 0, false, 10, 300, 100, 1, V(4));
    books_part(0, 1, false, 10, 300, 70, 1, V(700));
    books_out(0, 10, 20, 300);
    books_in(0, 20, 10, 300);
    /* 20 runs to 400, in sight of both. */
    books_part(0, 0, false, 20, 400, 100, 1, V(8));
    books_part(0, 1, false, 20, 400, 100, 1, V(1000));
    books_balance(false);
    books_expect_task(10, 200, V(5, 400));
    books_expect_task(20, 200, V(10, 1000));
    books_expect_counts(&b->snapshot->unattributed, V(0, 700));
    books_expect_times(&books_task(10)->counts, 0, 200, 200);
    books_expect_times(&books_task(20)->counts, 0, 200, 200);
    /* The count of 10 is of 40 ns of the 200 that it ran, that of 20 of half: else the numbers
     * would pass for whole. */
    books_expect_times(&books_task(10)->counts, 1, 200, 40);
    books_expect_times(&books_task(20)->counts, 1, 200, 100);
    books_expect_times(&b->snapshot->unattributed, 1, 0, 70);
    books_expect_times(&b->snapshot->cpus[0].counts, 1, 400, 210);
    books_lost(0, 1, 410);
    books_part(0, 1, false, 20, 500, 100, 1, V(5));
    books_snapshot(false);
    books_expect_times(&b->snapshot->unattributed, 1, 100, 170);
}

static void turns_with_silent_idle(void **state)
{
    books_open(2, (const int[]){0, 1}, (const enum idle_share[]){IDLE_NONE, IDLE_UNKNOWN});
    books_cpu(0, 0);
    books_in(0, 10, 20, 0);
    books_part(0, 0, false, 10, 100, 100, 1, V(1));
    books_part(0, 1, false, 10, 100, 100, 1, V(1000));
    books_out(0, 10, 0, 100);
    books_in(0, 10, 0, 180); /* group 1 counts to 150 */
    books_part(0, 0, false, 10, 200, 100, 2, V(2));
    books_out(0, 10, 0, 200);
    books_in(0, 10, 0, 270); /* and from 290 */
    books_part(0, 0, false, 10, 300, 100, 2, V(4));
    books_part(0, 1, false, 10, 300, 60, 1, V(100));
    books_balance(false);
    books_expect_task(10, 150, V(7, 1000));
    books_expect_times(&books_task(10)->counts, 1, 150, 100);
    books_expect_times(&b->snapshot->idle, 1, 150, 0);
    books_expect_times(&b->snapshot->idle, 0, 150, 150);
    books_expect_rest(V(0, 0), V(0, 100));
}

/* The group was off its counters when idle's switch came, so that it has none of it. */
static void a_pause_over_silent_idle(void **state)
{
    books_open(1, NULL, (const enum idle_share[]){IDLE_SWITCHES});
    books_cpu(0, 0);
    books_in(0, 10, 20, 0);
    books_slice(0, 10, 10, 1, V(1));
    books_out(0, 10, 0, 10);
    books_in(0, 10, 0, 20);
    books_slice(0, 10, 30, 2, V(2)); /* idle is silent here */
    books_out(0, 10, 0, 30);
    books_in(0, 10, 0, 80);
    books_part(0, 0, false, 10, 100, 10, 1, V(1));
    books_balance(false);
    books_expect_task(10, 40, V(3));
    books_expect_counts(&b->snapshot->idle, V(1));
}

/* The engine knows from when on the kernel writes switches: the slice then seen running counts. */
static void a_slice_seen_running_by_a_witness(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    ledger_witness(b->ledger, 0, 10);
    books_part(0, 0, true, 10, 100, 100, 0, V(1));
    books_part(0, 1, true, 10, 110, 50, 0, V(10)); /* since before it was seen */
    books_part(0, 1, true, 10, 210, 50, 0, V(100));
    books_part(0, 0, true, 10, 215, 115, 0, V(2));
    books_part(0, 1, false, 10, 300, 50, 1, V(1000));
    books_part(0, 0, false, 10, 300, 85, 1, V(4));
    books_balance(false);
    books_expect_counts(&books_task(10)->counts, V(7, 1100));
    books_expect_counts(&b->snapshot->unattributed, V(0, 10));
}

/* After a time without a witness many slices may have passed. */
static void a_witness_that_comes_back(void **state)
{
    books_open(2, (const int[]){0, 1}, NULL);
    books_cpu(0, 0);
    books_in(0, 10, 20, 0);
    books_part(0, 0, false, 10, 10, 10, 1, V(1));
    books_part(0, 1, false, 10, 10, 10, 1, V(1));
    ledger_witness(b->ledger, 0, UINT64_MAX);
    ledger_witness(b->ledger, 0, 50);
    books_part(0, 0, true, 20, 60, 50, 0, V(2));
    books_part(0, 1, true, 20, 61, 20, 0, V(2));
    books_in(0, 30, 40, 70); /* 40 was no silent task: the last switch out is too long ago */
    books_part(0, 0, false, 30, 80, 20, 1, V(4));
    books_balance(false);
    books_expect_counts(&books_task(20)->counts, V(2, 0));
    books_expect_counts(&books_task(30)->counts, V(4, 0));
    books_expect_counts(&b->snapshot->unattributed, V(0, 2));
}

/* Time is cut at the moment that the snapshot is of, counts are those of the record after it. */
static void time_after_a_cut(void **state)
{
    books_slice(0, 0, 50, 1, V(1));
    assert_int_equal(ledger_cut(b->ledger, 100), 100);
    assert_true(ledger_awaits(b->ledger, 0));
    books_tick(0, 10, 130, 0, V(80));
    assert_false(ledger_awaits(b->ledger, 0));
    books_balance(false);
    books_expect_task(10, 50, V(80));
    assert_int_equal(b->snapshot->cpus[0].busy, 50);
    assert_int_equal(ledger_cut(b->ledger, 110), 130); /* that was known already */
    books_slice(0, 10, 140, 1, V(10));
    books_slice(0, 11, 150, 1, V(20));
    books_balance(false);
    books_expect_task(10, 80, V(90));
    books_expect_task(11, 0, V(20));
    assert_int_equal(b->snapshot->cpus[0].busy, 80);
    books_exit(0, 10, 155); /* nothing is lost of who ends meanwhile */
    books_exit(0, 11, 155);
    books_balance(false);
    books_expect_task(10, 90, V(90));
    books_expect_task(11, 10, V(20));
    assert_int_equal(b->snapshot->cpus[0].busy, 100);
}

static void the_end_of_who_has_time_ahead(void **state)
{
    books_exit(0, 10, 90);
    books_snapshot(false);
    assert_true(books_task(10)->exited && !books_task(10)->final);
    ledger_cut(b->ledger, 95);
    books_slice(0, 10, 100, 1, V(7));
    books_snapshot(false);
    books_expect_task(10, 95, V(7));
    assert_false(books_task(10)->final);
    books_snapshot(false);
    books_expect_task(10, 100, V(7));
    assert_true(books_task(10)->final);
}

static void a_cpu_that_does_not_answer(void **state)
{
    books_slice(0, 10, 40, 1, V(3));
    ledger_cut(b->ledger, 100);
    books_snapshot(false); /* who had it from 40 to 100 stays unknown */
    books_expect_task(10, 40, V(3));
    ledger_cut(b->ledger, 200);
    assert_false(ledger_awaits(b->ledger, 0)); /* once is enough */
    books_slice(0, 11, 150, 1, V(5));
    assert_true(ledger_awaits(b->ledger, 0));
    books_slice(0, 12, 250, 1, V(6));
    books_snapshot(false);
    books_expect_task(11, 50, V(5));
    books_expect_task(12, 50, V(6));
    assert_int_equal(b->snapshot->cpus[0].busy, 140);
}

/* It has told who has it: no record since then means no switch since then. */
static void a_task_that_goes_on_over_a_cut(void **state)
{
    books_tick(0, 10, 40, 0, V(3));
    ledger_cut(b->ledger, 100);
    assert_true(ledger_awaits(b->ledger, 0));
    books_balance(false);
    books_expect_task(10, 100, V(3));
    assert_int_equal(b->snapshot->cpus[0].busy, 100);
    books_slice(0, 10, 150, 1, V(5));
    ledger_cut(b->ledger, 200); /* who came then is not known */
    books_balance(false);
    books_expect_task(10, 150, V(8));
    books_tick(0, 12, 230, 0, V(2));
    books_lost(0, 1, 240);
    ledger_cut(b->ledger, 300);
    books_snapshot(false);
    books_expect_task(12, 30, V(2));
    assert_int_equal(b->snapshot->cpus[0].busy, 180);
}

/* A switch record told who came. */
static void a_cut_in_silence(void **state)
{
    books_open(4, NULL, every_share);
    books_cpu(1, 0);
    books_in(0, 10, 20, 0);
    books_slice(0, 10, 10, 1, V(5, 10, 1, 100));
    books_out(0, 10, 0, 11);
    ledger_cut(b->ledger, 51);
    assert_false(ledger_awaits(b->ledger, 0));
    books_balance(false);
    books_expect_task(10, 11, V(5, 10, 1, 100));
    books_in(0, 10, 0, 91);
    books_slice(0, 10, 100, 2, V(7, 90, 2, 300));
    books_out(0, 10, 31, 100); /* 31 is silent as well */
    ledger_cut(b->ledger, 120);
    assert_true(ledger_awaits(b->ledger, 0));
    books_balance(false);
    books_expect_task(10, 20, V(12, 20, 2, 100));
    books_expect_counts(&b->snapshot->idle, V(0, 80, 1, 0));
    assert_int_equal(books_task(31)->oncpu, 20);
    books_in(0, 10, 31, 150);
    books_snapshot(false);
    assert_int_equal(books_task(31)->oncpu, 50);
    assert_int_equal(b->snapshot->cpus[0].busy, 70);
}

/* Its time after the cut is not lost with it. */
static void a_cpu_that_goes_with_time_ahead(void **state)
{
    books_cpu(1, 0);
    ledger_cut(b->ledger, 100);
    books_slice(0, 10, 120, 1, V(1));
    books_slice(1, 11, 130, 1, V(2));
    ledger_remove_cpu(b->ledger, 1);
    books_balance(false);
    books_expect_task(11, 100, V(2));
    assert_int_equal(b->snapshot->cpus[1].busy, 100);
    books_balance(false);
    books_expect_task(11, 130, V(2));
    assert_int_equal(b->snapshot->cpus[1].busy, 130);
    b->cpus = 1;
    books_snapshot(false);
}
