/* What the kernel keeps of the delays of tasks, from its taskstats interface
 * (Documentation/accounting/taskstats.rst): for CAP_NET_ADMIN only, and for tasks that started
 * after kernel.task_delayacct was set. */
#ifndef SYSTEM_TASK_DELAYS_H
#define SYSTEM_TASK_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct task_delays {
    uint64_t block, swapin; /* ns that it waited for block I/O, and for pages from swap space */
};

struct delay_source {
    int socket;      /* -1: not open */
    uint16_t family; /* the number that the kernel gave to taskstats */
};

/* False where the kernel has no such interface or this process may not use it: then nothing is
 * open, as after task_delays_close(). */
bool task_delays_open(struct delay_source *source);
void task_delays_close(struct delay_source *source);

/* Of thread `tid`, or with 0 of all threads of process `pid`, ended ones too. False: not open, or
 * the task is gone. */
bool task_delays_read(const struct delay_source *source, pid_t pid, pid_t tid,
                      struct task_delays *delays);

/* From the attributes of an answer (netlink(7), <linux/taskstats.h>): TASKSTATS_TYPE_STATS within
 * `outer`. False: not all is there. */
bool task_delays_parse(const char *bytes, size_t size, unsigned outer, struct task_delays *delays);

#endif
