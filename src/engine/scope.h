/* What of a machine the system-wide engine counts: all of it, or the tasks of a cgroup while they
 * run. No record tells who is in a cgroup; for that the counters themselves are confined to it. */
#ifndef ENGINE_SCOPE_H
#define ENGINE_SCOPE_H

#include "base/err.h"

struct scope {
    char *cgroup;  /* its directory; NULL: everything */
    int directory; /* that, open; -1: nothing has to be told apart */
};

void scope_init(struct scope *scope); /* everything */
void scope_release(struct scope *scope);

/* cgroup as system/cgroup.h finds it, or NULL; cpu: one that may be counted. -1 with a message, and
 * scope as it was, where the kernel does not count by it. */
int scope_set(struct scope *scope, const char *cgroup, int cpu, struct err *err);

#endif
