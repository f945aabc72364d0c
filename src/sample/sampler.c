#include "sample/sampler.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/signals.h"
#include "system/kernel_times.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t FIRST_INTERVAL = 50000000; /* ns, with `soon` */
/* Load averages change every 5 s (LOAD_FREQ, include/linux/sched/loadavg.h), ns. */
static const uint64_t SLOW = 5000000000;
enum { WAKE, OWN_FDS };

/* A call from the main thread that the sampler's thread performs; done is set afterwards. */
struct sampler_request {
    enum {
        SET_EVENTS,
        CHECK,
        SET_WATCH,
        SET_DELAY,
        SET_IDLE,
        SET_WAITS_OVER,
        SET_THREADS,
        SET_CGROUPS,
        SET_SAMPLING,
        LOOK,
        REFRESH
    } kind;
    const void *what; /* a struct event_list, watch or sampling */
    uint64_t number;
    struct err *err;
    int result;
    void *answer;
    bool done;
};

struct sampler {
    struct source *source;
    struct profiler *profiler;
    uint64_t delay; /* ns */
    bool soon;      /* the first interval is short: a terminal shows a table at once */
    pthread_t thread;
    int wake;                     /* eventfd: there is a request, or `handover` is free */
    int ready;                    /* eventfd: there is a snapshot in `handover` */
    int statm;                    /* descriptor of /proc/self/statm */
    int stat, schedstat, loadavg; /* descriptors of files in /proc; -1: not open */
    int pressure[PRESSURES];      /* ... of the files in /proc/pressure */
    uint64_t born;                /* monotonic start, less the CPU time that was used before */
    struct machine_load load;     /* of the machine when counting began */
    struct machine_load last;     /* in the last snapshot */
    uint64_t slow;                /* monotonic: load averages and rss are read again from then on */
    double average[3];
    bool has_average;
    uint64_t rss;    /* bytes; 0: not known */
    uint64_t next;   /* monotonic: the next snapshot is due (sampler's thread only) */
    uint64_t rested; /* monotonic: the source's descriptors are polled from then on */
    bool due;        /* make a snapshot now */
    struct pollfd *fds;
    size_t fd_room;

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t answered;
    struct sampler_request *request;
    struct snapshot *handover;
    bool waiting; /* a snapshot is due and waits until `handover` is free */
    bool stop;
};

/* Makes an eventfd unreadable; a signal may interrupt it (read(2)). */
static void clear_notice(int fd)
{
    while (eventfd_read(fd, &(eventfd_t){0}) < 0 && errno == EINTR)
        ;
}

/* Makes an eventfd readable; a signal may interrupt it (write(2)). */
static void notify(int fd)
{
    while (eventfd_write(fd, 1) < 0 && errno == EINTR)
        ;
}

/* Makes the first snapshot due, which is followed by one each delay. */
static void arm_first(struct sampler *sampler)
{
    uint64_t first = sampler->delay;
    if (sampler->soon && first > FIRST_INTERVAL)
        first = FIRST_INTERVAL;
    sampler->next = sampler->delay ? clock_monotonic() + first : UINT64_MAX;
}

struct load_taker {
    struct machine_load *since, *load;
};

static void sampler_take_load(void *ctx, const struct cpu_load *now)
{
    struct load_taker *taker = ctx;
    struct kernel_times *since = &load_of(taker->since, now->cpu)->kernel_times;
    kernel_times_merge(since, &now->kernel_times,
                       ~since->known); /* the first call, or the CPU came online */
    struct kernel_times span = kernel_times_between(since, &now->kernel_times);
    if (taker->load)
        kernel_times_merge(&load_of(taker->load, now->cpu)->kernel_times, &span, ~0u);
}

/* load: NULL only records the starting point. */
static void read_load(struct sampler *sampler, struct machine_load *load)
{
    struct err err = {0};
    struct load_taker taker = {&sampler->load, load};
    if (procfs_each_cpu(&sampler->stat, sampler_take_load, &taker, &err) < 0 && load)
        load->reason = mem_strdup(err.text);
    if (!load || sampler->schedstat >= 0) /* many kernels have none */
        procfs_each_queue(&sampler->schedstat, sampler_take_load, &taker, &err);
    struct machine_pressure pressure = {.time = clock_monotonic()};
    bool known = procfs_pressure(sampler->pressure, pressure.of, &err) == 0;
    if (known && load)
        load->pressure = pressure_between(&sampler->load.pressure, &pressure);
    else if (known)
        sampler->load.pressure = pressure;
    else if (load)
        load->no_pressure = mem_strdup(err.text);
}

/* While a task waited for a CPU, that one also had interrupts, and a hypervisor took time. */
static void share_losses(struct sampler *sampler, struct snapshot *snapshot)
{
    for (size_t t = 0; t < snapshot->task_count; t++) {
        struct task_sample *task = &snapshot->tasks[t];
        const struct cpu_load *now = load_find(&snapshot->load, task->cpu);
        const struct cpu_load *before = load_find(&sampler->last, task->cpu);
        if (!task->wait_facts || !task->wait_facts->takers || !now || !before)
            continue;
        struct kernel_times span = kernel_times_between(&before->kernel_times, &now->kernel_times);
        double irq = kernel_times_ratio(&span, CPU_IRQ, CPU_BUSY);
        wait_takers_lose(task->wait_facts->takers, kernel_times_ratio(&span, CPU_STEAL, CPU_BUSY),
                         irq + kernel_times_ratio(&span, CPU_SOFTIRQ, CPU_BUSY));
    }
    load_release(&sampler->last);
    load_copy(&sampler->last, &snapshot->load);
}

/* Bytes; 0: not known. */
static uint64_t read_rss(const struct sampler *sampler)
{
    char text[128];
    unsigned long long size, resident;
    bool known = file_again(sampler->statm, text, sizeof(text)) > 0 &&
                 sscanf(text, "%llu %llu", &size, &resident) == 2;
    return known ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static struct snapshot *make_snapshot(struct sampler *sampler)
{
    uint64_t began = clock_monotonic();
    struct snapshot *snapshot = sampler->source->ops->snapshot(sampler->source);
    const struct profiler_ops *profiler = sampler->profiler->ops;
    snapshot->profile = profiler->take(sampler->profiler, snapshot->time);
    snapshot->self.descriptors += profiler->descriptors(sampler->profiler);
    log_line("snapshot at %llu ns: %zu tasks, %zu CPUs, lost %llu, throttled %llu, took %llu us",
             (unsigned long long)snapshot->time, snapshot->task_count, snapshot->cpu_count,
             (unsigned long long)snapshot->lost_records, (unsigned long long)snapshot->throttled,
             (unsigned long long)(clock_monotonic() - began) / 1000);
    read_load(sampler, &snapshot->load);
    share_losses(sampler, snapshot);
    if (began >= sampler->slow) {
        sampler->slow = began + SLOW;
        sampler->has_average = procfs_load_average(&sampler->loadavg, sampler->average);
        sampler->rss = read_rss(sampler);
    }
    snapshot->load.has_average = sampler->has_average;
    memcpy(snapshot->load.average, sampler->average, sizeof(sampler->average));
    snapshot->self.cpu = clock_cpu();
    snapshot->self.time = clock_monotonic() - sampler->born;
    snapshot->self.rss = sampler->rss;
    return snapshot;
}

static void sampler_answer(struct sampler *sampler, struct sampler_request *request)
{
    struct source *source = sampler->source;
    const struct source_ops *ops = source->ops;
    switch (request->kind) {
    case SET_EVENTS:
        request->result = ops->set_events(source, request->what, request->err);
        arm_first(sampler);
        break;
    case CHECK:
        request->answer = ops->check(source, request->what);
        break;
    case SET_WATCH:
        request->result = ops->set_watch(source, request->what, request->err);
        arm_first(sampler);
        break;
    case SET_DELAY:
        sampler->delay = request->number;
        if (ops->set_delay)
            ops->set_delay(source, sampler->delay);
        sampler->next = clock_monotonic() + sampler->delay;
        break;
    case SET_IDLE:
        source->all = request->number;
        sampler->due = true;
        break;
    case SET_WAITS_OVER:
        source->waits_over = request->number;
        break;
    case SET_THREADS:
        if (ops->set_threads)
            ops->set_threads(source, request->number);
        break;
    case SET_CGROUPS:
        source->cgroups = request->number;
        if (ops->set_cgroups)
            request->result = ops->set_cgroups(source, request->err);
        break;
    case SET_SAMPLING:
        if (request->what)
            request->result =
                sampler->profiler->ops->start(sampler->profiler, request->what, request->err);
        else
            sampler->profiler->ops->stop(sampler->profiler);
        break;
    case LOOK:
        pthread_mutex_lock(&sampler->lock);
        snapshot_free(sampler->handover); /* it would be taken after the answer, but is older */
        sampler->handover = NULL;
        pthread_mutex_unlock(&sampler->lock);
        clear_notice(sampler->ready);
        request->answer = make_snapshot(sampler);
        arm_first(sampler);
        break;
    case REFRESH:
        sampler->due = true;
        break;
    }
    pthread_mutex_lock(&sampler->lock);
    request->done = true;
    pthread_cond_signal(&sampler->answered);
    pthread_mutex_unlock(&sampler->lock);
}

/* Lists the descriptors to wait for; *own receives the number of those before the profiler's. */
static size_t poll_list(struct sampler *sampler, size_t *own)
{
    const struct source_ops *ops = sampler->source->ops;
    for (;;) {
        struct pollfd *fds = sampler->fds + OWN_FDS;
        size_t room = sampler->fd_room - OWN_FDS;
        size_t count = ops->poll_fds ? ops->poll_fds(sampler->source, fds, room) : 0;
        size_t left = count < room ? room - count : 0;
        *own = OWN_FDS + count;
        count += sampler->profiler->ops->poll_fds(sampler->profiler, fds + room - left, left);
        if (count <= room)
            return OWN_FDS + count;
        mem_grow(&sampler->fds, &sampler->fd_room, OWN_FDS + count, sizeof(*sampler->fds));
    }
}

static bool any_ready(const struct pollfd *fds, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (fds[i].revents)
            return true;
    return false;
}

static void *sampler_count(void *argument)
{
    enum { NICE = -10 };
    struct sampler *sampler = argument;
    /* A full ring loses records: with CAP_SYS_NICE, drain in time on an overloaded machine. */
    size_t own, fds = poll_list(sampler, &own);
    if (fds > OWN_FDS && setpriority(PRIO_PROCESS, (id_t)gettid(), NICE) < 0)
        log_line("priority: refused, %s", strerror(errno));
    for (bool go_on = true; go_on;) {
        fds = poll_list(sampler, &own);
        sampler->fds[WAKE] = (struct pollfd){.fd = sampler->wake, .events = POLLIN};
        uint64_t now = clock_monotonic(), end = sampler->next, look = sampler->source->look;
        if (look && look < end)
            end = look;
        if (now < sampler->rested) {
            for (size_t i = OWN_FDS; i < own; i++)
                sampler->fds[i].fd = -1; /* ignored, see poll(2) */
            end = sampler->rested < end ? sampler->rested : end;
        }
        uint64_t wait = end > now ? end - now : 0;
        struct timespec timeout = clock_span(wait);
        if (ppoll(sampler->fds, fds, &timeout, NULL) < 0)
            continue; /* interrupted */
        now = clock_monotonic();
        if (now >= sampler->next) { /* skip snapshots that could not be made in time */
            sampler->due = true;
            sampler->next += ((now - sampler->next) / sampler->delay + 1) * sampler->delay;
        }
        if (any_ready(sampler->fds, OWN_FDS, own) || (look && now >= look)) {
            sampler->rested = now + sampler->source->rest;
            sampler->source->ops->drain(sampler->source);
        }
        if (any_ready(sampler->fds, own, fds))
            sampler->profiler->ops->drain(sampler->profiler);
        if (sampler->fds[WAKE].revents) {
            clear_notice(sampler->wake);
            pthread_mutex_lock(&sampler->lock);
            struct sampler_request *request = sampler->request;
            sampler->request = NULL;
            go_on = !sampler->stop;
            pthread_mutex_unlock(&sampler->lock);
            if (request)
                sampler_answer(sampler, request);
        }
        if (!sampler->due || !go_on)
            continue;
        pthread_mutex_lock(&sampler->lock);
        bool taken = !sampler->handover;
        sampler->waiting = !taken;
        pthread_mutex_unlock(&sampler->lock);
        if (!taken)
            continue; /* stays due; sampler_take wakes this thread */
        struct snapshot *snapshot = make_snapshot(sampler);
        pthread_mutex_lock(&sampler->lock);
        sampler->handover = snapshot;
        pthread_mutex_unlock(&sampler->lock);
        sampler->due = false;
        notify(sampler->ready);
    }
    return NULL;
}

static void sampler_release(struct sampler *sampler)
{
    close(sampler->wake);
    close(sampler->ready);
    file_close(sampler->statm);
    file_close(sampler->stat);
    file_close(sampler->schedstat);
    file_close(sampler->loadavg);
    for (int p = 0; p < PRESSURES; p++)
        file_close(sampler->pressure[p]);
    load_release(&sampler->load);
    load_release(&sampler->last);
    pthread_mutex_destroy(&sampler->lock);
    pthread_cond_destroy(&sampler->answered);
    sampler->source->ops->close(sampler->source);
    sampler->profiler->ops->close(sampler->profiler);
    snapshot_free(sampler->handover);
    free(sampler->fds);
    free(sampler);
}

struct sampler *sampler_start(struct source *source, struct profiler *profiler, uint64_t delay,
                              bool soon, struct err *err)
{
    struct sampler *sampler = mem_alloc(sizeof(*sampler));
    sampler->source = source;
    sampler->profiler = profiler;
    sampler->delay = delay;
    sampler->soon = soon;
    sampler->statm = file_keep("/proc/self/statm");
    sampler->stat = sampler->schedstat = sampler->loadavg = -1;
    for (int p = 0; p < PRESSURES; p++)
        sampler->pressure[p] = -1;
    sampler->born = clock_monotonic() - clock_cpu();
    read_load(sampler, NULL);
    sampler->wake = eventfd(0, EFD_CLOEXEC);
    sampler->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = sampler->wake < 0 || sampler->ready < 0 ? errno : 0;
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_cond_init(&sampler->answered, NULL);
    mem_grow(&sampler->fds, &sampler->fd_room, OWN_FDS, sizeof(*sampler->fds));
    if (!error)
        arm_first(sampler);
    if (!error)
        error = thread_start(&sampler->thread, "counter", sampler_count, sampler);
    if (error) {
        err_set(err, "cannot start counting: %s", strerror(error));
        sampler_release(sampler);
        return NULL;
    }
    return sampler;
}

void sampler_stop(struct sampler *sampler)
{
    if (!sampler)
        return;
    pthread_mutex_lock(&sampler->lock);
    sampler->stop = true;
    pthread_mutex_unlock(&sampler->lock);
    notify(sampler->wake);
    pthread_join(sampler->thread, NULL);
    sampler_release(sampler);
}

int sampler_fd(const struct sampler *sampler)
{
    return sampler->ready;
}

struct snapshot *sampler_take(struct sampler *sampler)
{
    clear_notice(sampler->ready);
    pthread_mutex_lock(&sampler->lock);
    struct snapshot *snapshot = sampler->handover;
    sampler->handover = NULL;
    bool waiting = sampler->waiting;
    sampler->waiting = false;
    pthread_mutex_unlock(&sampler->lock);
    if (waiting)
        notify(sampler->wake);
    return snapshot;
}

/* --- Requests --- */

/* *answer (NULL: none is expected) is a snapshot or an event set. */
static int sampler_ask(struct sampler *sampler, int kind, const void *what, uint64_t number,
                       struct err *err, void **answer)
{
    struct sampler_request request = {kind, what, number, err, 0, NULL, false};
    pthread_mutex_lock(&sampler->lock);
    sampler->request = &request;
    notify(sampler->wake);
    while (!request.done)
        pthread_cond_wait(&sampler->answered, &sampler->lock);
    pthread_mutex_unlock(&sampler->lock);
    if (answer)
        *answer = request.answer;
    return request.result;
}

int sampler_set_events(struct sampler *sampler, const struct event_list *events, struct err *err)
{
    return sampler_ask(sampler, SET_EVENTS, events, 0, err, NULL);
}

struct event_set *sampler_check(struct sampler *sampler, const struct event_list *events)
{
    void *set;
    sampler_ask(sampler, CHECK, events, 0, NULL, &set);
    return set;
}

int sampler_set_watch(struct sampler *sampler, const struct watch *watch, struct err *err)
{
    return sampler_ask(sampler, SET_WATCH, watch, 0, err, NULL);
}

int sampler_set_sampling(struct sampler *sampler, const struct sampling *sampling, struct err *err)
{
    return sampler_ask(sampler, SET_SAMPLING, sampling, 0, err, NULL);
}

void sampler_set_delay(struct sampler *sampler, uint64_t delay)
{
    sampler_ask(sampler, SET_DELAY, NULL, delay, NULL, NULL);
}

void sampler_set_idle(struct sampler *sampler, bool idle)
{
    sampler_ask(sampler, SET_IDLE, NULL, idle, NULL, NULL);
}

void sampler_set_waits_over(struct sampler *sampler, uint64_t ns)
{
    sampler_ask(sampler, SET_WAITS_OVER, NULL, ns, NULL, NULL);
}

void sampler_set_threads(struct sampler *sampler, bool threads)
{
    sampler_ask(sampler, SET_THREADS, NULL, threads, NULL, NULL);
}

int sampler_set_cgroups(struct sampler *sampler, bool wanted, struct err *err)
{
    return sampler_ask(sampler, SET_CGROUPS, NULL, wanted, err, NULL);
}

struct snapshot *sampler_look(struct sampler *sampler)
{
    void *snapshot;
    sampler_ask(sampler, LOOK, NULL, 0, NULL, &snapshot);
    return snapshot;
}

void sampler_refresh(struct sampler *sampler)
{
    sampler_ask(sampler, REFRESH, NULL, 0, NULL, NULL);
}
