/* The threads of a process that are counted one by one, as a list in /proc gave them. While their
 * idle signs show that all of them live, and the process has as many threads, no thread was born or
 * has ended, so the list need not be read again. */
#ifndef ENGINE_CREW_H
#define ENGINE_CREW_H

#include "engine/task_counters.h"

struct crew;

/* NULL unless there are some and all have signs. The members outlive the crew. */
struct crew *crew_new(struct task_counters *const *members, size_t count);
void crew_free(struct crew *crew); /* NULL is fine */

/* Whether its members are all threads of the process. */
bool crew_is_complete(const struct crew *crew, pid_t pid);

/* Marks all members as found in that scan. */
void crew_found(const struct crew *crew, uint64_t scan);

#endif
