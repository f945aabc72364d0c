#include "base/clock.h"
#include "base/mem.h"
#include "demo/worker.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* What is said of a moment between two notes is known to a part of the turns between them. */
enum { NOTES = 1 << 14, TURNS_FIRST = 1 << 16 };
static const uint64_t CHUNK_MIN = 50000, CHUNK_MAX = 200000; /* ns between two notes */

/* What a thread has done until a time. */
struct turn_note {
    uint64_t time, turns;
};

/* Written by the process that works, but `wanted`. */
struct shared {
    _Atomic size_t wanted[LIVE_KNOBS];
    _Atomic size_t value;   /* that is at work */
    _Atomic uint64_t since; /* it is; UINT64_MAX: none yet */
    _Atomic bool begun;
    _Atomic size_t running; /* threads; those with higher numbers end */
    _Atomic pid_t tids[2];
    struct live_thread {
        struct turn_note notes[NOTES]; /* note n is at n % NOTES */
        _Atomic uint64_t count;        /* of the notes that were made */
    } threads[LIVE_THREADS_MAX];
};

struct live {
    const struct workload *workload;
    pid_t pid;
    struct shared *shared;
};

/* ---- in the process that works ---- */

struct live_task {
    struct work work, first; /* as it is, and as it is before it is prepared */
    struct shared *shared;
    size_t number; /* of the thread */
    pthread_t thread;
};

/* Returns how long the turns took, ns. It makes no system call: these are counted, too. */
static uint64_t make_note(struct live_task *task, uint64_t turns)
{
    struct live_thread *thread = &task->shared->threads[task->number];
    uint64_t count = atomic_load(&thread->count);
    struct turn_note last = count ? thread->notes[(count - 1) % NOTES] : (struct turn_note){0};
    struct turn_note note = {clock_monotonic(), last.turns + turns};
    thread->notes[count % NOTES] = note;
    atomic_store(&thread->count, count + 1);
    return note.time - last.time;
}

/* As it is told to be. */
static void live_adapt(struct live_task *task, size_t value)
{
    const struct workload *workload = task->work.workload;
    task->work.value = value;
    if (workload->prepare)
        workload->prepare(&task->work);
    if (task->number == 0) {
        atomic_store(&task->shared->tids[0], task->work.tids[0]);
        atomic_store(&task->shared->tids[1], task->work.tids[1]);
        atomic_store(&task->shared->since, clock_monotonic());
        atomic_store(&task->shared->value, value);
    }
}

/* Threads are started and ended by the first one alone. */
static void set_threads(struct live_task *tasks, size_t count, void *(*body)(void *task))
{
    struct shared *shared = tasks->shared;
    size_t running = atomic_load(&shared->running);
    atomic_store(&shared->running, count);
    for (; running < count; running++) {
        struct live_task *task = &tasks[running];
        task->work = tasks->first;
        if (pthread_create(&task->thread, NULL, body, task) != 0)
            _exit(EXIT_FAILURE);
    }
    for (; running > count; running--)
        pthread_join(tasks[running - 1].thread, NULL);
}

static void *live_work(void *argument)
{
    struct live_task *task = argument;
    struct shared *shared = task->shared;
    const struct workload *workload = task->work.workload;
    uint64_t turns = workload->turns ? workload->turns : TURNS_FIRST;
    uint64_t together = workload->together ? workload->together : 1;
    bool begun = false;
    if (task->number > 0) /* the first one stays where it is */
        sched_setaffinity(0, sizeof(task->work.usable), &task->work.usable);
    while (task->number < atomic_load(&shared->running)) {
        size_t value = atomic_load(&shared->wanted[LIVE_VALUE]);
        if (task->number == 0)
            set_threads(task, atomic_load(&shared->wanted[LIVE_THREADS]), live_work);
        if (!begun || value != task->work.value) {
            live_adapt(task, value);
            make_note(task, 0);
        }
        begun = true;
        workload->run(&task->work, turns);
        uint64_t took = make_note(task, turns);
        if (took < CHUNK_MIN)
            turns *= 2;
        else if (took > CHUNK_MAX && turns > together && turns / 2 % together == 0)
            turns /= 2;
    }
    make_note(task, 0);
    if (task->work.memory)
        munmap(task->work.memory, task->work.size);
    return NULL;
}

static void live_body(struct work *work, void *argument)
{
    struct live_task *tasks = mem_array(LIVE_THREADS_MAX, sizeof(*tasks));
    atomic_store(&((struct shared *)argument)->begun, true);
    for (size_t t = 0; t < LIVE_THREADS_MAX; t++)
        tasks[t] = (struct live_task){.first = *work, .shared = argument, .number = t};
    tasks->work = *work;
    live_work(tasks);
}

/* ---- in the parent ---- */

/* Until it has its name, which is read once. */
static void await_name(const struct shared *shared)
{
    enum { TRIES = 10000, PAUSE = 100000 }; /* ns: a second, beside others longer */
    for (int i = 0; i < TRIES && !atomic_load(&shared->begun); i++)
        nanosleep(&(struct timespec){0, PAUSE}, NULL);
}

struct live *live_start(const struct workload *workload, struct err *err)
{
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        err_set(err, "cannot start '%s': %s", workload->name, strerror(errno));
        return NULL;
    }
    atomic_store(&shared->wanted[LIVE_VALUE], workload_start(workload));
    atomic_store(&shared->wanted[LIVE_THREADS], 1);
    atomic_store(&shared->running, 1);
    atomic_store(&shared->since, UINT64_MAX);
    pid_t pid = worker_fork(workload, -1, live_body, shared, err);
    if (pid < 0) {
        munmap(shared, sizeof(*shared));
        return NULL;
    }
    await_name(shared);
    struct live *live = mem_alloc(sizeof(*live));
    *live = (struct live){.workload = workload, .pid = pid, .shared = shared};
    return live;
}

void live_end(struct live *live)
{
    if (!live)
        return;
    worker_kill(live->pid);
    munmap(live->shared, sizeof(*live->shared));
    free(live);
}

pid_t live_pid(const struct live *live)
{
    return live->pid;
}

pid_t live_tid(const struct live *live, int thread)
{
    return atomic_load(&live->shared->tids[thread - 1]);
}

bool live_has(const struct live *live, enum live_knob knob)
{
    return knob == LIVE_THREADS ? live->workload->threads : live->workload->knob.what != NULL;
}

size_t live_value(const struct live *live, enum live_knob knob)
{
    return atomic_load(&live->shared->wanted[knob]);
}

bool live_turn(struct live *live, enum live_knob knob, int step)
{
    static const struct workload_knob threads = {.least = 1, .most = LIVE_THREADS_MAX, .step = 1};
    const struct workload_knob *range = knob == LIVE_THREADS ? &threads : &live->workload->knob;
    size_t value = live_value(live, knob), next;
    if (!live_has(live, knob))
        return false;
    if (range->step)
        next = step > 0 ? value + range->step : value - range->step;
    else
        next = step > 0 ? value * 2 : value / 2;
    if (next > range->most || next < range->least) /* below 0, too */
        return false;
    atomic_store(&live->shared->wanted[knob], next);
    return true;
}

/* Adds what a thread has done. False: what it had done until then is forgotten. */
static bool thread_done(const struct live_thread *thread, uint64_t time, struct live_work *work)
{
    enum { SAFE = NOTES / 2 }; /* others may be overwritten while they are read */
    static const uint64_t SECOND = 1000000000;
    uint64_t count = atomic_load(&thread->count), first = count > SAFE ? count - SAFE : 0;
    struct turn_note after = {0};
    bool found = false;
    if (count - first > 1) { /* the turns that go on now are taken for such as the last ones */
        struct turn_note last = thread->notes[(count - 1) % NOTES];
        struct turn_note before = thread->notes[(count - 2) % NOTES];
        after = (struct turn_note){.time = 2 * last.time - before.time,
                                   .turns = 2 * last.turns - before.turns};
    }
    for (uint64_t n = count; n-- > first;) {
        struct turn_note note = thread->notes[n % NOTES];
        if (after.turns > note.turns && n + 1 < count)
            work->quickest = fmin(work->quickest, (double)(after.time - note.time) /
                                                      (double)(after.turns - note.turns));
        if (!found && note.time <= time) {
            double part = after.time > note.time
                              ? (double)(time - note.time) / (double)(after.time - note.time)
                              : 0;
            work->turns += (double)note.turns + fmin(part, 1) * (double)(after.turns - note.turns);
            found = true;
        }
        if (found && note.time + SECOND < time)
            break;
        after = note;
    }
    return found || first == 0;
}

bool live_done(const struct live *live, uint64_t time, struct live_work *work)
{
    bool known = true;
    bool adopted = atomic_load(&live->shared->value) == live_value(live, LIVE_VALUE);
    *work = (struct live_work){
        .quickest = NAN, .unchanged = adopted ? atomic_load(&live->shared->since) : UINT64_MAX};
    for (size_t t = 0; t < LIVE_THREADS_MAX; t++)
        known &= thread_done(&live->shared->threads[t], time, work);
    return known;
}
