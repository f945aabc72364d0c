#include "demo/worker.h"
#include "base/socket.h"
#include "system/procfs.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

struct worker {
    pid_t pid;
    int line; /* socket: orders and reports */
    struct work_report report;
};

struct work_order {
    uint64_t turns;
    unsigned repeats;
};

bool worker_move(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/* ---- in the child ---- */

static void make_report(const struct work *work, uint64_t least, struct work_report *report)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    *report = (struct work_report){
        .least = least,
        .cpu = clock_cpu(),
        .faults = (uint64_t)(usage.ru_minflt + usage.ru_majflt),
        .tids = {work->tids[0], work->tids[1]},
    };
    memcpy(report->parts, work->parts, sizeof(report->parts));
}

/* An order that does not arrive is the end of the parent. */
static void serve(struct work *work, void *argument)
{
    struct work_report report;
    struct work_order order;
    int line = *(int *)argument;
    bool ready = !work->workload->prepare;
    while (socket_receive(line, &order, sizeof(order))) {
        uint64_t least = UINT64_MAX;
        if (!ready)
            work->workload->prepare(work);
        ready = true;
        for (unsigned i = 0; i < order.repeats; i++) {
            uint64_t began = clock_monotonic();
            work->workload->run(work, order.turns);
            uint64_t took = clock_monotonic() - began;
            least = took < least ? took : least;
        }
        make_report(work, least, &report);
        if (!socket_send(line, &report, sizeof(report)))
            break;
    }
}

/* The last two CPUs of those that may be used: the first one serves most interrupts. */
static void choose_cpus(struct work *work)
{
    int *cpus = work->cpus;
    cpus[0] = cpus[1] = -1;
    if (sched_getaffinity(0, sizeof(work->usable), &work->usable) < 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &work->usable)) {
            cpus[1] = cpus[0];
            cpus[0] = cpu;
        }
}

_Noreturn static void become_worker(const struct workload *workload, pid_t parent, int line,
                                    void (*body)(struct work *work, void *argument), void *argument)
{
    struct work work = {.workload = workload,
                        .value = workload_start(workload),
                        .page = (size_t)sysconf(_SC_PAGESIZE)};
    sigset_t none;
    /* The user may trace it, without which /proc does not show what it has mapped: so it has no
     * counters, and no capabilities. */
    log_close();
    file_close_from(STDERR_FILENO + 1, &line, 1);
    privilege_drop();
    prctl(PR_SET_DUMPABLE, 1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, workload->name);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    choose_cpus(&work);
    if (work.cpus[0] >= 0)
        worker_move(work.cpus[0]);
    work.tids[0] = getpid();
    body(&work, argument);
    _exit(EXIT_SUCCESS);
}

/* ---- in the parent ---- */

int worker_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

/* Forks a process with the workload's name, on such a CPU, which calls `body` and then ends. It
 * keeps the standard descriptors and `line` (-1: none). Returns its pid, or -1 with a message. */
static pid_t worker_fork(const struct workload *workload, int line,
                         void (*body)(struct work *work, void *argument), void *argument,
                         struct err *err)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_worker(workload, parent, line, body, argument);
    return pid < 0 ? err_set(err, "cannot start '%s': %s", workload->name, err_reason(errno)) : pid;
}

static void worker_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

struct worker *worker_start(const struct workload *workload, struct err *err)
{
    int line[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0)
        return err_null(err, "cannot start '%s': %s", workload->name, err_reason(errno));
    pid_t pid = worker_fork(workload, line[1], serve, &line[1], err);
    close(line[1]);
    if (pid < 0) {
        close(line[0]);
        return NULL;
    }
    return mem_copy(&(struct worker){.pid = pid, .line = line[0]}, sizeof(struct worker));
}

void worker_end(struct worker *worker)
{
    if (!worker)
        return;
    worker_kill(worker->pid);
    close(worker->line);
    free(worker);
}

pid_t worker_pid(const struct worker *worker)
{
    return worker->pid;
}

/* Switches that others caused, of its threads, which sleep. */
static uint64_t count_involuntary(const struct worker *worker)
{
    uint64_t count = 0;
    for (size_t t = 0; t < 2; t++) {
        struct procfs_switches now;
        pid_t tid = worker->report.tids[t];
        if (tid && procfs_switches(worker->pid, tid, &now))
            count += now.forced;
    }
    return count;
}

/* Its threads still run on for a moment when the report is there. */
static void await_sleep(const struct worker *worker)
{
    enum { TRIES = 5000, PAUSE = 100000 }; /* ns: half a second, beside others longer */
    for (size_t t = 0, tries = 0; t < 2 && tries < TRIES; tries++) {
        struct procfs_task task;
        pid_t tid = worker->report.tids[t];
        if (!tid || procfs_task(worker->pid, tid, &task) < 0 || task.state == 'S')
            t++;
        else
            nanosleep(&(struct timespec){0, PAUSE}, NULL);
    }
}

int worker_do(struct worker *worker, uint64_t turns, unsigned repeats, struct work_report *report,
              struct err *err)
{
    struct work_order order = {turns, repeats};
    if (!socket_send(worker->line, &order, sizeof(order)) ||
        !socket_receive(worker->line, &worker->report, sizeof(worker->report)))
        return err_set(err, "the workload has ended");
    await_sleep(worker);
    worker->report.involuntary = count_involuntary(worker);
    *report = worker->report;
    return 0;
}

/* ---- workloads that run until they are ended ---- */

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

struct live *live_start(const struct workload *workload, struct err *err)
{
    enum { TRIES = 10000, PAUSE = 100000 }; /* ns: a second, beside others longer */
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return err_null(err, "cannot start '%s': %s", workload->name, err_reason(errno));
    atomic_store(&shared->wanted[LIVE_VALUE], workload_start(workload));
    atomic_store(&shared->wanted[LIVE_THREADS], 1);
    atomic_store(&shared->running, 1);
    atomic_store(&shared->since, UINT64_MAX);
    pid_t pid = worker_fork(workload, -1, live_body, shared, err);
    if (pid < 0) {
        munmap(shared, sizeof(*shared));
        return NULL;
    }
    /* Until it has its name, which is read once. */
    for (int i = 0; i < TRIES && !atomic_load(&shared->begun); i++)
        nanosleep(&(struct timespec){0, PAUSE}, NULL);
    return mem_copy(&(struct live){.workload = workload, .pid = pid, .shared = shared},
                    sizeof(struct live));
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
