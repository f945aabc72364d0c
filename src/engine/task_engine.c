#include "engine/task_engine.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "engine/decode.h"
#include "engine/facts.h"
#include "engine/group.h"
#include "engine/roster.h"
#include "engine/sys.h"
#include "event/explain.h"
#include "system/procfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A thread that was found: with its groups, or the reason why it has none. */
struct attachment {
    pid_t pid, tid;
    struct task *task; /* in the roster; NULL where it is nobody's business here */
    int *fds;          /* of all groups, one after the other; NULL where nothing is counted */
    enum event_state state;
    uint64_t seen; /* scan in which it was last there */
};

struct task_engine {
    struct source source;
    struct caps caps;
    struct watch watch;
    bool all; /* snapshots list idle tasks too */
    bool planned;
    struct group_plan plan;
    size_t values; /* of all groups together */
    struct roster roster;
    struct map attachments; /* by tid */
    uint64_t scans;
    bool retry; /* a descriptor has become free: those that found none may try again */
    uint64_t denied, starved;
    uint64_t generation, started;
    struct group_read *read; /* scratch, large enough for any group */
};

/* A walk through /proc; pid: the process whose threads are being looked at. */
struct finding {
    struct task_engine *engine;
    pid_t pid;
};

static struct group_style style_of(const struct task_engine *engine)
{
    struct group_style style = {
        .filler = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    };
    style.filler.exclude_kernel = style.filler.exclude_hv = !caps_kernel(&engine->caps);
    return style;
}

/* What may not be counted in kernel mode is counted in user mode. Events of the scheduler happen
 * only in kernel mode: a count of 0 would be no truth about them. */
static void restrict_to_user(struct event_list *list, const struct caps *caps)
{
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        if (event->attr.exclude_kernel || event->attr.exclude_user || event->state != EVENT_COUNTED)
            continue;
        if (event_of_scheduler(&event->attr)) {
            explain_refusal(event, EACCES, false, caps);
            char *reason = mem_printf("happens in kernel mode only: %s", event->reason);
            free(event->reason);
            event->reason = reason;
        }
        event->attr.exclude_kernel = event->attr.exclude_hv = 1;
    }
}

/* One thread. */

static void read_counts(struct task_engine *engine, struct attachment *at)
{
    struct task *task = at->task;
    uint64_t oncpu = task->oncpu;
    const int *fds = at->fds;
    for (size_t g = 0; g < engine->plan.count; g++) {
        const struct group_shape *shape = &engine->plan.shapes[g];
        bool counted = group_counts(fds[0], shape->values, engine->read);
        fds += shape->values;
        if (!counted)
            continue;
        for (size_t v = 0; v < shape->values; v++)
            if (shape->event_of[v] >= 0)
                task->counts.value[shape->event_of[v]] = engine->read->value[v];
        task->counts.times[g] = (struct group_time){engine->read->enabled, engine->read->running};
        /* The context of a task is enabled exactly while the task is on a CPU. */
        if (engine->read->enabled > oncpu)
            oncpu = engine->read->enabled;
    }
    if (oncpu == task->oncpu)
        return;
    task->oncpu = oncpu;
    roster_touch(&engine->roster, task);
    struct procfs_task facts;
    if (procfs_task(at->pid, at->tid, &facts) == 0) {
        task->cpu = facts.cpu;
        roster_name(task, facts.comm);
    }
}

static void close_fds(struct task_engine *engine, int *fds, size_t groups)
{
    int *group = fds;
    for (size_t g = 0; g < groups; g++) {
        group_close(group, engine->plan.shapes[g].values);
        group += engine->plan.shapes[g].values;
    }
    free(fds);
}

static int *open_fds(struct task_engine *engine, pid_t tid)
{
    struct group_style style = style_of(engine);
    int *fds = mem_array(engine->values, sizeof(*fds)), *group = fds;
    for (size_t g = 0; g < engine->plan.count; g++) {
        size_t refused;
        if (group_open(&engine->plan, g, &style, (struct group_target){tid, -1}, group, &refused) <
            0) {
            int saved = errno;
            close_fds(engine, fds, g);
            errno = saved;
            return NULL;
        }
        group += engine->plan.shapes[g].values;
    }
    group = fds;
    for (size_t g = 0; g < engine->plan.count; g++) {
        sys_enable(group[0], false);
        group += engine->plan.shapes[g].values;
    }
    return fds;
}

/* A task that was asked for by name has a row also when it cannot be counted, with the reason; of
 * those that were not, only the number is told. */
static void attach(struct task_engine *engine, struct attachment *at)
{
    at->fds = open_fds(engine, at->tid);
    if (at->fds)
        at->state = EVENT_COUNTED;
    else if (errno == EMFILE || errno == ENFILE)
        at->state = EVENT_NO_DESCRIPTOR;
    else if (errno == ESRCH)
        return; /* gone; the next scan does not see it */
    else
        at->state = EVENT_DENIED;
    if (at->state == EVENT_DENIED && watch_all(&engine->watch))
        return;
    at->task = roster_task(&engine->roster, at->pid, at->tid, 0);
    at->task->state = at->state;
}

static void detach(struct task_engine *engine, struct attachment *at)
{
    if (at->fds) {
        read_counts(engine, at);
        close_fds(engine, at->fds, engine->plan.count);
        engine->retry = true;
    }
    if (at->task)
        roster_end(&engine->roster, at->task);
    free(at);
}

/* The roster lets go of a task that it takes for ended; were it still there, the next scan would
 * find it anew. */
static void forget_task(void *ctx, struct task *task)
{
    struct task_engine *engine = ctx;
    struct attachment *at = map_get(&engine->attachments, (uint64_t)task->tid);
    if (!at || at->task != task)
        return;
    map_remove(&engine->attachments, (uint64_t)task->tid);
    if (at->fds)
        close_fds(engine, at->fds, engine->plan.count);
    free(at);
}

/* Finding threads. */

static bool see_thread(void *ctx, pid_t tid)
{
    struct finding *finding = ctx;
    struct task_engine *engine = finding->engine;
    struct attachment *at = map_get(&engine->attachments, (uint64_t)tid);
    if (at && at->pid != finding->pid) { /* the tid is used again, by another process */
        map_remove(&engine->attachments, (uint64_t)tid);
        detach(engine, at);
        at = NULL;
    }
    if (!at) {
        at = mem_alloc(sizeof(*at));
        *at = (struct attachment){.pid = finding->pid, .tid = tid};
        map_put(&engine->attachments, (uint64_t)tid, at);
        attach(engine, at);
    } else if (at->state == EVENT_NO_DESCRIPTOR && engine->retry) {
        attach(engine, at);
    }
    at->seen = engine->scans;
    return true;
}

static bool see_process(void *ctx, pid_t pid)
{
    struct finding *finding = ctx;
    const struct watch *watch = &finding->engine->watch;
    finding->pid = pid;
    if (watch->name_count || watch->user_count) {
        struct procfs_task task;
        if (procfs_task(pid, 0, &task) < 0)
            return true;
        uid_t uid = watch->user_count ? procfs_uid(pid) : (uid_t)-1;
        if (!watch_has(watch, &(struct watched){.pid = pid, .comm = task.comm, .uid = uid}))
            return true;
    }
    procfs_each_thread(pid, see_thread, finding);
    return true;
}

static void see_named_thread(struct finding *finding, pid_t tid)
{
    finding->pid = procfs_process_of(tid);
    if (finding->pid > 0)
        see_thread(finding, tid);
}

static void scan(struct task_engine *engine)
{
    const struct watch *watch = &engine->watch;
    struct finding finding = {engine, 0};
    engine->scans++;
    if (watch_all(watch) || watch->name_count || watch->user_count) {
        procfs_each_process(see_process, &finding);
    } else {
        for (size_t i = 0; i < watch->pid_count; i++)
            see_process(&finding, watch->pids[i]);
    }
    for (size_t i = 0; i < watch->tid_count; i++)
        see_named_thread(&finding, watch->tids[i]);
    engine->retry = false;
}

/* Reads all counts; lets go of the threads that the last scan did not see. */
static void take_counts(struct task_engine *engine)
{
    size_t gone_count = 0;
    struct attachment **gone = mem_array(engine->attachments.count, sizeof(*gone)), *at;
    engine->denied = engine->starved = 0;
    for (size_t i = 0; (at = map_next(&engine->attachments, &i));) {
        if (at->seen != engine->scans) {
            gone[gone_count++] = at;
            continue;
        }
        engine->denied += at->state == EVENT_DENIED;
        engine->starved += at->state == EVENT_NO_DESCRIPTOR;
        if (at->fds)
            read_counts(engine, at);
        else if (at->task)
            roster_touch(&engine->roster, at->task);
    }
    for (size_t i = 0; i < gone_count; i++) {
        map_remove(&engine->attachments, (uint64_t)gone[i]->tid);
        detach(engine, gone[i]);
    }
    free(gone);
}

static void detach_all(struct task_engine *engine)
{
    struct attachment *at;
    for (size_t i = 0; (at = map_next(&engine->attachments, &i));)
        detach(engine, at);
    map_clear(&engine->attachments);
}

/* The contract. */

static void make_plan(const struct task_engine *engine, const struct event_list *events,
                      struct group_plan *plan)
{
    struct group_style style = style_of(engine);
    struct event_list list;
    event_list_copy(&list, events);
    if (!caps_kernel(&engine->caps))
        restrict_to_user(&list, &engine->caps);
    group_plan_make(plan, &list, &style, (struct group_target){0, -1}, &engine->caps);
    event_list_release(&list);
}

static struct event_set *check(struct source *source, const struct event_list *events)
{
    struct group_plan plan;
    make_plan((const struct task_engine *)source, events, &plan);
    return group_plan_detach(&plan);
}

static int set_events(struct source *source, const struct event_list *events, struct err *err)
{
    (void)err; /* without any event the times still count */
    struct task_engine *engine = (struct task_engine *)source;
    detach_all(engine);
    struct group_plan old = engine->plan;
    make_plan(engine, events, &engine->plan);
    roster_release(&engine->roster);
    roster_init(&engine->roster, &facts_lookup);
    roster_count(&engine->roster, engine->plan.set);
    if (engine->planned)
        group_plan_release(&old);
    engine->planned = true;

    size_t most = 0;
    engine->values = 0;
    for (size_t g = 0; g < engine->plan.count; g++) {
        size_t values = engine->plan.shapes[g].values;
        engine->values += values;
        most = values > most ? values : most;
    }
    free(engine->read);
    engine->read = group_read_new(most);
    engine->generation++;
    engine->started = clock_monotonic();
    scan(engine);
    return 0;
}

static int set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    (void)err;
    struct task_engine *engine = (struct task_engine *)source;
    watch_release(&engine->watch);
    watch_copy(&engine->watch, watch);
    if (engine->planned)
        scan(engine);
    return 0;
}

static void set_delay(struct source *source, uint64_t delay)
{
    (void)source, (void)delay; /* counts are read when they are wanted */
}

static void set_idle(struct source *source, bool idle)
{
    ((struct task_engine *)source)->all = idle;
}

static void set_threads(struct source *source, bool threads)
{
    (void)source, (void)threads;
}

static size_t poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    (void)source, (void)fds, (void)room;
    return 0;
}

static void drain(struct source *source)
{
    (void)source;
}

static struct snapshot *take_snapshot(struct source *source)
{
    struct task_engine *engine = (struct task_engine *)source;
    scan(engine);
    struct snapshot *snapshot = snapshot_new(engine->plan.set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->time = clock_monotonic();
    snapshot->wall = clock_wall();
    take_counts(engine);
    roster_list(&engine->roster, snapshot, engine->all, forget_task, engine);
    snapshot->denied_tasks = engine->denied;
    snapshot->starved_tasks = engine->starved;
    snapshot->self.descriptors =
        engine->values * (engine->attachments.count - engine->denied - engine->starved);
    return snapshot;
}

static void close_engine(struct source *source)
{
    struct task_engine *engine = (struct task_engine *)source;
    detach_all(engine);
    map_release(&engine->attachments);
    roster_release(&engine->roster);
    if (engine->planned)
        group_plan_release(&engine->plan);
    watch_release(&engine->watch);
    free(engine->read);
    free(engine);
}

struct source *task_engine_new(const struct caps *caps)
{
    static const struct source_ops ops = {
        "task",      set_events, check, set_watch,     set_delay,    set_idle,
        set_threads, poll_fds,   drain, take_snapshot, close_engine,
    };
    struct task_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    watch_init(&engine->watch);
    map_init(&engine->attachments);
    roster_init(&engine->roster, &facts_lookup);
    return &engine->source;
}
