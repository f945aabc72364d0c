#include "app/startup.h"
#include "app/engine_choice.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "engine/cpu_engine.h"
#include "engine/probe_open.h"
#include "engine/task_engine.h"
#include "event/explain.h"
#include "event/name.h"
#include "system/caps.h"
#include "system/procfs.h"
#include "system/topology.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

/* A command line as one text; NULL for none. */
static char *join_words(char *const *words)
{
    struct str text;
    str_init(&text);
    for (size_t i = 0; words && words[i]; i++)
        str_printf(&text, "%s%s", i ? " " : "", words[i]);
    return words ? str_detach(&text) : NULL;
}

/* Of the CPUs online only those asked for. */
static int restrict_cpus(struct session *session, const struct cpulist *asked, struct err *err)
{
    for (size_t c = 0; c < asked->count; c++)
        if (!cpulist_has(&session->cpus, asked->cpus[c]))
            return err_set(err,
                           "cannot count cpu %d: it is not online (see "
                           "/sys/devices/system/cpu/online)",
                           asked->cpus[c]);
    size_t kept = 0;
    for (size_t c = 0; asked->count && c < session->cpus.count; c++)
        if (cpulist_has(asked, session->cpus.cpus[c]))
            session->cpus.cpus[kept++] = session->cpus.cpus[c];
    if (asked->count)
        session->cpus.count = kept;
    return 0;
}

/* Says why the engine 'cpu' cannot be had, or what needs it: what the kernel answers to the least
 * that it takes, else what err says already. */
static int refuse_engine(const char *failure, int cpu, const struct caps *caps, struct err *err)
{
    struct group_target all = {.pid = -1, .cpu = cpu};
    char *reason = probe_open_reason("page-faults", MODE_ALL, all, caps);
    if (reason)
        err_set(err, "%s: %s", failure, reason);
    free(reason);
    return -1;
}

/* Where nothing at all may be counted, there would be nothing to show. */
static int check_counting(const struct caps *caps, struct err *err)
{
    struct group_target self = {.cpu = -1};
    char *reason = caps->refused ? probe_open_reason("page-faults", MODE_USER, self, caps) : NULL;
    int result = reason ? err_set(err, "cannot count anything: %s", reason) : 0;
    free(reason);
    return result;
}

/* The system-wide ledger where it is permitted, since it sees everything and costs least, but for a
 * few that are watched; else descriptors on each thread. events: how many there are at most. */
static int open_engine(struct startup *setup, const struct options *options,
                       const struct caps *caps, size_t events, struct err *err)
{
    struct session *session = &setup->session;
    uint64_t delay = (uint64_t)(options->delay * 1e9);
    char obstacle[128];
    caps_obstacle(caps, obstacle, sizeof(obstacle));
    log_line("may count all tasks: %s, kernel mode: %s; perf_event_paranoid %d, descriptors %zu",
             caps_system_wide(caps) ? "yes" : "no", caps_kernel(caps) ? "yes" : "no",
             caps->paranoid, caps->descriptors);
    bool ledger = options->engine == ENGINE_CPU;
    if (options->engine == ENGINE_AUTO && caps_system_wide(caps))
        ledger = !engine_choice_is_task(options, caps, events, &session->engine_reason);
    if (ledger)
        setup->source = cpu_engine_new(&session->cpus, options->cpus.count == 0, caps, delay, err);
    if (!setup->source && options->engine == ENGINE_CPU)
        return refuse_engine("cannot use the engine 'cpu'", session->cpus.cpus[0], caps, err);
    if (ledger && !setup->source) {
        free(session->engine_reason);
        session->engine_reason = mem_strdup(err->text);
    }
    if (options->engine == ENGINE_AUTO && !session->engine_reason)
        session->engine_reason = mem_printf("tasks of one's own only: %s", obstacle);
    else if (!session->engine_reason)
        session->engine_reason = mem_strdup("");
    const char *refusal = options->cpus.count ? "cannot count single CPUs" : NULL;
    if (!refusal && options->batch && options->view.kind == VIEW_CPUS)
        refusal = "cannot show CPUs";
    if (!setup->source && refusal) {
        err_set(err, "%s: that needs the engine 'cpu'%s%s", refusal,
                *session->engine_reason ? "; " : "", session->engine_reason);
        return refuse_engine(refusal, session->cpus.cpus[0], caps, err);
    }
    if (!setup->source) {
        setup->source = task_engine_new(caps);
        if (!caps_kernel(caps) && options->mode == MODE_ALL) {
            session->mode = MODE_USER;
            setup->restricted = explain_permission("user mode only", 1, caps);
        }
    }
    session->engine = mem_strdup(setup->source->ops->name);
    log_line("engine %s: %s", session->engine, session->engine_reason);
    return 0;
}

int startup_list_events(const struct startup *setup, struct event_list *list,
                        const struct screen *screen, enum count_mode mode, struct err *err)
{
    event_list_init(list);
    if (*screen->events && event_parse_foreign(list, screen->events, mode, err) < 0)
        return -1;
    event_list_join(list, &setup->own);
    return 0;
}

/* How many events there are to be at most, whichever screen is chosen: without a wish it is none
 * behind the first that requires nothing. */
static size_t most_events(const struct startup *setup, const struct options *options,
                          const struct screen_list *screens)
{
    size_t most = 0;
    for (size_t s = 0; s < screens->count; s++) {
        struct event_list list;
        if (options->screen && strcmp(options->screen, screens->screens[s].name) != 0)
            continue;
        if (startup_list_events(setup, &list, &screens->screens[s], options->mode, NULL) < 0)
            continue;
        most = list.count > most ? list.count : most;
        event_list_release(&list);
        if (screens->screens[s].require_count == 0)
            break;
    }
    return most;
}

int startup_check_watch(const struct watch *watch, struct err *err)
{
    struct procfs_task task;
    for (size_t i = 0; i < watch->pid_count; i++)
        if (procfs_task(watch->pids[i], 0, &task) < 0)
            return err_set(err, "cannot watch process %d: there is none with that pid",
                           (int)watch->pids[i]);
    for (size_t i = 0; i < watch->tid_count; i++)
        if (procfs_process_of(watch->tids[i]) < 0)
            return err_set(err, "cannot watch thread %d: there is none with that tid",
                           (int)watch->tids[i]);
    return 0;
}

/* Those asked for with -e. Names of events that nobody knows are found before anything is opened:
 * wrong usage. */
static int list_own(struct startup *setup, const struct options *options, struct err *err)
{
    int result = 0;
    for (size_t i = 0; i < options->event_count && result == 0; i++)
        result = event_parse(&setup->own, options->events[i], options->mode, err);
    return result;
}

/* Whether an event before this one was refused for the same reason. */
static bool startup_told_before(const struct event_set *events, size_t event)
{
    for (size_t e = 0; e < event; e++)
        if (str_equal(events->events[e].reason, events->events[event].reason))
            return true;
    return false;
}

/* Adds the names of all events that are refused for the same reason as this one. */
static void startup_add_names(struct str *text, const struct event_set *events, size_t event)
{
    for (size_t e = event; e < events->count; e++)
        if (str_equal(events->events[e].reason, events->events[event].reason))
            str_printf(text, "%s%s", e > event ? ", " : "", events->events[e].name);
}

/* The session's notice and faults, from what is known now. */
static void write_notice(struct startup *setup)
{
    const struct event_set *events = setup->set;
    const char *tasks = setup->tasks;
    for (size_t e = 0; e < events->count; e++)
        log_line("event %s of %s: %s", events->events[e].name,
                 events->events[e].pmu ? events->events[e].pmu : "no PMU",
                 events->events[e].reason ? events->events[e].reason : "counted");
    const char *general[] = {setup->missing, setup->restricted, events->note};
    size_t clauses = 0;
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
        clauses += general[i] != NULL;
    for (size_t e = 0; e < events->count; e++) {
        clauses += events->events[e].state != EVENT_COUNTED && !startup_told_before(events, e);
        if (general[0] && str_equal(events->events[e].reason, general[0])) {
            general[0] = NULL; /* told with that event's name */
            clauses--;
        }
    }

    /* One thing is told with its remedy; of several, only the causes fit into a line or two. */
    struct str notice, faults;
    str_init(&notice);
    str_init(&faults);
    if (setup->blind) {
        str_add(&notice, setup->blind);
        str_printf(&faults, "%s\n", setup->blind);
    }
    if (setup->trouble) {
        str_add(&notice, notice.length ? "; " : "");
        str_add(&notice, setup->trouble);
        str_printf(&faults, "%s\n", setup->trouble);
    }
    if (tasks) {
        str_add(&notice, notice.length ? "; " : "");
        str_add(&notice, tasks); /* in full: it is about what is asked for, and may pass */
        str_printf(&faults, "%s\n", tasks);
    }
    for (size_t i = 0; i < sizeof(general) / sizeof(general[0]); i++)
        if (general[i]) {
            str_printf(&notice, "%s%.*s", notice.length ? "; " : "",
                       clauses == 1 ? INT_MAX : explain_cause(general[i]), general[i]);
            str_printf(&faults, "%s\n", general[i]);
        }
    for (size_t e = 0; e < events->count; e++) {
        const char *reason = events->events[e].reason;
        if (events->events[e].state == EVENT_COUNTED || startup_told_before(events, e))
            continue;
        str_add(&notice, notice.length ? "; " : "");
        startup_add_names(&notice, events, e);
        startup_add_names(&faults, events, e);
        str_printf(&faults, " not counted: %s\n", reason ? reason : "");
        if (clauses == 1)
            str_printf(&notice, " not counted: %s", reason);
        else
            str_printf(&notice, " not counted (%.*s)", explain_cause(reason), reason);
    }
    free(setup->session.notice);
    setup->session.notice = str_detach(&notice);
    free(setup->session.faults);
    setup->session.faults = str_detach(&faults);
}

void startup_note(struct startup *setup, struct event_set *events, const char *tasks)
{
    /* The reference held keeps the address from being used again for another set. */
    if (events == setup->set && str_equal(tasks, setup->tasks))
        return;
    struct event_set *old = setup->set;
    setup->set = event_set_share(events);
    event_set_drop(old);
    free(setup->tasks);
    setup->tasks = mem_strdup(tasks);
    write_notice(setup);
}

void startup_trouble(struct startup *setup, const char *text)
{
    free(setup->trouble);
    setup->trouble = mem_strdup(text);
    write_notice(setup);
}

void startup_end(struct startup *setup, char *text, double seconds)
{
    setup->session.end = text;
    setup->session.run = seconds;
}

/* Why the first screen, the one for machines with hardware counters, is not on show. */
static char *reason_missing(const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        if (set->events[e].hardware && set->events[e].state != EVENT_COUNTED)
            return mem_strdup(set->events[e].reason);
    return NULL;
}

/* The screen that was asked for, or the first one that can be counted. */
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
        struct event_set *set = setup->source->ops->check(setup->source, &setup->events);
        bool fits = options->screen || screen_fits(screen, set);
        if (fits)
            startup_note(setup, set, NULL);
        else if (!setup->missing)
            setup->missing = reason_missing(set);
        event_set_drop(set);
        if (fits)
            break;
    }
    return 0;
}

int startup_make(struct startup *setup, const struct options *options,
                 const struct screen_list *screens, struct err *err)
{
    struct caps caps;
    *setup = (struct startup){0};
    event_list_init(&setup->events);
    event_list_init(&setup->own);
    setup->session.mode = options->mode;
    setup->session.delay = options_single(options) ? 0 : options->delay;
    setup->session.command = join_words(options->command);
    setup->session.notice = mem_strdup("");
    setup->session.faults = mem_strdup("");
    watch_copy(&setup->session.watch, &options->view.watch);
    if (list_own(setup, options, err) < 0)
        return EXIT_USAGE;
    caps_raise_descriptors();
    probe_open_caps(&caps);
    setup->blind = caps.no_proc ? caps_no_proc : NULL;
    if (check_counting(&caps, err) < 0 || startup_check_watch(&options->view.watch, err) < 0 ||
        startup_describe_machine(&setup->session, err) < 0 ||
        restrict_cpus(&setup->session, &options->cpus, err) < 0 ||
        open_engine(setup, options, &caps, most_events(setup, options, screens), err) < 0 ||
        choose_screen(setup, options, screens, err) < 0)
        return EXIT_RUNNING;
    if (!options->batch) /* nobody counts yet who would be in the way */
        setup->session.counters = probe_open_core_counters(&caps);
    const struct source_ops *ops = setup->source->ops;
    ops->set_threads(setup->source, options->view.threads);
    if (ops->set_watch(setup->source, &options->view.watch, err) < 0 ||
        ops->set_events(setup->source, &setup->events, err) < 0)
        return EXIT_RUNNING;
    return 0;
}

void startup_release(struct startup *setup)
{
    if (setup->source)
        setup->source->ops->close(setup->source);
    event_list_release(&setup->events);
    event_list_release(&setup->own);
    event_set_drop(setup->set);
    free(setup->missing);
    free(setup->restricted);
    free(setup->tasks);
    free(setup->trouble);
    session_release(&setup->session);
}
