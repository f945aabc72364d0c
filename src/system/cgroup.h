/* Control groups (cgroups(7)): which directory is meant by a name, and in which one a process is.
 * Of the hierarchies that can be mounted this is the one that the kernel counts by with
 * PERF_FLAG_PID_CGROUP (perf_event_open(2)): that of version 1's controller perf_event where it is
 * mounted, else version 2's. */
#ifndef SYSTEM_CGROUP_H
#define SYSTEM_CGROUP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CGROUP_PATH_SIZE = 4096, CGROUP_NAME_SIZE = 128 };

/* The directory of a cgroup that is given as such, or as its path in the hierarchy, with or without
 * a slash before it ("system.slice/ssh.service", "/" for all). The caller frees it. NULL with a
 * message that says where it was looked for, and the nearest name. */
char *cgroup_find(const char *given, struct err *err);

/* Whether that directory, as found by cgroup_find, is the root of the hierarchy: everything is in
 * it, the idle tasks too. */
bool cgroup_is_root(const char *directory);

/* Whether a process is in the cgroup of that directory, as found by cgroup_find, or below it. False
 * for a process that is gone. */
bool cgroup_has(const char *directory, pid_t pid);

/* The path of the cgroup that a process is in, "/" for the root: in the hierarchy above, and where
 * it is in the root of that, in another one that tells more (version 2's, systemd's). False with ""
 * for a process that is gone. */
bool cgroup_of(pid_t pid, char *path, size_t size);

/* The last part of a path or directory as people know it: the first 12 digits of a container's id,
 * as docker shows it ("docker-4f5e...scope", "/kubepods/.../cri-containerd-..."), else that part.
 */
void cgroup_name(const char *path, char *name, size_t size);

#endif
