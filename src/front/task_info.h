/* Owner, state and number of threads of tasks and groups, from /proc through the view's lookup. It
 * is not asked about a task that ended: another one may have its pid by now. */
#ifndef FRONT_TASK_INFO_H
#define FRONT_TASK_INFO_H

#include "view/view.h"

struct task_info {
    char state[2];  /* a letter; "" where it is not known */
    size_t threads; /* 0: not known */
};

/* thread: the row is one of a thread, else of a process. */
void task_info_task(struct task_info *info, const struct view_lookup *lookup, const struct row *row,
                    bool thread);

enum { TASK_INFO_NUMBER_SIZE = 16 };

/* A user's name, or the number (written to `number`) where there is none; NULL: not known. Valid
 * until the lookup is asked again. */
const char *task_info_user(const struct view_lookup *lookup, uid_t uid,
                           char number[TASK_INFO_NUMBER_SIZE]);

/* A row of a view that shows groups. */
struct group_info {
    const struct row *row;
    const char *name; /* what its processes share, of a user the name; NULL: not known */
    size_t processes;
    char number[TASK_INFO_NUMBER_SIZE]; /* room for a user's number */
};

/* Valid until the lookup is asked again. */
void task_info_group(struct group_info *group, struct view *view, const struct view_lookup *lookup,
                     size_t index);

#endif
