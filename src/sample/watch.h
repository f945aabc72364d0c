/* What is watched: all tasks, or those of some processes, names, threads, users, of a command or of
 * a cgroup. The task engine opens descriptors only for these; the ledger counts everything and the
 * view shows these. */
#ifndef SAMPLE_WATCH_H
#define SAMPLE_WATCH_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct watch {
    size_t pid_count, name_count, tid_count, user_count, room[4];
    pid_t *pids;
    char **names; /* processes by name (comm) */
    pid_t *tids;
    uid_t *users;
    /* A child of ours that waits until it may execute a command, 0: none. It is watched, and so are
     * its descendants, from the first instruction of the command on. */
    pid_t command;
    char *cgroup; /* a cgroup's directory, as system/cgroup.h resolves it; NULL: any */
};

void watch_init(struct watch *watch);
void watch_release(struct watch *watch);
void watch_copy(struct watch *to, const struct watch *from); /* `to` is initialised by it */

bool watch_all(const struct watch *watch); /* nothing named: everything is watched */

/* Adds a comma-separated list of pids and names (-p), or of tids (-t). -1 with a message, and
 * watch as it was, where the text is no such list. */
int watch_add_processes(struct watch *watch, const char *list, struct err *err);
int watch_add_threads(struct watch *watch, const char *list, struct err *err);
void watch_add_pid(struct watch *watch, pid_t pid);
void watch_add_user(struct watch *watch, uid_t uid);

/* Takes out what a list names, numbers as pids and tids; an empty one takes out all processes and
 * threads, the command too. -1 with a message, and watch as it was, where something in it was not
 * watched. */
int watch_remove(struct watch *watch, const char *list, struct err *err);
void watch_remove_users(struct watch *watch);

/* What is to be known of a thread to tell whether it is watched. */
struct watched {
    pid_t pid, tid;
    const char *comm; /* of its process */
    uid_t uid;
    bool command;   /* its process is the command, or descends from it */
    bool in_cgroup; /* it is in watch.cgroup or below; of no account without one */
};

/* Whether a thread is watched: every kind that names something must match, where pids, names, tids
 * and the command are one kind (what), users another (whose), and the cgroup a third (where). */
bool watch_has(const struct watch *watch, const struct watched *thread);
/* Whether any thread of that process may be (tid is of no account). */
bool watch_may_have(const struct watch *watch, const struct watched *process);

#endif
