/* A ledger, the records it is fed with and the snapshots it gives, for tests.
 *
 * Threads: the process of tid 12 is 10, that of 10 is 10 and so on; tid 0 is idle. Groups: position
 * 0 counts context-switches, the group's events follow in order, and the last position, the
 * ticker's, is counted for nobody. Records are given by what they add to the one before. */
#pragma once

#include "engine/ledger.h"
#include "unit/handmade.h"

enum { BOOKS_EVENTS = 6, BOOKS_GROUPS = 3, BOOKS_CPUS = 8 };

/* What the lookup knows of one task. */
struct person {
    pid_t tid;
    const char *comm;
    pid_t ppid;
    uid_t uid;
};

/* What one group has counted on one CPU. */
struct books_read {
    uint64_t count, enabled, running, value[BOOKS_EVENTS + 2], time;
};

struct books {
    struct event_set *set;
    enum idle_share idle[BOOKS_EVENTS];
    int event_of[BOOKS_GROUPS][BOOKS_EVENTS + 2];
    struct group_shape groups[BOOKS_GROUPS];
    struct ledger_layout layouts[2]; /* the one in use and the one before */
    struct task_table_lookup lookup;
    struct ledger *ledger;
    struct snapshot *snapshot; /* the last one */
    size_t cpus;
    struct books_read reads[BOOKS_CPUS][BOOKS_GROUPS];
    struct person people[32]; /* ends with tid 0 */
    size_t asked;             /* times the lookup was asked for a name */
    uint64_t cgroup;          /* that the next samples name */
};

/* Those of the case that runs. */
static struct books *b;

static inline pid_t books_pid(pid_t tid)
{
    return tid > 0 ? tid - tid % 10 : tid;
}

static inline struct person *books_person(pid_t tid)
{
    for (struct person *p = b->people; p->tid; p++)
        if (p->tid == tid)
            return p;
    return NULL;
}

static inline bool books_comm(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE])
{
    const struct person *p = books_person(tid);
    b->asked++;
    assert_int_equal(pid, books_pid(tid));
    if (p)
        strncpy(comm, p->comm, TASK_COMM_SIZE - 1);
    return p;
}

static inline bool books_process(void *ctx, pid_t pid, struct process_info *process)
{
    const struct person *p = books_person(pid);
    if (!p)
        return false;
    process->ppid = p->ppid;
    process->uid = p->uid;
    strncpy(process->comm, p->comm, TASK_COMM_SIZE - 1);
    return true;
}

static inline bool books_alive(void *ctx, pid_t pid, pid_t tid)
{
    (void)pid;
    return books_person(tid);
}

/* All events begin at 0 again, and there are no CPUs. group_of and idle: for each event. */
static inline void books_begin(size_t events, const int *group_of, const enum idle_share *idle)
{
    static const char *const names[BOOKS_EVENTS] = {"a", "b", "c", "d", "e", "f"};
    struct event_set *old = b->set;
    b->set = handmade_set(events, names);
    memset(b->groups, 0, sizeof(b->groups));
    memset(b->reads, 0, sizeof(b->reads));
    b->cpus = 0;
    for (size_t g = 0; g < BOOKS_GROUPS; g++) {
        b->groups[g] = (struct group_shape){.values = 1, .event_of = b->event_of[g]};
        b->event_of[g][0] = -1;
    }
    for (size_t e = 0; e < events; e++) {
        int g = group_of ? group_of[e] : 0;
        b->idle[e] = idle ? idle[e] : IDLE_UNKNOWN;
        b->set->events[e].group = g;
        b->set->groups = b->set->groups > (size_t)g + 1 ? b->set->groups : (size_t)g + 1;
        b->event_of[g][b->groups[g].values++] = (int)e;
    }
    for (size_t g = 0; g < BOOKS_GROUPS; g++)
        b->event_of[g][b->groups[g].values++] = -1;
    struct ledger_layout *layout = &b->layouts[b->layouts[0].events == old];
    *layout = (struct ledger_layout){.events = b->set, .idle = b->idle, .groups = b->groups};
    ledger_begin(b->ledger, layout);
    event_set_drop(old);
}

static inline void books_close(void)
{
    if (!b)
        return;
    snapshot_free(b->snapshot);
    ledger_free(b->ledger);
    event_set_drop(b->set);
    free(b);
    b = NULL;
}

/* In place of those that are open. */
static inline void books_open(size_t events, const int *group_of, const enum idle_share *idle)
{
    books_close();
    b = mem_alloc(sizeof(*b));
    b->lookup = (struct task_table_lookup){
        .comm = books_comm, .process = books_process, .alive = books_alive};
    b->ledger = ledger_new(&b->lookup);
    books_begin(events, group_of, idle);
}

static inline void books_cpu(int number, uint64_t time)
{
    assert_int_equal(ledger_add_cpu(b->ledger, number, time), b->cpus);
    for (size_t g = 0; g < BOOKS_GROUPS; g++)
        b->reads[b->cpus][g].time = time;
    b->cpus++;
}

static inline void books_take(size_t cpu, const struct record *record)
{
    ledger_take(b->ledger, cpu, 0, record);
}

/* A sample of a group that was on its counters for `running` of the time since its last one.
 * counts: for each event of the group. */
static inline void books_part(size_t cpu, size_t group, bool tick, pid_t tid, uint64_t time,
                              uint64_t running, uint64_t switches, const uint64_t *counts)
{
    struct books_read *read = &b->reads[cpu][group];
    read->count = b->groups[group].values;
    read->enabled += time - read->time;
    read->running += running;
    read->time = time;
    read->value[0] += switches;
    for (size_t v = 1; v + 1 < read->count; v++)
        read->value[v] += counts[v - 1];
    read->value[read->count - 1] += running; /* the ticker's own: nobody's */
    struct record record = {
        .kind = RECORD_SAMPLE,
        .time = time,
        .tick = tick,
        .pid = books_pid(tid),
        .tid = tid,
        .cgroup = b->cgroup,
        .read = (const struct group_read *)read,
    };
    ledger_take(b->ledger, cpu, group, &record);
}

/* Group 0, never off its counters, at the end of a slice. */
static inline void books_slice(size_t cpu, pid_t tid, uint64_t time, uint64_t switches,
                               const uint64_t *counts)
{
    books_part(cpu, 0, false, tid, time, time - b->reads[cpu][0].time, switches, counts);
}

static inline void books_tick(size_t cpu, pid_t tid, uint64_t time, uint64_t switches,
                              const uint64_t *counts)
{
    books_part(cpu, 0, true, tid, time, time - b->reads[cpu][0].time, switches, counts);
}

static inline struct record books_record(enum record_kind kind, pid_t tid, uint64_t time)
{
    return (struct record){.kind = kind, .time = time, .pid = books_pid(tid), .tid = tid};
}

static inline void books_switch(enum record_kind kind, size_t cpu, pid_t tid, pid_t other,
                                uint64_t time)
{
    struct record r = books_record(kind, tid, time);
    r.other.pid = books_pid(other);
    r.other.tid = other;
    books_take(cpu, &r);
}

static inline void books_in(size_t cpu, pid_t tid, pid_t before, uint64_t time)
{
    books_switch(RECORD_SWITCH_IN, cpu, tid, before, time);
}

static inline void books_out(size_t cpu, pid_t tid, pid_t next, uint64_t time)
{
    books_switch(RECORD_SWITCH_OUT, cpu, tid, next, time);
}

static inline void books_fork(size_t cpu, pid_t tid, pid_t parent, uint64_t time)
{
    struct record r = books_record(RECORD_FORK, tid, time);
    r.parent.ppid = books_pid(parent);
    r.parent.ptid = parent;
    books_take(cpu, &r);
}

static inline void books_exit(size_t cpu, pid_t tid, uint64_t time)
{
    struct record r = books_record(RECORD_EXIT, tid, time);
    books_take(cpu, &r);
}

static inline void books_name(size_t cpu, pid_t tid, const char *comm, bool exec, uint64_t time)
{
    struct record r = books_record(RECORD_COMM, tid, time);
    strncpy(r.comm.text, comm, sizeof(r.comm.text) - 1);
    r.comm.exec = exec;
    books_take(cpu, &r);
}

static inline void books_lost(size_t cpu, uint64_t lost, uint64_t time)
{
    books_take(cpu, &(struct record){.kind = RECORD_LOST, .time = time, .lost = lost});
}

static inline void books_snapshot(bool all)
{
    snapshot_free(b->snapshot);
    b->snapshot = snapshot_new(b->set);
    ledger_snapshot(b->ledger, b->snapshot, all);
    assert_true(b->snapshot->has_cpus);
    assert_int_equal(b->snapshot->cpu_count, b->cpus);
}

/* Takes a snapshot that lists every task that ever counted (the first one, or one of all where none
 * was forgotten), and checks the promise: each event was counted once by a CPU, and once by a task,
 * by idle or by unattributed. */
static inline void books_balance(bool all)
{
    books_snapshot(all);
    assert_true(ledger_balanced(b->ledger));
    const struct snapshot *s = b->snapshot;
    for (size_t e = 0; e < b->set->count; e++) {
        uint64_t cpus = 0, others = s->idle.value[e] + s->unattributed.value[e];
        for (size_t c = 0; c < s->cpu_count; c++)
            cpus += s->cpus[c].counts.value[e];
        for (size_t t = 0; t < s->task_count; t++)
            others += s->tasks[t].counts.value[e];
        assert_int_equal(others, cpus);
    }
}

/* The one task with that tid in the last snapshot. */
static inline const struct task_sample *books_task(pid_t tid)
{
    const struct task_sample *found = NULL;
    for (size_t t = 0; t < b->snapshot->task_count; t++)
        if (b->snapshot->tasks[t].tid == tid) {
            assert_null(found);
            found = &b->snapshot->tasks[t];
        }
    return found;
}

/* The next snapshot lists a task that has ended for the last time. */
static inline void books_final(pid_t tid)
{
    books_snapshot(false);
    assert_true(books_task(tid)->final);
}

static inline const struct process_info *books_process_of(pid_t tid)
{
    const struct task_sample *task = books_task(tid);
    assert_non_null(task);
    assert_in_range(task->process, 0, b->snapshot->process_count - 1);
    return &b->snapshot->processes[task->process];
}

static inline void books_expect_counts(const struct counts *counts, const uint64_t *values)
{
    for (size_t e = 0; e < b->set->count; e++)
        assert_int_equal(counts->value[e], values[e]);
}

/* What idle had, and what is nobody's. */
static inline void books_expect_rest(const uint64_t *idle, const uint64_t *unattributed)
{
    books_expect_counts(&b->snapshot->idle, idle);
    books_expect_counts(&b->snapshot->unattributed, unattributed);
}

static inline void books_expect_task(pid_t tid, uint64_t oncpu, const uint64_t *values)
{
    const struct task_sample *task = books_task(tid);
    assert_non_null(task);
    assert_int_equal(task->oncpu, oncpu);
    books_expect_counts(&task->counts, values);
}

static inline void books_expect_times(const struct counts *counts, size_t group, uint64_t enabled,
                                      uint64_t running)
{
    assert_int_equal(counts->times[group].enabled, enabled);
    assert_int_equal(counts->times[group].running, running);
}

/* A case begins with one event, and with CPU 0 from time 0 on. */
static inline int setup(void **state)
{
    books_open(1, NULL, NULL);
    books_cpu(0, 0);
    return 0;
}

static inline int teardown(void **state)
{
    books_close();
    return 0;
}
