/* A sign, read without a system call, that a thread was put on a CPU: an event of that thread with
 * its first page mapped (perf_event_open(2), struct perf_event_mmap_page). Whenever the kernel
 * starts a software event, which it does each time the thread gets a CPU, it updates the page and
 * adds 2 to its `lock` (kernel/events/core.c, perf_swevent_add(), cpu_clock_event_add() and
 * task_clock_event_add(): perf_event_update_userpage()). */
#ifndef ENGINE_IDLE_SIGN_H
#define ENGINE_IDLE_SIGN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct idle_sign {
    int fd;                                  /* its event */
    bool shared;                             /* which counts; else it is there for the sign only */
    const struct perf_event_mmap_page *page; /* NULL: there is no sign */
};

/* How many signs may be open, 0: none. Each locks a page: half of what RLIMIT_MEMLOCK allows, since
 * this program's rings need the rest. The kernel takes pages that perf_event_mlock_kb grants first.
 * Tries with this event, on the calling thread, whether the kernel writes the page; takes about a
 * millisecond. */
size_t idle_sign_limit(const struct perf_event_attr *filler);

/* filler: the attributes of an event that counts nothing. False, with errno, if it cannot be opened
 * or mapped; then nothing stays open. */
bool idle_sign_open(struct idle_sign *sign, const struct perf_event_attr *filler, pid_t tid);
/* Makes a sign of a software event that counts for a thread and no others (the kernel maps none
 * that others inherit: perf_mmap()): the thread takes less time at each switch than for one more
 * event. False, with errno, if it cannot be mapped. Close the sign before the event. */
bool idle_sign_share(struct idle_sign *sign, int fd);
void idle_sign_close(struct idle_sign *sign);

/* Changes whenever the thread is put on a CPU; only after 2^31 times the value is an earlier one
 * again. A thread that was on no CPU at one value is on none while the value stays the same.
 * Without a sign it is always 0. */
uint32_t idle_sign_value(const struct idle_sign *sign);

/* How many of the signs, all of them open, belong to threads that have not ended. */
size_t idle_sign_count_living(const struct idle_sign *const *signs, size_t count);

#endif
