#include "engine/task_counters.h"
#include "base/file.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

size_t idle_sign_limit(const struct perf_event_attr *filler)
{
    /* Each is a mapping, of which a process has some 65,000 (vm.max_map_count). */
    enum { SIGNS_MAX = 16384 };
    struct rlimit limit;
    struct idle_sign sign;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) < 0 || !idle_sign_open(&sign, filler, 0))
        return 0;
    uint32_t before = idle_sign_value(&sign);
    poll(NULL, 0, 1); /* leaves the CPU */
    bool written = idle_sign_value(&sign) != before;
    idle_sign_close(&sign);
    rlim_t pages = limit.rlim_cur / 2 / (rlim_t)sysconf(_SC_PAGESIZE);
    if (!written)
        return 0;
    return pages < SIGNS_MAX ? (size_t)pages : SIGNS_MAX;
}

bool idle_sign_open(struct idle_sign *sign, const struct perf_event_attr *filler, pid_t tid)
{
    struct perf_event_attr attr = *filler;
    int fd = sys_open(&attr, false, tid, -1, -1);
    *sign = (struct idle_sign){.fd = fd};
    bool mapped = fd >= 0 && idle_sign_share(sign, fd);
    if (!mapped)
        file_close(fd);
    sign->shared = false;
    return mapped;
}

bool idle_sign_share(struct idle_sign *sign, int fd)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    *sign = (struct idle_sign){fd, true, page != MAP_FAILED ? page : NULL};
    return sign->page;
}

void idle_sign_close(struct idle_sign *sign)
{
    if (!sign->page)
        return;
    munmap((void *)sign->page, (size_t)sysconf(_SC_PAGESIZE));
    if (!sign->shared)
        close(sign->fd);
    sign->page = NULL;
}

uint32_t idle_sign_value(const struct idle_sign *sign)
{
    return sign->page ? __atomic_load_n(&sign->page->lock, __ATOMIC_ACQUIRE) : 0;
}

size_t idle_sign_count_living(const struct idle_sign *const *signs, size_t count)
{
    struct pollfd *fds = mem_array(count, sizeof(*fds));
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = signs[i]->fd};
    /* An event hangs up when its thread ends (kernel/events/core.c, perf_poll()). */
    int ended = poll(fds, count, 0);
    free(fds);
    return ended < 0 ? 0 : count - (size_t)ended;
}

static int by_id(const void *a, const void *b)
{
    pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;
    return (x > y) - (x < y);
}

/* Thread ids, ascending. Returns 0, also for a process that has ended, or the errno. */
static int task_counters_list_threads(const struct task_counters *counters, struct pid_list *list)
{
    list->count = 0;
    if (counters->reach == REACH_THREAD) {
        mem_grow(&list->pids, &list->room, 1, sizeof(*list->pids));
        list->pids[list->count++] = counters->tid;
        return 0;
    }
    int result = counters->reach == REACH_DESCENDANTS ? procfs_family(counters->pid, list)
                                                      : procfs_threads(counters->pid, list);
    int error = result < 0 && errno != ENOENT && errno != ESRCH ? errno : 0;
    if (list->count)
        qsort(list->pids, list->count, sizeof(*list->pids), by_id);
    return error;
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
            if (errno == EMFILE || errno == ENFILE)
                opener->most = opener->open + refused;
            close_set(opener, fds, g);
            return -1;
        }
        group += plan->shapes[g].values;
        opener->open += plan->shapes[g].values;
    }
    return 0;
}

void task_counters_close_signs(struct task_counters *counters, struct opener *opener, bool shared)
{
    for (size_t r = 0; r < counters->count; r++) {
        struct root *root = &counters->roots[r];
        if (!root->sign.page || (root->sign.shared && !shared))
            continue;
        opener->signs--;
        opener->open -= !root->sign.shared;
        idle_sign_close(&root->sign);
        root->still = false;
    }
}

static void close_all(struct task_counters *counters, struct opener *opener)
{
    task_counters_close_signs(counters, opener, true);
    for (size_t r = 0; r < counters->count; r++)
        close_set(opener, counters->fds + r * opener->values, opener->plan->count);
    free(counters->fds);
    free(counters->roots);
    free(counters->readings);
    counters->fds = NULL;
    counters->roots = NULL;
    counters->readings = NULL;
    counters->count = 0;
}

/* Whether a task's events count nothing while it is on no CPU. A tracepoint may: the counter of a
 * task that is woken counts sched:sched_wakeup (kernel/events/core.c, perf_tp_event()). */
static bool count_on_cpu_only(const struct event_list *list)
{
    for (size_t e = 0; e < list->count; e++)
        if (list->events[e].state == EVENT_COUNTED && !list->events[e].hardware &&
            list->events[e].attr.type != PERF_TYPE_SOFTWARE)
            return false;
    return true;
}

/* Whether these roots are to have signs. A sign takes a page, which costs its thread some time at
 * each switch, and most take a descriptor, so where few sets are open all are read each time. */
static bool wants_signs(const struct task_counters *counters, struct opener *opener, size_t roots)
{
    enum { SETS_WITHOUT = 32 };
    size_t wanted = opener->siblings > roots ? opener->siblings : roots;
    if (counters->reach == REACH_DESCENDANTS || counters->on_exec ||
        opener->open + wanted * opener->values <= SETS_WITHOUT * opener->values)
        return false;
    if (opener->signs_most == SIZE_MAX)
        opener->signs_most =
            count_on_cpu_only(&opener->plan->list) ? idle_sign_limit(&opener->style.filler) : 0;
    return opener->signs + roots <= opener->signs_most;
}

/* The leader of a set's group that is on whenever the thread is; -1: no group is. */
static int steady_leader(const struct group_plan *plan, const int *fds)
{
    for (size_t g = 0; g < plan->count; g++) {
        if (plan->shapes[g].steady)
            return *fds;
        fds += plan->shapes[g].values;
    }
    return -1;
}

static void open_sign(const struct task_counters *counters, struct root *root,
                      struct opener *opener, pid_t tid)
{
    int leader = counters->reach == REACH_THREAD ? steady_leader(opener->plan, counters->fds) : -1;
    bool open = leader >= 0 ? idle_sign_share(&root->sign, leader)
                            : idle_sign_open(&root->sign, &opener->style.filler, tid);
    opener->signs += open;
    opener->open += open && !root->sign.shared;
}

static int open_all(struct task_counters *counters, struct opener *opener,
                    const struct pid_list *list)
{
    struct group_style style = opener->style;
    style.inherit = counters->reach != REACH_THREAD;
    style.inherit_thread = counters->reach == REACH_PROCESS;
    style.on_exec = counters->on_exec;
    counters->fds = mem_array(list->count * opener->values, sizeof(*counters->fds));
    counters->roots = mem_array(list->count, sizeof(*counters->roots));
    counters->readings = mem_array(list->count * opener->words, sizeof(*counters->readings));
    bool signs = wants_signs(counters, opener, list->count);
    int error = ESRCH; /* if all threads are gone */
    for (size_t i = 0; i < list->count; i++) {
        if (open_set(opener, &style, list->pids[i],
                     counters->fds + counters->count * opener->values) == 0) {
            struct root *root = &counters->roots[counters->count++];
            root->alone = counters->reach == REACH_THREAD;
            if (signs)
                open_sign(counters, root, opener, list->pids[i]);
        } else if (errno != ESRCH) {
            error = errno;
            close_all(counters, opener);
            break;
        }
    }
    if (counters->count)
        return 0;
    close_all(counters, opener);
    errno = error;
    return -1;
}

/* -1 with errno. The first group last: its time is not more than that of the others, see
 * add_root(). */
static int task_counters_enable(const struct task_counters *counters, const struct opener *opener)
{
    const int *group = counters->fds + counters->count * opener->values;
    for (size_t r = 0; r < counters->count && !counters->on_exec; r++)
        for (size_t g = opener->plan->count; g-- > 0;) {
            group -= opener->plan->shapes[g].values;
            if (sys_enable(*group) < 0)
                return -1;
        }
    return 0;
}

/* A thread that is born after its process was listed is counted only if its creator's set was open
 * by then, which cannot be found out. So nothing is enabled until a second list shows no new
 * thread. If threads are born all the time, those born just before counting begins may be missed,
 * with their descendants (`doubtful`); no thread is ever counted twice. */
int task_counters_open(struct task_counters *counters, struct opener *opener)
{
    enum { TRIES = 4 };
    struct pid_list listed = {0}, again = {0};
    int result = -1;
    counters->doubtful = counters->reach != REACH_THREAD;
    int error = task_counters_list_threads(counters, &listed);
    for (int try = 1; try <= TRIES && (try > 1 || !error); try++) {
        result = open_all(counters, opener, &listed);
        error = errno;
        if (result < 0 || counters->reach == REACH_THREAD || try == TRIES)
            break;
        task_counters_list_threads(counters, &again);
        bool news = false;
        for (size_t i = 0; i < again.count && !news; i++)
            news = !bsearch(&again.pids[i], listed.pids, listed.count, sizeof(pid_t), by_id);
        if (!news) {
            counters->doubtful = again.count != listed.count;
            break;
        }
        close_all(counters, opener);
        struct pid_list swap = listed;
        listed = again;
        again = swap;
    }
    counters->threads = listed.count;
    free(listed.pids);
    free(again.pids);
    if (result == 0 && task_counters_enable(counters, opener) < 0) {
        result = -1;
        error = errno;
        close_all(counters, opener);
    }
    errno = error;
    return result;
}

/* Whether the counts are those of the last read, at this value of the sign. */
static bool still_at(const struct root *root, uint32_t value)
{
    return root->still && value == root->seen;
}

const struct idle_sign *task_counters_sign(const struct task_counters *counters)
{
    return counters->reach == REACH_THREAD && counters->count && counters->roots[0].sign.page
               ? &counters->roots[0].sign
               : NULL;
}

bool task_counters_still(const struct task_counters *counters)
{
    return still_at(&counters->roots[0], idle_sign_value(&counters->roots[0].sign));
}

/* Reads the counts of a root and of what it created, unless they are known. -1 if they cannot be
 * read; *news: they were. */
static int read_root(struct task_counters *counters, const struct opener *opener, size_t r,
                     bool *news)
{
    struct root *root = &counters->roots[r];
    const int *group = counters->fds + r * opener->values;
    uint64_t *reading = counters->readings + r * opener->words, enabled = 0;
    uint32_t seen = idle_sign_value(&root->sign);
    if (still_at(root, seen))
        return 0;
    root->still = false;
    for (size_t g = 0; g < opener->plan->count; g++) {
        size_t values = opener->plan->shapes[g].values;
        struct group_read *read = (struct group_read *)reading;
        if (!group_counts(*group, values, read))
            return -1;
        enabled = read->enabled > enabled ? read->enabled : enabled;
        group += values;
        reading += group_words(values);
    }
    /* A task's context is enabled exactly while the task is on a CPU. So one that is idle was on
     * none since the read before, and had no time to create or end a task. If it was alone after
     * that, it is so now, and changes nothing before it is put on a CPU, which changes the sign. */
    root->idle = enabled == root->oncpu;
    root->still = root->idle && root->alone && root->sign.page;
    root->alone = counters->reach == REACH_THREAD;
    root->seen = seen;
    root->oncpu = enabled;
    *news = true;
    return 0;
}

/* Finds out whether each thread of a process is a root, so that all roots are alone. */
static void look_alone(struct task_counters *counters)
{
    size_t idle = 0, signs = 0, threads;
    for (size_t r = 0; r < counters->count; r++) {
        idle += counters->roots[r].idle && !counters->roots[r].still;
        signs += counters->roots[r].sign.page ? 1 : 0;
    }
    if (!idle || signs < counters->count ||
        (threads = procfs_thread_count(counters->pid)) > counters->count)
        return;
    const struct idle_sign **list = mem_array(counters->count, sizeof(*list));
    for (size_t r = 0; r < counters->count; r++)
        list[r] = &counters->roots[r].sign;
    /* A root that lives now lived when the threads were counted. */
    bool alone = idle_sign_count_living(list, counters->count) == threads;
    free(list);
    for (size_t r = 0; r < counters->count; r++)
        counters->roots[r].alone = alone;
}

/* Adds what was read of a root. When a task ends whose group is on no counter, the kernel adds to
 * the group's times what they were when it was last on one (kernel/events/core.c,
 * sync_child_event()). A group that it never takes off, read before, tells how long all of them
 * were enabled at least. */
static void add_root(const struct opener *opener, const uint64_t *reading, struct counts *sum)
{
    uint64_t least = 0;
    for (size_t g = 0; g < opener->plan->count; g++) {
        const struct group_shape *shape = &opener->plan->shapes[g];
        const struct group_read *read = (const struct group_read *)reading;
        uint64_t enabled = read->enabled > least ? read->enabled : least;
        least = shape->steady ? enabled : least;
        for (size_t v = 0; v < shape->values; v++)
            if (shape->event_of[v] >= 0)
                sum->value[shape->event_of[v]] += read->value[v];
        /* With several core types several shapes are one group (engine/group.h). */
        sum->times[shape->group].enabled += shape->again ? 0 : enabled;
        sum->times[shape->group].running += shape->steady ? enabled : read->running;
        reading += group_words(shape->values);
    }
}

int task_counters_read(struct task_counters *counters, struct opener *opener, bool *ran)
{
    const struct event_set *set = opener->plan->set;
    struct counts *sum = &opener->sum;
    bool news = false;
    *ran = false;
    for (size_t r = 0; r < counters->count; r++)
        if (read_root(counters, opener, r, &news) < 0)
            return -1;
    if (!news)
        return 0;
    if (counters->reach == REACH_PROCESS)
        look_alone(counters);
    uint64_t oncpu = counters->past_oncpu;
    memset(sum->value, 0, counts_size(set));
    if (counters->past.value)
        counts_add(sum, &counters->past, set);
    for (size_t r = 0; r < counters->count; r++) {
        add_root(opener, counters->readings + r * opener->words, sum);
        oncpu += counters->roots[r].oncpu;
    }
    *ran = oncpu != counters->task->oncpu;
    counters->task->oncpu = oncpu;
    counts_copy(&counters->task->counts, sum, set);
    return 0;
}

void task_counters_close(struct task_counters *counters, struct opener *opener)
{
    bool ran;
    if (counters->task && counters->count) {
        task_counters_read(counters, opener, &ran);
        if (!counters->past.value)
            counters->past = counts_new(opener->plan->set);
        counts_copy(&counters->past, &counters->task->counts, opener->plan->set);
        counters->past_oncpu = counters->task->oncpu;
    }
    close_all(counters, opener);
}
