#include "front/told.h"

#include <stdio.h>

void told_task(struct told *told, const struct view_lookup *lookup, const struct row *row,
               bool thread)
{
    *told = (struct told){0};
    if (!row->exited)
        lookup->state(lookup->ctx, row->pid, thread ? row->tid : 0, told->state, &told->threads);
    if (thread)
        told->threads = 1;
}

const char *told_user(const struct view_lookup *lookup, uid_t uid, char number[TOLD_NUMBER_SIZE])
{
    if (uid == (uid_t)-1)
        return NULL;
    const char *name = lookup->user(lookup->ctx, uid);
    snprintf(number, TOLD_NUMBER_SIZE, "%u", (unsigned)uid);
    return name ? name : number;
}
