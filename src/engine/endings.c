#include "engine/endings.h"
#include "engine/roster.h"

void endings_forget(struct endings *endings, const struct task *task)
{
    size_t kept = 0;
    for (size_t i = 0; i < endings->count; i++)
        if (endings->tasks[i] != task)
            endings->tasks[kept++] = endings->tasks[i];
    endings->count = kept;
}

void endings_finish(struct endings *endings)
{
    if (endings->done && endings->count)
        endings->count--;
    endings->done = false;
}

void endings_add(struct endings *endings, struct task *task)
{
    endings_finish(endings);
    if (endings->count == ENDINGS_MAX)
        endings_forget(endings, endings->tasks[0]);
    endings->tasks[endings->count++] = task;
}

void endings_clear(struct endings *endings)
{
    endings->count = 0;
}

struct task *endings_sample(struct endings *endings, size_t group, bool tick)
{
    if (endings->done && endings->group == group)
        endings_finish(endings); /* a group writes one at the end of a slice */
    if (!tick && !endings->done) {
        endings->done = true;
        endings->group = group;
    }
    return endings->count ? endings->tasks[endings->count - 1] : NULL;
}

struct task *endings_last(const struct endings *endings)
{
    return endings->done && endings->count ? endings->tasks[endings->count - 1] : NULL;
}

bool endings_has_command(const struct endings *endings)
{
    for (size_t i = 0; i < endings->count; i++)
        if (endings->tasks[i]->process->info.command && !(endings->done && i + 1 == endings->count))
            return true;
    return false;
}
