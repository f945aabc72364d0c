#include "engine/launch_overhead.h"
#include "engine/sys.h"

struct launch_overhead {
    struct task_table *task_table;
    struct task *child, *own;
    bool executed;
    const struct group_plan *plan; /* NULL: nothing is counted yet */
    int **fds;                     /* the child's own counters by group; NULL: not open */
    /* Still to be moved from the child to countertop. Before the exec not known: UINT64_MAX, less
     * what was moved. */
    struct counts owed;
    uint64_t owed_oncpu;
};

struct launch_overhead *launch_overhead_new(struct task_table *task_table, pid_t child)
{
    struct launch_overhead *launch_overhead = mem_alloc(sizeof(*launch_overhead));
    uint64_t now = clock_monotonic();
    *launch_overhead = (struct launch_overhead){
        .task_table = task_table,
        .child = task_table_task(task_table, child, child, now),
        .own = task_table_task(task_table, getpid(), getpid(), now),
    };
    task_table_meet(task_table, launch_overhead->child);
    launch_overhead->child->process->info.command = true;
    return launch_overhead;
}

static void close_counters(struct launch_overhead *launch_overhead)
{
    for (size_t g = 0; launch_overhead->fds && g < launch_overhead->plan->count; g++) {
        if (launch_overhead->fds[g])
            group_close(launch_overhead->fds[g], launch_overhead->plan->shapes[g].values);
        free(launch_overhead->fds[g]);
    }
    free(launch_overhead->fds);
    launch_overhead->fds = NULL;
}

void launch_overhead_free(struct launch_overhead *launch_overhead)
{
    if (!launch_overhead)
        return;
    close_counters(launch_overhead);
    counts_release(&launch_overhead->owed);
    free(launch_overhead);
}

/* Moves one count as far as it is owed; returns what is still owed. */
static uint64_t move_count(uint64_t *from, uint64_t *to, uint64_t *owed)
{
    uint64_t part = *from < *owed ? *from : *owed;
    *from -= part;
    *to += part;
    return *owed -= part;
}

/* Moves what is owed, as far as the child's counts contain it. False if nothing is left. */
static bool move_owed(struct launch_overhead *launch_overhead)
{
    struct task *child = launch_overhead->child, *own = launch_overhead->own;
    size_t words = counts_size(launch_overhead->plan->set) / sizeof(uint64_t);
    bool left = move_count(&child->oncpu, &own->oncpu, &launch_overhead->owed_oncpu) > 0;
    for (size_t w = 0; w < words; w++) /* the times, too */
        left |= move_count(&child->counts.value[w], &own->counts.value[w],
                           &launch_overhead->owed.value[w]) > 0;
    return left;
}

/* All that is counted until the exec, which is not known yet. */
static void owe_all(struct launch_overhead *launch_overhead)
{
    memset(launch_overhead->owed.value, 0xff, counts_size(launch_overhead->plan->set));
    launch_overhead->owed_oncpu = UINT64_MAX;
}

int launch_overhead_begin(struct launch_overhead *launch_overhead, const struct group_plan *plan)
{
    /* No samples here: `switches` is a plain count, and a dummy takes the ticker's position. */
    static const struct group_style style = {
        .samples = true,
        .until_exec = true,
        .switches = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
        .ticker = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    };
    int refused = 0;
    if (!launch_overhead)
        return 0;
    close_counters(launch_overhead);
    counts_release(&launch_overhead->owed);
    launch_overhead->plan = plan;
    launch_overhead->owed = counts_new(plan->set);
    launch_overhead->owed_oncpu = 0;
    if (launch_overhead->executed)
        return 0;
    /* What the ledger has of it already is countertop's, and not in the counters opened here. */
    owe_all(launch_overhead);
    move_owed(launch_overhead);
    owe_all(launch_overhead);
    launch_overhead->fds = mem_array(plan->count, sizeof(*launch_overhead->fds));
    for (size_t g = 0; g < plan->count; g++) {
        struct group_target target = {launch_overhead->child->tid, -1};
        size_t at;
        int *fds = mem_array(plan->shapes[g].values, sizeof(*fds));
        if (group_open(plan, g, &style, target, fds, &at) < 0) {
            free(fds);
            continue;
        }
        launch_overhead->fds[g] = fds;
        if (sys_enable(fds[0]) < 0)
            refused = errno;
    }
    return refused;
}

/* Reads a group whose events were removed. From Linux 6.15 on such events are no group, so each
 * event is read alone. */
static bool read_removed(const int *fds, size_t values, struct group_read *counts)
{
    size_t one = sizeof(counts->value[0]), size = sizeof(*counts) + values * one;
    if (read(fds[0], counts, size) < (ssize_t)(sizeof(*counts) + one))
        return false;
    for (size_t v = 1; v < values; v++)
        if (read(fds[v], &counts->value[v], one) != (ssize_t)one)
            return false;
    return true;
}

/* What remains of a total after what was moved before the exec. */
static uint64_t rest(uint64_t total, uint64_t owed)
{
    uint64_t moved = UINT64_MAX - owed;
    return total > moved ? total - moved : 0;
}

void launch_overhead_take(struct launch_overhead *launch_overhead, const struct record *record)
{
    if (!launch_overhead || launch_overhead->executed || record->kind != RECORD_COMM ||
        !record->comm.exec || record->tid != launch_overhead->child->tid)
        return;
    launch_overhead->executed = true;
    if (!launch_overhead->plan)
        return;
    move_owed(launch_overhead);
    const struct group_plan *plan = launch_overhead->plan;
    struct counts before = launch_overhead->owed;
    uint64_t oncpu = 0;
    launch_overhead->owed = counts_new(plan->set);
    /* A group owes what it counted, also if it was multiplexed. A task's context is enabled exactly
     * while the task is on a CPU, and then the ledger's group was running. */
    for (size_t g = 0; g < plan->count; g++) {
        const struct group_shape *shape = &plan->shapes[g];
        AUTO_FREE struct group_read *last = group_read_new(shape->values);
        if (launch_overhead->fds[g] && read_removed(launch_overhead->fds[g], shape->values, last)) {
            for (size_t v = 0; v < shape->values; v++)
                if (shape->event_of[v] >= 0) {
                    size_t e = (size_t)shape->event_of[v];
                    launch_overhead->owed.value[e] = rest(last->value[v], before.value[e]);
                }
            uint64_t time = rest(last->enabled, before.times[g].enabled);
            launch_overhead->owed.times[g] = (struct group_time){time, time};
            oncpu = last->enabled > oncpu ? last->enabled : oncpu;
        }
    }
    launch_overhead->owed_oncpu = rest(oncpu, launch_overhead->owed_oncpu);
    counts_release(&before);
    close_counters(launch_overhead);
}

struct launch_overhead *launch_overhead_settle(struct launch_overhead *launch_overhead)
{
    if (!launch_overhead || !launch_overhead->plan)
        return launch_overhead;
    bool left = move_owed(launch_overhead);
    task_table_touch(launch_overhead->task_table, launch_overhead->own);
    if (left && !launch_overhead->child->ended)
        return launch_overhead;
    launch_overhead_free(launch_overhead);
    return NULL;
}
