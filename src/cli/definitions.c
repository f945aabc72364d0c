#include "cli/definitions.h"
#include "base/embed.h"
#include "base/ini.h"
#include "event/event_table.h"
#include "event/query.h"
#include "event/name.h"
#include "event/pmu.h"
#include "metric/perf_expr.h"
#include "system/topology.h"
#include "view/column.h"

/* ---- words ---- */

enum { NESTED_METRICS = 8 };

struct nesting {
    const struct table_event *metrics[NESTED_METRICS]; /* that are being translated */
    size_t count;
    bool several; /* core types */
};

static char *nested_translate(struct nesting *nesting, const struct table_event *metric,
                              struct err *err);

static bool is_nested(const struct nesting *nesting, const struct table_event *metric)
{
    for (size_t i = 0; i < nesting->count; i++)
        if (nesting->metrics[i] == metric)
            return true;
    return false;
}

static const struct table_event *find_table_metric(const char *name)
{
    const struct event_table *table = event_table();
    for (size_t m = 0; m < table->metrics.count; m++)
        if (strcasecmp(table->metrics.items[m].name, name) == 0)
            return &table->metrics.items[m];
    return NULL;
}

/* The event on the core type that the metric is about, where there are several; NULL: there are
 * not, or the type has no such event. The caller frees it. */
static char *event_of_type(const struct nesting *nesting, const char *name)
{
    const struct table_pmus *pmus =
        &event_table()->pmus[nesting->metrics[nesting->count - 1]->pmus];
    if (!nesting->several || !pmus->core || pmus->here.count != 1 || strchr(name, '/'))
        return NULL;
    AUTO_EVENTS struct event_list list = {0};
    AUTO_FREE char *text = mem_printf("%s/%s/", pmus->here.items[0], name);
    return event_parse(&list, text, MODE_ALL, NULL) == 0 ? mem_printf("'%s'", text) : NULL;
}

/* The events of a text, added up where it stands for the same event of several PMUs; the caller
 * frees it. */
static char *events_sum(const char *name, struct err *err)
{
    AUTO_EVENTS struct event_list list = {0};
    struct str sum = str_new();
    AUTO_FREE char *lower = mem_strdup(name);
    size_t count;
    const struct table_event *event = event_table_named(name, &count);
    if (event && count == 1 && event_table()->pmus[event->pmus].core)
        return mem_printf("'%s'", event->name);
    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    /* In these files events of sysfs are written as perf prints them, or in capitals: TSC. */
    if (event_parse(&list, name, MODE_ALL, err) == 0 ||
        (strcmp(lower, name) != 0 && event_parse(&list, lower, MODE_ALL, NULL) == 0))
        for (size_t e = 0; e < list.count; e++)
            str_printf(&sum, "%s'%s'", e ? " + " : "", list.events[e].name);
    return str_detach(&sum);
}

static int find_metric_name(struct nesting *nesting, const char *name, char **text, struct err *err)
{
    const struct table_event *metric = find_table_metric(name);
    if (str_equal(name, "duration_time")) {
        *text = mem_strdup("interval");
        return 0;
    }
    if (metric && !is_nested(nesting, metric)) {
        *text = nested_translate(nesting, metric, err);
        return *text ? 0 : -1;
    }
    *text = event_of_type(nesting, name);
    if (!*text)
        *text = events_sum(name, err);
    if (**text)
        return 0;
    free(*text);
    *text = NULL;
    return metric ? err_set(err, "it refers to itself") : -1;
}

static bool is_event_here(const char *name)
{
    AUTO_EVENTS struct event_list list = {0};
    size_t count;
    const struct table_event *event = event_table_named(name, &count);
    if (event)
        return event_table()->pmus[event->pmus].here.count;
    return event_parse(&list, name, MODE_ALL, NULL) == 0 && list.count &&
           list.events[0].state == EVENT_COUNTED;
}

static int find_table_word(void *ctx, enum perf_word kind, const char *name, double *number,
                           char **text, struct err *err)
{
    switch (kind) {
    case PERF_NAME:
        return find_metric_name(ctx, name, text, err);
    case PERF_HAS_EVENT:
        *number = is_event_here(name);
        return 0;
    case PERF_CPU:
        *number = event_files_match(name);
        return 0;
    case PERF_SOURCES:
        return err_set(err,
                       "it needs source_count, which depends on the CPUs that a row stands for");
    case PERF_PROPERTY:
        break;
    }
    return machine_property(name, number)
               ? 0
               : err_set(err, "it needs '#%.40s', which is not known on this machine", name);
}

static char *nested_translate(struct nesting *nesting, const struct table_event *metric,
                              struct err *err)
{
    struct perf_words words = {find_table_word, nesting};
    if (nesting->count == NESTED_METRICS)
        return err_null(err, "it refers to metrics that are nested too deeply");
    nesting->metrics[nesting->count++] = metric;
    char *text = perf_expr_translate(metric->terms, &words, err);
    nesting->count--;
    return text;
}

/* ---- metrics ---- */

/* Adds the metric, with its unit if that is one of this program's and fits, else with the unit in
 * the help. */
static int define(struct metric_set *set, const struct table_event *metric, bool several,
                  struct err *err)
{
    struct unit unit;
    struct nesting nesting = {.several = several};
    AUTO_FREE char *value = nested_translate(&nesting, metric, err);
    if (!value)
        return -1;
    AUTO_FREE char *expr =
        metric->scale == 1 ? mem_strdup(value) : mem_printf("%.15g * (%s)", metric->scale, value);
    bool known = unit_parse(&unit, metric->unit, NULL) == 0;
    int result =
        known ? metric_set_define(set, metric->name, expr, metric->unit, metric->text, err) : -1;
    if (result < 0 && *metric->unit) {
        AUTO_FREE char *help =
            mem_printf("%s%sin %s", metric->text, *metric->text ? ", " : "", metric->unit);
        result = metric_set_define(set, metric->name, expr, "", help, err);
    }
    return result;
}

/* Adds the metrics of event files that can be computed here; a metric that is in the set already,
 * or has the name of another column, is not replaced. Others are added to `unusable`, with the
 * reason. */
static void file_metrics_add(struct metric_set *set, struct names *unusable)
{
    const struct event_table *table = event_table();
    AUTO_NAMES struct names types;
    pmu_core_types(&types);
    for (size_t m = 0; m < table->metrics.count; m++) {
        const struct table_event *metric = &table->metrics.items[m];
        struct err err = {""};
        if (find_table_metric(metric->name) != metric)
            continue; /* an earlier file has it */
        int result = metric_set_find(set, metric->name) || column_is_fact(metric->name)
                         ? err_set(&err, "a column of this program has that name")
                         : define(set, metric, types.count > 1, &err);
        if (result == 0)
            continue;
        AUTO_FREE char *line = mem_printf("%-18s %s", metric->name, err.text);
        names_add(unusable, line);
    }
}

/* ---- screens and metrics ---- */

void definitions_init(struct definitions *definitions)
{
    *definitions = (struct definitions){0};
    definitions->metric_set.machine = definitions->screens.machine = &definitions->machine;
}

void definitions_release(struct definitions *definitions)
{
    screen_list_release(&definitions->screens);
    names_release(&definitions->unusable);
    names_release(&definitions->faults);
    metric_set_release(&definitions->metric_set);
    machine_release(&definitions->machine);
}

static int definitions_add_text(struct definitions *definitions, const char *text,
                                const char *origin, struct err *err)
{
    struct machine *machine = &definitions->machine;
    size_t sets = machine->set_count;
    if (machine_load(machine, text, origin, err) < 0)
        return -1;
    /* A text of this program that defines sets of CPUs has no metric for others. */
    bool others = definitions->metric_set.embedded && sets < machine->set_count;
    for (; others && sets < machine->set_count; sets++)
        others = !machine_matches(machine, machine->sets[sets].name);
    if (!others && metric_set_load(&definitions->metric_set, text, origin, err) < 0)
        return -1;
    return screen_list_load(&definitions->screens, text, origin, err);
}

static bool is_ini(const char *name)
{
    size_t length = strlen(name);
    return name[0] != '.' && length > 4 && strcmp(name + length - 4, ".ini") == 0;
}

/* ---- the user's files ---- */

static int check_section(void *ctx UNUSED, const char *section, const char *key,
                         const char *value UNUSED, int line UNUSED, struct err *err)
{
    static const char *const kinds[] = {"metric", "screen", "cpus"};
    if (!*section)
        return err_set(err, "'%s' stands before the first section", key);
    if (strcmp(section, "settings") == 0 || strcmp(section, "keys") == 0)
        return 0; /* read by config.h */
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (ini_section(section, kinds[i]))
            return 0;
    return err_set(err,
                   "unknown section '%s': expected [metric NAME], [screen NAME], [cpus NAME], "
                   "[settings] or [keys]",
                   section);
}

int definitions_check_events(const struct definitions *definitions, const struct event_list *events,
                             struct err *err)
{
    for (size_t e = 0; e < events->count; e++) {
        const struct event *event = &events->events[e];
        if (!str_equal(event->name, event->text) &&
            (column_is_fact(event->name) || metric_set_find(&definitions->metric_set, event->name)))
            return err_set(err, "'%s' is already a column: choose another name for '%.100s'",
                           event->name, event->text);
    }
    return 0;
}

int definitions_check_screen(const struct definitions *definitions, const struct screen *screen,
                             struct err *err)
{
    struct err why;
    if (column_check_screen(screen, &definitions->metric_set, &why) < 0)
        return err_set(err, "%s:%d: %s", screen->origin, screen->line, why.text);
    AUTO_EVENTS struct event_list list = {0};
    int result = *screen->events ? event_parse_foreign(&list, screen->events, MODE_ALL, &why) : 0;
    if (result == 0)
        result = definitions_check_events(definitions, &list, &why);
    for (size_t i = 0; i < screen->requires.count && result == 0; i++)
        if (!screen_counts(screen, screen->requires.items[i]))
            result = err_set(&why, "cannot require '%s': the screen has no such event",
                             screen->requires.items[i]);
    if (result < 0)
        err_set(err, "%s:%d: screen '%s': %s", screen->origin, screen->line, screen->name,
                why.text);
    return result;
}

int definitions_files(const char *directory, bool must, struct names *names, struct err *err)
{
    *names = (struct names){0};
    AUTO_FOLDER DIR *folder = directory ? opendir(directory) : NULL;
    /* HOME may name no directory (/dev/null), and after setpriv(1) or su(1) another user's. */
    if (!folder && !must)
        return 0;
    if (!folder)
        return err_set(err, "cannot read the directory '%.200s' of screens: %s", directory,
                       err_reason(errno));
    for (struct dirent *entry; (entry = readdir(folder));)
        if (is_ini(entry->d_name))
            names_add(names, entry->d_name);
    names_sort(names);
    return 0;
}

char *definitions_directory(const char *given)
{
    return given ? mem_strdup(given) : home_directory();
}

void definitions_read_events(const char *given, bool own)
{
    AUTO_FREE char *user = own ? definitions_directory(given) : NULL, *share = home_share();
    const char *const paths[] = {user, share, "/usr/share/countertop"};
    struct event_table *table = mem_alloc(sizeof(*table));
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        AUTO_FREE char *path = paths[i] ? mem_printf("%s/events", paths[i]) : NULL;
        if (path && (i < 2 || !str_equal(paths[i], share)))
            event_files_add(table, path);
    }
    event_table_sort(table);
    event_table_use(table);
}

/* Whether a recording's machine has the processors of this one, for which event files are. */
static bool is_this_machine(const struct machine *machine)
{
    AUTO_NAMES struct names ids = {0};
    topology_cpu_ids(&ids);
    bool same = ids.count > 0;
    for (size_t i = 0; i < ids.count; i++)
        same &= names_has(&machine->names, ids.items[i]);
    return same;
}

int definitions_load(struct definitions *definitions, struct err *err)
{
    struct machine *machine = &definitions->machine;
    bool metrics = !machine->names.count || is_this_machine(machine);
    /* Adds the names by which sections may refer to this machine, unless they are known from a
     * recording. The processor's id is better than libpfm4's name for its events: 4.12 takes a Zen
     * 4 for a Zen 3, and of several core types it knows the first. With LIBPFM_FORCE_PMU the id is
     * not used. */
    if (!machine->names.count) {
        AUTO_NAMES struct names names;
        bool forced = getenv("LIBPFM_FORCE_PMU"), shown = file_has_root();
        pmu_list(&names);
        size_t pmus = names.count;
        if (!forced)
            topology_cpu_ids(&names);
        if (forced || (!shown && names.count == pmus))
            libpfm_tables(&names);
        for (size_t i = 0; i < names.count; i++)
            machine_add(machine, names.items[i]);
        unsigned slots = forced ? 0 : topology_slots();
        if (slots) {
            char said[32];
            snprintf(said, sizeof(said), "caps/slots=%u", slots);
            machine_add(machine, said);
        }
        machine->ghz_nominal = topology_nominal_ghz();
    }
    definitions->metric_set.embedded = definitions->screens.embedded = true;
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (is_ini(file->name) &&
            definitions_add_text(definitions, file->text, file->name, err) < 0)
            return -1;
    AUTO_FREE char *spans = metric_spans_text();
    if (metric_set_load(&definitions->metric_set, spans, "spans", err) < 0)
        return -1;
    definitions->metric_set.embedded = definitions->screens.embedded = false;
    for (size_t i = 0; i < definitions->screens.count; i++)
        definitions->screens.screens[i].builtin = true;
    if (metrics)
        file_metrics_add(&definitions->metric_set, &definitions->unusable);
    return 0;
}

/* A file that cannot be read is a fault, and with `must` an error. */
static int load_user_file(struct definitions *definitions, const char *file, bool must,
                          struct err *err)
{
    struct err why;
    AUTO_FREE char *text = file_load(file, DEFINITIONS_FILE_SIZE, &why);
    if (!text && must)
        return err_set(err, "%s", why.text);
    if (!text) {
        names_add(&definitions->faults, why.text);
        return 0;
    }
    int result = ini_read(text, file, NULL, check_section, NULL, err)
                     ?: definitions_add_text(definitions, text, file, err);
    const struct screen_list *list = &definitions->screens;
    for (size_t s = 0; s < list->count && result == 0; s++)
        if (str_equal(list->screens[s].origin, file))
            result = definitions_check_screen(definitions, &list->screens[s], err);
    return result;
}

int definitions_load_user(struct definitions *definitions, const char *given, bool lenient,
                          struct err *err)
{
    AUTO_FREE char *path = definitions_directory(given);
    AUTO_NAMES struct names names;
    int result = definitions_files(path, given != NULL, &names, err);
    for (size_t i = 0; i < names.count && result == 0; i++) {
        AUTO_FREE char *file = mem_printf("%s/%s", path, names.items[i]);
        result = load_user_file(definitions, file, given != NULL, err);
        if (result < 0 && lenient) {
            names_add(&definitions->faults, err->text);
            result = 0;
        }
    }
    return result;
}
