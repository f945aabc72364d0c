/* Why the task engine does not count some of what it is to count, in words. */
#ifndef ENGINE_TASK_NOTICE_H
#define ENGINE_TASK_NOTICE_H

#include "engine/watcher.h"

/* As of the last watcher_read: one line, with what helps; NULL where there is nothing to say. Tasks
 * of others are no surprise where everything is watched. The caller frees it. */
char *task_notice_make(const struct watcher *watcher);

#endif
