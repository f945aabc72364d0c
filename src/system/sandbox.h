/* Forbids the running program what it never needs, so that whoever takes it over, by a recording
 * or by a request over HTTP, cannot use it for more: seccomp(2). */
#ifndef SYSTEM_SANDBOX_H
#define SYSTEM_SANDBOX_H

#include <stdbool.h>

enum sandbox {
    SANDBOX_COUNT, /* for a program that counts */
    SANDBOX_READ,  /* ... that only shows a recording: it cannot count or read memory, either */
    SANDBOX_SERVE, /* ... that serves what it is given at sockets that are open */
};

/* From now on these calls fail in all threads and in all programs that they start: changes of
 * mounts, namespaces, users (but of root that counts), kernel modules, keys, clocks and devices,
 * tracing and changing other processes, bpf(2), io_uring, and new sockets other than AF_UNIX, which
 * users' names may need. There is no way back, and no program that is executed gains privileges
 * (PR_SET_NO_NEW_PRIVS). Call it when the command has been started, which is not to be confined,
 * and sockets are open; an experiment, which starts commands until its end, is never in it.
 * SANDBOX_SERVE is narrower: all fails but reading and writing what is open, accepting connections,
 * memory, and waiting. False
 * if the kernel has no seccomp, or this processor's calls are not known here. */
bool sandbox_enter(enum sandbox sandbox);

/* Whether this process is in it: asks the kernel. */
bool sandbox_entered(void);

#endif
