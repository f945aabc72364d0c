#include "engine/ring.h"
#include "unit/books.h"
#include "unit/rawrecord.h"
#include "unit/test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ledger_take_plain() is a short cut: two ledgers get the same records, one of them without it,
 * and have to be the same afterwards. */
enum { RING = 4096, ROUNDS = 2000, TIDS = 6 };

struct twins {
    struct books *plain, *each;
    char *data;
    struct ring ring;
    struct books_read read;
    uint64_t time, random, records, taken;
    bool cgroups; /* samples name them */
    bool pauses;  /* the group does not count all of the time */
};

static uint64_t any(struct twins *twins, uint64_t count)
{
    twins->random ^= twins->random << 13;
    twins->random ^= twins->random >> 7;
    twins->random ^= twins->random << 17;
    return twins->random % count;
}

static void write_record(struct twins *twins, const struct raw *raw)
{
    const char *bytes = (const void *)raw;
    for (size_t i = 0; i < raw->header.size; i++)
        twins->data[(twins->ring.head + i) % RING] = bytes[i];
    twins->ring.head += raw->header.size;
    twins->records++;
}

/* Nearly all are samples of a switch as on a machine where nothing unusual happens. */
static void write_any(struct twins *twins)
{
    struct books_read *read = &twins->read;
    const struct group_shape *group = &twins->plain->groups[0];
    uint64_t odd = any(twins, 400), span = 1 + any(twins, 1000);
    pid_t tid = any(twins, 2) ? (pid_t)(10 + any(twins, TIDS)) : 0;
    struct raw raw;
    twins->time += span;
    read->enabled += span;
    read->running += odd == 1 && twins->pauses ? span / 2 : span;
    for (size_t v = 0; v < group->values; v++)
        read->value[v] += v == group->switches ? 1 : any(twins, 100);
    bool tick = odd == 2;
    if (odd == 3 || tick)
        read->value[group->switches] += tick ? UINT64_MAX : 1;
    if (odd == 4)
        tid = -1;
    if (odd == 5 || odd == 6)
        raw_task(&raw, odd == 5 ? PERF_RECORD_FORK : PERF_RECORD_EXIT,
                 books_pid(10 + (pid_t)span % TIDS), 10 + (pid_t)span % TIDS, 10, 10, twins->time);
    else if (odd == 7)
        raw_lost(&raw, 1, twins->time);
    else
        raw_sample(&raw, books_pid(tid), tid, tick ? twins->time : 0, tick ? 1000000 : 0,
                   read->enabled, read->running, group->values + (odd == 8 && !twins->cgroups),
                   read->value);
    if (twins->cgroups && raw.header.type == PERF_RECORD_SAMPLE)
        raw_add(&raw, any(twins, 100) ? (uint64_t)(1 + tid % 3) : 4);
    write_record(twins, &raw);
}

static void take_one(struct books *books, struct ring *ring)
{
    const struct perf_event_header *header = ring_peek(ring);
    struct record record;
    assert_true(decode_record(header, books->groups[0].values, &record));
    if (record.kind == RECORD_SAMPLE && books->ledger->layout->cgroups)
        decode_cgroup(header, &record);
    if (record.kind == RECORD_SAMPLE && record.time == 0)
        record.time = ledger_time(books->ledger, 0, 0, &record);
    ledger_take(books->ledger, 0, 0, &record);
    ring_pop(ring, header);
}

static void take_all(struct twins *twins)
{
    struct ring ring = twins->ring, other = twins->ring;
    while (other.tail < other.head)
        take_one(twins->each, &other);
    while (ring.tail < ring.head) {
        take_one(twins->plain, &ring);
        uint64_t limit = any(twins, 4) ? UINT64_MAX : twins->time - any(twins, 2000);
        twins->taken += ledger_take_plain(twins->plain->ledger, 0, 0, &ring, limit);
    }
    free(ring.straight);
    free(other.straight);
    twins->ring.tail = twins->ring.head;
}

static void expect_same_cpu(const struct books *one, const struct books *other)
{
    struct cpu x = one->ledger->cpus[0], y = other->ledger->cpus[0];
    struct group_state g = x.groups[0], h = y.groups[0];
    assert_memory_equal(g.value, h.value, one->groups[0].values * sizeof(*g.value));
    g.value = h.value = NULL;
    assert_memory_equal(&g, &h, sizeof(g));
    assert_int_equal(x.exiting.count, y.exiting.count);
    assert_int_equal(x.exiting.done, y.exiting.done);
    assert_int_equal(x.busy, y.busy);
    assert_int_equal(x.ahead, y.ahead);
    assert_int_equal(x.boundary, y.boundary);
    assert_int_equal(x.time_gap, y.time_gap);
    assert_int_equal(x.slice, y.slice);
    assert_int_equal(x.slice_known, y.slice_known);
    assert_int_equal(x.switch_budget, y.switch_budget);
    assert_int_equal(x.records_off, y.records_off);
    assert_int_equal(x.running_known, y.running_known);
    assert_int_equal(x.running, y.running);
    assert_int_equal(x.process, y.process);
    assert_int_equal(x.mute, y.mute);
}

static void expect_same_tasks(const struct books *one, const struct books *other)
{
    const struct snapshot *x = one->snapshot, *y = other->snapshot;
    assert_int_equal(x->task_count, y->task_count);
    for (size_t t = 0; t < x->task_count; t++) {
        assert_int_equal(x->tasks[t].tid, y->tasks[t].tid);
        assert_int_equal(x->tasks[t].oncpu, y->tasks[t].oncpu);
        assert_int_equal(x->tasks[t].cpu, y->tasks[t].cpu);
        assert_int_equal(x->tasks[t].cgroup, y->tasks[t].cgroup);
        assert_int_equal(x->tasks[t].move_count, y->tasks[t].move_count);
        assert_memory_equal(x->tasks[t].counts.value, y->tasks[t].counts.value,
                            counts_size(one->set));
    }
    assert_memory_equal(x->idle.value, y->idle.value, counts_size(one->set));
    assert_memory_equal(x->unattributed.value, y->unattributed.value, counts_size(one->set));
}

/* first: the group's events come before its context-switches. */
static struct books *open_books(size_t events, bool first, bool cgroups)
{
    b = NULL;
    books_open(events, NULL, NULL);
    for (size_t i = 0; i < 2; i++)
        b->layouts[i].cgroups = cgroups;
    for (size_t v = 0; first && v <= events; v++)
        b->event_of[0][v] = v < events ? (int)v : -1;
    b->groups[0].switches = first ? events : 0;
    books_cpu(1, 0);
    return b;
}

static void a_short_cut_changes_nothing(size_t events, bool first, bool cgroups)
{
    struct twins twins = {.random = 88172645463325252u + events, .cgroups = cgroups};
    size_t page = (size_t)sysconf(_SC_PAGESIZE); /* nothing can be read behind the ring */
    char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(map, MAP_FAILED);
    assert_int_equal(mprotect(map + page, page, PROT_NONE), 0);
    twins.data = map + page - RING;
    twins.ring = (struct ring){.data = twins.data, .size = RING};
    books_close();
    twins.plain = open_books(events, first, cgroups);
    twins.each = open_books(events, first, cgroups);
    for (int round = 0; round < ROUNDS; round++) {
        twins.pauses = round > ROUNDS / 10 * 9; /* from then on no sample is plain */
        for (uint64_t count = any(&twins, 30); count > 0; count--)
            write_any(&twins);
        take_all(&twins);
        expect_same_cpu(twins.plain, twins.each);
        if (any(&twins, 20))
            continue;
        uint64_t time = twins.time - any(&twins, 100);
        ledger_cut(twins.plain->ledger, time);
        ledger_cut(twins.each->ledger, time);
        for (int i = 0; i < 2; i++) {
            b = i ? twins.plain : twins.each;
            books_snapshot(false);
        }
        assert_true(ledger_balanced(twins.plain->ledger));
        expect_same_tasks(twins.plain, twins.each);
    }
    assert_in_range(twins.taken, twins.records / 8, twins.records);
    books_close();
    b = twins.each;
    books_close();
    munmap(map, 2 * page);
}

static void with_any_number_of_events(void **state)
{
    for (size_t events = 1; events <= BOOKS_EVENTS; events++)
        for (int first = 0; first < 2; first++)
            for (int cgroups = 0; cgroups < 2; cgroups++)
                a_short_cut_changes_nothing(events, first, cgroups);
}
