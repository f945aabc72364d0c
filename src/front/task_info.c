#include "front/task_info.h"

void task_info_task(struct task_info *info, const struct view *view, const struct row *row)
{
    const struct view_lookup *lookup = view_lookup_of(view);
    bool thread = view_settings(view)->threads;
    *info = (struct task_info){0};
    char threads[16];
    pid_t tid = thread ? row->tid : 0;
    if (row->exited || !lookup->word(lookup->ctx, row->pid, tid, "stat", ")", STAT_STATE,
                                     info->state, sizeof(info->state)))
        info->state[0] = '\0';
    if (thread)
        info->threads = 1;
    else if (*info->state && lookup->word(lookup->ctx, row->pid, tid, "stat", ")", STAT_THREADS,
                                          threads, sizeof(threads)))
        info->threads = strtoul(threads, NULL, 10);
}

const char *task_info_container(const struct view *view, const char *path)
{
    const struct view_lookup *lookup = view_lookup_of(view);
    return path && lookup->container ? lookup->container(lookup->ctx, path) : NULL;
}

void task_info_group(struct group_info *group, struct view *view, size_t index)
{
    group->row = view_row(view, index);
    group->group = view_row_group(view, index);
    group->name = group->group->key;
    if (view_settings(view)->kind == VIEW_USERS)
        group->name = view_user(view_lookup_of(view), group->row->uid, group->number);
}
