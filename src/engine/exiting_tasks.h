/* Tasks that have ended on a CPU, but whose last slice has not been seen to end there. Each wrote
 * an EXIT record in that slice; the sample at its end may not name the task any more: a pid that is
 * gone already is written as -1 (kernel/events/core.c, perf_event_pid_type()). Pure. */
#ifndef ENGINE_EXITING_TASKS_H
#define ENGINE_EXITING_TASKS_H

#include <stdbool.h>
#include <stddef.h>

struct task;

enum { EXITING_TASKS_MAX = 16 };

struct exiting_tasks {                     /* all zero: none */
    struct task *tasks[EXITING_TASKS_MAX]; /* the latest last */
    size_t count;
    bool done;    /* the last of them wrote its last sample */
    size_t group; /* in this group, before others */
};

void exiting_tasks_add(struct exiting_tasks *endings, struct task *task); /* the oldest gives way */
void exiting_tasks_forget(struct exiting_tasks *endings, const struct task *task);
/* Whether one of them is of a command that is watched and may write a sample yet. */
bool exiting_tasks_has_command(const struct exiting_tasks *endings);

void exiting_tasks_clear(struct exiting_tasks *endings);

/* What comes next is not of the slice in which the last of them ended. */
void exiting_tasks_finish(struct exiting_tasks *endings);

/* Whom a sample without a name is about, NULL: not known. tick: it does not end the slice. */
struct task *exiting_tasks_sample(struct exiting_tasks *endings, size_t group, bool tick);
/* Whom the one at the end of the last slice was about, NULL: not known, or it had a name. */
struct task *exiting_tasks_last(const struct exiting_tasks *endings);

#endif
