/* Names of containers. Runtimes keep them in files that only root may read; these are read with the
 * program's own rights, without capabilities. */
#pragma once

#include "base/base.h"

/* Where the id of a container begins in the path of its cgroup: CONTAINER_ID_DIGITS hexadecimal
 * digits. NULL: it is no container's. */
enum { CONTAINER_ID_DIGITS = 64 };
const char *container_id(const char *path);

/* The names that are known. They are read again after 10 s. */
struct container_names { /* zeroed at first */
    struct map names;    /* by the hash of the id; "": none was found */
    uint64_t read;       /* when they were read, monotonic ns; 0: never */
};
void container_names_release(struct container_names *names);

/* The name of the container whose cgroup has that path, clean and at most CONTAINER_NAME_MAX bytes:
 * "web"; in a pod of Kubernetes "POD/CONTAINER", and "POD" for what only holds its namespaces.
 * NULL: it is no container's, or this program cannot read its name. Valid until the next call. */
enum { CONTAINER_NAME_MAX = 400 };
const char *container_name(struct container_names *names, const char *path);
