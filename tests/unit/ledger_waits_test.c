#include "engine/ledger.h"
#include "model/delta.h"
#include "model/frame.h"
#include "unit/books.h"
#include "unit/test.h"

/* What the ledger knows of tasks that are on no CPU, from switch records and wake-ups. */

enum { WAIT, PREEMPTED, YIELDED, WAKEUPS, LATENCY, MAX, BLOCK, EVENTS };

static void waits_open(bool wakeups)
{
    static const enum scheduler_event kept[EVENTS] = {
        SCHEDULER_WAIT,    SCHEDULER_PREEMPTED,   SCHEDULER_YIELDED, SCHEDULER_WAKEUPS,
        SCHEDULER_LATENCY, SCHEDULER_LATENCY_MAX, SCHEDULER_BLOCK,
    };
    static const char *const names[EVENTS] = {"wait",    "preempted", "yielded", "wakeups",
                                              "latency", "max",       "block"};
    books_open(0, NULL, NULL);
    for (size_t p = 0; p < 3; p++)
        b->people[p] = (struct person){(pid_t[]){10, 11, 20}[p], "one", 1, 0};
    struct event_set *old = b->set;
    b->set = handmade_set(EVENTS, names);
    b->set->groups = 3;
    for (size_t e = 0; e < EVENTS; e++) {
        b->set->events[e].kept = kept[e];
        b->set->events[e].shared = true;
        b->set->events[e].group = scheduler_of_tasks(kept[e]) ? 2 : 1;
    }
    for (size_t g = 1; g < BOOKS_GROUPS; g++)
        b->groups[g].values = 0;
    b->layouts[1] = (struct ledger_layout){.events = b->set,
                                           .idle = b->idle,
                                           .groups = b->groups,
                                           .shared = 2,
                                           .waits = true,
                                           .wakeups = wakeups};
    ledger_begin(b->ledger, &b->layouts[1]);
    event_set_drop(old);
    books_cpu(0, 0);
    ledger_witness(b->ledger, 0, 0);
}

static void waits_preempt(size_t cpu, pid_t tid, pid_t next, uint64_t time)
{
    struct record r = books_record(RECORD_SWITCH_OUT, tid, time);
    r.preempted = true;
    r.other.pid = books_pid(next);
    r.other.tid = next;
    books_take(cpu, &r);
}

static void books_wake(size_t cpu, pid_t tid, uint64_t time)
{
    struct record r = {.kind = RECORD_WAKE, .time = time, .woken = tid};
    books_take(cpu, &r);
}

static void waits_snapshot(uint64_t time, bool all)
{
    snapshot_free(b->snapshot);
    b->snapshot = snapshot_new(b->set);
    b->snapshot->time = ledger_cut(b->ledger, time);
    ledger_snapshot(b->ledger, b->snapshot, all);
}

/* What all tasks waited is what the CPUs say, in a snapshot of all of them. */
static void expect_balance(void)
{
    for (size_t e = WAIT; e <= LATENCY; e++) {
        uint64_t tasks = 0, cpus = 0;
        for (size_t t = 0; t < b->snapshot->task_count; t++)
            tasks += b->snapshot->tasks[t].counts.value[e];
        for (size_t c = 0; c < b->snapshot->cpu_count; c++)
            cpus += b->snapshot->cpus[c].counts.value[e];
        assert_int_equal(tasks, cpus);
    }
}

/* One that left the CPU without a record sleeps or waits: for the interval neither is known. */
static void silence(void **state)
{
    waits_open(true);
    books_in(0, 10, 0, 0);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 10, 20, 30);
    waits_snapshot(50, false);
    assert_int_equal(books_task(10)->counts.times[1].running, 50);
    assert_int_equal(books_task(20)->counts.times[1].enabled, 50);
    assert_int_equal(books_task(20)->counts.times[1].running, 0);
}

/* Checks the spans of a kind in the last snapshot; lengths ends with 0. */
static void expect_spans(pid_t tid, enum span_kind kind, const uint64_t *lengths)
{
    const struct wait_facts *facts = books_task(tid)->wait_facts;
    uint64_t counts[SPAN_BUCKETS], expected[SPAN_BUCKETS] = {0}, sum = 0;
    for (; *lengths; lengths++) {
        expected[span_bucket(*lengths)]++;
        sum += *lengths;
    }
    wait_facts_buckets(facts, kind, counts);
    assert_memory_equal(counts, expected, sizeof(counts));
    assert_int_equal(facts ? facts->sum[kind] : 0, sum);
}

/* Checks who had the CPU while a task waited, in the last snapshot: {pid, ns, certainly} ..., 0. */
static void expect_takers(pid_t tid, const uint64_t *expected, const uint64_t none[NO_TAKERS])
{
    const struct wait_takers *takers = books_task(tid)->wait_facts->takers;
    size_t count = 0;
    for (; expected[0]; expected += 3, count++) {
        assert_true(count < takers->count);
        assert_int_equal(takers->list[count].pid, expected[0]);
        assert_int_equal(takers->list[count].taken, expected[1]);
        assert_int_equal(takers->list[count].sure, expected[2]);
    }
    assert_int_equal(takers->count, count);
    assert_memory_equal(takers->none, none, sizeof(takers->none));
}

/* Three share a CPU, another one sleeps on a second CPU and is woken to the first. The idle task
 * after a preemption is a task that cpu.max stops. */
static void takers(void **state)
{
    enum { MS = 1000000 };
    static const uint64_t none[NO_TAKERS] = {0};
    (void)state;
    waits_open(true);
    books_cpu(1, 0);
    ledger_witness(b->ledger, 1, 0);
    b->people[3] = (struct person){30, "three", 1, 0};
    books_in(0, 10, 0, 0);
    waits_preempt(0, 10, 20, 10 * MS); /* 10 waits from here */
    books_in(0, 20, 10, 10 * MS);
    waits_preempt(0, 20, 30, 30 * MS);
    books_in(0, 30, 20, 30 * MS);
    waits_snapshot(40 * MS, false);
    expect_takers(10, (uint64_t[]){20, 20 * MS, 20 * MS, 30, 10 * MS, 10 * MS, 0}, none);
    expect_takers(20, (uint64_t[]){30, 10 * MS, 10 * MS, 0}, none);
    assert_string_equal(books_task(10)->wait_facts->takers->list[1].comm, "three");
    /* What had been charged at the snapshot is not charged again. 30 sleeps, and nobody runs. */
    books_out(0, 30, 0, 50 * MS);
    books_in(0, 10, 0, 53 * MS);
    waits_preempt(0, 10, 20, 60 * MS);
    books_in(0, 20, 10, 60 * MS);
    books_wake(0, 30, 61 * MS);
    waits_preempt(0, 20, 30, 66 * MS);
    books_in(0, 30, 20, 66 * MS);
    waits_snapshot(67 * MS, false);
    expect_takers(10, (uint64_t[]){30, 11 * MS, 11 * MS, 20, 6 * MS, 6 * MS, 0},
                  (uint64_t[NO_TAKERS]){0, 0, 3 * MS});
    expect_takers(30, (uint64_t[]){20, 5 * MS, 0, 0}, none); /* perhaps on the other CPU */
}

/* While it was preempted, its CPU had no task for a moment: one without records, perhaps. Of the
 * tasks of a cgroup all that others ran is such a gap, and who is no member does not wait. */
static void short_gaps(void **state)
{
    (void)state;
    for (int members = 0; members < 2; members++) {
        waits_open(true);
        b->layouts[1].members_only = members;
        ledger_begin(b->ledger, &b->layouts[1]);
        b->cpus = 0;
        books_cpu(0, 0);
        ledger_witness(b->ledger, 0, 0);
        books_in(0, 10, 0, 1);
        waits_preempt(0, 10, 20, 10);
        books_in(0, 20, 10, 10);
        books_fork(0, 30, 20, 20);
        books_out(0, 20, 0, 30);
        books_in(0, 10, 0, 537);
        books_out(0, 10, 0, 2000000);
        books_wake(0, 10, 2000100);
        books_in(0, 10, 0, 4000000);
        waits_snapshot(4000000, true);
        expect_takers(10, (uint64_t[]){20, 20, 20, 0},
                      (uint64_t[NO_TAKERS]){507 + members * 1999900, !members * 1999900});
        assert_int_equal(books_task(30) != NULL, !members);
        uint64_t waited = books_task(10)->counts.value[WAIT] + !members * (4000000 - 20);
        assert_int_equal(b->snapshot->cpus[0].counts.value[WAIT], waited);
    }
}

static void books_migrate(size_t cpu, pid_t tid, int to, uint64_t time)
{
    uint32_t data[7] = {[3] = (uint32_t)tid, [6] = (uint32_t)to};
    struct record r = {.kind = RECORD_WAKE,
                       .time = time,
                       .tracepoint = 371,
                       .size = sizeof(data),
                       .data = (const char *)data};
    books_take(cpu, &r);
}

/* Before the second CPU had records, tasks that waited for the first one may have run there and
 * slept again: they are not said to wait. */
static void before_all_cpus(void **state)
{
    (void)state;
    waits_open(true);
    books_cpu(1, 0);
    b->ledger->waits.whole = 20;
    books_in(0, 10, 0, 5);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    books_wake(0, 11, 12);
    waits_snapshot(100, true);
    books_expect_task(10, 5, (uint64_t[EVENTS]){0, 1, 0, 0, 0, 0, 5});
    assert_null(books_task(11));
    waits_preempt(0, 20, 10, 110);
    books_in(0, 10, 20, 120);
    waits_snapshot(130, true);
    books_expect_task(20, 100, (uint64_t[EVENTS]){20, 1, 0, 0, 0, 0, 10});
}

/* With records of migrations it is certain whose queue a task is in: after a wake-up that of its
 * last CPU, until it migrates, in the middle of what runs on both CPUs. */
static void migrations(void **state)
{
    static const uint64_t none[NO_TAKERS] = {0};
    (void)state;
    waits_open(true);
    b->layouts[1].migrations = (struct decode_migration){371, 12, 24};
    ledger_begin(b->ledger, &b->layouts[1]);
    b->cpus = 0;
    for (int c = 0; c < 2; c++) {
        books_cpu(c, 0);
        ledger_witness(b->ledger, (size_t)c, 0);
    }
    b->people[3] = (struct person){30, "three", 1, 0};
    books_in(1, 20, 0, 0);
    books_in(0, 30, 0, 0);
    books_out(0, 30, 10, 10);
    books_in(0, 10, 30, 10);
    books_wake(1, 30, 20);
    books_migrate(1, 30, 1, 25);
    waits_snapshot(30, false); /* 5 for each of both CPUs */
    expect_takers(30, (uint64_t[]){10, 5, 5, 20, 5, 5, 0}, none);
    assert_int_equal(b->snapshot->cpus[0].counts.value[WAIT], 5);
    assert_int_equal(b->snapshot->cpus[1].counts.value[WAIT], 5);
    waits_preempt(1, 20, 30, 40);
    books_in(1, 30, 20, 40);
    waits_preempt(1, 30, 20, 45);
    books_in(1, 20, 30, 45);
    books_migrate(0, 30, 0, 52); /* it is pulled */
    waits_preempt(0, 10, 30, 60);
    books_in(0, 30, 10, 60);
    waits_snapshot(70, false);
    expect_takers(30, (uint64_t[]){20, 10 + 7, 10 + 7, 10, 8, 8, 0}, none);
    books_expect_task(30, 25, (uint64_t[EVENTS]){35, 1, 1, 1, 20, 20, 10});
    /* A record that is too short tells nothing. */
    struct record r = {.kind = RECORD_WAKE, .tracepoint = 371, .size = 16, .woken = 99, .time = 71};
    books_take(0, &r);
}

/* Whatever tasks do on three CPUs: the parts of each one's waiting are all of it, with snapshots at
 * any moment, and logs that are full. */
static void any_records(void **state)
{
    enum { CPUS = 3, TASKS = 25, STEPS = 60000 };
    waits_open(true);
    b->layouts[1].migrations = (struct decode_migration){371, 12, 24};
    ledger_begin(b->ledger, &b->layouts[1]);
    b->cpus = 0;
    pid_t running[CPUS] = {0};
    uint64_t time = 1, seed = 1, before[TASKS] = {0}, waited = 0;
    for (int c = 0; c < CPUS; c++) {
        books_cpu(c, 0);
        ledger_witness(b->ledger, (size_t)c, 0);
    }
    for (pid_t t = 0; t < TASKS; t++)
        b->people[t] = (struct person){10 + t, "one", 1, 0};
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        unsigned any = (unsigned)(seed >> 32);
        size_t cpu = any / 8 % CPUS;
        pid_t task = 10 + (pid_t)(any / 64 % TASKS), last = running[cpu];
        bool runs = false;
        for (int c = 0; c < CPUS; c++)
            runs |= running[c] == task;
        time += any / 4096 % 40000;
        if (any % 8 < 5 && !(runs && task != last)) {
            pid_t next = task == last ? 0 : task;
            if (any / 4 % 2 && last)
                waits_preempt(cpu, last, next, time);
            else
                books_out(cpu, last, next, time);
            books_in(cpu, next, last, time);
            running[cpu] = next;
        } else if (any % 8 < 7) {
            books_wake(cpu, task, time);
        } else if (!runs) {
            books_migrate(cpu, task, (int)(any / 4096 % CPUS), time);
        }
        if (step % 997)
            continue;
        waits_snapshot(time, false);
        for (size_t i = 0; i < b->snapshot->task_count; i++) {
            const struct task_sample *of = &b->snapshot->tasks[i];
            const struct wait_facts *facts = of->wait_facts;
            uint64_t sum = facts && facts->takers ? wait_takers_sum(facts->takers) : 0;
            assert_int_equal(sum, of->counts.value[WAIT] - before[of->tid - 10]);
            before[of->tid - 10] = of->counts.value[WAIT];
            waited += sum;
        }
    }
    assert_true(waited > time);
}

/* A record that comes after the snapshot and is of a time before it: what ran then is not known any
 * more, and nothing is counted twice. */
static void late_wake_up(void **state)
{
    (void)state;
    waits_open(true);
    books_in(0, 10, 0, 0);
    books_out(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    waits_snapshot(20, false);
    snapshot_free(b->snapshot);
    b->snapshot = snapshot_new(b->set);
    b->snapshot->time = ledger_cut(b->ledger, 50);
    books_tick(0, 20, 60, 0, NULL); /* a slice on both sides of the cut */
    ledger_snapshot(b->ledger, b->snapshot, false);
    assert_null(books_task(10));
    books_wake(0, 10, 30);
    waits_preempt(0, 20, 10, 80);
    books_in(0, 10, 20, 80);
    waits_snapshot(90, false);
    books_expect_task(10, 20, (uint64_t[EVENTS]){50, 0, 1, 1, 50, 50, 20});
    expect_takers(10, (uint64_t[]){20, 30, 30, 0}, (uint64_t[NO_TAKERS]){20});
}

/* What records tell of a time after the snapshot is in the next one: running and waiting are of the
 * same time. */
static void after_the_cut(void **state)
{
    static const uint64_t none[NO_TAKERS] = {0};
    (void)state;
    waits_open(true);
    books_in(0, 10, 0, 0);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    snapshot_free(b->snapshot);
    b->snapshot = snapshot_new(b->set);
    b->snapshot->time = ledger_cut(b->ledger, 50);
    waits_preempt(0, 20, 10, 80);
    books_in(0, 10, 20, 80);
    books_out(0, 10, 20, 85);
    books_wake(0, 10, 87);
    ledger_snapshot(b->ledger, b->snapshot, false);
    books_expect_task(10, 10, (uint64_t[EVENTS]){40, 1});
    expect_takers(10, (uint64_t[]){20, 40, 40, 0}, none);
    assert_int_equal(b->snapshot->cpus[0].counts.value[WAIT], 40);
    books_in(0, 20, 10, 85);
    waits_snapshot(90, false);
    books_expect_task(10, 15, (uint64_t[EVENTS]){70 + 3, 1, 1, 0, 0, 0, 2});
    expect_takers(10, (uint64_t[]){20, 30 + 3, 30 + 3, 0}, none);
    books_expect_task(20, 75, (uint64_t[EVENTS]){5, 1, 0, 0, 0, 0, 10});
}

/* More processes than are told, and more slices than are kept: still all of the time. */
static void many_takers(void **state)
{
    (void)state;
    waits_open(true);
    enum { PEOPLE = 12, TURNS = WAITS_RUNS_MAX };
    for (pid_t p = 0; p < PEOPLE; p++)
        b->people[p] = (struct person){10 + 10 * p, "one", 1, 0};
    books_in(0, 10, 0, 5);
    waits_preempt(0, 10, 20, 10);
    uint64_t time = 10;
    for (int turn = 0; turn < TURNS; turn++)
        for (pid_t p = 1; p < PEOPLE; p++) {
            pid_t now = 10 + 10 * p, next = p + 1 < PEOPLE ? now + 10 : 20;
            books_in(0, now, p > 1 ? now - 10 : turn ? 10 * PEOPLE : 10, time);
            time += (uint64_t)p;
            waits_preempt(0, now, next, time);
        }
    books_in(0, 10, 20, time);
    waits_snapshot(time + 5, false);
    const struct wait_takers *takers = books_task(10)->wait_facts->takers;
    assert_int_equal(wait_takers_sum(takers), time - 10);
    assert_int_equal(takers->count, WAIT_TAKERS);
    assert_int_equal(takers->list[0].pid, 10 * PEOPLE); /* the one with the longest slices */
}

static void sleep_and_wake(void **state)
{
    waits_open(true);
    books_in(0, 10, 20, 0);
    books_out(0, 10, 0, 10);
    books_in(0, 20, 0, 40);
    books_wake(0, 10, 50);
    books_wake(0, 10, 55); /* again: it is awake */
    waits_preempt(0, 20, 10, 70);
    books_in(0, 10, 20, 70);
    books_out(0, 10, 20, 80);
    books_wake(0, 10, 100);
    books_in(0, 20, 10, 80);
    books_out(0, 20, 10, 105);
    books_in(0, 10, 20, 105);
    waits_snapshot(110, false);
    books_expect_task(10, 25, (uint64_t[EVENTS]){25, 0, 2, 2, 25, 20, 60});
    books_expect_task(20, 55, (uint64_t[EVENTS]){10, 1, 1, 0, 0, 0, 45});
    /* Slices and sleeps that began before all records are of no known length. */
    expect_spans(10, SPAN_WAIT, (uint64_t[]){20, 5, 0});
    expect_spans(10, SPAN_WAKEUP, (uint64_t[]){20, 5, 0});
    expect_spans(10, SPAN_SLICE, (uint64_t[]){10, 0});
    expect_spans(10, SPAN_SLEEP, (uint64_t[]){40, 20, 0});
    expect_spans(20, SPAN_WAIT, (uint64_t[]){10, 0});
    expect_spans(20, SPAN_WAKEUP, (uint64_t[]){0});
    expect_spans(20, SPAN_SLICE, (uint64_t[]){30, 25, 0});
    expect_spans(20, SPAN_SLEEP, (uint64_t[]){0});
    /* The longest is that of an interval. */
    waits_snapshot(120, false);
    books_expect_task(10, 35, (uint64_t[EVENTS]){25, 0, 2, 2, 25, 0, 60});
    expect_spans(10, SPAN_WAIT, (uint64_t[]){0}); /* so are the spans */
    assert_null(books_task(20));
    /* A sleeper is in no snapshot, but in one of all; its sleep is in the next. */
    waits_snapshot(200, true);
    books_expect_task(20, 55, (uint64_t[EVENTS]){10, 1, 1, 0, 0, 0, 135});
}

static uint64_t waits_cgroup(void *ctx, pid_t pid)
{
    (void)ctx;
    return pid == 10 ? 70 : 0;
}

/* One that no sample named is where /proc says, or if it has ended where its parent is. */
static void cgroups_without_samples(void **state)
{
    waits_open(true);
    b->lookup.cgroup = waits_cgroup;
    books_person(20)->ppid = 10;
    b->layouts[1].cgroups = true;
    ledger_begin(b->ledger, &b->layouts[1]);
    b->cpus = 0;
    books_cpu(0, 0);
    ledger_adopt(b->ledger, 10, 10, 0);
    books_fork(0, 20, 10, 20);
    books_fork(0, 30, 20, 25);
    waits_snapshot(30, false);
    assert_int_equal(books_task(20)->cgroup, 70);
    assert_int_equal(books_task(30)->cgroup, 70);
    assert_null(books_task(10)); /* it did nothing: its cgroup is not asked for */
    waits_snapshot(40, true);
    assert_int_equal(books_task(10)->cgroup, 0);
}

/* A wait belongs to the cgroup in which it ended, or the interval; and is known all of the time. */
static void moves(void **state)
{
    enum { A = 70, B = 80 };
    struct delta *delta = delta_new(NULL);
    waits_open(true);
    ledger_adopt(b->ledger, 10, 10, 0);
    books_in(0, 10, 0, 0);
    struct task *task = map_get(&b->ledger->task_table.tasks, 10);
    task_table_move(&b->ledger->task_table, task, A);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    waits_preempt(0, 20, 10, 30);
    books_in(0, 10, 20, 30);
    books_out(0, 10, 20, 40);
    task_table_move(&b->ledger->task_table, task, B);
    books_wake(0, 10, 45);
    waits_snapshot(50, true);
    struct frame *frame = delta_advance(delta, b->snapshot);
    const struct row *row = frame_row(frame, 10, 10);
    assert_int_equal(row->counts[WAIT].value, 20 + 5);
    assert_int_equal(row->part_count, 2);
    for (size_t p = 0; p < 2; p++) {
        const struct row *part = &row->parts[p];
        assert_int_equal(part->counts[WAIT].value, part->cgroup == A ? 20 : 5);
        assert_int_equal(part->counts[PREEMPTED].value, part->cgroup == A);
        assert_true(part->wait_facts == (part->cgroup == A ? NULL : row->wait_facts));
        struct row sum = row_sum_new(b->set);
        row_sum_add(&sum, part, frame);
        row_sum_complete(&sum, frame);
        assert_true(sum.counts[WAIT].coverage == 1);
        row_sum_release(&sum);
    }
    frame_free(frame);
    delta_free(delta);
}

/* Nothing is said of what a task did while records were lost. */
static void loss(void **state)
{
    waits_open(true);
    books_in(0, 10, 0, 0);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    books_lost(0, 5, 50);
    waits_snapshot(60, false);
    books_expect_task(10, 10, (uint64_t[EVENTS]){0, 1});
    books_out(0, 20, 10, 70);
    books_in(0, 10, 20, 70);
    waits_preempt(0, 10, 20, 80);
    books_in(0, 20, 10, 80);
    waits_snapshot(90, false);
    books_expect_task(10, 10 + 10, (uint64_t[EVENTS]){10, 2});
}

static uint64_t delay_now;

static bool waits_delay(void *ctx, pid_t pid, pid_t tid, uint64_t *delay)
{
    (void)ctx, (void)pid;
    *delay = delay_now;
    return tid == 10;
}

/* Without records of wake-ups the rest of what /proc says a task waited was after one. */
static void without_wake_ups(void **state)
{
    waits_open(false);
    b->lookup.delay = waits_delay;
    ledger_begin(b->ledger, &b->layouts[1]);
    b->cpus = 0;
    books_cpu(0, 0);
    ledger_witness(b->ledger, 0, 0);
    delay_now = 1000;
    books_in(0, 10, 20, 0);
    waits_snapshot(5, false);
    waits_preempt(0, 10, 20, 10);
    books_in(0, 20, 10, 10);
    waits_preempt(0, 20, 10, 30);
    books_in(0, 10, 20, 30);
    books_out(0, 10, 20, 40);
    books_in(0, 20, 10, 40);
    waits_preempt(0, 20, 10, 90);
    books_in(0, 10, 20, 90);
    delay_now = 1035;
    waits_snapshot(100, false);
    books_expect_task(10, 30, (uint64_t[EVENTS]){20 + 15, 1, 1, 1, 15, 0, 50 - 15});
    expect_balance();
}

/* Where switches write no samples, a task's last slice ends with a switch record, whose pid may be
 * gone. */
static void an_end_without_samples(void **state)
{
    waits_open(true);
    b->layouts[1].unsampled = true;
    books_in(0, 10, 20, 0);
    books_exit(0, 10, 10);
    waits_preempt(0, 10, 20, 15);
    books_in(0, 20, 10, 15);
    books_exit(0, 20, 20);
    books_out(0, 20, 10, 30);
    books_in(0, 10, 20, 30);
    books_out(0, -1, 11, 50);
    books_in(0, 11, -1, 50);
    books_out(0, -1, 0, 60); /* no task is known that this could be */
    waits_snapshot(70, false);
    books_expect_task(10, 15 + 20, (uint64_t[EVENTS]){15, 1, 1});
    books_expect_task(20, 15, (uint64_t[EVENTS]){0, 0, 1, 0, 0, 0, 15});
    assert_null(books_task(11));
    assert_false(ledger_awaits_command(b->ledger));
}
