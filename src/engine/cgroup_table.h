/* The cgroups that samples name by their ids, for the ledger, which owns it. It makes no system
 * call: paths come from records about cgroups that are made, and from a look at all that exist.
 *
 * Invariant: each id that a task of the task table has is in the table, after a look with a path.
 */
#pragma once

#include "engine/task_table.h"

struct cgroup_table { /* zeroed: empty */
    struct map known; /* by id */
    bool wanted;      /* an id is without a path */
    bool changed;     /* since `names` were made */
    size_t most;      /* when there are more, a look finds out which still exist; 0: no look yet */
    unsigned look;    /* its number */
    struct cgroup_names *names;
};

void cgroup_table_release(struct cgroup_table *table);

/* Notes that a sample named that id. */
void cgroup_table_want(struct cgroup_table *table, uint64_t id);
/* Notes the path of a cgroup that was made. sure: it is the path that /proc has, too; else a look
 * may find another one. */
void cgroup_table_add(struct cgroup_table *table, uint64_t id, const char *path, bool sure);

/* Whether all cgroups should be listed now: then call cgroup_table_found() for each one, and
 * cgroup_table_looked() at the end, which forgets those that are gone and have no task. */
bool cgroup_table_wants_look(const struct cgroup_table *table);
void cgroup_table_found(void *table, uint64_t id, const char *path);
void cgroup_table_looked(struct cgroup_table *table, const struct task_table *task_table);

/* All names, for a snapshot, which then shares them. */
struct cgroup_names *cgroup_table_names(struct cgroup_table *table);
