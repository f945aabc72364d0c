/* Tasks that have exited on a CPU while the end of their last slice there has not been seen. Each
 * wrote an EXIT record in that slice. The sample at the slice's end may have -1 instead of the pid,
 * if the pid is gone by then (kernel/events/core.c, perf_event_pid_type()). Pure. */
#ifndef ENGINE_EXITING_TASKS_H
#define ENGINE_EXITING_TASKS_H

#include <stdbool.h>
#include <stddef.h>

struct task;

enum { EXITING_TASKS_MAX = 16 };

struct exiting_tasks {                     /* all zero: none */
    struct task *tasks[EXITING_TASKS_MAX]; /* the latest last */
    size_t count;
    bool done;    /* the latest of them wrote its last sample */
    size_t group; /* the first group that wrote it */
};

void exiting_tasks_add(struct exiting_tasks *exiting, struct task *task); /* may drop the oldest */
void exiting_tasks_forget(struct exiting_tasks *exiting, const struct task *task);
/* Whether one of them belongs to a watched command and may still write a sample. */
bool exiting_tasks_has_command(const struct exiting_tasks *exiting);

void exiting_tasks_clear(struct exiting_tasks *exiting);

/* The slice in which the latest of them exited is over. */
void exiting_tasks_finish(struct exiting_tasks *exiting);

/* The task of a sample without a pid; NULL: not known. tick: the sample does not end the slice. */
struct task *exiting_tasks_sample(struct exiting_tasks *exiting, size_t group, bool tick);
/* The task of the sample at the end of the last slice; NULL: not known, or the sample had a pid. */
struct task *exiting_tasks_last(const struct exiting_tasks *exiting);

#endif
