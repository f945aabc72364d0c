#include "engine/scope.h"
#include "base/mem.h"
#include "engine/sys.h"
#include "system/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void scope_init(struct scope *scope)
{
    *scope = (struct scope){.directory = -1};
}

void scope_release(struct scope *scope)
{
    if (scope->directory >= 0)
        close(scope->directory);
    free(scope->cgroup);
    scope_init(scope);
}

/* Errors of the kernel's perf_cgroup_connect(); perf_event_open(2) documents only EBADF. On version
 * 2 cgroups get perf's controller, an implicit one, when any controller is enabled for them
 * (kernel/cgroup/cgroup.c, cgroup_calc_subtree_ss_mask(); seen on 6.12). */
static const char *scope_cause(int error)
{
    if (error == EINVAL)
        return "this kernel counts no cgroups (it is built without CONFIG_CGROUP_PERF)";
    if (error == EBADF)
        return "its directory is in no hierarchy of cgroups";
    if (error == ENOENT)
        return "it was removed, or its hierarchy has no controller enabled: as root, write '+cpu' "
               "to the cgroup.subtree_control of the root";
    return strerror(error);
}

int scope_set(struct scope *scope, const char *cgroup, int cpu, struct err *err)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    int directory = -1;
    /* The root contains everything, also the idle tasks: no restriction. */
    if (cgroup && !cgroup_is_root(cgroup)) {
        directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int fd = directory < 0 ? -1 : sys_open_cgroup(&attr, directory, cpu, -1);
        if (fd < 0) {
            int error = errno;
            if (directory >= 0)
                close(directory);
            return err_set(err, "cannot count cgroup '%.200s': %s", cgroup, scope_cause(error));
        }
        close(fd);
    }
    scope_release(scope);
    scope->cgroup = mem_strdup(cgroup);
    scope->directory = directory;
    return 0;
}
