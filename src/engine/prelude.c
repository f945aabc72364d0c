#include "engine/prelude.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <stdlib.h>
#include <unistd.h>

struct prelude {
    struct task_table *task_table;
    struct task *child, *own;
    bool executed;
    const struct group_plan *plan; /* NULL: nothing is counted yet */
    int **fds;                     /* the child's own counters by group; NULL: not opened */
    struct counts moved;           /* from the child to countertop since they were opened */
    uint64_t moved_oncpu;
    struct counts owed; /* since the exec: still to be moved */
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

/* ---- the child's own counters ---- */

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

static void open_counters(struct prelude *prelude)
{
    const struct group_plan *plan = prelude->plan;
    /* No samples here: `switches` is a plain count, and a dummy takes the ticker's position. */
    struct group_style style = {
        .samples = true,
        .until_exec = true,
        .switches = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
        .ticker = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    };
    struct group_target target = {prelude->child->tid, -1};
    prelude->fds = mem_array(plan->count, sizeof(*prelude->fds));
    for (size_t g = 0; g < plan->count; g++) {
        size_t refused;
        int *fds = mem_array(plan->shapes[g].values, sizeof(*fds));
        if (group_open(plan, g, &style, target, fds, &refused) < 0) {
            free(fds);
            continue;
        }
        sys_enable(fds[0], false);
        prelude->fds[g] = fds;
    }
}

static void prelude_drop_counts(struct prelude *prelude)
{
    close_counters(prelude);
    counts_release(&prelude->moved);
    counts_release(&prelude->owed);
    prelude->moved_oncpu = prelude->owed_oncpu = 0;
}

void prelude_free(struct prelude *prelude)
{
    if (prelude)
        prelude_drop_counts(prelude);
    free(prelude);
}

void prelude_begin(struct prelude *prelude, const struct group_plan *plan)
{
    if (!prelude)
        return;
    prelude_drop_counts(prelude);
    prelude->plan = plan;
    prelude->moved = counts_new(plan->set);
    prelude->owed = counts_new(plan->set);
    if (!prelude->executed)
        open_counters(prelude);
}

/* ---- moving counts ---- */

/* Moves at most `most` from one count to the other; returns how much. */
static uint64_t prelude_move(uint64_t *from, uint64_t *to, uint64_t most)
{
    uint64_t part = *from < most ? *from : most;
    *from -= part;
    *to += part;
    return part;
}

static void move_all(struct prelude *prelude)
{
    struct counts *from = &prelude->child->counts, *to = &prelude->own->counts;
    for (size_t e = 0; e < prelude->plan->set->count; e++)
        prelude->moved.value[e] += prelude_move(&from->value[e], &to->value[e], UINT64_MAX);
    for (size_t g = 0; g < prelude->plan->set->groups; g++) {
        struct group_time *span = &prelude->moved.times[g];
        span->enabled += prelude_move(&from->times[g].enabled, &to->times[g].enabled, UINT64_MAX);
        span->running += prelude_move(&from->times[g].running, &to->times[g].running, UINT64_MAX);
    }
    prelude->moved_oncpu += prelude_move(&prelude->child->oncpu, &prelude->own->oncpu, UINT64_MAX);
}

/* Moves what is owed, as far as the child's counts have it. False when nothing is left. */
static bool move_owed(struct prelude *prelude)
{
    struct counts *from = &prelude->child->counts, *to = &prelude->own->counts;
    uint64_t left = 0;
    for (size_t e = 0; e < prelude->plan->set->count; e++) {
        uint64_t *owed = &prelude->owed.value[e];
        *owed -= prelude_move(&from->value[e], &to->value[e], *owed);
        left += *owed;
    }
    for (size_t g = 0; g < prelude->plan->set->groups; g++) {
        struct group_time *owed = &prelude->owed.times[g];
        owed->enabled -=
            prelude_move(&from->times[g].enabled, &to->times[g].enabled, owed->enabled);
        owed->running -=
            prelude_move(&from->times[g].running, &to->times[g].running, owed->running);
        left += owed->enabled + owed->running;
    }
    prelude->owed_oncpu -=
        prelude_move(&prelude->child->oncpu, &prelude->own->oncpu, prelude->owed_oncpu);
    return left + prelude->owed_oncpu > 0;
}

static uint64_t excess(uint64_t total, uint64_t part)
{
    return total > part ? total - part : 0;
}

/* Reads a group whose events were removed. From Linux 6.15 on they are no group any more, so each
 * event is read alone. */
static bool read_removed(const int *fds, size_t values, struct group_read *counts)
{
    size_t size = sizeof(*counts) + values * sizeof(counts->value[0]);
    if (read(fds[0], counts, size) < (ssize_t)(sizeof(*counts) + sizeof(counts->value[0])))
        return false;
    for (size_t v = 1; v < values; v++)
        if (read(fds[v], &counts->value[v], sizeof(counts->value[v])) !=
            (ssize_t)sizeof(counts->value[v]))
            return false;
    return true;
}

/* Sets what is owed for a group: its count less what was moved before. If it had to share the
 * counters, this is what it counted, not an estimate. */
static void owe(struct prelude *prelude, size_t group)
{
    const struct group_shape *shape = &prelude->plan->shapes[group];
    struct group_read *last = group_read_new(shape->values);
    if (read_removed(prelude->fds[group], shape->values, last)) {
        for (size_t v = 0; v < shape->values; v++)
            if (shape->event_of[v] >= 0) {
                size_t e = (size_t)shape->event_of[v];
                prelude->owed.value[e] = excess(last->value[v], prelude->moved.value[e]);
            }
        /* A task's context is enabled exactly while the task is on a CPU, and then the ledger's
         * group was running. */
        uint64_t time = excess(last->enabled, prelude->moved.times[group].enabled);
        prelude->owed.times[group] = (struct group_time){time, time};
        uint64_t oncpu = excess(last->enabled, prelude->moved_oncpu);
        if (oncpu > prelude->owed_oncpu)
            prelude->owed_oncpu = oncpu;
    }
    free(last);
}

void prelude_take(struct prelude *prelude, const struct record *record)
{
    if (!prelude || prelude->executed || record->kind != RECORD_COMM || !record->comm.exec ||
        record->tid != prelude->child->tid)
        return;
    prelude->executed = true;
    if (!prelude->plan)
        return;
    move_all(prelude);
    for (size_t g = 0; g < prelude->plan->count; g++)
        if (prelude->fds[g])
            owe(prelude, g);
    close_counters(prelude);
}

struct prelude *prelude_settle(struct prelude *prelude)
{
    if (!prelude || !prelude->plan)
        return prelude;
    bool left = true;
    if (!prelude->executed)
        move_all(prelude);
    else
        left = move_owed(prelude);
    task_table_touch(prelude->task_table, prelude->own);
    if (left && !prelude->child->ended)
        return prelude;
    prelude_free(prelude);
    return NULL;
}
