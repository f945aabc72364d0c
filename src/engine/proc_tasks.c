#include "engine/proc_tasks.h"
#include "system/cgroup.h"
#include "system/procfs.h"

static const uint64_t MEETING_MAX = 50000000;       /* ns for proc_tasks_meet */
static const uint64_t SCAN_PERIOD = 10000000000ULL; /* ns: a scan takes 1 ms per 1,000 threads */

static bool comm(void *ctx UNUSED, pid_t pid, pid_t tid, char name[TASK_COMM_SIZE])
{
    return procfs_comm(pid, tid, name);
}

static bool process(void *ctx UNUSED, pid_t pid, struct process_info *info)
{
    struct procfs_task task;
    if (procfs_task(pid, 0, &task) < 0)
        return false;
    info->ppid = task.ppid;
    info->exited = task.state == 'Z' || task.state == 'X';
    info->uid = procfs_uid(pid, 0);
    memcpy(info->comm, task.comm, sizeof(task.comm));
    return true;
}

static bool alive(void *ctx UNUSED, pid_t pid, pid_t tid)
{
    struct procfs_task task;
    return procfs_task(pid, tid, &task) == 0 ? task.state != 'Z' && task.state != 'X'
                                             : procfs_short();
}

static bool delay(void *ctx UNUSED, pid_t pid, pid_t tid, uint64_t *ns)
{
    struct procfs_schedstat now;
    bool known = procfs_schedstat(pid, tid, &now);
    *ns = now.delay;
    return known;
}

static bool owner(void *ctx UNUSED, pid_t pid, pid_t tid, uid_t *uid)
{
    uid_t found = procfs_uid(pid, pid == tid ? 0 : tid);
    if (found != (uid_t)-1)
        *uid = found;
    return found != (uid_t)-1;
}

static uint64_t cgroup(void *ctx UNUSED, pid_t pid)
{
    return cgroup_id(pid);
}

const struct task_table_lookup proc_tasks_lookup = {NULL,  comm,  process, alive,
                                                    delay, owner, cgroup};

struct watched proc_tasks_watched(const struct watch *watch, pid_t pid, pid_t tid,
                                  char comm[TASK_COMM_SIZE])
{
    struct watched watched = {
        .pid = pid, .tid = tid, .comm = comm, .uid = (uid_t)-1, .command = pid == watch->command};
    *comm = '\0';
    if (watch->names.count)
        procfs_comm(pid, 0, comm);
    if (watch->user_count)
        watched.uid = procfs_uid(pid, 0);
    if (watch->cgroup)
        watched.in_cgroup = cgroup_has(watch->cgroup, pid);
    return watched;
}

void proc_tasks_hear(int changes, struct task_table *task_table)
{
    struct owner_change change;
    for (int got; (got = owner_changes_next(changes, &change)) != 0;)
        if (got > 0)
            task_table_change(task_table, &change);
        else
            task_table_doubt(task_table);
}

void proc_tasks_meet(struct ledger *ledger)
{
    uint64_t end = clock_monotonic() + MEETING_MAX;
    AUTO_PIDS struct pid_list all = {0}, kernel = {0};
    procfs_kernel_threads(&kernel);
    bool ended = true; /* then once more, for its children */
    for (int look = 0; look < 2 && ended; look++) {
        ended = false;
        procfs_processes(&all);
        /* The time is after the listing, so an older FORK record of this pid is the task's own. */
        for (uint64_t now; all.count > 0 && (now = clock_monotonic()) < end;) {
            pid_t pid = all.pids[--all.count];
            ended |= !pid_list_has(&kernel, pid) &&
                     !task_table_meet_process(&ledger->task_table, pid, now);
        }
    }
}

void proc_tasks_adopt(struct ledger *ledger, const char *cgroup)
{
    AUTO_PIDS struct pid_list all = {0}, threads = {0};
    procfs_processes(&all);
    for (size_t i = 0; i < all.count; i++) {
        if (cgroup && !cgroup_has(cgroup, all.pids[i]))
            continue;
        threads.count = 0;
        procfs_threads(all.pids[i], &threads);
        for (size_t t = 0; t < threads.count; t++) /* as above */
            ledger_adopt(ledger, all.pids[i], threads.pids[t], clock_monotonic());
    }
}

void proc_tasks_keep(struct proc_scan_state *scan, struct ledger *ledger, uint64_t generation)
{
    uint64_t now = clock_monotonic(), lost = ledger->lost;
    if (scan->generation == generation && scan->lost == lost && now < scan->next)
        return;
    proc_tasks_adopt(ledger, NULL);
    *scan = (struct proc_scan_state){generation, lost, now + SCAN_PERIOD};
}
