#include "app/host.h"

/* What is read for an interval. */
struct cgroup_reading {
    struct cgroup_watch *watch;
    struct machine_load now, limits;
    struct machine_load *interval;
};

void cgroup_watch_release(struct cgroup_watch *watch)
{
    load_release(&watch->last);
    load_release(&watch->limits);
    cgroup_places_release(&watch->places);
    *watch = (struct cgroup_watch){0};
}

/* What its limit did in the interval; false: not known. */
static bool limit_of(struct cgroup_reading *reading, const char *path, struct kernel_times *span)
{
    struct cgroup_watch *watch = reading->watch;
    const struct cgroup_load *last = load_find_cgroup(&watch->limits, path);
    struct cgroup_load *now = load_find_cgroup(&reading->limits, path);
    if (!now) {
        now = load_of_cgroup(&reading->limits, path);
        cgroup_throttled(&watch->places, path, &now->kernel_times);
    }
    if (last)
        *span = kernel_times_between(&last->kernel_times, &now->kernel_times);
    return last && span->known & 1u << CGROUP_THROTTLED;
}

/* Of the limits above a cgroup: what the one did that held it back most, if that is more than its
 * own did. Which one that is may change. */
static void take_limits(struct cgroup_reading *reading, const char *path, struct kernel_times *of)
{
    struct kernel_times span;
    char at[CGROUP_PATH_SIZE];
    snprintf(at, sizeof(at), "%s", path);
    for (char *end; (end = strrchr(at, '/')) > at;) {
        *end = '\0';
        if (limit_of(reading, at, &span) &&
            (!(of->known & 1u << CGROUP_THROTTLED) ||
             span.time[CGROUP_THROTTLED] > of->time[CGROUP_THROTTLED]))
            kernel_times_merge(of, &span, 1u << CGROUP_THROTTLED | 1u << CGROUP_THROTTLES);
    }
}

/* Reads a cgroup unless it is gone or was read for this interval already. */
static void read_cgroup(struct cgroup_reading *reading, const char *path)
{
    struct cgroup_watch *watch = reading->watch;
    struct kernel_times times, span;
    if (load_find_cgroup(&reading->now, path))
        return;
    if (!cgroup_kernel_times(&watch->places, path, &times))
        return;
    const struct cgroup_load *last = load_find_cgroup(&watch->last, path);
    load_of_cgroup(&reading->now, path)->kernel_times = times;
    span = last ? kernel_times_between(&last->kernel_times, &times) : (struct kernel_times){0};
    take_limits(reading, path, &span);
    if (last)
        load_of_cgroup(reading->interval, path)->kernel_times = span;
}

void cgroup_watch_take(struct cgroup_watch *watch, const struct view_lookup *lookup,
                       struct frame *interval)
{
    struct cgroup_reading reading = {.watch = watch, .interval = &interval->load};
    char path[CGROUP_PATH_SIZE];
    AUTO_MAP struct map seen = {0};
    for (size_t t = 0; t < interval->thread_count && interval->cgroups; t++) {
        const struct row *thread = &interval->threads[t];
        const char *known = frame_cgroup(interval, thread);
        if (known && !map_put(&seen, thread->cgroup, interval))
            read_cgroup(&reading, known);
    }
    for (size_t p = 0; p < interval->process_count; p++) {
        const struct row *process = &interval->processes[p];
        if (!process->exited && !process->cgroup &&
            lookup->cgroup(lookup->ctx, process->pid, path, sizeof(path)))
            read_cgroup(&reading, path);
    }
    for (size_t i = 0; i < watch->last.cgroup_count; i++)
        read_cgroup(&reading, watch->last.cgroups[i].path);
    load_release(&watch->last);
    load_release(&watch->limits);
    watch->last = reading.now;
    watch->limits = reading.limits;
}
