#include "engine/crew.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/attachment.h"
#include "engine/finder.h"
#include "engine/share.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name can change while a task runs; it is not asked for more often than this, in ns. */
static const uint64_t NAME_PERIOD = 900000000;

/* One attachment. */

/* The command is opened before it executes its program, and begins to count then. */
static bool waits_for_exec(const struct crew *crew, const struct attachment *at)
{
    return at->tid == crew->watch->command && at->command && !crew->command_ran &&
           procfs_same_program(at->pid, getpid());
}

/* Whether that has just come to light. */
static bool note_execution(struct crew *crew, const struct attachment *at)
{
    bool news = at->on_exec && at->task && at->task->oncpu > 0 && !crew->command_ran;
    crew->command_ran |= news;
    return news;
}

/* Whose CPU time is its own: procfs_cpu_time(). */
static pid_t time_of(const struct attachment *at)
{
    return at->reach == REACH_THREAD ? at->tid : 0;
}

static bool get_facts(const struct attachment *at, struct procfs_task *facts)
{
    bool thread = at->reach == REACH_THREAD;
    if (procfs_task(at->pid, time_of(at), facts) < 0)
        return false;
    return thread ? facts->state != 'Z' && facts->state != 'X' : procfs_lives(facts);
}

static void set_facts(struct crew *crew, struct attachment *at, const struct procfs_task *facts)
{
    struct task *task = at->task;
    at->asked = crew->now;
    task->cpu = at->state == EVENT_COUNTED ? facts->cpu : -1; /* nothing tells when it moves on */
    if (task->named && memcmp(task->comm, facts->comm, sizeof(task->comm)) != 0)
        task->process->asked = false; /* another program may have another owner */
    roster_name(task, facts->comm);
}

/* ns that a process, or a command with its descendants, has been on CPUs, by /proc. */
static uint64_t spent_by(const struct attachment *at, const struct procfs_task *facts)
{
    return facts->time + (at->reach == REACH_DESCENDANTS ? facts->waited : 0);
}

static void judge(struct attachment *at, const struct procfs_task *facts)
{
    at->spent = spent_by(at, facts);
    at->counted = at->task->oncpu;
}

/* Tries to open it. False when there is nobody to open it on. A task that was asked for has a row
 * also when it cannot be counted; of those that were not, only the number is told. */
static bool attach(struct crew *crew, struct attachment *at)
{
    struct opener *opener = &crew->opener;
    struct procfs_task facts;
    int error = EMFILE;
    at->on_exec = waits_for_exec(crew, at);
    if (opener->open + opener->values <= opener->most)
        error = attachment_open(at, opener) == 0 ? 0 : errno;
    /* Asked now, it is the one that the descriptors are for. */
    if (error == ESRCH || !get_facts(at, &facts)) {
        attachment_close(at, opener);
        return false;
    }
    at->start = facts.start;
    at->suspect = false;
    procfs_glance(at->pid, &at->glance);
    if (error == 0) {
        at->state = EVENT_COUNTED;
    } else if (error == EMFILE || error == ENFILE) {
        at->state = EVENT_NO_DESCRIPTOR;
        at->threads = at->reach == REACH_THREAD ? 1 : facts.threads;
        crew->shortage = error;
    } else {
        at->state = EVENT_DENIED;
        crew->refusal = error;
    }
    at->rated = 0;
    if (at->state == EVENT_DENIED && watch_all(crew->watch))
        return true;
    if (!at->task) {
        at->task = roster_begin(crew->roster, at->pid, at->tid, 0);
        at->task->process->info.command |= at->command;
        at->task->several = at->reach != REACH_THREAD;
    }
    set_facts(crew, at, &facts);
    judge(at, &facts);
    at->task->state = at->state;
    return true;
}

/* Lets go of it and ends its row. */
static void drop(struct crew *crew, struct attachment *at)
{
    map_remove(&crew->attachments, (uint64_t)at->tid);
    attachment_close(at, &crew->opener);
    note_execution(crew, at);
    if (at->task)
        roster_end(crew->roster, at->task);
    attachment_free(at, &crew->opener);
}

/* The same where it is not there any more. */
static void end(struct crew *crew, struct attachment *at)
{
    crew->command_over |= at->tid == crew->watch->command && at->command;
    drop(crew, at);
}

/* Those that the last scan has not found, or all. */
static void drop_those(struct crew *crew, bool all)
{
    struct attachment *at;
    size_t count = 0;
    mem_grow(&crew->list, &crew->list_room, crew->attachments.count, sizeof(*crew->list));
    for (size_t i = 0; (at = map_next(&crew->attachments, &i));)
        if (all || at->seen != crew->scans)
            crew->list[count++] = at;
    for (size_t i = 0; i < count; i++) {
        at = crew->list[i];
        pid_t pid = at->pid;
        struct attachment *first = at->tid != pid ? map_get(&crew->attachments, (uint64_t)pid) : 0;
        if (all)
            drop(crew, at);
        else
            end(crew, at);
        /* It may not have ended, but executed a program: it has the first one's id now, whose
         * events are gone. */
        if (!all && first && first->count && first->reach == REACH_THREAD && !first->suspect) {
            first->suspect = true;
            first->base = UINT64_MAX;
        }
    }
}

/* Finding. */

/* Whether the process is the one that this was opened for. Where its owner is another now, it has
 * executed a program with privileges of its own, or given up its own ones. In the first case the
 * kernel has taken the events away (fs/exec.c, begin_new_exec(): perf_event_exit_task() of what is
 * not dumpable), in the second one that was refused may be permitted. */
static bool believe(struct crew *crew, struct attachment *at)
{
    struct procfs_glance now;
    struct procfs_task facts;
    if (!procfs_glance(at->pid, &now))
        /* What the command began may outlive it. */
        return at->reach == REACH_DESCENDANTS && at->ran + 2 >= crew->scans;
    if (now.inode != at->glance.inode && (!get_facts(at, &facts) || facts.start != at->start))
        return false;
    /* Of a zombie, which has no memory map any more, they are root's (task_dump_owner()): it keeps
     * its events. */
    bool moved = now.owner != at->glance.owner &&
                 !(procfs_task(at->pid, 0, &facts) == 0 && facts.state == 'Z');
    at->glance = now;
    if (moved && at->state == EVENT_DENIED)
        return attach(crew, at);
    if (moved && at->count) {
        at->suspect = at->denied = true;
        at->base = UINT64_MAX;
    }
    return true;
}

static void found(void *ctx, enum reach reach, pid_t pid, pid_t tid, bool command)
{
    struct crew *crew = ctx;
    struct attachment *at = map_get(&crew->attachments, (uint64_t)tid);
    bool there = true;
    /* The tid is used again, or more of the process is wanted. Of a process' threads, one look at
     * the first is enough. */
    if (at && (at->pid != pid || at->reach != reach || (tid == pid && !believe(crew, at)))) {
        end(crew, at);
        at = NULL;
    }
    if (!at) {
        at = mem_alloc(sizeof(*at));
        *at = (struct attachment){.reach = reach, .pid = pid, .tid = tid, .command = command};
        map_put(&crew->attachments, (uint64_t)tid, at);
        there = attach(crew, at);
    }
    if (there)
        at->seen = crew->scans;
    else
        end(crew, at);
}

static bool covers(void *ctx, pid_t pid)
{
    const struct crew *crew = ctx;
    const struct attachment *at = map_get(&crew->attachments, (uint64_t)pid);
    return at && at->seen == crew->scans && at->reach != REACH_THREAD;
}

static bool of_command(void *ctx, pid_t pid)
{
    const struct crew *crew = ctx;
    const struct attachment *at = map_get(&crew->attachments, (uint64_t)pid);
    return at && at->command;
}

void crew_scan(struct crew *crew)
{
    crew->scans++;
    crew->now = clock_monotonic();
    struct finder finder = {
        .watch = crew->watch,
        .threads = crew->threads,
        .command_over = crew->command_over,
        .ctx = crew,
        .found = found,
        .covers = covers,
        .of_command = of_command,
    };
    finder_run(&finder);
    drop_those(crew, false);
}

/* Reading. */

static void rate(struct crew *crew, struct attachment *at, uint64_t time)
{
    if (at->rated && crew->now > at->rated && time >= at->time)
        /* What was before counts for half: one that wakes now and then is not taken for idle. */
        at->rate = (at->rate + (double)(time - at->time) / (double)(crew->now - at->rated)) / 2;
    at->rated = crew->now;
    at->time = time;
}

/* Whether by /proc it has run much longer than by its counts: then some of it is not counted. A
 * thread was born while it was opened, or, where it is a command, a descendant of it has executed a
 * program with privileges of its own. since: when the reading of the counts began; what ran
 * meanwhile is in one of the two only. */
static bool is_incomplete(const struct attachment *at, const struct procfs_task *facts,
                          uint64_t since)
{
    static const uint64_t TICKS = 50000000; /* ns: the times of stat are cut to clock ticks */
    uint64_t counted = at->task->oncpu - at->counted;
    uint64_t most = at->spent + counted + counted / 20 + TICKS;
    if (at->reach == REACH_THREAD || spent_by(at, facts) <= most)
        return false;
    uint64_t skew = (clock_monotonic() - since) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
    return spent_by(at, facts) > most + skew;
}

/* Where it does not run by its counts, but does by /proc, the events are gone, and are opened anew
 * where that is permitted. `before`: its CPU time before the counts were read; what was known of it
 * then was asked after they were read the time before. Returns whether it is there still. */
static bool examine(struct crew *crew, struct attachment *at, bool ran, uint64_t before)
{
    bool there = true;
    if (ran) {
        /* Not what it did before in this interval: that may be what it did until then. */
        at->suspect = at->base == UINT64_MAX;
        at->denied = at->suspect && at->denied;
    } else if (before > at->base) {
        attachment_close(at, &crew->opener);
        there = attach(crew, at);
        at->task->state = EVENT_DENIED;
        at->denied = false;
        return there;
    }
    if (at->denied)
        at->task->state = EVENT_DENIED;
    return procfs_cpu_time(at->pid, time_of(at), &at->base);
}

/* The sum of this interval is no sum. A process is opened anew, with the threads it has now; of a
 * command only what comes is judged anew: what had its counting ended stays so. */
static void complete(struct crew *crew, struct attachment *at, const struct procfs_task *facts)
{
    if (at->reach == REACH_PROCESS) {
        attachment_close(at, &crew->opener);
        if (!attach(crew, at))
            at->state = EVENT_DENIED; /* gone: the next scan ends it */
    } else {
        judge(at, facts);
    }
    at->task->state = EVENT_DENIED;
    at->partly = true;
}

static void read_counts(struct crew *crew, struct attachment *at)
{
    bool ran = false;
    uint64_t before = 0, since = clock_monotonic();
    struct procfs_task facts;
    at->task->state = at->state;
    at->partly = false;
    if (at->suspect)
        procfs_cpu_time(at->pid, time_of(at), &before);
    if (attachment_read(at, &crew->opener, &ran) < 0)
        at->task->state = EVENT_INVALID; /* the kernel does not tell: no number */
    if (at->suspect && !examine(crew, at, ran, before))
        at->suspect = false; /* gone: the next scan ends it */
    rate(crew, at, at->task->oncpu);
    if (ran || at->task->state != EVENT_COUNTED)
        roster_touch(crew->roster, at->task);
    if (!ran)
        return;
    at->ran = crew->scans;
    bool due = note_execution(crew, at) || crew->now - at->asked >= NAME_PERIOD ||
               at->reach == REACH_DESCENDANTS;
    /* Also of one that has ended, as long as it is there. */
    if (!due || procfs_task(at->pid, time_of(at), &facts) < 0 || facts.start != at->start)
        return;
    set_facts(crew, at, &facts);
    if (is_incomplete(at, &facts, since))
        complete(crew, at, &facts);
}

void crew_read(struct crew *crew)
{
    struct attachment *at;
    for (size_t i = 0; (at = map_next(&crew->attachments, &i));) {
        if (at->count) {
            read_counts(crew, at);
        } else if (at->task) {
            at->task->state = at->state;
            roster_touch(crew->roster, at->task);
        }
    }
    crew->denied = crew->starved = 0;
    crew->lost = NULL;
    for (size_t i = 0; (at = map_next(&crew->attachments, &i));) {
        crew->denied += at->denied || at->partly || at->state == EVENT_DENIED ? at->threads : 0;
        crew->starved += at->state == EVENT_NO_DESCRIPTOR ? at->threads : 0;
        if (at->task && (at->denied || at->partly || (at->state == EVENT_DENIED && at->past.value)))
            crew->lost = at;
    }
}

/* Descriptors for the busiest. */

static size_t need_of(const struct crew *crew, const struct attachment *at)
{
    return crew->opener.values * (at->count ? at->count : at->threads);
}

/* Finds how busy those without descriptors are, some of them at a time. */
static void rate_starved(struct crew *crew)
{
    enum { AT_A_TIME = 512 };
    struct attachment *at;
    size_t count = 0;
    mem_grow(&crew->list, &crew->list_room, AT_A_TIME, sizeof(*crew->list));
    while (count < AT_A_TIME && (at = map_next(&crew->attachments, &crew->cursor)))
        if (at->state == EVENT_NO_DESCRIPTOR)
            crew->list[count++] = at;
    if (count < AT_A_TIME)
        crew->cursor = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t time;
        at = crew->list[i];
        if (procfs_cpu_time(at->pid, time_of(at), &time))
            rate(crew, at, time);
        else
            end(crew, at);
    }
}

static size_t list_shares(struct crew *crew)
{
    struct attachment *at;
    size_t count = 0;
    mem_grow(&crew->shares, &crew->share_room, crew->attachments.count, sizeof(*crew->shares));
    for (size_t i = 0; (at = map_next(&crew->attachments, &i));)
        if ((at->count || at->state == EVENT_NO_DESCRIPTOR) && at->reach != REACH_DESCENDANTS)
            crew->shares[count++] = (struct share){
                .who = at,
                .rate = at->rate,
                .need = need_of(crew, at),
                .has = at->count > 0,
            };
    return count;
}

/* For the time until the next snapshot: this one is complete. */
void crew_share(struct crew *crew)
{
    enum { AT_A_TIME = 8, SCANS_BETWEEN = 8 };
    struct opener *opener = &crew->opener;
    if (!crew->starved)
        return;
    /* The limit may have been raised, or others have closed what they had. */
    if (crew->scans % SCANS_BETWEEN == 0)
        opener->most = SIZE_MAX;
    rate_starved(crew);
    size_t count = list_shares(crew);
    size_t room = opener->most > opener->open ? opener->most - opener->open : 0;
    if (share_choose(crew->shares, count, room, AT_A_TIME) == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        struct attachment *at = crew->shares[i].who;
        if (!crew->shares[i].move || !crew->shares[i].has)
            continue;
        at->threads = at->count;
        attachment_close(at, opener);
        at->state = EVENT_NO_DESCRIPTOR;
        at->task->cpu = -1;
        at->rated = 0;
    }
    for (size_t i = 0; i < count; i++) {
        struct attachment *at = crew->shares[i].who;
        if (crew->shares[i].move && !crew->shares[i].has && !attach(crew, at))
            end(crew, at);
    }
}

void crew_clear(struct crew *crew)
{
    drop_those(crew, true);
}

void crew_release(struct crew *crew)
{
    drop_those(crew, true);
    map_release(&crew->attachments);
    free(crew->list);
    free(crew->shares);
}
