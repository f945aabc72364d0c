#include "app/startup.h"
#include "engine/engines.h"
#include "engine/family.h"
#include "engine/probe_open.h"
#include "event/name.h"
#include "system/procfs.h"
#include "system/topology.h"

#include <sys/resource.h>
#include <sys/utsname.h>

static int startup_describe_machine(struct session *session, struct err *err)
{
    struct utsname names;
    char model[128];
    if (uname(&names) < 0)
        return err_set(err, "cannot tell what machine this is");
    topology_cpu_model(model, sizeof(model));
    session->host = mem_strdup(names.nodename);
    session->kernel = mem_strdup(names.release);
    session->cpu_model = mem_strdup(model);
    log_line("host %s, Linux %s, %s", session->host, session->kernel, session->cpu_model);
    return topology_online(&session->cpus, err);
}

/* Keeps only the requested online CPUs. */
static int restrict_cpus(struct session *session, const struct cpulist *asked, struct err *err)
{
    for (size_t c = 0; c < asked->count; c++)
        if (!cpulist_has(&session->cpus, asked->cpus[c]))
            return err_set(err,
                           "cannot count cpu %d: it is not online (see "
                           "/sys/devices/system/cpu/online)",
                           asked->cpus[c]);
    if (asked->count) {
        cpulist_release(&session->cpus);
        cpulist_copy(&session->cpus, asked);
    }
    return 0;
}

/* What the events will be, as far as it is known before a screen is chosen. */
struct demand {
    size_t events; /* upper bound */
    bool wakeups;  /* those that tell waiting from sleeping are asked for */
    bool probes;   /* any that no task may inherit: event_is_probe() */
};

int startup_list_events(const struct startup *setup, struct event_list *list,
                        const struct screen *screen, enum count_mode mode, struct err *err)
{
    *list = (struct event_list){0};
    if (*screen->events && event_parse_foreign(list, screen->events, mode, err) < 0)
        return -1;
    event_list_join(list, &setup->own);
    return 0;
}

/* Without --screen, no screen after the first with no `requires` can be chosen. */
static struct demand demand_of(const struct startup *setup, const struct options *options,
                               const struct screen_list *screens)
{
    struct demand demand = {0};
    for (size_t s = 0; s < screens->count; s++) {
        struct event_list list;
        if (options->screen && strcmp(options->screen, screens->screens[s].name) != 0)
            continue;
        if (startup_list_events(setup, &list, &screens->screens[s], options->mode, NULL) < 0)
            continue;
        demand.events = list.count > demand.events ? list.count : demand.events;
        demand.wakeups |= wakeups_wanted(&list);
        for (size_t e = 0; e < list.count; e++)
            demand.probes |= event_is_probe(&list.events[e]);
        event_list_release(&list);
        if (screens->screens[s].requires.count == 0)
            break;
    }
    return demand;
}

/* Whether only the end of the command's run is shown, with a row for each of its processes. */
static bool wants_end(const struct options *options)
{
    return options_single(options) && !options_experiment(options) && !options->record;
}

/* Whether the task engine can count what is watched, by its processes and users. */
static bool are_few(const struct watch *watch, const struct caps *caps)
{
    enum { FEW_PROCESSES = 64 }; /* each watched process is read in each refresh */
    size_t processes = watch->pid_count + watch->tid_count + (watch->command != 0);
    bool few = processes > 0 && processes <= FEW_PROCESSES && !watch->names.count &&
               !watch->user_count && !watch->cgroup;
    /* With a low perf_event_paranoid the ledger needs no capability, but threads of other users do
     * (perf_event_open(2): PTRACE_MODE_READ_REALCREDS). */
    for (size_t i = 0; i < watch->pid_count && few; i++)
        few = caps->perfmon || procfs_uid(watch->pids[i], 0) == getuid();
    for (size_t i = 0; i < watch->tid_count && few; i++)
        few = caps->perfmon || procfs_uid(watch->tids[i], 0) == getuid();
    return few;
}

/* Whether to use the task engine although the ledger is permitted: for a command in batch mode, and
 * for a few watched processes where others switch so often that the ledger would disturb them.
 * *reason receives the reason for the choice, which the caller frees. */
static bool prefer_task_engine(const struct options *options, const struct view_settings *shown,
                               const struct caps *caps, const struct demand *demand, size_t cpus,
                               char **reason)
{
    const struct watch *watch = &shown->watch;
    const char *ledger = NULL; /* what only the ledger can */
    if (options->cpus.count || view_of_cpus(shown->kind))
        ledger = "knows each CPU";
    else if (watch->command && (!options->batch || (wants_end(options) && !family_reads_exits())))
        ledger = "shows every process of the command";
    else if (demand->wakeups) /* /proc has less of them */
        ledger = "sees each switch and wake-up";
    else if (demand->probes)
        ledger = "counts probes, which no new task may inherit";
    else if (!are_few(watch, caps))
        ledger = "may count all tasks";
    *reason = mem_strdup(ledger);
    if (ledger)
        return false;
    size_t threads = watch->tid_count + (watch->command != 0);
    struct procfs_task task;
    for (size_t i = 0; i < watch->pid_count; i++)
        threads += procfs_task(watch->pids[i], 0, &task) == 0 ? task.threads : 0;
    struct rlimit limit;
    size_t needed = threads * (demand->events ? demand->events : 1);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && needed > limit.rlim_cur) {
        *reason = mem_printf("%zu threads would need %zu descriptors, the limit is %llu", threads,
                             needed, (unsigned long long)limit.rlim_cur);
        return false;
    }
    struct switch_rates rates;
    bool measured = !watch->command && engine_choice_measure(watch, cpus, &rates);
    if (measured && engine_choice_ledger(&rates, cpus)) {
        *reason = mem_printf("costs the watched less%s %.0f switches a second",
                             engine_choice_disturbs(&rates, cpus) ? ", which make most of"
                                                                  : ", and others next to nothing:",
                             rates.machine);
        return false;
    }
    *reason = measured ? mem_printf("disturbs only what is watched: others switch %.0f times a "
                                    "second",
                                    rates.machine - rates.watched)
                       : mem_strdup("disturbs only what is watched");
    return true;
}

/* Sets which part of what is watched the task engine can count, and the one command that permits
 * the rest; nothing if it can count all. */
static void describe_limits(struct startup *setup, const struct options *options,
                            const struct caps *caps)
{
    bool all =
        caps_system_wide(caps) || options_experiment(options) || !watch_all(&options->view.watch);
    setup->user_only = !caps_kernel(caps) && options->mode == MODE_ALL;
    if (setup->user_only)
        setup->session.mode = MODE_USER;
    AUTO_FREE char *part = mem_printf("%s%s",
                                      all               ? ""
                                      : caps->contained ? "only the tasks of this container"
                                                        : "only your own processes",
                                      !setup->user_only ? ""
                                      : all             ? "user mode only"
                                                        : ", in user mode");
    if (!all && caps->contained) {
        setup->remedy = mem_strdup("start it with 'docker run --pid=host --cap-add PERFMON'");
        setup->restricted = mem_printf("%s: %s", part, setup->remedy);
    } else if (*part) {
        setup->restricted = explain_permission(part, all ? 1 : 0, caps);
        setup->remedy = explain_capability(caps);
    }
}

/* Opens the system-wide ledger if it is permitted, unless prefer_task_engine(): it sees everything
 * and costs least. Otherwise opens descriptors on each thread. */
static int open_engine(struct startup *setup, const struct options *options,
                       const struct view_settings *shown, const struct screen_list *screens,
                       const struct caps *caps, struct err *err)
{
    struct session *session = &setup->session;
    char obstacle[128];
    caps_obstacle(caps, obstacle, sizeof(obstacle));
    log_line("may count all tasks: %s, kernel mode: %s; perf_event_paranoid %d, descriptors %zu",
             caps_system_wide(caps) ? "yes" : "no", caps_kernel(caps) ? "yes" : "no",
             caps->paranoid, caps->descriptors);
    bool ledger = options->engine == ENGINE_CPU, automatic = options->engine == ENGINE_AUTO;
    if (ledger && caps->contained)
        return err_set(err, "cannot use the engine 'cpu': %s", caps_contained);
    if (automatic && caps->contained) {
        session->engine_reason = mem_strdup(caps_contained);
    } else if (automatic && caps_system_wide(caps)) {
        struct demand demand = demand_of(setup, options, screens);
        ledger = !prefer_task_engine(options, shown, caps, &demand, session->cpus.count,
                                     &session->engine_reason);
    }
    if (ledger)
        setup->source = cpu_engine_new(&session->cpus, options->cpus.count == 0, caps,
                                       (uint64_t)(options->delay * 1e9), err);
    if (ledger && automatic && !setup->source) {
        mem_replace(&session->engine_reason, mem_strdup(err->text));
    }
    if (!session->engine_reason)
        session->engine_reason =
            automatic ? mem_printf("tasks of one's own only: %s", obstacle) : mem_strdup("");
    const char *refusal = options->engine == ENGINE_CPU ? "cannot use the engine 'cpu'"
                          : options->cpus.count         ? "cannot count single CPUs"
                          : options->batch && view_of_cpus(shown->kind) ? "cannot show CPUs"
                                                                        : NULL;
    if (!setup->source && refusal) {
        /* The kernel's error for the least that the engine needs says more. */
        struct group_target all = {.pid = -1, .cpu = session->cpus.cpus[0]};
        AUTO_FREE char *reason = probe_open_reason("page-faults", MODE_ALL, all, caps);
        if (reason)
            err_set(err, "%s: %s", refusal, reason);
        else if (options->engine != ENGINE_CPU)
            err_set(err, "%s: that needs the engine 'cpu'%s%s", refusal,
                    *session->engine_reason ? "; " : "", session->engine_reason);
        return -1;
    }
    if (!setup->source) {
        setup->source = task_engine_new(caps);
        describe_limits(setup, options, caps);
    }
    session->engine = mem_strdup(setup->source->ops->name);
    log_line("engine %s: %s", session->engine, session->engine_reason);
    return 0;
}

int startup_check_watch(const struct watch *watch, struct err *err)
{
    struct procfs_task task;
    const char *foreign = watch->pid_count || watch->tid_count ? procfs_foreign() : NULL;
    if (foreign)
        return err_set(err, "cannot watch tasks by their numbers: %s", foreign);
    for (size_t i = 0; i < watch->pid_count; i++)
        if (procfs_task(watch->pids[i], 0, &task) < 0)
            return err_set(err, "cannot watch process %d: no process has that pid",
                           (int)watch->pids[i]);
    for (size_t i = 0; i < watch->tid_count; i++)
        if (procfs_process_of(watch->tids[i]) < 0)
            return err_set(err, "cannot watch thread %d: no thread has that tid",
                           (int)watch->tids[i]);
    return 0;
}

/* Whether a process has that name, or with NULL that user. */
static bool is_running(const struct pid_list *running, const char *name, uid_t user)
{
    char comm[TASK_COMM_SIZE];
    for (size_t i = 0; i < running->count; i++)
        if (name ? procfs_comm(running->pids[i], running->pids[i], comm) &&
                       strncmp(comm, name, sizeof(comm) - 1) == 0
                 : procfs_uid(running->pids[i], 0) == user)
            return true;
    return false;
}

char *startup_absent_names(const struct watch *watch)
{
    struct pid_list running = {0};
    struct str absent = str_new();
    bool known = watch->names.count > 0 && procfs_processes(&running) == 0;
    for (size_t n = 0; known && n < watch->names.count; n++)
        if (!is_running(&running, watch->names.items[n], 0))
            str_printf(&absent, "%s%s", absent.length ? "," : "", watch->names.items[n]);
    free(running.pids);
    return absent.length ? str_detach(&absent) : NULL;
}

/* What is watched and not there yet, with what happens then; NULL: all is there, or it is not
 * known. */
static char *describe_absent(const struct watch *watch)
{
    static const char hope[] = "counted once there is one";
    AUTO_FREE char *names = startup_absent_names(watch);
    if (names)
        return mem_printf("no process is called '%s' yet: it is %s", names, hope);
    struct pid_list running = {0};
    bool known = watch->user_count > 0 && procfs_processes(&running) == 0;
    for (size_t u = 0; known && u < watch->user_count; u++)
        known = !is_running(&running, NULL, watch->users[u]);
    free(running.pids);
    return known ? mem_printf("no process of uid %u yet: it is %s", (unsigned)*watch->users, hope)
                 : NULL;
}

/* Whether one of the first `count` events has that reason. */
static bool has_reason(const struct event_set *events, size_t count, const char *reason)
{
    for (size_t e = 0; e < count; e++)
        if (str_equal(events->events[e].reason, reason))
            return true;
    return false;
}

/* The names of all events refused for the same reason as this one, which the caller frees; NULL if
 * it is counted, or an earlier event has that reason. */
static char *startup_list_refused(const struct event_set *events, size_t event)
{
    const char *reason = events->events[event].reason;
    struct str text = str_new();
    if (events->events[event].state == EVENT_COUNTED || has_reason(events, event, reason))
        return NULL;
    for (size_t e = event; e < events->count; e++)
        if (str_equal(events->events[e].reason, reason))
            str_printf(&text, "%s%s", e > event ? ", " : "", events->events[e].name);
    return str_detach(&text);
}

/* Whether the remedy for what is restricted makes an event with that reason countable, too: only
 * the level of perf_event_paranoid may differ. */
static bool is_restricted(const struct startup *setup, const char *reason)
{
    const char *remedy = setup->restricted ? strstr(setup->restricted, " or ") : NULL;
    if (!remedy || !reason)
        return false;
    size_t length = strlen(reason), end = strlen(remedy);
    return length >= end && str_equal(reason + length - end, remedy);
}

struct problem {
    char *events; /* which are not counted; NULL: it is not about single events */
    const char *reason;
    const char *remedy; /* for the notice, instead of the reason's; NULL */
    bool whole;         /* the notice has the reason with its remedy in any case */
    bool implied;       /* the notice leaves it out: another's remedy mends it */
};

/* Returns their number; the caller frees the problems and the names of events. */
static size_t list_problems(const struct startup *setup, struct problem **problems)
{
    const struct event_set *events = setup->set;
    /* Those that concern the user's request, and may pass, are whole. */
    const struct problem general[] = {
        {.reason = setup->blind, .whole = true},
        {.reason = setup->trouble, .whole = true},
        {.reason = setup->absent, .whole = true},
        {.reason = setup->restricted, .remedy = setup->remedy},
        {.reason = setup->tasks, .whole = true},
        {.reason = setup->missing},
        {.reason = events->note},
    };
    enum { GENERAL = sizeof(general) / sizeof(general[0]) };
    size_t count = 0;
    *problems = mem_array(GENERAL + events->count, sizeof(**problems));
    for (size_t i = 0; i < GENERAL; i++) /* one that events have follows their names */
        if (general[i].reason && !has_reason(events, events->count, general[i].reason))
            (*problems)[count++] = general[i];
    for (size_t e = 0; e < events->count; e++) {
        const char *reason = events->events[e].reason ? events->events[e].reason : "";
        char *names = startup_list_refused(events, e);
        if (names)
            (*problems)[count++] = (struct problem){
                .events = names, .reason = reason, .implied = is_restricted(setup, reason)};
    }
    return count;
}

/* Writes the session's notice and faults for the current state. */
static void write_notice(struct startup *setup)
{
    const struct event_set *events = setup->set;
    for (size_t e = 0; e < events->count; e++)
        log_line("event %s of %s: %s", events->events[e].name,
                 events->events[e].pmu ? events->events[e].pmu : "no PMU",
                 events->events[e].reason ? events->events[e].reason : "counted");
    struct problem *problems;
    size_t count = list_problems(setup, &problems), clauses = 0;
    for (size_t i = 0; i < count; i++)
        clauses += !problems[i].whole && !problems[i].implied;
    struct str notice = str_new(), faults = str_new();
    for (size_t i = 0; i < count; i++) {
        const struct problem *problem = &problems[i];
        const char *names = problem->events, *reason = problem->reason;
        str_printf(&faults, "%s%s%s\n", names ? names : "", names ? " not counted: " : "", reason);
        if (problem->implied)
            continue;
        /* A single clause contains its remedy; of several, only the causes fit. None stands twice.
         */
        bool whole = problem->whole || (clauses == 1 && !problem->remedy);
        const char *remedy = setup->remedy ? strstr(reason, setup->remedy) : NULL;
        bool repeated = remedy && strstr(notice.text, setup->remedy);
        int length = repeated ? (int)(remedy - reason) - (int)strlen(": ")
                     : whole  ? INT_MAX
                              : explain_cause(reason);
        str_add(&notice, notice.length ? "; " : "");
        if (!names)
            str_printf(&notice, "%.*s", length, reason);
        else if (whole)
            str_printf(&notice, "%s not counted: %s", names, reason);
        else
            str_printf(&notice, "%s not counted (%.*s)", names, length, reason);
        if (problem->remedy)
            str_printf(&notice, ": %s", problem->remedy);
    }
    for (size_t i = 0; i < count; i++)
        free(problems[i].events);
    free(problems);
    mem_replace(&setup->session.notice, str_detach(&notice));
    mem_replace(&setup->session.faults, str_detach(&faults));
}

void startup_note(struct startup *setup, struct event_set *events, const char *tasks)
{
    /* The old set is referenced, so a new set cannot have its address. */
    if (events == setup->set && str_equal(tasks, setup->tasks))
        return;
    struct event_set *old = setup->set;
    setup->set = mem_share(events);
    event_set_drop(old);
    mem_replace(&setup->tasks, mem_strdup(tasks));
    write_notice(setup);
}

void startup_look_for_absent(struct startup *setup)
{
    enum { WAIT_PARTS = 100 }; /* looking takes a hundredth of a CPU at most */
    AUTO_FREE char *before = setup->absent;
    uint64_t began = clock_monotonic();
    setup->absent = describe_absent(&setup->session.watch);
    uint64_t now = clock_monotonic();
    setup->look_again = now + (now - began) * WAIT_PARTS;
    if (!str_equal(before, setup->absent))
        write_notice(setup);
}

void startup_trouble(struct startup *setup, const char *text)
{
    mem_replace(&setup->trouble, mem_strdup(text));
    write_notice(setup);
}

/* Chooses the requested screen, or the first one that can be counted. */
static int choose_screen(struct startup *setup, const struct options *options,
                         const struct screen_list *screens, struct err *err)
{
    struct err why;
    for (size_t s = 0; s < screens->count; s++) {
        const struct screen *screen = &screens->screens[s];
        if (options->screen && strcmp(options->screen, screen->name) != 0)
            continue;
        event_list_release(&setup->events);
        if (startup_list_events(setup, &setup->events, screen, options->mode, &why) < 0)
            return err_set(err, "cannot show screen '%s': %s", screen->name, why.text);
        setup->screen = screen;
        mem_replace(&setup->session.screen, mem_strdup(screen->name));
        struct event_set *set = setup->source->ops->check(setup->source, &setup->events);
        bool fits = options->screen || screen_fits(screen, set);
        if (fits)
            startup_note(setup, set, NULL);
        /* Why the first screen, for machines with hardware counters, is not shown. */
        for (size_t e = 0; e < set->count && !fits && !setup->missing; e++)
            if (set->events[e].hardware && set->events[e].state != EVENT_COUNTED)
                setup->missing = mem_strdup(set->events[e].reason);
        event_set_drop(set);
        if (fits)
            break;
    }
    return 0;
}

/* Adds the events of the metrics that a condition names, those of each in a pair of braces. */
static int count_condition(struct startup *setup, const char *condition,
                           const struct metric_set *metrics, enum count_mode mode, struct err *err)
{
    static const char ends[] = " \t\r\n()<>=!~'\"";
    int result = 0;
    for (const char *at = condition; *(at += strspn(at, ends)) && result == 0;) {
        size_t length = strcspn(at, ends);
        AUTO_FREE char *word = mem_strndup(at, length);
        const struct metric *metric = metric_set_named(metrics, word);
        AUTO_STR struct str events = str_new();
        at += length;
        for (size_t i = 0; metric && i < expr_event_count(metric->expr); i++)
            str_printf(&events, "%s%s", i ? "," : "{", expr_event(metric->expr, i));
        str_add(&events, events.length ? "}" : "");
        result = events.length ? event_parse(&setup->own, events.text, mode, err) : 0;
    }
    return result;
}

int startup_ask(struct startup *setup, const struct options *options, struct err *err)
{
    setup->sample = options->sample;
    for (size_t i = 0; i < options->event_count; i++)
        if (event_parse(&setup->own, options->events[i], options->mode, err) < 0)
            return -1;
    return 0;
}

int startup_make(struct startup *setup, const struct options *options,
                 const struct view_settings *shown, const struct definitions *definitions,
                 struct err *err)
{
    const struct screen_list *screens = &definitions->screens;
    struct caps caps;
    setup->session.mode = options->mode;
    setup->session.delay = options_single(options) ? 0 : options->delay;
    setup->session.command = options_command_text(options);
    setup->session.notice = mem_strdup("");
    setup->session.faults = mem_strdup("");
    watch_copy(&setup->session.watch, &shown->watch);
    /* The samples of an event are explained by its exact count. */
    if (setup->sample && sampling_count(&setup->own, setup->sample, options->mode, err) < 0)
        return EXIT_USAGE;
    if (options->when &&
        count_condition(setup, options->when, &definitions->metric_set, options->mode, err) < 0)
        return EXIT_USAGE;
    if (definitions_check_events(definitions, &setup->own, err) < 0)
        return EXIT_USAGE;
    caps_raise_descriptors();
    probe_open_caps(&caps);
    setup->blind = caps_blind(&caps);
    if (setup->blind && options_experiment(options)) {
        err_set(err, "cannot count runs of a command: %s", setup->blind);
        return EXIT_RUNNING;
    }
    /* Without any permission to count there is nothing to show. */
    AUTO_FREE char *refused =
        caps.refused
            ? probe_open_reason("page-faults", MODE_USER, (struct group_target){.cpu = -1}, &caps)
            : NULL;
    if (refused)
        err_set(err, "cannot count anything: %s", refused);
    if (refused || startup_check_watch(&shown->watch, err) < 0 ||
        startup_describe_machine(&setup->session, err) < 0 ||
        restrict_cpus(&setup->session, &options->cpus, err) < 0 ||
        open_engine(setup, options, shown, screens, &caps, err) < 0 ||
        choose_screen(setup, options, screens, err) < 0)
        return EXIT_RUNNING;
    startup_look_for_absent(setup);
    setup->profiler = code_profiler_new(&caps, &setup->session.cpus, caps_system_wide(&caps));
    if (!options->batch) /* before this program uses any */
        setup->session.counters = probe_open_core_counters(&caps);
    const struct source_ops *ops = setup->source->ops;
    setup->source->families = !options_experiment(options);
    setup->source->only_end = wants_end(options);
    setup->source->cgroups = setup->cgroups;
    setup->source->waits_over = (uint64_t)(options->waits_over * 1e6);
    if (ops->set_threads)
        ops->set_threads(setup->source, shown->threads);
    if (ops->set_watch(setup->source, &shown->watch, err) < 0 ||
        ops->set_events(setup->source, &setup->events, err) < 0)
        return EXIT_RUNNING;
    return 0;
}

int startup_count_cpus(struct startup *setup, const struct options *options,
                       struct sampler *sampler, struct err *err)
{
    struct session *session = &setup->session;
    struct caps caps;
    probe_open_caps(&caps);
    if (caps.contained)
        return err_set(err, "cannot count all CPUs: %s", caps_contained);
    struct source *source = cpu_engine_new(&session->cpus, options->cpus.count == 0, &caps,
                                           (uint64_t)(session->delay * 1e9), err);
    if (!source || sampler_set_source(sampler, source, &setup->events, &session->watch, err) < 0)
        return -1;
    mem_replace(&session->engine, mem_strdup("cpu"));
    mem_replace(&session->engine_reason, mem_strdup(""));
    return 0;
}

struct sampler *startup_count(struct startup *setup, const struct options *options, struct err *err)
{
    struct source *source = setup->source;
    struct profiler *profiler = setup->profiler;
    setup->source = NULL;
    setup->profiler = NULL;
    bool soon = !options->batch && !options_experiment(options);
    return sampler_start(source, profiler, (uint64_t)(options->delay * 1e9), soon, err);
}

void startup_release(struct startup *setup)
{
    if (setup->source)
        setup->source->ops->close(setup->source);
    if (setup->profiler)
        setup->profiler->ops->close(setup->profiler);
    event_list_release(&setup->events);
    event_list_release(&setup->own);
    event_set_drop(setup->set);
    free(setup->missing);
    free(setup->restricted);
    free(setup->remedy);
    free(setup->tasks);
    free(setup->trouble);
    free(setup->absent);
    session_release(&setup->session);
}
