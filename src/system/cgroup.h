/* Control groups (cgroups(7)): the directory for a name, and the cgroup of a process. All are in
 * the hierarchy that the kernel uses for PERF_FLAG_PID_CGROUP (perf_event_open(2)): version 1's
 * with the controller perf_event if that is mounted, else version 2's. */
#pragma once

#include "system/kernel_times.h"

enum { CGROUP_PATH_SIZE = 4096, CGROUP_NAME_SIZE = 128 };
enum { CGROUP_TEXT_SIZE = 16 << 10 }; /* of /proc/PID/cgroup: a line for each hierarchy */

/* The directory of a cgroup, given as a directory, as a path in the hierarchy with or without a
 * leading slash ("system.slice/ssh.service", "/" for all), or by a unique name. The caller frees
 * it. NULL with a message that names the searched place and the nearest name. */
char *cgroup_find(const char *given, struct err *err);

/* Whether the directory, as found by cgroup_find, is the root of the hierarchy, which contains
 * everything including the idle tasks. */
bool cgroup_is_root(const char *directory);

/* Whether a process is in the cgroup of the directory, as found by cgroup_find, or below it. False
 * if the process is gone. */
bool cgroup_has(const char *directory, pid_t pid);

/* The path of a process' cgroup, "/" for the root: in the hierarchy above, or if that gives only
 * the root, in version 2's or systemd's. False with "" if the process is gone. */
bool cgroup_of(pid_t pid, char *path, size_t size);
/* Writes the same path from the text of /proc/PID/cgroup; "/" if no line has another one. */
void cgroup_in(const char *text, char *path, size_t size);

/* The id of a process' cgroup in the hierarchy above, as cgroup_each() gives it; 0: it is gone, or
 * is where no mount shows it. */
uint64_t cgroup_id(pid_t pid);

/* Visits each cgroup of that hierarchy that is mounted, with its path as in /proc/PID/cgroup, and
 * the id that the kernel writes into samples (PERF_SAMPLE_CGROUP) and records about new cgroups:
 * the inode number of its directory (fs/kernfs/: kernfs_id(), kernfs_ino()). */
typedef void cgroup_visit(void *ctx, uint64_t id, const char *path);
void cgroup_each(cgroup_visit *visit, void *ctx);

/* Whether the hierarchy above is the one in which this machine makes its cgroups, and by which perf
 * counts. It is not where version 1's perf_event has only a root, since systemd makes cgroups in
 * another hierarchy, or is mounted nowhere. */
bool cgroup_tells(void);

/* Whether this program is in the first cgroup namespace. Elsewhere paths in /proc begin at its own
 * root, and those in records of the kernel do not (cgroup_namespaces(7)). */
bool cgroup_sees_all(void);

enum cgroup_controller { CGROUP_CPU, CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CONTROLLERS };
struct cgroup_places { /* zeroed at first */
    bool found;
    char *unified, *first[CGROUP_CONTROLLERS]; /* where version 2, and each controller of version 1
                                                  are mounted; NULL */
};
void cgroup_places_release(struct cgroup_places *places);

/* What the kernel keeps of the cgroup with that path (cgroup_of()), by enum cgroup_kernel_time,
 * since it was made. Where it has no files of a controller, those times are not known. False if it
 * is gone. */
bool cgroup_kernel_times(struct cgroup_places *places, const char *path,
                         struct kernel_times *times);
/* The same, but only how its own limit, not one above it, has held it back. */
bool cgroup_throttled(struct cgroup_places *places, const char *path, struct kernel_times *times);
/* Whether a limit of CPU time of a thread's cgroup, or of one above, keeps it from running now:
 * certain if true. Root alone may know, where debugfs is mounted. */
bool cgroup_stops(struct cgroup_places *places, pid_t pid, pid_t tid);

/* What a cgroup may use and does, now: "at most 0.50 CPUs, held back 12 times for 1.3 s;
 * memory 12.3 of 100.0 MiB; 3 of 64 tasks; pressure of 10 s: cpu 12.0 %, memory 0.0 %, io 0.0 %".
 * The caller frees it; NULL if none of its files can be read. */
char *cgroup_state(const char *path);

/* A short name for a path or directory: of a container its name (container_name()) or, if that is
 * NULL, the first 12 digits of its id as docker shows it (from "docker-4f5e...scope",
 * "/kubepods/.../cri-containerd-..."); else the last part. */
void cgroup_name(const char *path, const char *container, char *name, size_t size);
