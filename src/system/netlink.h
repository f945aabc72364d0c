/* What the kernel says of tasks over netlink(7). */
#pragma once

#include "base/base.h"

/* The kernel's process events (include/uapi/linux/cn_proc.h) about changes of tasks' owners, when
 * they happen. Linux 6.6 and later permit that without privileges, and can send events of this kind
 * alone. */
struct owner_change {
    uint64_t time; /* monotonic, ns */
    pid_t pid, tid;
    uid_t uid; /* the new effective one */
};

/* Opens the descriptor that gets the events, which the caller closes; -1 if the kernel does not
 * send them, or not to this namespace. */
int owner_changes_open(void);

/* Takes the next change: 1 with *change filled in; 0 if no more has come yet; -1 if the kernel has
 * lost some. */
int owner_changes_next(int fd, struct owner_change *change);

/* Opens the descriptor for unix_peer(), which the caller closes; -1: the kernel cannot be asked. */
int unix_peer_open(void);
/* The inode of the socket that a unix socket of this network namespace is connected to
 * (sock_diag(7)); 0: not known. */
uint64_t unix_peer(int fd, uint64_t inode);

/* Delays of tasks, from the kernel's taskstats interface (Documentation/accounting/taskstats.rst):
 * for CAP_NET_ADMIN only, and for tasks that started after kernel.task_delayacct was set. */
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
