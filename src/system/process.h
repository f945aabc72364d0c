/* Signals to a process that is held by a descriptor: they never reach another one that has got its
 * pid since (pidfd_open(2), pidfd_send_signal(2); Linux 5.3). */
#ifndef SYSTEM_PROCESS_H
#define SYSTEM_PROCESS_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* A descriptor of the process with that pid, close-on-exec, which the caller closes. `seen`: the
 * time since boot (CLOCK_BOOTTIME, ns) at which the process meant was there: one that began later
 * is another one. -1 with the cause: it has ended, or cannot be held and what helps then. */
int process_hold(pid_t pid, uint64_t seen, struct err *err);

/* -1 with the cause and who may: it has ended since, or belongs to someone else. */
int process_signal(int held, pid_t pid, int signal, struct err *err);

#endif
