#include "engine/task_counters.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

/* Thread ids, ascending. */
static void task_counters_list_threads(const struct task_counters *at, struct pid_list *list)
{
    list->count = 0;
    if (at->reach == REACH_DESCENDANTS) {
        procfs_family(at->pid, list);
        return;
    }
    if (at->reach == REACH_THREAD) {
        mem_grow(&list->pids, &list->room, 1, sizeof(*list->pids));
        list->pids[list->count++] = at->tid;
        return;
    }
    procfs_threads(at->pid, list);
    if (list->count)
        qsort(list->pids, list->count, sizeof(*list->pids), by_id);
}

static void close_set(struct opener *opener, int *fds, size_t groups)
{
    for (size_t g = 0; g < groups; g++) {
        size_t values = opener->plan->shapes[g].values;
        group_close(fds, values);
        opener->open -= values;
        fds += values;
    }
}

static int open_set(struct opener *opener, const struct group_style *style, pid_t tid, int *fds)
{
    const struct group_plan *plan = opener->plan;
    struct group_target target = {.pid = tid, .cpu = -1};
    int *group = fds;
    for (size_t g = 0; g < plan->count; g++) {
        size_t refused;
        if (group_open(plan, g, style, target, group, &refused) < 0) {
            int saved = errno;
            if (saved == EMFILE || saved == ENFILE)
                opener->most = opener->open + refused;
            close_set(opener, fds, g);
            errno = saved;
            return -1;
        }
        group += plan->shapes[g].values;
        opener->open += plan->shapes[g].values;
    }
    return 0;
}

static void close_all(struct task_counters *at, struct opener *opener)
{
    for (size_t r = 0; r < at->count; r++)
        close_set(opener, at->fds + r * opener->values, opener->plan->count);
    free(at->fds);
    at->fds = NULL;
    at->count = 0;
}

static int open_all(struct task_counters *at, struct opener *opener, const struct pid_list *list)
{
    struct group_style style = opener->style;
    style.inherit = at->reach != REACH_THREAD;
    style.inherit_thread = at->reach == REACH_PROCESS;
    style.on_exec = at->on_exec;
    at->fds = mem_array(list->count * opener->values, sizeof(*at->fds));
    int error = ESRCH; /* if all threads are gone */
    for (size_t i = 0; i < list->count; i++) {
        if (open_set(opener, &style, list->pids[i], at->fds + at->count * opener->values) == 0) {
            at->count++;
        } else if (errno != ESRCH) {
            error = errno;
            close_all(at, opener);
            break;
        }
    }
    if (at->count)
        return 0;
    close_all(at, opener);
    errno = error;
    return -1;
}

/* A thread that is born after its process was listed is counted only if its creator's set was open
 * by then, which cannot be found out. So nothing is enabled until a second list shows no new
 * thread. If threads are born all the time, those born just before counting begins may be missed,
 * with their descendants (`doubtful`); no thread is ever counted twice. */
int task_counters_open(struct task_counters *at, struct opener *opener)
{
    enum { TRIES = 4 };
    struct pid_list listed = {0}, again = {0};
    int result = -1, error = 0;
    at->doubtful = at->reach != REACH_THREAD;
    task_counters_list_threads(at, &listed);
    for (int try = 1; try <= TRIES; try++) {
        result = open_all(at, opener, &listed);
        error = errno;
        if (result < 0 || at->reach == REACH_THREAD || try == TRIES)
            break;
        task_counters_list_threads(at, &again);
        bool news = false;
        for (size_t i = 0; i < again.count && !news; i++)
            news = !bsearch(&again.pids[i], listed.pids, listed.count, sizeof(pid_t), by_id);
        if (!news) {
            at->doubtful = again.count != listed.count;
            break;
        }
        close_all(at, opener);
        struct pid_list swap = listed;
        listed = again;
        again = swap;
    }
    at->threads = listed.count;
    free(listed.pids);
    free(again.pids);
    const int *group = at->fds;
    for (size_t r = 0; r < at->count && !at->on_exec; r++)
        for (size_t g = 0; g < opener->plan->count; g++) {
            sys_enable(*group);
            group += opener->plan->shapes[g].values;
        }
    errno = error;
    return result;
}

int task_counters_read(struct task_counters *at, struct opener *opener, bool *ran)
{
    const struct event_set *set = opener->plan->set;
    const struct group_read *read = opener->read;
    struct counts *sum = &opener->sum;
    uint64_t oncpu = at->past_oncpu;
    memset(sum->value, 0, set->count * sizeof(*sum->value));
    memset(sum->times, 0, set->groups * sizeof(*sum->times));
    if (at->past.value)
        counts_add(sum, &at->past, set);
    const int *group = at->fds;
    for (size_t r = 0; r < at->count; r++) {
        uint64_t enabled = 0;
        for (size_t g = 0; g < opener->plan->count; g++) {
            const struct group_shape *shape = &opener->plan->shapes[g];
            if (!group_counts(*group, shape->values, opener->read))
                return -1;
            group += shape->values;
            for (size_t v = 0; v < shape->values; v++)
                if (shape->event_of[v] >= 0)
                    sum->value[shape->event_of[v]] += read->value[v];
            /* With several core types several shapes are one group (engine/group.h). */
            sum->times[shape->group].enabled += shape->again ? 0 : read->enabled;
            sum->times[shape->group].running += shape->steady ? read->enabled : read->running;
            enabled = read->enabled > enabled ? read->enabled : enabled;
        }
        /* A task's context is enabled exactly while the task is on a CPU. */
        oncpu += enabled;
    }
    *ran = oncpu != at->task->oncpu;
    at->task->oncpu = oncpu;
    counts_copy(&at->task->counts, sum, set);
    return 0;
}

void task_counters_close(struct task_counters *at, struct opener *opener)
{
    bool ran;
    if (at->task && at->count) {
        task_counters_read(at, opener, &ran);
        if (!at->past.value)
            at->past = counts_new(opener->plan->set);
        counts_copy(&at->past, &at->task->counts, opener->plan->set);
        at->past_oncpu = at->task->oncpu;
    }
    close_all(at, opener);
}
