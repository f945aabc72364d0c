/* Owner, state and number of threads of tasks and groups, from /proc through the view's lookup. The
 * lookup is not used for ended tasks: another task may have the pid now. */
#pragma once

#include "view/view.h"

struct task_info {
    char state[2];  /* a letter; "": not known */
    size_t threads; /* 0: not known */
};

/* The row is a thread's where the view shows threads, else a process'. */
void task_info_task(struct task_info *info, const struct view *view, const struct row *row);

/* The name of the container that has a cgroup; NULL: not known. Valid until the next lookup. */
const char *task_info_container(const struct view *view, const char *path);

/* A row of a view that shows groups. */
struct group_info {
    const struct row *row;
    const char *name; /* the common key of its processes, for a user the name; NULL: not known */
    const struct group *group;
    char number[USER_NUMBER]; /* buffer for a user's number */
};

/* Valid until the next lookup. */
void task_info_group(struct group_info *group, struct view *view, size_t index);
