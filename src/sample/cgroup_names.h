/* Which paths cgroups have, by their ids: what the engine knew when it made a snapshot. It is
 * immutable, and shared by reference between threads. */
#ifndef SAMPLE_CGROUP_NAMES_H
#define SAMPLE_CGROUP_NAMES_H

#include "base/map.h"

struct cgroup_names;

struct cgroup_name {
    uint64_t id; /* in the kernel, never 0: the inode number of its directory */
    const char *path;
};

/* Copies the names, whose order may be changed, and which have each id once. */
struct cgroup_names *cgroup_names_new(struct cgroup_name *names, size_t count);
struct cgroup_names *cgroup_names_share(struct cgroup_names *names);
void cgroup_names_drop(struct cgroup_names *names); /* NULL is fine, as in the others */

/* The names, and those of `more`: paths by id, of other cgroups. */
struct cgroup_names *cgroup_names_join(const struct cgroup_names *names, const struct map *more);

/* The path of that cgroup, NULL: not known. It is valid as long as the names. */
const char *cgroup_names_find(const struct cgroup_names *names, uint64_t id);

#endif
