/* What is watched: all tasks, or those of some processes, names, threads, users, of a command or of
 * a cgroup. The task engine opens descriptors only for these; the ledger counts everything, and the
 * view filters. */
#pragma once

#include "base/base.h"

struct watch { /* zeroed: empty */
    size_t pid_count, tid_count, user_count, room[3];
    pid_t *pids;
    struct names names; /* processes by name (comm) */
    pid_t *tids;
    uid_t *users;
    /* The child that will execute the command (system/child.h), 0: none. It and its descendants are
     * watched from the first instruction of the command on. */
    pid_t command;
    char *cgroup; /* a cgroup's directory, as system/cgroup.h finds it; NULL: any */
};

void watch_release(struct watch *watch);
void watch_copy(struct watch *to, const struct watch *from); /* `to` is initialised by it */

bool watch_all(const struct watch *watch); /* nothing named: everything is watched */

/* Adds a comma-separated list of pids and names (-p), or of tids (-t); numbers alone may have
 * blanks between them. -1 with a message and watch unchanged if the text is not such a list. */
int watch_add_processes(struct watch *watch, const char *list, struct err *err);
int watch_add_threads(struct watch *watch, const char *list, struct err *err);
void watch_add_pid(struct watch *watch, pid_t pid);
void watch_add_user(struct watch *watch, uid_t uid);

/* Removes the items of a list, numbers as pids and tids; an empty list removes all processes and
 * threads, also the command. -1 with a message and watch unchanged if an item is not watched. */
int watch_remove(struct watch *watch, const char *list, struct err *err);

/* The facts that decide whether a thread is watched. */
struct watched {
    pid_t pid, tid;
    const char *comm; /* of its process */
    uid_t uid;
    bool command;   /* its process is the command or descends from it */
    bool in_cgroup; /* it is in watch.cgroup or below; ignored if that is NULL */
};

/* Whether a thread is watched. There are three conditions: pids, names, tids or the command; users;
 * the cgroup. All that are given must match. */
bool watch_has(const struct watch *watch, const struct watched *thread);
/* Whether a thread of that process may be watched (ignores tid). */
bool watch_may_have(const struct watch *watch, const struct watched *process);
