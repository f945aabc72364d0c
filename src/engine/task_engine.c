#include "engine/engines.h"
#include "engine/family.h"
#include "engine/proc_tasks.h"
#include "engine/sys.h"
#include "engine/probe_open.h"
#include "engine/watcher.h"
#include "system/topology.h"

#include <sys/resource.h>

struct task_engine {
    struct source source;
    struct caps caps;
    struct watch watch;
    bool inherits;          /* the kernel has inherit_thread */
    bool reads_exits;       /* family_reads_exits() */
    bool threads;           /* each thread is a row */
    struct group_plan plan; /* zeroed before the first set_events */
    struct task_table task_table;
    struct watcher watcher;
    struct family *family; /* counts the command instead of the watcher; NULL */
    char *summed;          /* why the family is not; NULL */
    int changes;           /* from owner_changes_open() */
    bool knows_ends;       /* the generation before was a family's: records tell all ends */
    bool ran;              /* the command has executed its program */
    uint64_t generation, started;
    uint64_t lost; /* records, by families that are closed */
};

/* Opens descriptors for each process of the command by itself, if that is wanted, possible, and
 * nothing else is watched. Otherwise the watcher counts them together, or if waiting is wanted
 * those that it finds. */
static void meet_family(struct task_engine *engine, const struct perf_event_attr *filler)
{
    /* Each task that the command creates inherits all descriptors, which takes time. */
    enum { FAMILY_MAX = 512 };
    const struct watch *watch = &engine->watch;
    AUTO_CPUS struct cpulist cpus = {0};
    struct err err;
    size_t values = 2; /* what records tasks, and a clock */
    for (size_t g = 0; g < engine->plan.count; g++)
        values += engine->plan.shapes[g].values;
    bool alone = !watch->pid_count && !watch->tid_count && !watch->names.count &&
                 !watch->user_count && !watch->cgroup;
    if (!engine->source.families || !watch->command || !alone || topology_online(&cpus, &err) < 0)
        return;
    bool waits = event_set_waits(engine->plan.set), fits = cpus.count * values <= FAMILY_MAX;
    if (waits)
        err_set(&err, "waiting is read in /proc, of tasks that live then, and others have no row: "
                      "the engine 'cpu' has all");
    else if (!engine->reads_exits)
        err_set(&err, "this kernel does not tell what each of them counted: the engine 'cpu' does");
    else if (!fits)
        err_set(&err, "%zu descriptors would be needed", cpus.count * values);
    else
        engine->family = family_open(
            &(struct family_style){
                .plan = &engine->plan,
                .filler = *filler,
                .cpus = cpus,
                .on_exec = !engine->ran && (procfs_foreign() || /* else not known */
                                            procfs_same_program(watch->command, getpid())),
                .live = !engine->source.only_end,
                .changes = engine->changes,
            },
            watch->command, &engine->task_table, &err);
    if (!engine->family)
        engine->summed = mem_printf(
            "%s%s", waits ? "" : "the processes of the command are counted together: ", err.text);
}

static struct perf_event_attr filler_of(const struct task_engine *engine)
{
    struct perf_event_attr filler = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
    filler.exclude_kernel = filler.exclude_hv = !caps_kernel(&engine->caps);
    return filler;
}

/* Starts counting at 0. */
static void task_engine_begin(struct task_engine *engine)
{
    struct opener *opener = &engine->watcher.opener;
    struct task_table before = engine->task_table;
    task_table_init(&engine->task_table, &proc_tasks_lookup);
    task_table_follow(&engine->task_table, &before, engine->knows_ends);
    task_table_count(&engine->task_table, engine->plan.set);
    opener->plan = &engine->plan;
    opener->style = (struct group_style){.filler = filler_of(engine)};
    meet_family(engine, &opener->style.filler);
    opener->values = opener->words = 0;
    for (size_t g = 0; g < engine->plan.count; g++) {
        opener->values += engine->plan.shapes[g].values;
        opener->words += group_words(engine->plan.shapes[g].values);
    }
    counts_release(&opener->sum);
    opener->sum = counts_new(engine->plan.set);
    opener->most = opener->signs_most = SIZE_MAX;
    engine->watcher.waits = event_set_waits(engine->plan.set);
    engine->watcher.threads = engine->threads || !engine->inherits || engine->watcher.waits;
    engine->generation++;
    engine->started = clock_monotonic();
    if (!engine->family)
        watcher_scan(&engine->watcher);
    engine->task_table.before = NULL;
    task_table_release(&before);
}

/* Closes all descriptors; the plan is still there. */
static void task_engine_end(struct task_engine *engine)
{
    watcher_clear(&engine->watcher);
    engine->ran |= engine->watcher.command_ran;
    engine->knows_ends = engine->family;
    family_close(engine->family, &engine->ran, &engine->lost);
    engine->family = NULL;
    free(engine->summed);
    engine->summed = NULL;
}

/* --- Methods of struct source --- */

static void task_engine_make_plan(const struct task_engine *engine, const struct event_list *events,
                                  struct group_plan *plan)
{
    struct group_style style = {.filler = filler_of(engine)};
    AUTO_EVENTS struct event_list list;
    event_list_copy(&list, events);
    for (size_t e = 0; e < list.count; e++)
        if (list.events[e].state == EVENT_COUNTED && event_is_probe(&list.events[e]))
            event_refuse(&list.events[e], "heir");
    /* Without permission for kernel mode, counts user mode only, except events of kernel mode. */
    for (size_t e = 0; e < list.count && !caps_kernel(&engine->caps); e++) {
        struct event *event = &list.events[e];
        if (event->attr.exclude_kernel || event->attr.exclude_user ||
            event->state != EVENT_COUNTED || event_kept(event))
            continue;
        if (event_of_kernel(event))
            explain_refusal(event, EACCES, false, &engine->caps);
        event->attr.exclude_kernel = event->attr.exclude_hv = 1;
    }
    wakeups_judge_proc(&list);
    group_plan_make(plan, &list, &style, (struct group_target){.cpu = -1}, &engine->caps);
}

static struct event_set *task_engine_check(struct source *source, const struct event_list *events)
{
    struct group_plan plan;
    task_engine_make_plan((const struct task_engine *)source, events, &plan);
    return group_plan_detach(&plan);
}

static int task_engine_set_events(struct source *source, const struct event_list *events,
                                  struct err *err)
{
    (void)err; /* without events, times are still counted */
    struct task_engine *engine = (struct task_engine *)source;
    task_engine_end(engine);
    struct group_plan old = engine->plan;
    task_engine_make_plan(engine, events, &engine->plan);
    task_engine_begin(engine);
    group_plan_release(&old);
    return 0;
}

static int task_engine_set_watch(struct source *source, const struct watch *watch,
                                 struct err *err UNUSED)
{
    struct task_engine *engine = (struct task_engine *)source;
    bool family = engine->family;
    if (engine->source.families && watch->command && !engine->watch.command)
        engine->reads_exits = family_reads_exits(); /* at the start: there are no threads yet */
    if (family) /* counted by the watcher, or as another family, from 0 */
        task_engine_end(engine);
    if (watch->command != engine->watch.command)
        engine->watcher.command_ran = engine->watcher.command_over = engine->ran = false;
    watch_release(&engine->watch);
    watch_copy(&engine->watch, watch);
    if (family) {
        task_engine_begin(engine);
    } else if (engine->plan.set) {
        watcher_scan(&engine->watcher);
    }
    return 0;
}

static void task_engine_set_threads(struct source *source, bool threads)
{
    struct task_engine *engine = (struct task_engine *)source;
    bool change =
        threads != engine->threads && engine->inherits && engine->plan.set && !engine->family;
    engine->threads = threads;
    if (change) {
        task_engine_end(engine);
        task_engine_begin(engine);
    }
}

static void add_refusal(const struct watcher *watcher, int error, struct str *text)
{
    struct event event = {.attr = watcher->opener.style.filler};
    explain_refusal(&event, error, false, watcher->caps);
    str_add(text, event.reason);
    free(event.reason);
}

static void explain_shortage(const struct watcher *watcher, struct str *text)
{
    enum { STEP = 64 };
    struct rlimit limit;
    unsigned long long starved = watcher->starved;
    /* Enough for all, with a margin for new threads, rounded up. */
    unsigned long long wanted = watcher->opener.open + starved * watcher->opener.values + STEP;
    wanted = (wanted + STEP - 1) / STEP * STEP;
    if (watcher->shortage == ENFILE || getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        str_printf(text, "; no descriptors for %llu threads: ", starved);
        add_refusal(watcher, watcher->shortage, text);
        return;
    }
    str_printf(text,
               "; no descriptors for %llu threads (the limit is %llu): run 'ulimit -n %llu' before "
               "the start, or set LimitNOFILE=%llu for a service",
               starved, (unsigned long long)limit.rlim_cur, wanted, wanted);
}

static void explain_denied(const struct watcher *watcher, struct str *text)
{
    const struct task_counters *lost = watcher->lost;
    if (!lost) {
        str_printf(text, "; %llu threads not counted: ", (unsigned long long)watcher->denied);
        add_refusal(watcher, watcher->refusal, text);
    } else if (lost->partly && lost->reach == REACH_PROCESS) {
        str_printf(text,
                   "; some threads of process %d were born while it was opened: counting it again",
                   (int)lost->pid);
    } else {
        AUTO_FREE char *remedy = explain_capability(watcher->caps);
        str_printf(text,
                   "; process %d is not counted, or not all of it: it has executed a program with "
                   "privileges of its own",
                   (int)lost->pid);
        if (!watcher->caps->perfmon)
            str_printf(text, " (%s)", remedy);
    }
}

static size_t task_engine_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    const struct task_engine *engine = (const struct task_engine *)source;
    return engine->family ? family_poll_fds(engine->family, fds, room) : 0;
}

static void task_engine_drain(struct source *source)
{
    family_drain(((struct task_engine *)source)->family);
}

static struct snapshot *task_engine_take_snapshot(struct source *source)
{
    struct task_engine *engine = (struct task_engine *)source;
    struct watcher *watcher = &engine->watcher;
    if (!engine->family)
        watcher_scan(watcher);
    struct snapshot *snapshot = snapshot_new(engine->plan.set);
    snapshot->generation = engine->generation;
    snapshot->started = engine->started;
    snapshot->lost_records = engine->lost;
    snapshot->online = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    snapshot->time = clock_monotonic();
    snapshot->wall = clock_wall();
    if (engine->family) {
        family_take(engine->family, snapshot->online);
    } else {
        watcher_read(watcher);
        proc_tasks_hear(engine->changes, &engine->task_table);
    }
    snapshot->late = clock_monotonic() - snapshot->time;
    if (engine->family) {
        task_table_list(&engine->task_table, snapshot, source->all, family_forget, engine->family);
        family_fill(engine->family, snapshot);
        return snapshot;
    }
    task_table_list(&engine->task_table, snapshot, source->all, NULL, NULL);
    snapshot->denied_tasks = watcher->denied;
    snapshot->starved_tasks = watcher->starved;
    /* Other users' tasks are not mentioned while the whole machine is watched. */
    bool denied = watcher->denied && (!watch_all(watcher->watch) || watcher->lost);
    AUTO_STR struct str notes = str_new(); /* each behind a "; " */
    if (watcher->starved)
        explain_shortage(watcher, &notes);
    if (denied)
        explain_denied(watcher, &notes);
    if (watcher->unlisted)
        str_printf(&notes, "; not all tasks are counted: cannot list /proc: %s",
                   err_reason(watcher->unlisted));
    if (engine->summed)
        str_printf(&notes, "; %s", engine->summed);
    if (watcher_searches(watcher->watch))
        str_printf(&notes, "; processes that begin and end between two refreshes are not found%s",
                   caps_system_wide(watcher->caps) ? ": the engine 'cpu' counts them" : "");
    snapshot->note = notes.length ? mem_strdup(notes.text + strlen("; ")) : NULL;
    watcher_share(watcher);
    snapshot->self.descriptors = watcher->opener.open;
    return snapshot;
}

static void task_engine_close_engine(struct source *source)
{
    struct task_engine *engine = (struct task_engine *)source;
    task_engine_end(engine);
    map_release(&engine->watcher.counters);
    counts_release(&engine->watcher.opener.sum);
    task_table_release(&engine->task_table);
    group_plan_release(&engine->plan);
    watch_release(&engine->watch);
    file_close(engine->changes);
    free(engine);
}

struct source *task_engine_new(const struct caps *caps)
{
    static const struct source_ops ops = {
        .name = "task",
        .set_events = task_engine_set_events,
        .check = task_engine_check,
        .set_watch = task_engine_set_watch,
        .set_threads = task_engine_set_threads,
        .poll_fds = task_engine_poll_fds,
        .drain = task_engine_drain,
        .snapshot = task_engine_take_snapshot,
        .close = task_engine_close_engine,
    };
    struct task_engine *engine = mem_alloc(sizeof(*engine));
    engine->source.ops = &ops;
    engine->caps = *caps;
    /* Kernels before 5.13 have no inherit_thread: EINVAL, or E2BIG for a field beyond their attr.
     * Other errors do not tell. */
    struct perf_event_attr attr = filler_of(engine);
    attr.inherit = attr.inherit_thread = attr.disabled = 1;
    attr.read_format = DECODE_READ_FORMAT;
    int error = sys_try(&attr, false, 0, -1);
    engine->inherits = error != EINVAL && error != E2BIG;
    engine->watcher.caps = &engine->caps;
    engine->watcher.watch = &engine->watch;
    engine->watcher.task_table = &engine->task_table;
    task_table_init(&engine->task_table, &proc_tasks_lookup);
    engine->changes = owner_changes_open();
    engine->task_table.owners_reported = engine->changes >= 0;
    return &engine->source;
}
