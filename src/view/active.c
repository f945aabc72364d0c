#include "view/active.h"

void active_init(struct active *active)
{
    *active = (struct active){0};
    map_init(&active->processes);
    map_init(&active->chosen);
}

void active_release(struct active *active)
{
    map_release(&active->processes);
    map_release(&active->chosen);
}

const struct row *active_process(const struct active *active, pid_t pid)
{
    return map_get(&active->processes, (uint64_t)pid);
}

static struct watched watched_of(const struct row *row, const char *process)
{
    return (struct watched){
        .pid = row->pid,
        .tid = row->tid,
        .comm = process,
        .uid = row->uid,
        .command = row->command,
        .in_cgroup = true, /* a source lists no others */
    };
}

static bool is_watched_thread(const struct active *active, const struct row *thread)
{
    const struct row *process = active_process(active, thread->pid);
    struct watched watched = watched_of(thread, process ? process->comm : thread->comm);
    return watch_has(&active->scene->settings->watch, &watched);
}

void active_begin(struct active *active, const struct scene *scene)
{
    const struct frame *frame = scene->frame;
    const struct view_settings *settings = scene->settings;
    active->scene = scene;
    active->all = watch_all(&settings->watch);
    map_clear(&active->processes);
    map_clear(&active->chosen);
    if (!active->all || !watch_all(&settings->highlight))
        for (size_t i = 0; i < frame->process_count; i++)
            map_put(&active->processes, (uint64_t)frame->processes[i].pid, &frame->processes[i]);
    for (size_t i = 0; i < frame->thread_count && !active->all; i++)
        if (is_watched_thread(active, &frame->threads[i]))
            map_put(&active->chosen, (uint64_t)frame->threads[i].pid, &frame->threads[i]);
}

bool active_is_busy(const struct scene *scene, const struct row *row)
{
    double least = scene->settings->least_cpu;
    return !(least > 0) || row->state != EVENT_COUNTED ||
           row->oncpu * 100 >= least * frame_seconds(scene->frame, row);
}

bool active_watches(const struct active *active, const struct row *row, bool thread)
{
    if (active->all)
        return true;
    return thread ? is_watched_thread(active, row)
                  : map_get(&active->chosen, (uint64_t)row->pid) != NULL;
}

/* A task that was asked for by name is shown with the reason why it is not counted. */
bool active_has(const struct active *active, const struct row *row, bool thread)
{
    bool shown = active->scene->settings->idle || row->ran || row->exited ||
                 (!active->all && row->state != EVENT_COUNTED);
    return shown && active_watches(active, row, thread);
}

bool active_watched(const struct active *active, const struct ended *ended, bool thread)
{
    if (active->all)
        return true;
    const struct watch *watch = &active->scene->settings->watch;
    struct watched watched = watched_of(&ended->row, ended->process);
    return thread ? watch_has(watch, &watched) : watch_may_have(watch, &watched);
}
