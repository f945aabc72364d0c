/* Other processes: signals through a descriptor, which never reach a later process with the same
 * pid (pidfd_open(2), pidfd_send_signal(2); Linux 5.3), and whether one has gained rights. */
#ifndef SYSTEM_PROCESS_H
#define SYSTEM_PROCESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens a descriptor of the process, close-on-exec, which the caller closes. `seen`: a time since
 * boot (CLOCK_BOOTTIME, ns) at which the process existed; a process that began later is refused. -1
 * with the cause: it has ended, or the descriptor cannot be opened, with the remedy. */
int process_hold(pid_t pid, uint64_t seen, struct err *err);

/* -1 with the cause: it has ended, or belongs to another user, with the users who may send the
 * signal. */
int process_signal(int held, pid_t pid, int signal, struct err *err);

/* Whether a process that an ordinary user started, alive or a zombie, has an id or a capability
 * that this user has not: it has executed a program with privileges of its own. False for root. */
bool process_has_gained(pid_t pid);

/* Users by name, from the user database (getpwnam(3)). */

/* The uid of a user given by name, or by number, which need not be a known user's. -1 with a
 * message that has the nearest name. */
int user_find(const char *given, uid_t *uid, struct err *err);

#endif
