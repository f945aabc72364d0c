/* Receives the kernel's process events (include/uapi/linux/cn_proc.h) about changes of tasks'
 * owners, when they happen. Linux 6.6 and later permit that without privileges, and can send events
 * of this kind alone. */
#ifndef SYSTEM_OWNER_CHANGES_H
#define SYSTEM_OWNER_CHANGES_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
