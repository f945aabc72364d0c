#include "demo/worker.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/socket.h"
#include "system/privilege.h"
#include "system/procfs.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

pid_t worker_fork(const struct workload *workload, int line,
                  void (*body)(struct work *work, void *argument), void *argument, struct err *err)
{
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become_worker(workload, parent, line, body, argument);
    return pid < 0 ? err_set(err, "cannot start '%s': %s", workload->name, strerror(errno)) : pid;
}

void worker_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

struct worker *worker_start(const struct workload *workload, struct err *err)
{
    int line[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) < 0) {
        err_set(err, "cannot start '%s': %s", workload->name, strerror(errno));
        return NULL;
    }
    pid_t pid = worker_fork(workload, line[1], serve, &line[1], err);
    close(line[1]);
    if (pid < 0) {
        close(line[0]);
        return NULL;
    }
    struct worker *worker = mem_alloc(sizeof(*worker));
    *worker = (struct worker){.pid = pid, .line = line[0]};
    return worker;
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
