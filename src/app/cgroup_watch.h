/* What the kernel keeps of cgroups, read for each interval while a view shows it. */
#ifndef APP_CGROUP_WATCH_H
#define APP_CGROUP_WATCH_H

#include "system/cgroup.h"
#include "view/view_context.h"

struct cgroup_watch { /* zeroed at first */
    struct cgroup_places places;
    struct machine_load last;   /* cgroups when they were read last */
    struct machine_load limits; /* likewise those above them, only what their limits did */
};

void cgroup_watch_release(struct cgroup_watch *watch);
/* Adds to the interval the cgroups of its tasks, and those of earlier intervals that still exist:
 * of each what has passed since it was read last, so a cgroup is known from its second interval on.
 */
void cgroup_watch_take(struct cgroup_watch *watch, const struct view_lookup *lookup,
                       struct frame *interval);

#endif
