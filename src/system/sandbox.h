/* Forbids the running program what it never needs, so that whoever takes it over, by a recording or
 * by a request over HTTP, cannot use it for more: system calls by seccomp(2), files by
 * landlock(7). */
#pragma once

#include "base/base.h"

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
 * memory, and waiting. False if the kernel has no seccomp, or this processor's calls are not known
 * here. */
bool sandbox_enter(enum sandbox sandbox);

/* Whether this process is in it: asks the kernel. */
bool sandbox_entered(void);

/* Which files this process may open from now on, as landlock(7) permits it without rights. What is
 * open stays usable. A process with such rules may look into no other one (access check of
 * ptrace(2)), which counting needs: so they are for processes that do not count. */

/* The version of the kernel's interface; 0: it has none, or Landlock is turned off. */
int path_rules_version(void);

enum path_access {
    PATH_READ,    /* the file, or all files below the directory */
    PATH_EXECUTE, /* ... and execute them */
    PATH_WRITE,   /* as PATH_READ, and write, and below the directory make, replace and remove files
                   */
};

/* Makes rules for path_rules_enter(), to which path_rules_add() adds what is permitted. reading: to
 * read any file is permitted from the start. A descriptor, or -1: not possible. */
int path_rules_new(bool reading);

/* Permits that access to the file or directory to which the path leads now, links followed. A file
 * that is put in its place later is not permitted. Does nothing for a path that does not exist, and
 * for rules -1. */
void path_rules_add(int rules, const char *path, enum path_access access);

/* From now on the calling thread, and threads and processes that it starts, can open only what the
 * rules permit, connect to no network, and send signals only to each other. Closes the rules.
 * False: not possible. */
bool path_rules_enter(int rules);
