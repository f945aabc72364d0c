/* Changes of tasks' owners, as the kernel tells them when they happen: its process events
 * (include/uapi/linux/cn_proc.h), which one may receive without privileges from Linux 6.6 on, and
 * of one kind only. */
#ifndef SYSTEM_OWNER_CHANGES_H
#define SYSTEM_OWNER_CHANGES_H

#include <stdint.h>
#include <sys/types.h>

struct owner_change {
    uint64_t time; /* monotonic, ns */
    pid_t pid, tid;
    uid_t uid; /* the new effective one */
};

/* A descriptor from which they are read, which the caller closes; -1 if this kernel does not tell
 * them, or not to this namespace. */
int owner_changes_open(void);

/* Takes the next one: 1; 0 if no more came yet; -1 if some were lost. */
int owner_changes_next(int fd, struct owner_change *change);

#endif
