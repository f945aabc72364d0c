#include "view/filter.h"
#include "base/map.h"
#include "base/mem.h"
#include "view/groups.h"

#include <string.h>

/* What is looked up by pid while the rows of one frame are gone through. */
struct filter {
    const struct scene *scene;
    bool all;          /* nothing is watched in particular */
    struct map names;  /* process rows by pid: threads are watched by the name of their process */
    struct map chosen; /* pids of processes with a thread that is watched */
};

static const char *process_name(const struct filter *filter, const struct row *thread)
{
    const struct row *process = map_get(&filter->names, (uint64_t)thread->pid);
    return process ? process->comm : thread->comm;
}

static bool is_watched_thread(const struct filter *filter, const struct row *thread)
{
    struct watched watched = {
        .pid = thread->pid,
        .tid = thread->tid,
        .comm = process_name(filter, thread),
        .uid = thread->uid,
        .command = thread->command,
        .in_cgroup = true, /* a source lists no others */
    };
    return watch_has(&filter->scene->settings->watch, &watched);
}

static void filter_init(struct filter *filter, const struct scene *scene)
{
    const struct frame *frame = scene->frame;
    *filter = (struct filter){.scene = scene, .all = watch_all(&scene->settings->watch)};
    map_init(&filter->names);
    map_init(&filter->chosen);
    if (filter->all)
        return;
    for (size_t i = 0; i < frame->process_count; i++)
        map_put(&filter->names, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    for (size_t i = 0; i < frame->thread_count; i++)
        if (is_watched_thread(filter, &frame->threads[i]))
            map_put(&filter->chosen, (uint64_t)frame->threads[i].pid, &frame->threads[i]);
}

static void filter_release(struct filter *filter)
{
    map_release(&filter->names);
    map_release(&filter->chosen);
}

static bool shows_threads(const struct scene *scene)
{
    return scene->settings->threads && scene->settings->kind == VIEW_TASKS;
}

static bool is_watched(const struct filter *filter, const struct row *row)
{
    if (filter->all)
        return true;
    if (shows_threads(filter->scene))
        return is_watched_thread(filter, row);
    return map_get(&filter->chosen, (uint64_t)row->pid) != NULL;
}

/* A task that was asked for by name is shown with the reason why it is not counted. */
static bool is_active(const struct filter *filter, const struct row *row)
{
    return filter->scene->settings->idle || row->ran || row->exited ||
           (!filter->all && row->state != EVENT_COUNTED);
}

static bool matches(const struct filter *filter, const struct row *row)
{
    const struct scene *scene = filter->scene;
    const char *wanted = scene->settings->filter;
    if (!wanted || !*wanted || groups_shown(scene->settings->kind) || strcasestr(row->comm, wanted))
        return true;
    char line[4096];
    return !row->exited && scene->lookup && scene->lookup->cmdline &&
           scene->lookup->cmdline(scene->lookup->ctx, row->pid, line, sizeof(line)) &&
           strcasestr(line, wanted);
}

static size_t all_cpus(const struct frame *frame, const struct row ***rows, size_t *room)
{
    mem_grow(rows, room, frame->cpu_count, sizeof(**rows));
    for (size_t i = 0; i < frame->cpu_count; i++)
        (*rows)[i] = &frame->cpus[i];
    return frame->cpu_count;
}

size_t filter_rows(const struct scene *scene, const struct row ***rows, size_t *room)
{
    const struct frame *frame = scene->frame;
    if (scene->settings->kind == VIEW_CPUS)
        return all_cpus(frame, rows, room);

    bool threads = shows_threads(scene);
    const struct row *from = threads ? frame->threads : frame->processes;
    size_t total = threads ? frame->thread_count : frame->process_count, count = 0;
    struct filter filter;
    filter_init(&filter, scene);
    mem_grow(rows, room, total, sizeof(**rows));
    for (size_t i = 0; i < total; i++)
        /* In this order: the last may read /proc. */
        if (is_active(&filter, &from[i]) && is_watched(&filter, &from[i]) &&
            matches(&filter, &from[i]))
            (*rows)[count++] = &from[i];
    filter_release(&filter);
    return count;
}
