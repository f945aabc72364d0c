#include "engine/proc_seed.h"
#include "base/clock.h"
#include "base/mem.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#include <stdlib.h>

static const uint64_t MEETING_MAX = 50000000;       /* ns for proc_seed_meet */
static const uint64_t SCAN_PERIOD = 10000000000ULL; /* ns: a scan takes 1 ms per 1,000 threads */

struct found {
    pid_t *pids;
    size_t count, room;
};

/* Context of a scan; its callbacks adopt the threads of pid. */
struct adoption {
    struct ledger *ledger;
    const char *cgroup;
    pid_t pid;
};

static bool find_process(void *ctx, pid_t pid)
{
    struct found *found = ctx;
    mem_grow(&found->pids, &found->room, found->count + 1, sizeof(*found->pids));
    found->pids[found->count++] = pid;
    return true;
}

void proc_seed_meet(struct ledger *ledger)
{
    uint64_t end = clock_monotonic() + MEETING_MAX;
    struct found found = {0};
    procfs_each_process(find_process, &found);
    /* The time is after the listing, so an older FORK record of this pid is the task's own. */
    for (uint64_t now; found.count > 0 && (now = clock_monotonic()) < end;)
        ledger_meet(ledger, found.pids[--found.count], now);
    free(found.pids);
}

static bool adopt_thread(void *ctx, pid_t tid)
{
    const struct adoption *adoption = ctx;
    /* The time is after the listing, so an older FORK record of this tid is the task's own. */
    ledger_adopt(adoption->ledger, adoption->pid, tid, clock_monotonic());
    return true;
}

static bool adopt_process(void *ctx, pid_t pid)
{
    struct adoption *adoption = ctx;
    if (adoption->cgroup && !cgroup_has(adoption->cgroup, pid))
        return true;
    adoption->pid = pid;
    procfs_each_thread(pid, adopt_thread, adoption);
    return true;
}

void proc_seed_adopt(struct ledger *ledger, const char *cgroup)
{
    procfs_each_process(adopt_process, &(struct adoption){ledger, cgroup, 0});
}

void proc_seed_keep(struct proc_seed *seed, struct ledger *ledger, uint64_t generation)
{
    uint64_t now = clock_monotonic(), lost = ledger_lost(ledger);
    if (seed->generation == generation && seed->lost == lost && now < seed->next)
        return;
    proc_seed_adopt(ledger, NULL);
    *seed = (struct proc_seed){generation, lost, now + SCAN_PERIOD};
}
