/* Who wakes up a task: records of sched:sched_waking on all CPUs, which the kernel filters. The
 * task that runs when it is woken is its waker, unless an interrupt came in between. */
#pragma once

#include "system/caps.h"

/* Threads of a process that are followed. */
enum { WAKERS_THREADS_MAX = 128 };

struct waker {
    pid_t tid;     /* WAKER_INTERRUPT: no task; 0: the idle task; -1: one that has ended */
    char name[16]; /* "": not known */
    uint64_t times;
};
enum { WAKER_INTERRUPT = -2 };

struct wakers {
    pid_t pid, tid;           /* whose; tid 0: all threads of the process */
    char *obstacle;           /* why nothing is followed; NULL: it is */
    struct waker *list;       /* since the start, the most frequent first */
    const struct waker *last; /* NULL: none yet, or the last records had no room */
    uint64_t lost;            /* records without room */
    size_t count, room;       /* of list; the rest is for wakers.c */
    char *filter;             /* the kernel's condition for the threads */
    struct wakers_cpu *cpus;
    size_t cpu_count;
    pid_t last_tid;
    uint64_t last_time;
};

/* Follows a thread, or with tid 0 all threads of a process. Never NULL. */
struct wakers *wakers_new(pid_t pid, pid_t tid, const struct caps *caps);
void wakers_free(struct wakers *wakers); /* NULL is fine */

/* Reads the records since the last call. */
void wakers_read(struct wakers *wakers);
