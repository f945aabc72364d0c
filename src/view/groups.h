/* Rows that add up processes: those of a user, of a name, of a cgroup. */
#ifndef VIEW_GROUPS_H
#define VIEW_GROUPS_H

#include "view/view_context.h"

/* The keys of processes that /proc has, which only knows of live ones. */
struct key_memory {
    enum view_kind kind;
    struct map asked; /* of each process that was asked, by its id */
    uint64_t swept;   /* the frame at which old ones were dropped last */
};

void groups_release(struct groups *groups);
void key_memory_release(struct key_memory *memory);

/* Adds up the process rows given, for the view that the settings choose. Each belongs to exactly
 * one group, so the groups' counts add up to theirs. What was made before is no longer valid. */
void groups_make(struct groups *groups, struct key_memory *memory,
                 const struct view_context *context, const struct row **parts, size_t count);

#endif
