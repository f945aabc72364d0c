#include "engine/wakers.h"
#include "engine/ring.h"
#include "engine/sys.h"
#include "engine/probe_open.h"
#include "system/procfs.h"
#include "system/topology.h"

enum { WAKERS_RING_BYTES = 256 << 10 };

struct wakers_cpu {
    int fd;
    struct ring ring;
};

/* The kernel's condition for the threads that are followed now; NULL with an obstacle. */
static char *wakers_filter(struct wakers *wakers)
{
    AUTO_PIDS struct pid_list threads = {0};
    struct str text = str_new();
    if (wakers->tid)
        return mem_printf("pid==%d", (int)wakers->tid);
    if (procfs_threads(wakers->pid, &threads) < 0 || threads.count == 0)
        wakers->obstacle = mem_strdup("it has ended");
    else if (threads.count > WAKERS_THREADS_MAX)
        wakers->obstacle =
            mem_printf("it has more than %d threads: choose one of them (H)", WAKERS_THREADS_MAX);
    for (size_t t = 0; !wakers->obstacle && t < threads.count; t++)
        str_printf(&text, "%spid==%d", t ? "||" : "", (int)threads.pids[t]);
    return wakers->obstacle ? NULL : str_detach(&text);
}

static int wakers_open_cpu(struct wakers *wakers, struct perf_event_attr *attr, int number)
{
    struct wakers_cpu *cpu = &wakers->cpus[wakers->cpu_count];
    *cpu = (struct wakers_cpu){.fd = sys_open(attr, false, -1, number, -1)};
    if (cpu->fd < 0)
        return errno == ENODEV ? 0 : -1; /* it is offline */
    wakers->cpu_count++;
    if (ring_open_within(&cpu->ring, cpu->fd, WAKERS_RING_BYTES, NULL) < 0 ||
        sys_set_filter(cpu->fd, wakers->filter) < 0)
        return -1;
    return sys_enable(cpu->fd);
}

static void wakers_close(struct wakers *wakers)
{
    for (size_t c = 0; c < wakers->cpu_count; c++) {
        ring_close(&wakers->cpus[c].ring);
        close(wakers->cpus[c].fd);
    }
    wakers->cpu_count = 0;
}

struct wakers *wakers_new(pid_t pid, pid_t tid, const struct caps *caps)
{
    struct wakers *wakers = mem_alloc(sizeof(*wakers));
    AUTO_CPUS struct cpulist online = {0};
    struct event why;
    struct err err;
    *wakers = (struct wakers){.pid = pid, .tid = tid};
    if (topology_online(&online, &err) < 0) {
        wakers->obstacle = mem_strdup(err.text);
        return wakers;
    }
    if (!wakeups_tracepoint(online.cpus[0], caps, &why))
        wakers->obstacle = mem_strdup(why.reason);
    else if ((wakers->filter = wakers_filter(wakers)))
        wakers->cpus = mem_array(online.count, sizeof(*wakers->cpus));
    free(why.reason);
    why.attr.use_clockid = 1; /* "last" is of all CPUs */
    why.attr.clockid = CLOCK_MONOTONIC;
    for (size_t c = 0; c < online.count && !wakers->obstacle; c++)
        if (wakers_open_cpu(wakers, &why.attr, online.cpus[c]) < 0)
            wakers->obstacle = mem_printf("cannot follow wake-ups on cpu %d: %s", online.cpus[c],
                                          err_reason(errno));
    if (wakers->obstacle)
        wakers_close(wakers);
    return wakers;
}

void wakers_free(struct wakers *wakers)
{
    if (!wakers)
        return;
    wakers_close(wakers);
    free(wakers->cpus);
    free(wakers->obstacle);
    free(wakers->filter);
    free(wakers->list);
    free(wakers);
}

static struct waker *wakers_find(const struct wakers *wakers, pid_t tid)
{
    for (size_t i = 0; i < wakers->count; i++)
        if (wakers->list[i].tid == tid)
            return &wakers->list[i];
    return NULL;
}

static void wakers_take(struct wakers *wakers, const struct record *record)
{
    if (record->kind == RECORD_LOST)
        wakers->lost += record->lost;
    if (record->kind != RECORD_WAKE)
        return;
    pid_t tid = record->interrupt ? WAKER_INTERRUPT : record->tid;
    struct waker *waker = wakers_find(wakers, tid);
    if (!waker) { /* its name is read while the task lives */
        struct procfs_task task = {0};
        waker = MEM_ADD(wakers->list, wakers->count, wakers->room);
        *waker = (struct waker){.tid = tid};
        if (tid > 0 && procfs_task(tid, 0, &task) == 0)
            memcpy(waker->name, task.comm, sizeof(waker->name));
    }
    waker->times++;
    if (record->time >= wakers->last_time) {
        wakers->last_time = record->time;
        wakers->last_tid = tid;
    }
}

static int compare_wakers(const void *left, const void *right)
{
    const struct waker *a = left, *b = right;
    return a->times != b->times ? (a->times < b->times) - (a->times > b->times)
                                : (a->tid > b->tid) - (a->tid < b->tid);
}

/* Threads that are new are followed, too. */
static void wakers_renew_filter(struct wakers *wakers)
{
    char *filter = wakers_filter(wakers);
    if (!filter)
        wakers_close(wakers);
    bool same = str_equal(filter, wakers->filter);
    free(wakers->filter);
    wakers->filter = filter;
    for (size_t c = 0; !same && c < wakers->cpu_count; c++)
        sys_set_filter(wakers->cpus[c].fd, filter);
}

void wakers_read(struct wakers *wakers)
{
    const struct perf_event_header *raw;
    struct record record;
    bool full = false;
    for (size_t c = 0; c < wakers->cpu_count; c++) {
        struct ring *ring = &wakers->cpus[c].ring;
        ring_update(ring);
        full |= ring_full(ring);
        while ((raw = ring_peek(ring))) {
            if (decode_record(raw, 0, &record))
                wakers_take(wakers, &record);
            ring_pop(ring, raw);
        }
        ring_release(ring);
    }
    if (wakers->count > 0)
        qsort(wakers->list, wakers->count, sizeof(*wakers->list), compare_wakers);
    wakers->last = full ? NULL : wakers_find(wakers, wakers->last_tid);
    if (!wakers->obstacle && !wakers->tid)
        wakers_renew_filter(wakers);
}
