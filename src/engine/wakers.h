/* Who wakes up a task: records of sched:sched_waking on all CPUs, which the kernel filters. The
 * task that runs when it is woken is its waker, unless an interrupt came in between. */
#ifndef ENGINE_WAKERS_H
#define ENGINE_WAKERS_H

#include "system/caps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Threads of a process that are followed. */
enum { WAKERS_THREADS_MAX = 128 };

struct waker {
    pid_t tid;     /* WAKER_INTERRUPT: no task; 0: the idle task; -1: one that has ended */
    char name[16]; /* "": not known */
    uint64_t times;
};
enum { WAKER_INTERRUPT = -2 };

struct wakers;

/* Follows a thread, or with tid 0 all threads of a process. Never NULL. */
struct wakers *wakers_new(pid_t pid, pid_t tid, const struct caps *caps);
void wakers_free(struct wakers *wakers); /* NULL is fine */
bool wakers_are_of(const struct wakers *wakers, pid_t pid, pid_t tid);

/* Why nothing is followed; NULL: it is. */
const char *wakers_obstacle(const struct wakers *wakers);

/* Reads the records since the last call. */
void wakers_read(struct wakers *wakers);

/* Wakers since the start, the most frequent first; *count of them, valid until the next read. */
const struct waker *wakers_list(const struct wakers *wakers, size_t *count);
/* NULL: none yet, or the last records had no room. */
const struct waker *wakers_last(const struct wakers *wakers);
uint64_t wakers_lost(const struct wakers *wakers); /* records without room */

#endif
