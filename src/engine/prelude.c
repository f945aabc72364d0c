#include "engine/prelude.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct prelude {
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

struct prelude *prelude_new(struct task_table *task_table, pid_t child)
{
    struct prelude *prelude = mem_alloc(sizeof(*prelude));
    uint64_t now = clock_monotonic();
    *prelude = (struct prelude){
        .task_table = task_table,
        .child = task_table_task(task_table, child, child, now),
        .own = task_table_task(task_table, getpid(), getpid(), now),
    };
    task_table_meet(task_table, prelude->child);
    prelude->child->process->info.command = true;
    return prelude;
}

static void close_counters(struct prelude *prelude)
{
    for (size_t g = 0; prelude->fds && g < prelude->plan->count; g++) {
        if (prelude->fds[g])
            group_close(prelude->fds[g], prelude->plan->shapes[g].values);
        free(prelude->fds[g]);
    }
    free(prelude->fds);
    prelude->fds = NULL;
}

void prelude_free(struct prelude *prelude)
{
    if (!prelude)
        return;
    close_counters(prelude);
    counts_release(&prelude->owed);
    free(prelude);
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
static bool move_owed(struct prelude *prelude)
{
    struct task *child = prelude->child, *own = prelude->own;
    const struct event_set *set = prelude->plan->set;
    bool left = move_count(&child->oncpu, &own->oncpu, &prelude->owed_oncpu) > 0;
    for (size_t e = 0; e < set->count; e++)
        left |=
            move_count(&child->counts.value[e], &own->counts.value[e], &prelude->owed.value[e]) > 0;
    for (size_t g = 0; g < set->groups; g++) {
        struct group_time *from = &child->counts.times[g], *to = &own->counts.times[g];
        struct group_time *owed = &prelude->owed.times[g];
        left |= move_count(&from->enabled, &to->enabled, &owed->enabled) > 0;
        left |= move_count(&from->running, &to->running, &owed->running) > 0;
    }
    return left;
}

/* All that is counted until the exec, which is not known yet. */
static void owe_all(struct prelude *prelude)
{
    const struct event_set *set = prelude->plan->set;
    memset(prelude->owed.value, 0xff, set->count * sizeof(*prelude->owed.value));
    memset(prelude->owed.times, 0xff, set->groups * sizeof(*prelude->owed.times));
    prelude->owed_oncpu = UINT64_MAX;
}

int prelude_begin(struct prelude *prelude, const struct group_plan *plan)
{
    /* No samples here: `switches` is a plain count, and a dummy takes the ticker's position. */
    static const struct group_style style = {
        .samples = true,
        .until_exec = true,
        .switches = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
        .ticker = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    };
    int refused = 0;
    if (!prelude)
        return 0;
    close_counters(prelude);
    counts_release(&prelude->owed);
    prelude->plan = plan;
    prelude->owed = counts_new(plan->set);
    prelude->owed_oncpu = 0;
    if (prelude->executed)
        return 0;
    /* What the ledger has of it already is countertop's, and not in the counters opened here. */
    owe_all(prelude);
    move_owed(prelude);
    owe_all(prelude);
    prelude->fds = mem_array(plan->count, sizeof(*prelude->fds));
    for (size_t g = 0; g < plan->count; g++) {
        struct group_target target = {prelude->child->tid, -1};
        size_t at;
        int *fds = mem_array(plan->shapes[g].values, sizeof(*fds));
        if (group_open(plan, g, &style, target, fds, &at) < 0) {
            free(fds);
            continue;
        }
        prelude->fds[g] = fds;
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

void prelude_take(struct prelude *prelude, const struct record *record)
{
    if (!prelude || prelude->executed || record->kind != RECORD_COMM || !record->comm.exec ||
        record->tid != prelude->child->tid)
        return;
    prelude->executed = true;
    if (!prelude->plan)
        return;
    move_owed(prelude);
    const struct group_plan *plan = prelude->plan;
    struct counts before = prelude->owed;
    uint64_t oncpu = 0;
    prelude->owed = counts_new(plan->set);
    /* A group owes what it counted, also if it was multiplexed. A task's context is enabled exactly
     * while the task is on a CPU, and then the ledger's group was running. */
    for (size_t g = 0; g < plan->count; g++) {
        const struct group_shape *shape = &plan->shapes[g];
        struct group_read *last = group_read_new(shape->values);
        if (prelude->fds[g] && read_removed(prelude->fds[g], shape->values, last)) {
            for (size_t v = 0; v < shape->values; v++)
                if (shape->event_of[v] >= 0) {
                    size_t e = (size_t)shape->event_of[v];
                    prelude->owed.value[e] = rest(last->value[v], before.value[e]);
                }
            uint64_t time = rest(last->enabled, before.times[g].enabled);
            prelude->owed.times[g] = (struct group_time){time, time};
            oncpu = last->enabled > oncpu ? last->enabled : oncpu;
        }
        free(last);
    }
    prelude->owed_oncpu = rest(oncpu, prelude->owed_oncpu);
    counts_release(&before);
    close_counters(prelude);
}

struct prelude *prelude_settle(struct prelude *prelude)
{
    if (!prelude || !prelude->plan)
        return prelude;
    bool left = move_owed(prelude);
    task_table_touch(prelude->task_table, prelude->own);
    if (left && !prelude->child->ended)
        return prelude;
    prelude_free(prelude);
    return NULL;
}
