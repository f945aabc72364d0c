#include "app/engine_choice.h"
#include "base/mem.h"
#include "system/procfs.h"

#include <sys/resource.h>
#include <unistd.h>

/* Each process that is watched is looked at in each refresh. */
enum { FEW_PROCESSES = 64 };

/* For no other reason: what the ledger is for. */
static const char USUAL[] = "may count all tasks";

static size_t threads_of(pid_t pid)
{
    struct procfs_task task;
    return procfs_task(pid, 0, &task) == 0 ? task.threads : 0;
}

/* Without a capability the ledger is open to all where perf_event_paranoid is low enough, but the
 * threads of others are not (perf_event_open(2): PTRACE_MODE_READ_REALCREDS). */
static bool may_open_all(const struct watch *watch, const struct caps *caps)
{
    bool own = true;
    for (size_t i = 0; i < watch->pid_count; i++)
        own &= procfs_uid(watch->pids[i]) == getuid();
    for (size_t i = 0; i < watch->tid_count; i++)
        own &= procfs_uid(watch->tids[i]) == getuid();
    return own || caps->perfmon;
}

bool engine_choice_is_task(const struct options *options, const struct caps *caps, size_t events,
                           char **reason)
{
    const struct watch *watch = &options->view.watch;
    size_t processes = watch->pid_count + watch->tid_count + (watch->command != 0);
    if (options->cpus.count || options->view.kind == VIEW_CPUS) {
        *reason = mem_strdup("knows each CPU");
        return false;
    }
    if (processes == 0 || processes > FEW_PROCESSES || watch->name_count || watch->user_count ||
        watch->cgroup || !may_open_all(watch, caps)) {
        *reason = mem_strdup(USUAL);
        return false;
    }
    size_t threads = watch->tid_count + (watch->command != 0);
    for (size_t i = 0; i < watch->pid_count; i++)
        threads += threads_of(watch->pids[i]);
    struct rlimit limit;
    size_t needed = threads * (events ? events : 1);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && needed > limit.rlim_cur) {
        *reason = mem_printf("%zu threads would need %zu descriptors, the limit is %llu", threads,
                             needed, (unsigned long long)limit.rlim_cur);
        return false;
    }
    *reason = mem_strdup("disturbs only what is watched");
    return true;
}
