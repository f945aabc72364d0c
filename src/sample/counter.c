#include "sample/counter.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "system/procfs.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint64_t FIRST_INTERVAL = 200000000; /* ns: something to see at once */

enum { WAKE, OWN_FDS };

/* What the showing thread asks of the counting one; done is set when it has been answered. */
struct request {
    void (*perform)(struct counter *counter, struct request *request);
    const void *argument;
    struct err *err;
    int result;
    void *answer;
    bool done;
};

struct counter {
    struct source *source;
    uint64_t delay; /* ns */
    pthread_t thread;
    int wake;      /* eventfd: a request, or the handover is free again */
    int ready;     /* eventfd: a snapshot is in the handover */
    int statm;     /* open: /proc/self/statm */
    int stat;      /* open: /proc/stat; -1 */
    uint64_t born; /* when the process began to run, so far as that took CPU time */
    struct machine_load load; /* of the machine when counting began */
    uint64_t next; /* when the next snapshot is to be made (counting thread only), */
    bool due;      /* one is to be made now */
    struct pollfd *fds;
    size_t fd_room;

    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t answered;
    struct request *request;
    struct snapshot *handover;
    bool waiting; /* a snapshot is due, and waits for that one to be taken */
    bool stop;
};

static void notify(int fd)
{
    uint64_t one = 1;
    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static void settle(int fd)
{
    uint64_t count;
    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

/* The first snapshot after `first` ns, then one each delay. */
static void arm(struct counter *counter, uint64_t first)
{
    counter->next = clock_monotonic() + first;
}

static void arm_first(struct counter *counter)
{
    arm(counter, counter->delay < FIRST_INTERVAL ? counter->delay : FIRST_INTERVAL);
}

struct load_taker {
    struct machine_load *since, *load;
};

static void take_load(void *ctx, int cpu, uint64_t busy, uint64_t total)
{
    struct load_taker *taker = ctx;
    struct cpu_load *since = load_find(taker->since, cpu);
    if (!since) { /* the beginning, or it came online since */
        since = load_of(taker->since, cpu);
        *since = (struct cpu_load){cpu, busy, total};
    }
    if (taker->load)
        *load_of(taker->load, cpu) =
            (struct cpu_load){cpu, busy > since->busy ? busy - since->busy : 0,
                              total > since->total ? total - since->total : 0};
}

/* load: NULL only begins. */
static void read_load(struct counter *counter, struct machine_load *load)
{
    struct err err = {0};
    struct load_taker taker = {&counter->load, load};
    if (procfs_each_cpu(&counter->stat, take_load, &taker, &err) < 0 && load)
        load->reason = mem_strdup(err.text);
}

static struct snapshot *make_snapshot(struct counter *counter)
{
    struct snapshot *snapshot = counter->source->ops->snapshot(counter->source);
    char text[128];
    unsigned long long size, resident;
    read_load(counter, &snapshot->load);
    snapshot->self.cpu = clock_cpu();
    snapshot->self.time = clock_monotonic() - counter->born;
    if (file_again(counter->statm, text, sizeof(text)) > 0 &&
        sscanf(text, "%llu %llu", &size, &resident) == 2)
        snapshot->self.rss = resident * (uint64_t)sysconf(_SC_PAGESIZE);
    return snapshot;
}

static void hand_over(struct counter *counter)
{
    pthread_mutex_lock(&counter->lock);
    counter->waiting = counter->handover != NULL;
    bool wait = counter->waiting;
    pthread_mutex_unlock(&counter->lock);
    if (wait)
        return; /* still due: counter_take wakes us */
    struct snapshot *snapshot = make_snapshot(counter);
    pthread_mutex_lock(&counter->lock);
    counter->handover = snapshot;
    pthread_mutex_unlock(&counter->lock);
    counter->due = false;
    notify(counter->ready);
}

/* False when the thread is to end. */
static bool answer(struct counter *counter)
{
    pthread_mutex_lock(&counter->lock);
    struct request *request = counter->request;
    counter->request = NULL;
    bool stop = counter->stop;
    pthread_mutex_unlock(&counter->lock);
    if (!request)
        return !stop;
    request->perform(counter, request);
    pthread_mutex_lock(&counter->lock);
    request->done = true;
    pthread_cond_signal(&counter->answered);
    pthread_mutex_unlock(&counter->lock);
    return !stop;
}

static size_t poll_list(struct counter *counter)
{
    for (;;) {
        size_t room = counter->fd_room - OWN_FDS;
        size_t count =
            counter->source->ops->poll_fds(counter->source, counter->fds + OWN_FDS, room);
        if (count <= room)
            return OWN_FDS + count;
        mem_grow(&counter->fds, &counter->fd_room, OWN_FDS + count, sizeof(*counter->fds));
    }
}

/* Waits for what the descriptors tell, or for the next snapshot to be due. False when
 * interrupted. */
static bool await(struct counter *counter, size_t fds)
{
    uint64_t now = clock_monotonic(), wait = counter->next > now ? counter->next - now : 0;
    struct timespec timeout = {(time_t)(wait / 1000000000), (long)(wait % 1000000000)};
    if (ppoll(counter->fds, fds, &timeout, NULL) < 0)
        return false;
    now = clock_monotonic();
    if (now >= counter->next) { /* what could not be made in time is passed over */
        counter->due = true;
        counter->next += ((now - counter->next) / counter->delay + 1) * counter->delay;
    }
    return true;
}

/* Records are lost where rings are not emptied in time, which is on a machine with too much to do:
 * who may (CAP_SYS_NICE), goes first there. It takes little. */
static void hurry(void)
{
    enum { NICE = -10 };
    setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

static void *count(void *argument)
{
    struct counter *counter = argument;
    if (poll_list(counter) > OWN_FDS)
        hurry();
    for (bool go_on = true; go_on;) {
        size_t fds = poll_list(counter);
        counter->fds[WAKE] = (struct pollfd){.fd = counter->wake, .events = POLLIN};
        if (!await(counter, fds))
            continue;
        bool full = false;
        for (size_t i = OWN_FDS; i < fds; i++)
            full |= counter->fds[i].revents != 0;
        if (full)
            counter->source->ops->drain(counter->source);
        if (counter->fds[WAKE].revents) {
            settle(counter->wake);
            go_on = answer(counter);
        }
        if (counter->due && go_on)
            hand_over(counter);
    }
    return NULL;
}

static void release(struct counter *counter)
{
    close(counter->wake);
    close(counter->ready);
    if (counter->statm >= 0)
        close(counter->statm);
    if (counter->stat >= 0)
        close(counter->stat);
    load_release(&counter->load);
    pthread_mutex_destroy(&counter->lock);
    pthread_cond_destroy(&counter->answered);
    counter->source->ops->close(counter->source);
    snapshot_free(counter->handover);
    free(counter->fds);
    free(counter);
}

struct counter *counter_start(struct source *source, uint64_t delay, struct err *err)
{
    struct counter *counter = mem_alloc(sizeof(*counter));
    counter->source = source;
    counter->delay = delay;
    counter->statm = file_keep("/proc/self/statm");
    counter->stat = -1;
    counter->born = clock_monotonic() - clock_cpu();
    read_load(counter, NULL);
    counter->wake = eventfd(0, EFD_CLOEXEC);
    counter->ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int error = counter->wake < 0 || counter->ready < 0 ? errno : 0;
    pthread_mutex_init(&counter->lock, NULL);
    pthread_cond_init(&counter->answered, NULL);
    mem_grow(&counter->fds, &counter->fd_room, OWN_FDS, sizeof(*counter->fds));
    if (!error)
        arm_first(counter);

    /* Signals are for the showing thread, which reads them from a descriptor. */
    sigset_t all, old;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    if (!error)
        error = pthread_create(&counter->thread, NULL, count, counter);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error) {
        err_set(err, "cannot start counting: %s", strerror(error));
        release(counter);
        return NULL;
    }
    pthread_setname_np(counter->thread, "counter");
    return counter;
}

void counter_stop(struct counter *counter)
{
    if (!counter)
        return;
    pthread_mutex_lock(&counter->lock);
    counter->stop = true;
    pthread_mutex_unlock(&counter->lock);
    notify(counter->wake);
    pthread_join(counter->thread, NULL);
    release(counter);
}

int counter_fd(const struct counter *counter)
{
    return counter->ready;
}

struct snapshot *counter_take(struct counter *counter)
{
    settle(counter->ready);
    pthread_mutex_lock(&counter->lock);
    struct snapshot *snapshot = counter->handover;
    counter->handover = NULL;
    bool waiting = counter->waiting;
    counter->waiting = false;
    pthread_mutex_unlock(&counter->lock);
    if (waiting)
        notify(counter->wake);
    return snapshot;
}

/* Requests. */

static int ask(struct counter *counter, struct request *request)
{
    pthread_mutex_lock(&counter->lock);
    counter->request = request;
    notify(counter->wake);
    while (!request->done)
        pthread_cond_wait(&counter->answered, &counter->lock);
    pthread_mutex_unlock(&counter->lock);
    return request->result;
}

static void perform_events(struct counter *counter, struct request *request)
{
    request->result =
        counter->source->ops->set_events(counter->source, request->argument, request->err);
    arm_first(counter);
}

int counter_set_events(struct counter *counter, const struct event_list *events, struct err *err)
{
    return ask(counter,
               &(struct request){.perform = perform_events, .argument = events, .err = err});
}

static void perform_check(struct counter *counter, struct request *request)
{
    request->answer = counter->source->ops->check(counter->source, request->argument);
}

struct event_set *counter_check(struct counter *counter, const struct event_list *events)
{
    struct request request = {.perform = perform_check, .argument = events};
    ask(counter, &request);
    return request.answer;
}

static void perform_watch(struct counter *counter, struct request *request)
{
    request->result =
        counter->source->ops->set_watch(counter->source, request->argument, request->err);
    arm_first(counter);
}

int counter_set_watch(struct counter *counter, const struct watch *watch, struct err *err)
{
    return ask(counter, &(struct request){.perform = perform_watch, .argument = watch, .err = err});
}

static void perform_delay(struct counter *counter, struct request *request)
{
    counter->delay = *(const uint64_t *)request->argument;
    counter->source->ops->set_delay(counter->source, counter->delay);
    arm(counter, counter->delay);
}

void counter_set_delay(struct counter *counter, uint64_t delay)
{
    ask(counter, &(struct request){.perform = perform_delay, .argument = &delay});
}

static void perform_idle(struct counter *counter, struct request *request)
{
    counter->source->ops->set_idle(counter->source, *(const bool *)request->argument);
    counter->due = true;
}

void counter_set_idle(struct counter *counter, bool idle)
{
    ask(counter, &(struct request){.perform = perform_idle, .argument = &idle});
}

static void perform_threads(struct counter *counter, struct request *request)
{
    counter->source->ops->set_threads(counter->source, *(const bool *)request->argument);
}

void counter_set_threads(struct counter *counter, bool threads)
{
    ask(counter, &(struct request){.perform = perform_threads, .argument = &threads});
}

static void perform_look(struct counter *counter, struct request *request)
{
    request->answer = make_snapshot(counter);
}

struct snapshot *counter_look(struct counter *counter)
{
    struct request request = {.perform = perform_look};
    ask(counter, &request);
    return request.answer;
}

static void perform_refresh(struct counter *counter, struct request *request)
{
    (void)request;
    counter->due = true;
}

void counter_refresh(struct counter *counter)
{
    ask(counter, &(struct request){.perform = perform_refresh});
}
