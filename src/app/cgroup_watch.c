#include "app/cgroup_watch.h"

#include <stdlib.h>

void cgroup_watch_release(struct cgroup_watch *watch)
{
    load_release(&watch->last);
    free(watch->places.unified);
    free(watch->places.cpu);
    *watch = (struct cgroup_watch){0};
}

/* Reads a cgroup unless it is gone or was read for this interval already. */
static void read_cgroup(struct cgroup_watch *watch, struct machine_load *now,
                        struct machine_load *interval, const char *path)
{
    struct kernel_times times;
    if (load_find_cgroup(now, path))
        return;
    cgroup_kernel_times(&watch->places, path, &times);
    if (times.known == 1u << CGROUP_TIME)
        return;
    const struct cgroup_load *last = load_find_cgroup(&watch->last, path);
    load_of_cgroup(now, path)->kernel_times = times;
    if (last)
        load_of_cgroup(interval, path)->kernel_times =
            kernel_times_between(&last->kernel_times, &times);
}

void cgroup_watch_take(struct cgroup_watch *watch, const struct view_lookup *lookup,
                       struct frame *interval)
{
    struct machine_load now = {0};
    char path[CGROUP_PATH_SIZE];
    for (size_t p = 0; p < interval->process_count; p++) {
        const struct row *process = &interval->processes[p];
        if (!process->exited && lookup->cgroup(lookup->ctx, process->pid, path, sizeof(path)))
            read_cgroup(watch, &now, &interval->load, path);
    }
    for (size_t i = 0; i < watch->last.cgroup_count; i++)
        read_cgroup(watch, &now, &interval->load, watch->last.cgroups[i].path);
    load_release(&watch->last);
    watch->last = now;
}
