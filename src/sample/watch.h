/* What is watched: all tasks, or those of some processes, names, threads or users. The task engine
 * opens descriptors only for these; the ledger counts everything and the view shows these. */
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

/* Whether a thread is watched (comm: the name of its process): every kind that names something must
 * match, where pids, names and
 * tids are one kind (what) and users another (whose). */
bool watch_has(const struct watch *watch, pid_t pid, pid_t tid, const char *comm, uid_t uid);
/* Whether any thread of that process may be. */
bool watch_may_have(const struct watch *watch, pid_t pid, const char *comm, uid_t uid);

#endif
