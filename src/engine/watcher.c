#include "engine/watcher.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/proc_tasks.h"
#include "engine/task_counters.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    if (task->named && memcmp(task->comm, facts->comm, sizeof(task->comm)) != 0)
        task->process->asked = 0; /* another program may have another owner */
    task_table_name(task, facts->comm);
}

static void restart_comparison(struct task_counters *counters, const struct procfs_task *facts)
{
    counters->spent = facts->time;
    counters->counted = counters->task->oncpu;
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
    struct task_counters *other;
    int error = EMFILE;
    if (opener->open + opener->values <= opener->most)
        error = task_counters_open(counters, opener) == 0 ? 0 : errno;
    bool no_signs = opener->signs_most == 0 || opener->signs_most == SIZE_MAX;
    if ((error != EMFILE && error != ENFILE) || no_signs)
        return error;
    for (size_t i = 0; (other = map_next(&watcher->counters, &i));)
        task_counters_close_signs(other, opener, false);
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
    restart_comparison(counters, &facts);
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
    struct task_counters *counters;
    size_t count = 0;
    AUTO_FREE struct task_counters **list = mem_array(watcher->counters.count, sizeof(*list));
    for (size_t i = 0; (counters = map_next(&watcher->counters, &i));)
        if (all || counters->seen != watcher->scans)
            list[count++] = counters;
    for (size_t i = 0; i < count; i++) {
        counters = list[i];
        pid_t pid = counters->pid;
        struct task_counters *first =
            counters->tid != pid ? map_get(&watcher->counters, (uint64_t)pid) : 0;
        watcher_drop(watcher, counters, !all);
        /* It may have executed a program instead of ending. Then it has the first thread's id now,
         * and that one's events are gone. */
        if (!all && first && first->count && first->reach == REACH_THREAD && !first->suspect) {
            first->suspect = true;
            first->base = UINT64_MAX;
        }
    }
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
        const struct idle_sign *sign = task_counters_sign(first->listed[i]);
        if (!sign)
            return false;
        if (!task_counters_still(first->listed[i])) /* to end, a thread must run */
            signs[asked++] = sign;
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
    struct pid_list threads = {0};
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
    free(threads.pids);
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
    return watch->name_count || !(watch->pid_count || watch->tid_count || watch->command);
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
        struct pid_list all = {0};
        note_listing(watcher, procfs_processes(&all));
        for (size_t i = 0; i < all.count; i++)
            scan_process(watcher, all.pids[i]);
        free(all.pids);
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
    struct task_counters *counters;
    for (size_t i = 0; (counters = map_next(&watcher->counters, &i));) {
        if (counters->count) {
            watcher_read_counts(watcher, counters);
        } else if (counters->task) {
            counters->task->state = counters->state;
            task_table_touch(watcher->task_table, counters->task);
        }
    }
    watcher->denied = watcher->starved = 0;
    watcher->lost = NULL;
    for (size_t i = 0; (counters = map_next(&watcher->counters, &i));) {
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
    struct task_counters *each;
    size_t count = 0;
    AUTO_FREE struct fd_budget *budget = mem_array(watcher->counters.count, sizeof(*budget));
    for (size_t i = 0; (each = map_next(&watcher->counters, &i));)
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

void watcher_release(struct watcher *watcher)
{
    watcher_clear(watcher);
    map_release(&watcher->counters);
}
