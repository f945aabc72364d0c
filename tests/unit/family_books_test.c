#include "engine/family_books.h"
#include "unit/handmade.h"
#include "unit/test.h"

/* Two CPUs, each with a clock and a group of two events. */
enum { CPUS = 2, EVENTS = 2, PER_CPU = 1 + EVENTS, SLOTS = CPUS * PER_CPU };

struct family {
    struct event_set *set;
    struct task_table_lookup lookup;
    struct task_table table;
    struct family_books books;
    struct book_root roots[2];
};

/* What a task has really counted: by slot. */
struct truth {
    struct book_root *root;
    struct task *task;
    struct book_amount slot[SLOTS];
    uint64_t oncpu;
    bool ended;
};

static bool no_comm(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE])
{
    (void)ctx, (void)pid, (void)tid, (void)comm;
    return false;
}

static bool no_process(void *ctx, pid_t pid, struct process_info *process)
{
    (void)ctx, (void)pid, (void)process;
    return false;
}

static void setup(struct family *f)
{
    *f = (struct family){.set = handmade_set(EVENTS, (const char *const[]){"a", "b"}),
                         .lookup = {.comm = no_comm, .process = no_process}};
    task_table_init(&f->table, &f->lookup);
    task_table_count(&f->table, f->set);
    books_init(&f->books, f->set, SLOTS);
    for (size_t s = 0; s < SLOTS; s++)
        f->books.slots[s] = (struct book_slot){
            .event = (int)(s % PER_CPU) - 1, .clock = s % PER_CPU == 0, .leads = s % PER_CPU == 1};
    for (size_t r = 0; r < 2; r++)
        book_root_init(&f->roots[r], &f->books);
}

static void teardown(struct family *f)
{
    for (size_t r = 0; r < 2; r++)
        book_root_release(&f->roots[r]);
    books_release(&f->books);
    task_table_release(&f->table);
    event_set_drop(f->set);
}

static struct truth born(struct family *f, struct book_root *root, pid_t pid, pid_t tid)
{
    struct truth truth = {.root = root, .task = task_table_begin(&f->table, pid, tid, 1)};
    books_member(&f->books, root, truth.task);
    return truth;
}

/* It runs on a CPU, where both events count as many. */
static void run(struct truth *t, size_t cpu, uint64_t time, uint64_t count)
{
    for (size_t s = cpu * PER_CPU; s < (cpu + 1) * PER_CPU; s++) {
        t->slot[s].running += time;
        t->root->whole[s].running += time;
        t->slot[s].value += s % PER_CPU ? count * (s % PER_CPU) : 0;
        t->root->whole[s].value += s % PER_CPU ? count * (s % PER_CPU) : 0;
    }
    t->oncpu += time;
}

static struct book_member *member_of(struct family *f, const struct truth *t)
{
    return books_member(&f->books, t->root, t->task);
}

static void sample(struct family *f, struct truth *t, size_t cpu)
{
    for (size_t s = cpu * PER_CPU + 1; s < (cpu + 1) * PER_CPU; s++)
        books_sample(&f->books, member_of(f, t), s, t->slot[s]);
    books_sample_time(&f->books, member_of(f, t), t->oncpu);
}

static void end(struct family *f, struct truth *t)
{
    books_end(member_of(f, t));
    t->ended = true;
}

static void tell(struct family *f, struct truth *t)
{
    end(f, t);
    for (size_t s = 0; s < SLOTS; s++)
        books_report(&f->books, member_of(f, t), s, t->slot[s]);
}

static void expect_row(const struct truth *t, uint64_t count, uint64_t oncpu)
{
    const struct counts *counts = &t->task->counts;
    assert_int_equal(counts->value[0], count);
    assert_int_equal(counts->value[1], 2 * count);
    assert_int_equal(counts->times[0].running, oncpu);
    assert_int_equal(counts->times[0].enabled, oncpu);
    assert_int_equal(t->task->oncpu, oncpu);
}

/* Thread 11 executes a program: it is thread 10 from then on. */
static void a_thread_that_takes_over(void **state)
{
    struct family f;
    setup(&f);
    struct truth leader = born(&f, f.roots, 10, 10), thread = born(&f, f.roots, 10, 11);
    run(&thread, 0, 30, 7);
    sample(&f, &thread, 0);
    tell(&f, &leader);
    task_table_end(&f.table, leader.task);
    const struct record comm = {
        .kind = RECORD_COMM, .pid = 10, .tid = 10, .time = 5, .comm = {"new", true}};
    task_table_comm(&f.table, &comm);
    struct truth now = thread;
    now.task = map_get(&f.table.tasks, 10);
    assert_ptr_not_equal(now.task, leader.task);
    books_take_over(&f.books, now.task);
    assert_true(thread.task->ended);
    run(&now, 0, 5, 1);
    sample(&f, &now, 0);
    expect_row(&thread, 7, 30);
    expect_row(&now, 1, 5);
    run(&now, 1, 3, 2);
    assert_ptr_equal(books_sole(&f.books, f.roots), member_of(&f, &now));
    tell(&f, &now);
    assert_int_equal(now.task->counts.value[0], 3);
    assert_int_equal(f.roots[0].open, 0);
    assert_int_equal(f.roots[0].living, 0);
    teardown(&f);
}

/* A group that had no counter for a while. */
static void times_of_a_multiplexed_group(void **state)
{
    struct family f;
    setup(&f);
    struct truth first = born(&f, f.roots, 10, 10);
    born(&f, f.roots, 20, 20);
    run(&first, 0, 60, 7);
    first.oncpu += 40;
    first.slot[0].running += 40;
    sample(&f, &first, 0);
    books_cover(member_of(&f, &first), 0);
    assert_int_equal(first.task->counts.times[0].running, 60);
    assert_int_equal(first.task->counts.times[0].enabled, 100);
    tell(&f, &first);
    assert_int_equal(first.task->counts.times[0].running, 60);
    assert_int_equal(first.task->counts.times[0].enabled, 100);
    teardown(&f);
}

/* Any order of births, work, samples, ends and settlements: no row ever has more than its task has
 * counted, or less than before, and at the end each has all of it. */
static void rows_never_exceed_what_was_counted(void **state)
{
    enum { TASKS = 40, STEPS = 4000, ROUNDS = 25 };
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct family f;
        struct truth tasks[TASKS];
        uint64_t before[TASKS] = {0};
        size_t count = 0;
        setup(&f);
        for (size_t r = 0; r < 2; r++, count++)
            tasks[count] = born(&f, f.roots + r, (pid_t)(10 + count), (pid_t)(10 + count));
        for (int step = 0; step < STEPS; step++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            uint64_t dice = seed >> 33;
            struct truth *t = &tasks[dice % count];
            size_t cpu = dice >> 8 & 1;
            switch (dice >> 12 & 15) {
            case 0:
                if (count < TASKS && !t->ended) {
                    pid_t pid = (pid_t)(10 + count);
                    tasks[count++] = born(&f, t->root, pid, pid);
                }
                break;
            case 1:
                if (!t->ended && t - tasks >= 2)
                    tell(&f, t);
                break;
            case 2:
            case 3: {
                struct book_member *sole = books_sole(&f.books, f.roots + cpu);
                if (sole)
                    books_settle(&f.books, sole);
                break;
            }
            case 4:
            case 5:
            case 6:
                if (!t->ended)
                    sample(&f, t, cpu);
                break;
            default:
                if (!t->ended)
                    run(t, cpu, dice >> 16 & 255, dice >> 20 & 15);
            }
            for (size_t i = 0; i < count; i++) {
                const struct truth *each = &tasks[i];
                uint64_t row = each->task->counts.value[0];
                assert_true(row >= before[i]);
                assert_true(row <= each->slot[1].value + each->slot[1 + PER_CPU].value);
                assert_true(each->task->oncpu <= each->oncpu);
                before[i] = row;
            }
        }
        for (size_t i = 2; i < count; i++)
            if (!tasks[i].ended)
                tell(&f, &tasks[i]);
        for (size_t r = 0; r < 2; r++) {
            end(&f, &tasks[r]); /* these never tell */
            books_settle(&f.books, books_sole(&f.books, f.roots + r));
        }
        for (size_t i = 0; i < count; i++)
            expect_row(&tasks[i], tasks[i].slot[1].value + tasks[i].slot[1 + PER_CPU].value,
                       tasks[i].oncpu);
        teardown(&f);
    }
}
