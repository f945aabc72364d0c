#include "model/delta.h"
#include "model/totals.h"
#include "unit/books.h"
#include "unit/test.h"

/* What tasks did in which cgroup: from samples to rows. */
#define V(...) ((const uint64_t[]){__VA_ARGS__})

enum { ROOT = 1, A = 70, B = 80, C = 90 };

static void open_books(size_t events)
{
    static const enum idle_share none[BOOKS_EVENTS] = {0};
    books_open(events, NULL, none);
    for (size_t i = 0; i < 2; i++)
        b->layouts[i].cgroups = true;
    books_cpu(0, 0);
    ledger_witness(b->ledger, 0, 0);
    cgroup_table_found(&b->ledger->cgroups, ROOT, "/");
    cgroup_table_found(&b->ledger->cgroups, A, "/a");
    cgroup_table_looked(&b->ledger->cgroups, &b->ledger->task_table);
}

static void ran_in(uint64_t cgroup, pid_t tid, uint64_t until, const uint64_t *counts)
{
    b->cgroup = cgroup;
    books_slice(0, tid, until, 1, counts);
}

/* The next interval; `at` is its end. */
static struct frame *next_frame(struct delta *delta, uint64_t at)
{
    snapshot_free(b->snapshot);
    b->snapshot = snapshot_new(b->set);
    b->snapshot->time = at;
    ledger_snapshot(b->ledger, b->snapshot, false);
    assert_true(ledger_balanced(b->ledger));
    return delta_advance(delta, b->snapshot);
}

static const struct row *thread_of(const struct frame *frame, pid_t tid)
{
    const struct row *row = frame_row(frame, books_pid(tid), tid);
    assert_non_null(row);
    return row;
}

/* That the row has a part in that cgroup with these counts, and so many ns. */
static void expect_part(const struct frame *frame, const struct row *row, uint64_t cgroup,
                        uint64_t oncpu, const uint64_t *counts)
{
    for (size_t p = 0; p < row->part_count; p++) {
        if (row->parts[p].cgroup != cgroup)
            continue;
        for (size_t e = 0; e < frame->events->count; e++)
            assert_int_equal(row->parts[p].counts[e].value, counts[e]);
        assert_true(row->parts[p].oncpu * 1e9 - (double)oncpu < 0.5);
        assert_true((double)oncpu - row->parts[p].oncpu * 1e9 < 0.5);
        return;
    }
    fail_msg("no part in %llu", (unsigned long long)cgroup);
}

static void a_task_stays_where_it_is(void **state)
{
    struct delta *delta = delta_new(NULL);
    open_books(1);
    ran_in(A, 10, 100, V(5));
    ran_in(A, 10, 200, V(6));
    struct frame *frame = next_frame(delta, 250);
    const struct row *row = thread_of(frame, 10);
    assert_string_equal(frame_cgroup(frame, row), "/a");
    assert_int_equal(row->part_count, 0);
    assert_int_equal(row->counts[0].value, 11);
    assert_string_equal(frame_cgroup(frame, frame_row(frame, 10, 0)), "/a");
    frame_free(frame);
    delta_free(delta);
}

static void moves_split_what_it_did(void **state)
{
    struct delta *delta = delta_new(NULL);
    open_books(2);
    ran_in(A, 10, 100, V(5, 50));
    frame_free(next_frame(delta, 150));
    ran_in(A, 10, 200, V(1, 10)); /* in the new interval, before it moves */
    ran_in(B, 10, 300, V(2, 20));
    ran_in(B, 10, 350, V(3, 30));
    ran_in(ROOT, 20, 400, V(100, 1000));
    ran_in(A, 10, 450, V(4, 40)); /* back again */
    ran_in(C, 10, 500, V(7, 70));
    struct record made = {.kind = RECORD_CGROUP, .time = 460, .cgroup = B};
    made.path = "/b";
    b->ledger->paths_known = true;
    books_take(0, &made);
    struct frame *frame = next_frame(delta, 600);
    const struct row *row = thread_of(frame, 10);
    assert_int_equal(row->part_count, 3);
    expect_part(frame, row, A, 150, V(5, 50));
    expect_part(frame, row, B, 150, V(5, 50));
    expect_part(frame, row, C, 50, V(7, 70));
    assert_int_equal(row->cgroup, C);
    assert_string_equal(frame_cgroup(frame, &row->parts[1]), "/b");
    /* Its process has the same parts; the other task none. */
    assert_int_equal(frame_row(frame, 10, 0)->part_count, 3);
    assert_int_equal(thread_of(frame, 20)->part_count, 0);
    /* A recording of the interval has the same. */
    struct snapshot *kept = frame_snapshot_of_frame(frame, 1);
    struct frame *again = frame_snapshot_frame(kept, 1, NULL);
    row = thread_of(again, 10);
    assert_int_equal(row->part_count, 3);
    expect_part(again, row, A, 150, V(5, 50));
    expect_part(again, row, B, 150, V(5, 50));
    expect_part(again, row, C, 50, V(7, 70));
    frame_free(again);
    snapshot_free(kept);
    frame_free(frame);
    /* In the next interval it is where it was last. */
    ran_in(C, 10, 700, V(9, 90));
    frame = next_frame(delta, 800);
    assert_int_equal(thread_of(frame, 10)->part_count, 0);
    assert_int_equal(thread_of(frame, 10)->cgroup, C);
    assert_int_equal(thread_of(frame, 10)->counts[0].value, 9);
    frame_free(frame);
    /* Where it comes back, that is its last part, in a recording, too. */
    ran_in(C, 10, 850, V(1, 10));
    ran_in(B, 10, 900, V(2, 20));
    ran_in(C, 10, 950, V(4, 40));
    frame = next_frame(delta, 950);
    kept = frame_snapshot_of_frame(frame, 1);
    again = frame_snapshot_frame(kept, 1, NULL);
    for (size_t i = 0; i < 2; i++) {
        row = thread_of(i ? again : frame, 10);
        assert_int_equal(row->part_count, 2);
        assert_string_equal(frame_cgroup(i ? again : frame, &row->parts[0]), "/b");
        expect_part(i ? again : frame, row, row->cgroup, 100, V(5, 50));
    }
    frame_free(again);
    snapshot_free(kept);
    frame_free(frame);
    delta_free(delta);
}

/* A task is where its parent is until it runs, and what it counts then belongs there. */
static void births_and_ends(void **state)
{
    struct delta *delta = delta_new(NULL);
    open_books(1);
    ran_in(A, 10, 100, V(5));
    books_fork(0, 30, 10, 110);
    books_fork(0, 40, 10, 120);
    ran_in(B, 30, 200, V(8)); /* clone3(2), CLONE_INTO_CGROUP */
    books_exit(0, 30, 220);
    ran_in(B, -1, 230, V(9)); /* its pid is gone */
    books_exit(0, 40, 240);
    struct frame *frame = next_frame(delta, 250);
    assert_int_equal(thread_of(frame, 30)->part_count, 0);
    assert_int_equal(thread_of(frame, 30)->cgroup, B);
    assert_int_equal(thread_of(frame, 30)->counts[0].value, 17);
    assert_int_equal(thread_of(frame, 40)->cgroup, A);
    assert_null(frame_cgroup(frame, thread_of(frame, 30))); /* nobody told its path yet */
    frame_free(frame);
    /* A look does not find it: it was removed meanwhile. */
    assert_true(cgroup_table_wants_look(&b->ledger->cgroups));
    cgroup_table_found(&b->ledger->cgroups, ROOT, "/");
    cgroup_table_looked(&b->ledger->cgroups, &b->ledger->task_table);
    assert_false(cgroup_table_wants_look(&b->ledger->cgroups));
    ran_in(A, 10, 300, V(1));
    frame = next_frame(delta, 350);
    assert_string_equal(cgroup_names_find(frame->cgroups, B), "(removed cgroup 80)");
    assert_string_equal(cgroup_names_find(frame->cgroups, A), "/a"); /* a task has it */
    frame_free(frame);
    delta_free(delta);
}

/* Totals have what each task did in each cgroup, also of tasks that are added up after their end.
 */
static void totals_keep_cgroups_apart(void **state)
{
    struct delta *delta = delta_new(NULL);
    struct totals *totals = totals_new(2);
    static const struct watch all = {0};
    uint64_t time = 0, sums[128] = {0};
    open_books(1);
    for (pid_t tid = 50; tid < 200; tid += 10) { /* each moves once, and ends */
        ran_in(A, tid, time += 100, V(2));
        ran_in(B, tid, time += 100, V(3));
        books_exit(0, tid, time += 10);
        ran_in(B, -1, time += 100, V(1));
        ran_in(tid % 20 ? A : C, 10, time += 100, V(10)); /* which lives and moves */
        frame_free(next_frame(delta, time));
        totals_take(totals, b->snapshot, &all);
    }
    struct frame *frame = totals_frame(totals);
    for (size_t t = 0; t < frame->thread_count; t++) {
        const struct row *row = &frame->threads[t];
        for (size_t p = 0; p < row->part_count; p++)
            sums[row->parts[p].cgroup] += row->parts[p].counts[0].value;
        if (row->part_count == 0)
            sums[row->cgroup] += row->counts[0].value;
    }
    assert_true(frame->thread_count < 12);
    assert_int_equal(sums[A], 15 * 2 + 8 * 10);
    assert_int_equal(sums[B], 15 * 4);
    assert_int_equal(sums[C], 7 * 10);
    assert_int_equal(sums[0], 0);
    frame_free(frame);
    totals_free(totals);
    delta_free(delta);
}
