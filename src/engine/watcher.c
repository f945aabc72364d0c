#include "engine/watcher.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* A thread that existed when the counters were opened. */
struct root {
    struct idle_sign sign;
    uint32_t seen;  /* its value just before the last read */
    uint64_t oncpu; /* at the last read, ns, with all tasks that it created */
    bool idle;      /* that is as much as at the read before */
    bool alone; /* after the last read there was a moment at which no task that it created lived */
    bool still; /* its counts are those of the last read while the sign stays the same */
};

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
    AUTO_FREE struct pollfd *fds = mem_array(count, sizeof(*fds));
    for (size_t i = 0; i < count; i++)
        fds[i] = (struct pollfd){.fd = signs[i]->fd};
    /* An event hangs up when its thread ends (kernel/events/core.c, perf_poll()). */
    int ended = poll(fds, count, 0);
    return ended < 0 ? 0 : count - (size_t)ended;
}

/* Thread ids, ascending. Returns 0, also for a process that has ended, or the errno. */
static int task_counters_list_threads(const struct task_counters *counters, struct pid_list *list)
{
    list->count = 0;
    if (counters->reach == REACH_THREAD) {
        pid_list_add(list, counters->tid);
        return 0;
    }
    int result = counters->reach == REACH_DESCENDANTS ? procfs_family(counters->pid, list)
                                                      : procfs_threads(counters->pid, list);
    int error = result < 0 && errno != ENOENT && errno != ESRCH ? errno : 0;
    pid_list_sort(list);
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

/* Closes those idle signs that take a descriptor, where other tasks need it; shared: all. */
static void close_signs(struct task_counters *counters, struct opener *opener, bool shared)
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
    close_signs(counters, opener, true);
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

/* Finds the roots and opens their groups, which count at once, or with on_exec from the moment when
 * the task executes a program. -1 with errno and nothing open; ESRCH if all threads are gone.
 *
 * A thread that is born after its process was listed is counted only if its creator's set was open
 * by then, which cannot be found out. So nothing is enabled until a second list shows no new
 * thread. If threads are born all the time, those born just before counting begins may be missed,
 * with their descendants (`doubtful`); no thread is ever counted twice. */
static int task_counters_open(struct task_counters *counters, struct opener *opener)
{
    enum { TRIES = 4 };
    AUTO_PIDS struct pid_list listed = {0}, again = {0};
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
            news = !pid_list_has(&listed, again.pids[i]);
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
    AUTO_FREE const struct idle_sign **list = mem_array(counters->count, sizeof(*list));
    for (size_t r = 0; r < counters->count; r++)
        list[r] = &counters->roots[r].sign;
    /* A root that lives now lived when the threads were counted. */
    bool alone = idle_sign_count_living(list, counters->count) == threads;
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

/* Updates the counts and the time on CPUs of counters->task. *ran: whether it was on a CPU since
 * the last call. Skips roots whose idle sign shows that they did not run. -1 with the task
 * unchanged if the descriptors cannot be read. */
static int task_counters_read(struct task_counters *counters, struct opener *opener, bool *ran)
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

/* Reads the counts a last time and closes all descriptors; they may be opened again. */
static void task_counters_close(struct task_counters *counters, struct opener *opener)
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

static const double TIMES_BUSIER = 2;
static const double BUSIER_MIN = 0.0001;

/* Descending rate; among equals those with descriptors first, so that a search from the end finds
 * the least busy one that has some. */
static int by_rate(const void *a, const void *b)
{
    const struct fd_budget *x = a, *y = b;
    if (x->rate != y->rate)
        return x->rate < y->rate ? 1 : -1;
    return y->has - x->has;
}

/* Takes descriptors from the least busy, from index *end down, until there is room for one. Changes
 * nothing if that is impossible. */
static bool fd_budget_make_room(struct fd_budget *tasks, size_t one, size_t *end, size_t *room)
{
    const struct fd_budget *wanting = &tasks[one];
    size_t index = *end, there = *room;
    double given = 0;
    while (there < wanting->need && index > one + 1) {
        const struct fd_budget *last = &tasks[--index];
        if (!last->has)
            continue;
        given += last->rate;
        if (given * TIMES_BUSIER + BUSIER_MIN > wanting->rate)
            return false;
        there += last->need;
    }
    if (there < wanting->need)
        return false;
    for (size_t i = index; i < *end; i++)
        tasks[i].move |= tasks[i].has;
    *end = index;
    *room = there - wanting->need;
    return true;
}

size_t fd_budget_choose(struct fd_budget *tasks, size_t count, size_t room, size_t most)
{
    if (count)
        qsort(tasks, count, sizeof(*tasks), by_rate);
    for (size_t i = 0; i < count; i++)
        tasks[i].move = false;
    size_t moved = 0, end = count;
    for (size_t i = 0; i < count && moved < most; i++)
        if (!tasks[i].has && fd_budget_make_room(tasks, i, &end, &room)) {
            tasks[i].move = true;
            moved++;
        }
    return moved;
}

static const uint64_t NAME_PERIOD = 900000000; /* ns between two reads of a task's name */

/* --- One task_counters --- */

/* Whether the command has executed its program since the last call. */
static bool note_execution(struct watcher *watcher, const struct task_counters *counters)
{
    bool news =
        counters->on_exec && counters->task && counters->task->oncpu > 0 && !watcher->command_ran;
    watcher->command_ran |= news;
    return news;
}

/* The tid for procfs_cpu_time() and procfs_task(); 0: the whole process. */
static pid_t time_of(const struct task_counters *counters)
{
    return counters->reach == REACH_THREAD ? counters->tid : 0;
}

static bool get_facts(const struct task_counters *counters, struct procfs_task *facts)
{
    if (procfs_task(counters->pid, time_of(counters), facts) < 0)
        return false;
    return counters->reach == REACH_THREAD ? facts->state != 'Z' && facts->state != 'X'
                                           : procfs_lives(facts);
}

static void set_facts(struct watcher *watcher, struct task_counters *counters,
                      const struct procfs_task *facts)
{
    struct task *task = counters->task;
    counters->asked = watcher->now;
    task->cpu = counters->state == EVENT_COUNTED ? facts->cpu : -1; /* else outdated */
    if (task->named && !str_equal(task->comm, facts->comm))
        task->process->asked = 0; /* another program may have another owner */
    task_table_name(task, facts->comm);
}

/* Reads what a thread did on no CPU since the last call. It is to be in the snapshot if it waits
 * for a CPU. */
static void read_waits(struct watcher *watcher, struct task_counters *counters)
{
    struct procfs_schedstat times;
    struct procfs_switches switches;
    if (!procfs_schedstat(counters->pid, counters->tid, &times) ||
        !procfs_switches(counters->pid, counters->tid, &switches))
        return; /* gone: the next scan ends it */
    struct waits_glance now = {
        .time = clock_monotonic(),
        .oncpu = counters->task->oncpu,
        .delay = times.delay,
        .voluntary = switches.voluntary,
        .forced = switches.forced,
        .runnable = switches.state == 'R',
    };
    if (counters->waits.time)
        waits_compare(counters->task->waits, &counters->waits, &now);
    counters->waits = now;
    if (now.runnable)
        task_table_touch(watcher->task_table, counters->task);
}

/* Opens its counters, at the cost of idle signs if descriptors run short: 0, or the errno. */
static int open_counters(struct watcher *watcher, struct task_counters *counters)
{
    struct opener *opener = &watcher->opener;
    int error = EMFILE;
    if (opener->open + opener->values <= opener->most)
        error = task_counters_open(counters, opener) == 0 ? 0 : errno;
    bool no_signs = opener->signs_most == 0 || opener->signs_most == SIZE_MAX;
    if ((error != EMFILE && error != ENFILE) || no_signs)
        return error;
    MAP_EACH (struct task_counters, other, &watcher->counters)
        close_signs(other, opener, false);
    opener->signs_most = 0;
    opener->most = SIZE_MAX;
    return task_counters_open(counters, opener) == 0 ? 0 : errno;
}

/* Tries to open it. False if the task is gone. A task that the user named has a row even if it
 * cannot be counted; when everything is watched, such tasks are only counted for the notice. */
static bool attach(struct watcher *watcher, struct task_counters *counters)
{
    struct opener *opener = &watcher->opener;
    struct procfs_task facts;
    /* The command before it executes its program, when counting is to begin. */
    counters->on_exec = counters->tid == watcher->watch->command && counters->command &&
                        !watcher->command_ran && procfs_same_program(counters->pid, getpid());
    int error = open_counters(watcher, counters);
    /* Read after opening, so the facts are about the task that the descriptors count. */
    if (error == ESRCH || !get_facts(counters, &facts)) {
        task_counters_close(counters, opener);
        return false;
    }
    counters->start = facts.start;
    counters->suspect = false;
    procfs_glance(counters->pid, &counters->glance);
    if (error == 0) {
        counters->state = EVENT_COUNTED;
    } else if (error == EMFILE || error == ENFILE) {
        counters->state = EVENT_NO_DESCRIPTOR;
        counters->threads = counters->reach == REACH_THREAD ? 1 : facts.threads;
        watcher->shortage = error;
    } else {
        counters->state = EVENT_DENIED;
        watcher->refusal = error;
    }
    counters->rated = 0;
    if (counters->state == EVENT_DENIED && watch_all(watcher->watch))
        return true;
    if (!counters->task) {
        counters->task =
            task_table_begin(watcher->task_table, counters->pid, counters->tid, counters->start);
        counters->task->process->info.command |= counters->command;
        counters->task->several = counters->reach != REACH_THREAD;
    }
    set_facts(watcher, counters, &facts);
    task_table_meet(watcher->task_table, counters->task); /* it may end before it is listed */
    counters->spent = facts.time;
    counters->counted = counters->task->oncpu;
    counters->task->state = counters->state;
    if (watcher->waits && counters->state == EVENT_COUNTED && !counters->waits.time)
        read_waits(watcher, counters);
    return true;
}

/* The threads of the process have to be listed again. */
static void forget_list(struct watcher *watcher, pid_t pid)
{
    struct task_counters *first = map_get(&watcher->counters, (uint64_t)pid);
    if (!first)
        return;
    free(first->listed);
    first->listed = NULL;
}

/* Closes it. gone: the task has ended, or is counted in another way, and so has its row. */
static void watcher_drop(struct watcher *watcher, struct task_counters *counters, bool gone)
{
    watcher->command_over |= gone && counters->tid == watcher->watch->command && counters->command;
    forget_list(watcher, counters->pid);
    map_remove(&watcher->counters, (uint64_t)counters->tid);
    task_counters_close(counters, &watcher->opener);
    note_execution(watcher, counters);
    if (gone && counters->task)
        task_table_end(watcher->task_table, counters->task);
    counts_release(&counters->past);
    free(counters);
}

/* Drops those that the last scan did not find, or all. */
static void drop_those(struct watcher *watcher, bool all)
{
    size_t count = 0;
    AUTO_FREE struct task_counters **list = mem_array(watcher->counters.count, sizeof(*list));
    MAP_EACH (struct task_counters, counters, &watcher->counters)
        if (all || counters->seen != watcher->scans)
            list[count++] = counters;
    for (size_t i = 0; i < count; i++)
        watcher_drop(watcher, list[i], !all);
}

/* --- Finding --- */

/* Whether the process is still the one that this was opened for. If its owner has changed, it has
 * executed a program with privileges of its own, or given up privileges. In the first case the
 * kernel has removed its events (fs/exec.c, begin_new_exec(): perf_event_exit_task() if not
 * dumpable); in the second, opening may be permitted now. */
static bool believe(struct watcher *watcher, struct task_counters *counters)
{
    struct procfs_glance now;
    struct procfs_task facts;
    if (!procfs_glance(counters->pid, &now))
        /* The command's descendants may outlive it. */
        return counters->reach == REACH_DESCENDANTS && counters->ran + 2 >= watcher->scans;
    if (now.inode != counters->glance.inode &&
        (!get_facts(counters, &facts) || facts.start != counters->start))
        return false;
    /* A zombie's files belong to root, since it has no memory map (task_dump_owner()); it keeps its
     * events. */
    bool moved = now.owner != counters->glance.owner &&
                 !(procfs_task(counters->pid, 0, &facts) == 0 && facts.state == 'Z');
    counters->glance = now;
    if (moved && counters->state == EVENT_DENIED)
        return attach(watcher, counters);
    if (moved && counters->count) {
        counters->suspect = counters->denied = true;
        counters->base = UINT64_MAX;
    }
    return true;
}

static void found(struct watcher *watcher, enum reach reach, pid_t pid, pid_t tid, bool command)
{
    struct task_counters *counters = map_get(&watcher->counters, (uint64_t)tid);
    bool there = true;
    /* The tid is reused, or the reach has changed. For a process, checking its first thread is
     * enough. */
    if (counters && (counters->pid != pid || counters->reach != reach ||
                     (tid == pid && !believe(watcher, counters)))) {
        watcher_drop(watcher, counters, true);
        counters = NULL;
    }
    if (!counters) {
        counters = mem_alloc(sizeof(*counters));
        *counters =
            (struct task_counters){.reach = reach, .pid = pid, .tid = tid, .command = command};
        map_put(&watcher->counters, (uint64_t)tid, counters);
        there = attach(watcher, counters);
    }
    if (there)
        counters->seen = watcher->scans;
    else
        watcher_drop(watcher, counters, true);
}

/* Finds the threads that /proc listed last; false if it may list others now. While their idle signs
 * show that all of them live, and the process has as many threads, no thread was born or has ended.
 */
static bool found_threads_again(struct watcher *watcher, pid_t pid, bool command)
{
    const struct task_counters *first = map_get(&watcher->counters, (uint64_t)pid);
    /* Counted first: a thread that lives later lived then, too. */
    if (!first || !first->listed || procfs_thread_count(pid) != first->listed_count)
        return false;
    size_t asked = 0;
    AUTO_FREE const struct idle_sign **signs = mem_array(first->listed_count, sizeof(*signs));
    for (size_t i = 0; i < first->listed_count; i++) {
        const struct task_counters *thread = first->listed[i];
        const struct root *root = thread->roots;
        if (thread->reach != REACH_THREAD || !thread->count || !root->sign.page)
            return false;
        if (!still_at(root, idle_sign_value(&root->sign))) /* to end, a thread must run */
            signs[asked++] = &root->sign;
    }
    if (idle_sign_count_living(signs, asked) != asked)
        return false;
    found(watcher, REACH_THREAD, pid, pid, command); /* it may be another process */
    first = map_get(&watcher->counters, (uint64_t)pid);
    for (size_t i = 0; first && first->listed && i < first->listed_count; i++)
        first->listed[i]->seen = watcher->scans;
    return first && first->listed;
}

/* Keeps why not all was listed; false if so. A task that has ended is no reason. */
static bool note_listing(struct watcher *watcher, int result)
{
    if (result == 0 || errno == ENOENT || errno == ESRCH)
        return true;
    watcher->unlisted = errno;
    return false;
}

/* Finds the threads that /proc lists. */
static void find_threads(struct watcher *watcher, pid_t pid, bool command)
{
    AUTO_PIDS struct pid_list threads = {0};
    bool all = note_listing(watcher, procfs_threads(pid, &threads));
    struct task_counters **listed = mem_array(threads.count, sizeof(*listed)), *first;
    size_t there = 0;
    watcher->opener.siblings = threads.count;
    for (size_t i = 0; i < threads.count; i++) {
        found(watcher, REACH_THREAD, pid, threads.pids[i], command);
        listed[there] = map_get(&watcher->counters, (uint64_t)threads.pids[i]);
        there += listed[there] != NULL;
    }
    watcher->opener.siblings = 0;
    forget_list(watcher, pid);
    first = map_get(&watcher->counters, (uint64_t)pid);
    if (first && all && there == threads.count) {
        first->listed = listed;
        first->listed_count = there;
    } else {
        free(listed);
    }
}

/* All threads of a process by themselves, or the process as a whole. */
static void found_process(struct watcher *watcher, enum reach reach, pid_t pid, bool command)
{
    if (!watcher->threads)
        found(watcher, reach, pid, pid, command);
    else if (!found_threads_again(watcher, pid, command))
        find_threads(watcher, pid, command);
}

/* Whether a process is watched, or with tid > 0 a thread of it. */
static bool is_watched(const struct watch *watch, pid_t pid, pid_t tid)
{
    char comm[TASK_COMM_SIZE];
    struct watched watched = proc_tasks_watched(watch, pid, tid, comm);
    return watch_has(watch, &watched);
}

/* Finds a descendant of the command only if its parent was found before that ended. */
static void scan_process(struct watcher *watcher, pid_t pid)
{
    const struct watch *watch = watcher->watch;
    struct procfs_task task;
    bool descends = false;
    if (pid == watch->command)
        return;
    if (watch->command && watcher->threads && procfs_task(pid, 0, &task) == 0) {
        const struct task_counters *counters = map_get(&watcher->counters, (uint64_t)pid);
        const struct task_counters *parent = map_get(&watcher->counters, (uint64_t)task.ppid);
        descends = (counters && counters->command) || (parent && parent->command);
    }
    if (descends)
        found_process(watcher, REACH_PROCESS, pid, true);
    else if (is_watched(watch, pid, 0) &&
             /* The command's descendants are counted with it. */
             !(watch->command && procfs_descends(pid, watch->command)))
        found_process(watcher, REACH_PROCESS, pid, false);
}

bool watcher_searches(const struct watch *watch)
{
    return watch->names.count || !(watch->pid_count || watch->tid_count || watch->command);
}

void watcher_scan(struct watcher *watcher)
{
    const struct watch *watch = watcher->watch;
    watcher->scans++;
    watcher->unlisted = 0;
    watcher->now = clock_monotonic();
    if (watch->command && !watcher->command_over)
        found_process(watcher, REACH_DESCENDANTS, watch->command, true);
    if (watcher_searches(watch) || (watch->command && watcher->threads)) {
        AUTO_PIDS struct pid_list all = {0};
        note_listing(watcher, procfs_processes(&all));
        for (size_t i = 0; i < all.count; i++)
            scan_process(watcher, all.pids[i]);
    } else {
        for (size_t i = 0; i < watch->pid_count; i++)
            scan_process(watcher, watch->pids[i]);
    }
    for (size_t i = 0; i < watch->tid_count; i++) {
        pid_t tid = watch->tids[i], pid = procfs_process_of(tid);
        const struct task_counters *counters = map_get(&watcher->counters, (uint64_t)pid);
        bool covered =
            counters && counters->seen == watcher->scans && counters->reach != REACH_THREAD;
        if (pid > 0 && !covered && is_watched(watch, pid, tid))
            found(watcher, REACH_THREAD, pid, tid, false);
    }
    if (!watcher->unlisted) /* else nobody knows who has ended */
        drop_those(watcher, false);
}

/* --- Reading --- */

static void rate(struct watcher *watcher, struct task_counters *counters, uint64_t time)
{
    if (counters->rated && watcher->now > counters->rated && time >= counters->time)
        /* The old rate counts for half, so that a task that wakes now and then is not seen as
         * idle. */
        counters->rate = (counters->rate + (double)(time - counters->time) /
                                               (double)(watcher->now - counters->rated)) /
                         2;
    counters->rated = watcher->now;
    counters->time = time;
}

/* If it runs by /proc but not by its counts, its events are gone; opens them again if permitted.
 * `before`: its CPU time just before the counts were read; `base` was read just after the previous
 * read of the counts. Returns whether the task still exists. */
static bool examine(struct watcher *watcher, struct task_counters *counters, bool ran,
                    uint64_t before)
{
    bool there = true;
    if (ran) {
        /* Counts of the first interval do not prove it: they may be from before the exec. */
        counters->suspect = counters->base == UINT64_MAX;
        counters->denied = counters->suspect && counters->denied;
    } else if (before > counters->base) {
        task_counters_close(counters, &watcher->opener);
        there = attach(watcher, counters);
        counters->task->state = EVENT_DENIED;
        counters->denied = false;
        return there;
    }
    if (counters->denied)
        counters->task->state = EVENT_DENIED;
    return procfs_cpu_time(counters->pid, time_of(counters), &counters->base);
}

/* Whether a process lives whose first thread's events have ended: another thread has executed a
 * program, and got the first one's id. */
static bool is_taken_over(const struct task_counters *counters)
{
    struct procfs_task facts;
    struct idle_sign sign = counters->roots->sign;
    const struct idle_sign *signs[] = {&sign};
    if (!sign.page && !idle_sign_share(&sign, *counters->fds))
        return false;
    bool ended = idle_sign_count_living(signs, 1) == 0;
    if (!counters->roots->sign.page)
        idle_sign_close(&sign);
    return ended && procfs_task(counters->pid, 0, &facts) == 0 && !facts.exiting;
}

static void watcher_read_counts(struct watcher *watcher, struct task_counters *counters)
{
    static const uint64_t TICKS = 50000000; /* ns: times in stat are rounded down to clock ticks */
    bool ran = false;
    uint64_t before = 0, since = clock_monotonic();
    struct procfs_task facts;
    counters->task->state = counters->state;
    counters->partly = false;
    if (counters->suspect)
        procfs_cpu_time(counters->pid, time_of(counters), &before);
    if (task_counters_read(counters, &watcher->opener, &ran) < 0)
        counters->task->state = EVENT_INVALID; /* it cannot be read: show no number */
    if (counters->suspect && !examine(watcher, counters, ran, before))
        counters->suspect = false; /* gone: the next scan ends it */
    /* To end, it ran. What the other one counted until now is not known. */
    if (ran && counters->count && counters->reach == REACH_THREAD &&
        counters->tid == counters->pid && is_taken_over(counters)) {
        task_counters_close(counters, &watcher->opener);
        attach(watcher, counters);
        counters->task->state = EVENT_DENIED;
    }
    rate(watcher, counters, counters->task->oncpu);
    if (watcher->waits && (ran || counters->waits.runnable) &&
        counters->task->state == EVENT_COUNTED)
        read_waits(watcher, counters);
    if (ran || counters->task->state != EVENT_COUNTED)
        task_table_touch(watcher->task_table, counters->task);
    if (!ran)
        return;
    counters->ran = watcher->scans;
    bool due = note_execution(watcher, counters) || watcher->now - counters->asked >= NAME_PERIOD ||
               counters->reach == REACH_DESCENDANTS;
    /* Also of a zombie. */
    if (!due || procfs_task(counters->pid, time_of(counters), &facts) < 0 ||
        facts.start != counters->start)
        return;
    set_facts(watcher, counters, &facts);
    /* Whether some of it is not counted. Of a command only if it is certain: its descendants' CPU
     * time in /proc has more than what is counted, such as the freeing of memory. */
    if (counters->reach == REACH_DESCENDANTS && process_has_gained(counters->pid)) {
        counters->task->state = EVENT_DENIED;
        counters->partly = true;
    }
    if (!counters->doubtful || counters->reach != REACH_PROCESS)
        return;
    /* A thread was born while the process was opened, if by /proc it has run much longer than by
     * its counts. Time on CPUs since the reading began may be in one of the two only. That is no
     * proof: the kernel's work at a switch is in /proc's time and not in the counts', and a process
     * that switches often would be opened again for nothing, which loses what it counts meanwhile.
     */
    uint64_t counted = counters->task->oncpu - counters->counted;
    uint64_t most = counters->spent + counted + counted / 20 + TICKS;
    uint64_t skew = (clock_monotonic() - since) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (facts.time <= most + skew)
        return;
    /* Opens it again, with the threads that it has now. */
    task_counters_close(counters, &watcher->opener);
    if (!attach(watcher, counters))
        counters->state = EVENT_DENIED; /* gone: the next scan ends it */
    counters->task->state = EVENT_DENIED;
    counters->partly = true;
}

void watcher_read(struct watcher *watcher)
{
    MAP_EACH (struct task_counters, counters, &watcher->counters) {
        if (counters->count) {
            watcher_read_counts(watcher, counters);
        } else if (counters->task) {
            counters->task->state = counters->state;
            task_table_touch(watcher->task_table, counters->task);
        }
    }
    watcher->denied = watcher->starved = 0;
    watcher->lost = NULL;
    MAP_EACH (struct task_counters, counters, &watcher->counters) {
        watcher->denied += counters->denied || counters->partly || counters->state == EVENT_DENIED
                               ? counters->threads
                               : 0;
        watcher->starved += counters->state == EVENT_NO_DESCRIPTOR ? counters->threads : 0;
        if (counters->task && (counters->denied || counters->partly ||
                               (counters->state == EVENT_DENIED && counters->past.value)))
            watcher->lost = counters;
    }
}

/* --- Descriptors for the busiest --- */

/* Updates the rates of tasks without descriptors, some of them per call. */
static void rate_starved(struct watcher *watcher)
{
    enum { AT_A_TIME = 512 };
    struct task_counters *counters, *list[AT_A_TIME];
    size_t count = 0;
    while (count < AT_A_TIME && (counters = map_next(&watcher->counters, &watcher->cursor)))
        if (counters->state == EVENT_NO_DESCRIPTOR)
            list[count++] = counters;
    if (count < AT_A_TIME)
        watcher->cursor = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t time;
        counters = list[i];
        if (procfs_cpu_time(counters->pid, time_of(counters), &time))
            rate(watcher, counters, time);
        else if (!procfs_short())
            watcher_drop(watcher, counters, true);
    }
}

void watcher_share(struct watcher *watcher)
{
    enum { AT_A_TIME = 8, SCANS_BETWEEN = 8 };
    struct opener *opener = &watcher->opener;
    if (!watcher->starved)
        return;
    /* The limit may have been raised, or other users of descriptors may have closed theirs. */
    if (watcher->scans % SCANS_BETWEEN == 0)
        opener->most = SIZE_MAX;
    rate_starved(watcher);
    size_t count = 0;
    AUTO_FREE struct fd_budget *budget = mem_array(watcher->counters.count, sizeof(*budget));
    MAP_EACH (struct task_counters, each, &watcher->counters)
        if ((each->count || each->state == EVENT_NO_DESCRIPTOR) && each->reach != REACH_DESCENDANTS)
            budget[count++] = (struct fd_budget){
                .who = each,
                .rate = each->rate,
                .need = opener->values * (each->count ? each->count : each->threads),
                .has = each->count > 0,
            };
    size_t room = opener->most > opener->open ? opener->most - opener->open : 0;
    if (fd_budget_choose(budget, count, room, AT_A_TIME) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        struct task_counters *counters = budget[i].who;
        if (!budget[i].move || !budget[i].has)
            continue;
        counters->threads = counters->count;
        task_counters_close(counters, opener);
        counters->state = EVENT_NO_DESCRIPTOR;
        counters->task->cpu = -1;
        counters->rated = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct task_counters *counters = budget[i].who;
        if (budget[i].move && !budget[i].has && !attach(watcher, counters))
            watcher_drop(watcher, counters, true);
    }
}

void watcher_clear(struct watcher *watcher)
{
    drop_those(watcher, true);
}
