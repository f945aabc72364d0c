#include "engine/proc_names.h"
#include "system/procfs.h"

#include <string.h>

static bool comm(void *ctx, pid_t pid, pid_t tid, char name[TASK_COMM_SIZE])
{
    (void)ctx;
    return procfs_comm(pid, tid, name);
}

static bool process(void *ctx, pid_t pid, struct process_info *info)
{
    (void)ctx;
    struct procfs_task task;
    if (procfs_task(pid, 0, &task) < 0)
        return false;
    info->ppid = task.ppid;
    info->uid = procfs_uid(pid);
    memcpy(info->comm, task.comm, sizeof(info->comm));
    return true;
}

static bool alive(void *ctx, pid_t pid, pid_t tid)
{
    (void)ctx;
    struct procfs_task task;
    return procfs_task(pid, tid, &task) == 0 && task.state != 'Z' && task.state != 'X';
}

const struct task_table_lookup proc_names_lookup = {NULL, comm, process, alive};
