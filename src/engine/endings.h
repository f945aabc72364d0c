/* Tasks that have ended on a CPU, but whose last slice has not been seen to end there. Each wrote
 * an EXIT record in that slice; the sample at its end may not name the task any more: a pid that is
 * gone already is written as -1 (kernel/events/core.c, perf_event_pid_type()). Pure. */
#ifndef ENGINE_ENDINGS_H
#define ENGINE_ENDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct task;

enum { ENDINGS_MAX = 16 };

struct endings {                     /* all zero: none */
    struct task *tasks[ENDINGS_MAX]; /* the latest last */
    size_t count;
    bool done;    /* the last of them wrote its last sample */
    size_t group; /* in this group, before others */
};

void endings_add(struct endings *endings, struct task *task); /* the oldest gives way */
void endings_forget(struct endings *endings, const struct task *task);
/* Whether one of them is of a command that is watched and may write a sample yet. */
bool endings_has_command(const struct endings *endings);

void endings_clear(struct endings *endings);

/* What comes next is not of the slice in which the last of them ended. */
void endings_finish(struct endings *endings);

/* Whom a sample without a name is about, NULL: not known. tick: it does not end the slice. */
struct task *endings_sample(struct endings *endings, size_t group, bool tick);
/* Whom the one at the end of the last slice was about, NULL: not known, or it had a name. */
struct task *endings_last(const struct endings *endings);

#endif
