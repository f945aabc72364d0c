#include "engine/exiting_tasks.h"
#include "engine/task_table.h"

void exiting_tasks_forget(struct exiting_tasks *endings, const struct task *task)
{
    size_t kept = 0;
    for (size_t i = 0; i < endings->count; i++)
        if (endings->tasks[i] != task)
            endings->tasks[kept++] = endings->tasks[i];
    endings->count = kept;
}

void exiting_tasks_finish(struct exiting_tasks *endings)
{
    if (endings->done && endings->count)
        endings->count--;
    endings->done = false;
}

void exiting_tasks_add(struct exiting_tasks *endings, struct task *task)
{
    exiting_tasks_finish(endings);
    if (endings->count == EXITING_TASKS_MAX)
        exiting_tasks_forget(endings, endings->tasks[0]);
    endings->tasks[endings->count++] = task;
}

void exiting_tasks_clear(struct exiting_tasks *endings)
{
    endings->count = 0;
}

struct task *exiting_tasks_sample(struct exiting_tasks *endings, size_t group, bool tick)
{
    if (endings->done && endings->group == group)
        exiting_tasks_finish(endings); /* the group's second sample: another slice */
    if (!tick && !endings->done) {
        endings->done = true;
        endings->group = group;
    }
    return endings->count ? endings->tasks[endings->count - 1] : NULL;
}

struct task *exiting_tasks_last(const struct exiting_tasks *endings)
{
    return endings->done && endings->count ? endings->tasks[endings->count - 1] : NULL;
}

bool exiting_tasks_has_command(const struct exiting_tasks *endings)
{
    for (size_t i = 0; i < endings->count; i++)
        if (endings->tasks[i]->process->info.command && !(endings->done && i + 1 == endings->count))
            return true;
    return false;
}
