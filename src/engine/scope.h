/* What the system-wide engine counts: everything, or the tasks of a cgroup. Records do not say to
 * which cgroup a task belongs, so the counters themselves are restricted to the cgroup. */
#ifndef ENGINE_SCOPE_H
#define ENGINE_SCOPE_H

#include "base/err.h"

struct scope {
    char *cgroup;  /* its directory; NULL: everything */
    int directory; /* descriptor of it; -1: counts everything */
};

void scope_init(struct scope *scope); /* everything */
void scope_release(struct scope *scope);

/* cgroup as system/cgroup.h finds it, or NULL; cpu: one that may be counted. -1 with a message and
 * scope unchanged if the kernel cannot count the cgroup. */
int scope_set(struct scope *scope, const char *cgroup, int cpu, struct err *err);

#endif
