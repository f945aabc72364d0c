/* Rows that add up the processes of a user, a name, or a cgroup. */
#ifndef VIEW_GROUPS_H
#define VIEW_GROUPS_H

#include "view/view_context.h"

/* Keys of processes from /proc, which contains only running ones. */
struct key_memory {
    enum view_kind kind;
    struct map asked;  /* by id of the process */
    struct map by_pid; /* the same of those that lived then */
    struct map rows;   /* of the frame's processes by pid; made when one is needed */
    uint64_t swept;    /* frame of the last removal of old keys */
};

void groups_release(struct groups *groups);
void key_memory_release(struct key_memory *memory);

/* Adds up the process rows for the view in the settings. Each process belongs to exactly one group,
 * so the groups' counts add up to theirs. Invalidates earlier groups. */
void groups_make(struct groups *groups, struct key_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count);

#endif
