/* Rows that add up processes: those of a user, of a name, of a cgroup. Part of view/view. */
#ifndef VIEW_GROUPS_H
#define VIEW_GROUPS_H

#include "base/map.h"
#include "view/view_context.h"

/* What is to be known of such a row besides its sums. A user is in its uid, a name in its comm. */
struct group {
    char *cgroup; /* path; NULL: not known, those processes ended before they were asked */
    size_t processes;
};

struct groups {
    size_t count, room, group_room;
    struct row *rows;
    struct group *groups; /* one for each row */
    struct map found;     /* rows by id, while they are made: number + 1 */
};

/* The cgroups of processes, which only live ones can be asked for. */
struct cgroup_memory {
    struct map asked; /* of each process that was asked, by its id */
    uint64_t swept;   /* the frame at which old ones were forgotten last */
};

bool groups_shown(enum view_kind kind); /* a view of such rows */

void groups_init(struct groups *groups);
void groups_release(struct groups *groups);
void cgroup_memory_init(struct cgroup_memory *memory);
void cgroup_memory_release(struct cgroup_memory *memory);

/* Adds up the process rows given, by the kind of the context's settings. Each belongs to exactly
 * one group, so the groups' counts add up to theirs. What was made before is no longer valid. */
void groups_make(struct groups *groups, struct cgroup_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count);

/* Of a row that was made here. */
const struct group *groups_of(const struct groups *groups, const struct row *row);

#endif
