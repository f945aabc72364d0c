#include "engine/exiting_tasks.h"
#include "engine/task_table.h"

void exiting_tasks_forget(struct exiting_tasks *exiting, const struct task *task)
{
    size_t kept = 0;
    for (size_t i = 0; i < exiting->count; i++)
        if (exiting->tasks[i] != task)
            exiting->tasks[kept++] = exiting->tasks[i];
    exiting->count = kept;
}

void exiting_tasks_finish(struct exiting_tasks *exiting)
{
    if (exiting->done && exiting->count)
        exiting->count--;
    exiting->done = false;
}

void exiting_tasks_add(struct exiting_tasks *exiting, struct task *task)
{
    exiting_tasks_finish(exiting);
    if (exiting->count == EXITING_TASKS_MAX)
        exiting_tasks_forget(exiting, exiting->tasks[0]);
    exiting->tasks[exiting->count++] = task;
}

void exiting_tasks_clear(struct exiting_tasks *exiting)
{
    exiting->count = 0;
}

struct task *exiting_tasks_sample(struct exiting_tasks *exiting, size_t group, bool tick)
{
    if (exiting->done && exiting->group == group)
        exiting_tasks_finish(exiting); /* the group's second sample: another slice */
    if (!tick && !exiting->done) {
        exiting->done = true;
        exiting->group = group;
    }
    return exiting->count ? exiting->tasks[exiting->count - 1] : NULL;
}

struct task *exiting_tasks_last(const struct exiting_tasks *exiting)
{
    return exiting->done && exiting->count ? exiting->tasks[exiting->count - 1] : NULL;
}

bool exiting_tasks_has_command(const struct exiting_tasks *exiting)
{
    for (size_t i = 0; i < exiting->count; i++)
        if (exiting->tasks[i]->process->info.command && !(exiting->done && i + 1 == exiting->count))
            return true;
    return false;
}
