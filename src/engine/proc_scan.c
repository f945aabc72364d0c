#include "engine/proc_scan.h"
#include "system/cgroup.h"
#include "system/procfs.h"

/* A walk over the threads of one process. */
struct walk {
    struct proc_scan *finder;
    pid_t pid;
    bool command;
};

static bool see_thread(void *ctx, pid_t tid)
{
    const struct walk *walk = ctx;
    walk->finder->found(walk->finder->ctx, REACH_THREAD, walk->pid, tid, walk->command);
    return true;
}

static void proc_scan_see(struct proc_scan *finder, enum reach reach, pid_t pid, bool command)
{
    struct walk walk = {finder, pid, command};
    if (finder->threads)
        procfs_each_thread(pid, see_thread, &walk);
    else
        finder->found(finder->ctx, reach, pid, pid, command);
}

/* Whether a process is watched, or with tid > 0 a thread of it. Reads only the facts that the watch
 * needs. */
static bool is_watched(const struct watch *watch, pid_t pid, pid_t tid)
{
    char comm[16] = "";
    struct watched watched = {.pid = pid, .tid = tid, .comm = comm, .uid = (uid_t)-1};
    if (watch->name_count && !procfs_comm(pid, 0, comm))
        return false;
    if (watch->user_count)
        watched.uid = procfs_uid(pid);
    if (watch->cgroup)
        watched.in_cgroup = cgroup_has(watch->cgroup, pid);
    return watch_has(watch, &watched);
}

/* Finds a descendant of the command only if its parent was found before that ended. */
static bool see_process(void *ctx, pid_t pid)
{
    struct proc_scan *finder = ctx;
    const struct watch *watch = finder->watch;
    struct procfs_task task;
    if (pid == watch->command)
        return true;
    if (watch->command && finder->threads && procfs_task(pid, 0, &task) == 0 &&
        (finder->of_command(finder->ctx, pid) || finder->of_command(finder->ctx, task.ppid)))
        proc_scan_see(finder, REACH_PROCESS, pid, true);
    else if (is_watched(watch, pid, 0) &&
             /* The command's descendants are counted with it. */
             !(watch->command && procfs_descends(pid, watch->command)))
        proc_scan_see(finder, REACH_PROCESS, pid, false);
    return true;
}

void proc_scan_run(struct proc_scan *finder)
{
    const struct watch *watch = finder->watch;
    bool numbers = watch->pid_count || watch->tid_count || watch->command;
    if (watch->command && !finder->command_over)
        proc_scan_see(finder, REACH_DESCENDANTS, watch->command, true);
    if (watch->name_count || !numbers || (watch->command && finder->threads))
        procfs_each_process(see_process, finder);
    else
        for (size_t i = 0; i < watch->pid_count; i++)
            see_process(finder, watch->pids[i]);
    for (size_t i = 0; i < watch->tid_count; i++) {
        pid_t tid = watch->tids[i], pid = procfs_process_of(tid);
        if (pid > 0 && !finder->covers(finder->ctx, pid) && is_watched(watch, pid, tid))
            finder->found(finder->ctx, REACH_THREAD, pid, tid, false);
    }
}
