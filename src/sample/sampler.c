#include "sample/sampler.h"
#include "base/signals.h"

#include <sys/eventfd.h>
#include <sys/resource.h>

static const uint64_t FIRST_INTERVAL = 50000000; /* ns, with `soon` */
/* Load averages change every 5 s (LOAD_FREQ, include/linux/sched/loadavg.h), ns. */
static const uint64_t SLOW = 5000000000;
enum { WAKE, OWN_FDS };
enum { STATM, STAT, SCHEDSTAT, LOADAVG, PRESSURE, FILES = PRESSURE + PRESSURES };

struct sampler {
    struct source *source;
    struct profiler *profiler;
    uint64_t delay; /* ns */
    bool soon;      /* the first interval is short: a terminal shows a table at once */
    pthread_t thread;
    int wake;                 /* eventfd: there is a request, or `handover` is free */
    int ready;                /* eventfd: there is a snapshot in `handover` */
    int files[FILES];         /* descriptors of files in /proc; -1: not open */
    uint64_t born;            /* monotonic start, less the CPU time that was used before */
    struct machine_load load; /* of the machine when counting began */
    struct machine_load last; /* in the last snapshot */
    uint64_t slow;            /* monotonic: load averages and rss are read again from then on */
    double average[3];
    bool has_average;
    uint64_t rss;    /* bytes; 0: not known */
    uint64_t next;   /* monotonic: the next snapshot is due */
    uint64_t rested; /* monotonic: the source's descriptors are polled from then on */
    bool due;        /* make a snapshot now */
    bool urgent;     /* this thread has asked for its priority */
    struct pollfd *fds;
    size_t fd_room;

    pthread_mutex_t lock;   /* protects what follows */
    pthread_cond_t changed; /* one of the next two */
    bool called;            /* the main thread calls the source or the profiler, or waits to */
    bool resting;           /* this thread does not until `called` is false */
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
    if (procfs_each_cpu(&sampler->files[STAT], sampler_take_load, &taker, &err) < 0 && load)
        load->reason = mem_strdup(err.text);
    if (!load || sampler->files[SCHEDSTAT] >= 0) /* many kernels have none */
        procfs_each_queue(&sampler->files[SCHEDSTAT], sampler_take_load, &taker, &err);
    struct machine_pressure pressure = {.time = clock_monotonic()};
    bool known = procfs_pressure(sampler->files + PRESSURE, pressure.of, &err) == 0;
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

static struct snapshot *make_snapshot(struct sampler *sampler)
{
    uint64_t began = clock_monotonic();
    struct snapshot *snapshot = sampler->source->ops->snapshot(sampler->source);
    const struct profiler_ops *profiler = sampler->profiler->ops;
    unsigned long long resident;
    char text[128];
    snapshot->profile = profiler->take(sampler->profiler, snapshot->time);
    snapshot->self.descriptors += profiler->descriptors(sampler->profiler);
    log_line("snapshot at %llu ns: %zu tasks, %zu CPUs, lost %llu, throttled %llu, took %llu us",
             (unsigned long long)snapshot->time, snapshot->task_count, snapshot->cpu_count,
             (unsigned long long)snapshot->lost_records, (unsigned long long)snapshot->throttled,
             (unsigned long long)(clock_monotonic() - began) / 1000);
    read_load(sampler, &snapshot->load);
    share_losses(sampler, snapshot);
    if (began >= sampler->slow) {
        sampler->slow = began + (sampler->rss ? SLOW : 0); /* it grows until the second snapshot */
        sampler->has_average = procfs_load_average(&sampler->files[LOADAVG], sampler->average);
        bool known = file_again(sampler->files[STATM], text, sizeof(text)) > 0 &&
                     sscanf(text, "%*u %llu", &resident) == 1;
        sampler->rss = known ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
    }
    snapshot->load.has_average = sampler->has_average;
    memcpy(snapshot->load.average, sampler->average, sizeof(sampler->average));
    snapshot->self.cpu = clock_cpu();
    snapshot->self.time = clock_monotonic() - sampler->born;
    snapshot->self.rss = sampler->rss;
    return snapshot;
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
    for (bool go_on = true; go_on;) {
        size_t own, fds = poll_list(sampler, &own);
        /* A full ring loses records: with CAP_SYS_NICE, drain in time on an overloaded machine. */
        if (fds > OWN_FDS && !sampler->urgent &&
            setpriority(PRIO_PROCESS, (id_t)gettid(), NICE) < 0)
            log_line("priority: refused, %s", err_reason(errno));
        sampler->urgent |= fds > OWN_FDS;
        sampler->fds[WAKE] = (struct pollfd){.fd = sampler->wake, .events = POLLIN};
        uint64_t now = clock_monotonic(), early = sampler->source->drain_at;
        uint64_t end = early && early < sampler->next ? early : sampler->next;
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
        if (any_ready(sampler->fds, OWN_FDS, own) || (early && now >= early)) {
            sampler->rested = now + sampler->source->rest;
            sampler->source->ops->drain(sampler->source);
        }
        if (any_ready(sampler->fds, own, fds))
            sampler->profiler->ops->drain(sampler->profiler);
        if (sampler->fds[WAKE].revents) {
            clear_notice(sampler->wake);
            pthread_mutex_lock(&sampler->lock);
            sampler->resting = true;
            pthread_cond_signal(&sampler->changed);
            while (sampler->called)
                pthread_cond_wait(&sampler->changed, &sampler->lock);
            sampler->resting = false;
            go_on = !sampler->stop;
            pthread_mutex_unlock(&sampler->lock);
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
    for (int f = 0; f < FILES; f++)
        file_close(sampler->files[f]);
    load_release(&sampler->load);
    load_release(&sampler->last);
    pthread_mutex_destroy(&sampler->lock);
    pthread_cond_destroy(&sampler->changed);
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
    sampler->files[STATM] = file_keep("/proc/self/statm");
    for (int f = STATM + 1; f < FILES; f++)
        sampler->files[f] = -1;
    sampler->born = clock_monotonic() - clock_cpu();
    read_load(sampler, NULL);
    sampler->wake = eventfd(0, EFD_CLOEXEC);
    sampler->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = sampler->wake < 0 || sampler->ready < 0 ? errno : 0;
    pthread_mutex_init(&sampler->lock, NULL);
    pthread_cond_init(&sampler->changed, NULL);
    mem_grow(&sampler->fds, &sampler->fd_room, OWN_FDS, sizeof(*sampler->fds));
    if (!error)
        arm_first(sampler);
    if (!error)
        error = thread_start(&sampler->thread, "counter", sampler_count, sampler);
    if (error) {
        err_set(err, "cannot start counting: %s", err_reason(error));
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

/* --- Calls of the source and the profiler by the main thread --- */

/* Waits until the counting thread rests, and takes the lock: until sampler_leave(), with AUTO_LEAVE
 * at the end of the block. */
static struct sampler *sampler_enter(struct sampler *sampler)
{
    pthread_mutex_lock(&sampler->lock);
    sampler->called = true;
    notify(sampler->wake);
    while (!sampler->resting)
        pthread_cond_wait(&sampler->changed, &sampler->lock);
    return sampler;
}

static void sampler_leave(struct sampler **sampler)
{
    (*sampler)->called = false;
    pthread_cond_signal(&(*sampler)->changed);
    pthread_mutex_unlock(&(*sampler)->lock);
}

#define AUTO_LEAVE __attribute__((unused, cleanup(sampler_leave)))

int sampler_set_events(struct sampler *sampler, const struct event_list *events, struct err *err)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    int result = sampler->source->ops->set_events(sampler->source, events, err);
    arm_first(sampler);
    return result;
}

struct event_set *sampler_check(struct sampler *sampler, const struct event_list *events)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    return sampler->source->ops->check(sampler->source, events);
}

int sampler_set_source(struct sampler *sampler, struct source *source,
                       const struct event_list *events, const struct watch *watch, struct err *err)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    struct source *before = sampler->source;
    source->all = before->all;
    source->families = before->families;
    source->only_end = before->only_end;
    source->waits_over = before->waits_over;
    source->cgroups = before->cgroups;
    int result =
        source->ops->set_watch(source, watch, err) ?: source->ops->set_events(source, events, err);
    struct source *unused = result == 0 ? before : source;
    if (result == 0)
        sampler->source = source;
    unused->ops->close(unused);
    arm_first(sampler);
    return result;
}

int sampler_set_watch(struct sampler *sampler, const struct watch *watch, struct err *err)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    int result = sampler->source->ops->set_watch(sampler->source, watch, err);
    arm_first(sampler);
    return result;
}

int sampler_set_sampling(struct sampler *sampler, const struct sampling *sampling, struct err *err)
{
    struct profiler *profiler = sampler->profiler;
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    if (sampling)
        return profiler->ops->start(profiler, sampling, err);
    profiler->ops->stop(profiler);
    return 0;
}

void sampler_set_delay(struct sampler *sampler, uint64_t delay)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    sampler->delay = delay;
    if (sampler->source->ops->set_delay)
        sampler->source->ops->set_delay(sampler->source, delay);
    sampler->next = clock_monotonic() + delay;
}

void sampler_set_idle(struct sampler *sampler, bool idle)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    sampler->source->all = idle;
    sampler->due = true;
}

void sampler_set_waits_over(struct sampler *sampler, uint64_t ns)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    sampler->source->waits_over = ns;
}

void sampler_set_threads(struct sampler *sampler, bool threads)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    if (sampler->source->ops->set_threads)
        sampler->source->ops->set_threads(sampler->source, threads);
}

int sampler_set_cgroups(struct sampler *sampler, bool wanted, struct err *err)
{
    struct source *source = sampler->source;
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    source->cgroups = wanted;
    return source->ops->set_cgroups ? source->ops->set_cgroups(source, err) : 0;
}

struct snapshot *sampler_look(struct sampler *sampler)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    snapshot_free(sampler->handover); /* it would be taken later, but is older */
    sampler->handover = NULL;
    clear_notice(sampler->ready);
    struct snapshot *snapshot = make_snapshot(sampler);
    arm_first(sampler);
    return snapshot;
}

void sampler_refresh(struct sampler *sampler)
{
    AUTO_LEAVE struct sampler *entered = sampler_enter(sampler);
    sampler->due = true;
}
