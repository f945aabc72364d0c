#include "record/schema.h"
#include "unit/loads.h"
#include "unit/recorded.h"
#include "unit/test.h"

#include <stdlib.h>
#include <unistd.h>

/* What is read of a recording that is written in memory. */
struct both {
    struct writer *writer;
    struct reader *reader;
    struct event_set *set;
    struct session session;
};

static void begin(struct both *both, size_t events)
{
    both->writer = recorded_writer(NULL);
    both->reader = reader_of(writer_db(both->writer));
    both->set = recorded_set(events);
    both->session = recorded_session("note");
    assert_non_null(both->reader);
}

static void end(struct both *both)
{
    reader_close(both->reader);
    writer_close(both->writer);
    event_set_drop(both->set);
    session_release(&both->session);
}

static struct snapshot *read_one(struct both *both, int64_t interval, bool idle)
{
    struct err err = {""};
    struct snapshot *s = reader_read(both->reader, interval, idle ? READ_ALL : READ_ACTIVE, &err);
    assert_string_equal(err.text, "");
    return s;
}

static void assert_counts(const struct counts *a, const struct counts *b,
                          const struct event_set *set)
{
    assert_memory_equal(a->value, b->value, set->count * sizeof(*a->value));
    assert_memory_equal(a->times, b->times, set->groups * sizeof(*a->times));
}

static void assert_same_tasks(const struct snapshot *a, const struct snapshot *b)
{
    assert_int_equal(a->task_count, b->task_count);
    assert_int_equal(a->process_count, b->process_count);
    for (size_t t = 0; t < a->task_count; t++) {
        const struct task_sample *x = &a->tasks[t], *y = &b->tasks[t];
        assert_int_equal(x->tid, y->tid);
        assert_string_equal(x->comm, y->comm);
        assert_int_equal(x->cpu, y->cpu);
        assert_int_equal(x->exited, y->exited);
        assert_int_equal(x->state, y->state);
        assert_int_equal(x->oncpu, y->oncpu);
        assert_counts(&x->counts, &y->counts, a->events);
        const struct process_info *p = &a->processes[x->process], *q = &b->processes[y->process];
        assert_int_equal(p->pid, q->pid);
        assert_int_equal(p->ppid, q->ppid);
        assert_int_equal(p->uid, q->uid);
        assert_int_equal(p->exited, q->exited);
        assert_int_equal(p->command, q->command);
        assert_string_equal(p->comm, q->comm);
    }
}

static void assert_same(const struct snapshot *a, const struct snapshot *b)
{
    assert_int_equal(a->time - a->started, b->time - b->started);
    assert_true(a->wall == b->wall);
    assert_same_tasks(a, b);
    assert_int_equal(a->has_cpus, b->has_cpus);
    assert_int_equal(a->cpu_count, b->cpu_count);
    for (size_t c = 0; c < a->cpu_count; c++) {
        assert_int_equal(a->cpus[c].cpu, b->cpus[c].cpu);
        assert_int_equal(a->cpus[c].busy, b->cpus[c].busy);
        assert_counts(&a->cpus[c].counts, &b->cpus[c].counts, a->events);
    }
    assert_counts(&a->idle, &b->idle, a->events);
    assert_counts(&a->unattributed, &b->unattributed, a->events);
    assert_int_equal(a->lost_records, b->lost_records);
    assert_int_equal(a->throttled, b->throttled);
    assert_int_equal(a->denied_tasks, b->denied_tasks);
    assert_int_equal(a->starved_tasks, b->starved_tasks);
    assert_memory_equal(&a->self, &b->self, sizeof(a->self));
    assert_int_equal(a->load.count, b->load.count);
    if (a->load.count)
        assert_memory_equal(a->load.cpus, b->load.cpus, a->load.count * sizeof(*a->load.cpus));
}

/* The interval of such a number, with something in every field. */
static struct snapshot *rich(struct event_set *set, uint64_t number)
{
    struct snapshot *s = recorded_interval(set, 1.7e9 + 0.1 * (double)number);
    struct task_sample *task = recorded_add(s, 70, number * 1000);
    task->cpu = -1;
    task->counts.value[0] = UINT64_MAX - number;
    s->processes[0].uid = (uid_t)-1;
    s->processes[0].command = true;
    task = recorded_add(s, 72, 0);
    task->state = EVENT_NO_DESCRIPTOR;
    task = recorded_add(s, 71, 1); /* last, as those that began and ended are */
    task->exited = task->final = s->processes[2].exited = true;
    recorded_add_cpu(s, 0, number);
    recorded_add_cpu(s, 9, number << 33);
    s->lost_records = 3;
    s->throttled = 4;
    s->denied_tasks = 5;
    s->starved_tasks = 6;
    s->self = (struct self_cost){7, 8, 9, 10};
    *load_of(&s->load, 0) = cpu_load_of(0, number, number / 2, number + 5);
    *load_of(&s->load, 70) = cpu_load_of(70, 3, 2, 3);
    load_of(&s->load, 70)->again = true;
    return s;
}

static void test_everything_is_read_as_it_was(void **state)
{
    struct both both;
    begin(&both, 7);
    both.set->events[6].shared = true;
    both.set->events[5].state = EVENT_DENIED;
    both.set->events[5].reason = mem_strdup("no");
    both.set->events[5].group = -1;
    both.set->note = mem_strdup("a note");
    for (uint64_t i = 1; i <= 3; i++)
        recorded_write(both.writer, &both.session, rich(both.set, i));
    for (uint64_t i = 3; i >= 1; i--) {
        struct snapshot *s = read_one(&both, (int64_t)i, false), *wanted = rich(both.set, i);
        assert_same(s, wanted);
        snapshot_free(s);
        snapshot_free(wanted);
    }
    struct snapshot *s = read_one(&both, 1, false);
    assert_int_equal(s->events->count, 7);
    assert_string_equal(s->events->note, "a note");
    for (size_t e = 0; e < 7; e++) {
        const struct event_info *a = &s->events->events[e], *b = &both.set->events[e];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->pmu, b->pmu);
        assert_string_equal(a->unit, b->unit);
        assert_string_equal(a->encoding, b->encoding);
        assert_true(a->scale == b->scale && a->shared == b->shared && a->state == b->state &&
                    a->group == b->group && a->hardware == b->hardware);
    }
    assert_string_equal(s->events->events[5].reason, "no");
    snapshot_free(s);
    end(&both);
}

/* Sums of tasks have the coverage that they had: times are kept of all tasks, or of none. */
static void test_times_of_tasks_in_several_packs(void **state)
{
    enum { TASKS = 3 * 24 };
    struct both both;
    begin(&both, 1);
    struct snapshot *s = recorded_interval(both.set, 10);
    for (pid_t pid = 1; pid <= TASKS; pid++) {
        struct task_sample *task = recorded_add(s, pid, 3);
        task->oncpu++; /* a group's own clock differs a little */
        task->exited = s->processes[s->process_count - 1].exited = pid % 2;
    }
    s->tasks[TASKS / 2].counts.times[0].running--;
    recorded_write(both.writer, &both.session, s);
    s = read_one(&both, 1, false);
    assert_int_equal(s->task_count, TASKS);
    struct group_time sum = {0, 0};
    for (size_t t = 0; t < s->task_count; t++) {
        sum.enabled += s->tasks[t].counts.times[0].enabled;
        sum.running += s->tasks[t].counts.times[0].running;
    }
    assert_int_equal(sum.enabled, TASKS * 33);
    assert_int_equal(sum.running, TASKS * 33 - 1);
    snapshot_free(s);
    end(&both);
}

static int64_t ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *query;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &query, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(query), SQLITE_ROW);
    bool known = sqlite3_column_type(query, 0) != SQLITE_NULL;
    int64_t number = known ? sqlite3_column_int64(query, 0) : -1;
    sqlite3_finalize(query);
    return number;
}

/* Those that live for a few intervals have no row in `tasks`, and are listed in all of them. */
static void test_who_lives_for_a_while(void **state)
{
    enum { BRIEF = 5, LONG = 6, SLEEPER = 7, INTERVALS = BRIEF_INTERVALS + 3 };
    struct both both;
    begin(&both, 1);
    sqlite3 *db = writer_db(both.writer)->handle;
    for (int i = 1; i <= INTERVALS; i++) {
        struct snapshot *s = recorded_interval(both.set, i);
        recorded_add(s, LONG, i == 1 || i == INTERVALS ? 9 : 0);
        recorded_add(s, SLEEPER, 0);
        if (i < BRIEF_INTERVALS) {
            struct task_sample *task = recorded_add(s, BRIEF, i % 2);
            task->exited = s->processes[2].exited = i == BRIEF_INTERVALS - 1;
        }
        recorded_write(both.writer, &both.session, s);
    }
    assert_int_equal(ask(db, "SELECT count(*) FROM tasks WHERE tid = 5"), 0);
    assert_int_equal(ask(db, "SELECT first FROM tasks WHERE tid = 6"), BRIEF_INTERVALS + 1);
    assert_int_equal(ask(db, "SELECT first FROM tasks WHERE tid = 7"), 1);
    for (int i = 1; i <= INTERVALS; i++) {
        struct snapshot *s = read_one(&both, i, true);
        size_t seen[SLEEPER + 1] = {0};
        for (size_t t = 0; t < s->task_count; t++) {
            const struct task_sample *task = &s->tasks[t];
            seen[task->tid]++;
            assert_int_equal(task->id, task->tid);
            assert_string_equal(task->comm, "task");
            bool slept = task->tid == BRIEF ? i % 2 == 0 && !task->exited : task->oncpu == 0;
            assert_int_equal(task->cpu, slept ? -1 : task->tid % 3);
        }
        assert_int_equal(seen[BRIEF], i < BRIEF_INTERVALS);
        assert_int_equal(seen[LONG], 1);
        assert_int_equal(seen[SLEEPER], 1);
        snapshot_free(s);
        s = read_one(&both, i, false);
        assert_int_equal(s->task_count, i == 1 ? 2 : i == 2 ? 0 : i == 3 || i == INTERVALS);
        snapshot_free(s);
    }
    end(&both);
}

/* Where a file system knows no WAL, a commit waits for readers. */
static void test_a_lock_leaves_all_as_it_was(void **state)
{
    char path[] = "/tmp/record_test.XXXXXX";
    struct err err;
    struct event_set *set = recorded_set(2);
    struct session session = recorded_session("note");
    close(mkstemp(path));
    struct writer *writer = recorded_writer(path);
    db_number(writer_db(writer), "PRAGMA journal_mode = DELETE", 0);
    struct db *other = db_open(path, true, &err);
    static const char *const locks[] = {"BEGIN EXCLUSIVE", "BEGIN; SELECT count(*) FROM intervals"};
    for (uint64_t i = 0; i < 2; i++) {
        assert_int_equal(db_exec(other, &err, "%s", locks[i]), 0);
        struct snapshot *s = recorded_interval(set, 1.7e9 + (double)i);
        recorded_add(s, 70, 1000);
        int taken = writer_take(writer, &session, s, &err);
        /* A commit that waits has taken the interval: the next one finds the lock. */
        assert_int_equal(taken, i == 0 ? 1 : 0);
        if (i == 1)
            assert_int_equal(writer_take(writer, &session, s, &err), 1);
        assert_non_null(strstr(err.text, "database is locked"));
        assert_int_equal(db_exec(other, &err, "ROLLBACK"), 0);
        assert_int_equal(writer_take(writer, &session, s, &err), 0);
        snapshot_free(s);
    }
    assert_int_equal(writer_intervals(writer), 3);
    writer_close(writer);
    assert_int_equal(db_number(other, "SELECT count(*) FROM intervals", 0), 3);
    db_close(other);
    unlink(path);
    event_set_drop(set);
    session_release(&session);
}

static void test_memory_has_a_bound(void **state)
{
    enum { BOUND = 150000, TASKS = 20 };
    struct both both;
    int64_t first, last;
    double wall;
    begin(&both, 3);
    for (uint64_t i = 1; i <= 1000; i++) {
        struct snapshot *s = recorded_interval(both.set, (double)i);
        /* Some that stay, one that ends, and one that did something once. */
        for (pid_t pid = 1; pid <= TASKS; pid++)
            recorded_add(s, pid, i);
        recorded_add(s, (pid_t)(1000 + i), i)->exited = true;
        s->processes[TASKS].exited = true;
        if (i == 1)
            recorded_add(s, 900, i);
        recorded_write(both.writer, &both.session, s);
        assert_int_equal(writer_trim(both.writer, BOUND, NULL), 0);
        assert_true(writer_bytes(both.writer) <= BOUND);
        reader_span(both.reader, &first, &last, NULL);
        assert_int_equal(last, i);
        if (i % 50 == 0)
            snapshot_free(read_one(&both, first, true));
    }
    assert_true(first > 500 && first < 990);
    for (int64_t i = first; i <= last; i++) {
        struct snapshot *s = read_one(&both, i, false);
        assert_int_equal(s->task_count, TASKS + 1);
        assert_int_equal(s->tasks[TASKS - 1].counts.value[2], i + 2);
        assert_int_equal(s->tasks[TASKS].tid, 1000 + i);
        assert_true(reader_time(both.reader, i, &wall) && wall == (double)i);
        snapshot_free(s);
    }
    assert_null(reader_read(both.reader, first - 1, READ_ACTIVE, NULL));
    assert_false(reader_time(both.reader, first - 1, &wall));
    end(&both);
}

static void test_too_many_tasks_for_a_reader(void **state)
{
    struct both both;
    struct err err;
    begin(&both, 2);
    struct snapshot *s = rich(both.set, 1);
    size_t count = s->task_count;
    s->task_count = (size_t)1 << 22; /* refused before they are looked at */
    assert_int_equal(writer_take(both.writer, &both.session, s, &err), -1);
    assert_non_null(
        strstr(err.text, "an interval of 4194304 tasks takes too much memory to be read"));
    s->task_count = count;
    assert_int_equal(writer_take(both.writer, &both.session, s, &err), 0);
    snapshot_free(s);
    end(&both);
}

/* 75 MB are to be enough for an hour of 500 active threads with 8 events, on 16 CPUs. */
static void test_the_size_of_an_hour(void **state)
{
    enum { THREADS = 500, EVENTS = 8, CPUS = 16, INTERVALS = 60, AN_HOUR = 3600 };
    struct both both;
    begin(&both, EVENTS);
    both.set->groups = 1;
    for (size_t e = 0; e < EVENTS; e++)
        both.set->events[e].group = 0;
    srand48(1);
    for (int i = 0; i < INTERVALS; i++) {
        struct snapshot *s = recorded_interval(both.set, i);
        for (pid_t pid = 1; pid <= THREADS; pid++) {
            struct task_sample *task = recorded_add(s, pid, 1);
            task->oncpu = (uint64_t)(lrand48() % 20000000); /* 16 CPUs are half busy */
            for (size_t e = 0; e < EVENTS; e++)             /* from cycles down to faults */
                task->counts.value[e] = task->oncpu * 3 >> (2 * e);
            task->counts.times[0].enabled = task->counts.times[0].running = task->oncpu - 50;
        }
        for (int c = 0; c < CPUS; c++)
            recorded_add_cpu(s, c, (uint64_t)lrand48());
        recorded_write(both.writer, &both.session, s);
    }
    double hour = (double)writer_bytes(both.writer) / INTERVALS * AN_HOUR;
    assert_true(hour < 72e6);
    end(&both);
}
