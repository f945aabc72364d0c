/* The notice about what the task engine fails to count. */
#ifndef ENGINE_TASK_NOTICE_H
#define ENGINE_TASK_NOTICE_H

#include "engine/watcher.h"

/* As of the last watcher_read: one line with the remedy, which the caller frees; NULL if everything
 * is counted. Other users' tasks are not mentioned while the whole machine is watched. */
char *task_notice_make(const struct watcher *watcher);

#endif
