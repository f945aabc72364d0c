#include "engine/proc_scan.h"
#include "system/cgroup.h"
#include "system/procfs.h"

/* A walk over the threads of one process. */
struct walk {
    struct proc_scan *scan;
    pid_t pid;
    bool command;
};

static bool see_thread(void *ctx, pid_t tid)
{
    const struct walk *walk = ctx;
    walk->scan->found(walk->scan->ctx, REACH_THREAD, walk->pid, tid, walk->command);
    return true;
}

static void proc_scan_see(struct proc_scan *scan, enum reach reach, pid_t pid, bool command)
{
    struct walk walk = {scan, pid, command};
    if (scan->threads)
        procfs_each_thread(pid, see_thread, &walk);
    else
        scan->found(scan->ctx, reach, pid, pid, command);
}

/* Whether a process is watched, or with tid > 0 a thread of it. Reads only the facts that the watch
 * needs. */
static bool proc_scan_is_watched(const struct watch *watch, pid_t pid, pid_t tid)
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
    struct proc_scan *scan = ctx;
    const struct watch *watch = scan->watch;
    struct procfs_task task;
    if (pid == watch->command)
        return true;
    if (watch->command && scan->threads && procfs_task(pid, 0, &task) == 0 &&
        (scan->of_command(scan->ctx, pid) || scan->of_command(scan->ctx, task.ppid)))
        proc_scan_see(scan, REACH_PROCESS, pid, true);
    else if (proc_scan_is_watched(watch, pid, 0) &&
             /* The command's descendants are counted with it. */
             !(watch->command && procfs_descends(pid, watch->command)))
        proc_scan_see(scan, REACH_PROCESS, pid, false);
    return true;
}

void proc_scan_run(struct proc_scan *scan)
{
    const struct watch *watch = scan->watch;
    bool numbers = watch->pid_count || watch->tid_count || watch->command;
    if (watch->command && !scan->command_over)
        proc_scan_see(scan, REACH_DESCENDANTS, watch->command, true);
    if (watch->name_count || !numbers || (watch->command && scan->threads))
        procfs_each_process(see_process, scan);
    else
        for (size_t i = 0; i < watch->pid_count; i++)
            see_process(scan, watch->pids[i]);
    for (size_t i = 0; i < watch->tid_count; i++) {
        pid_t tid = watch->tids[i], pid = procfs_process_of(tid);
        if (pid > 0 && !scan->covers(scan->ctx, pid) && proc_scan_is_watched(watch, pid, tid))
            scan->found(scan->ctx, REACH_THREAD, pid, tid, false);
    }
}
