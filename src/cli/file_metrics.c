#include "cli/file_metrics.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/event_files.h"
#include "event/name.h"
#include "event/pmu.h"
#include "metric/perf_expr.h"
#include "system/machine_property.h"
#include "view/column_set.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

enum { NESTED_METRICS = 8 };

struct nesting {
    const struct table_metric *metrics[NESTED_METRICS]; /* that are being translated */
    size_t count;
    bool several; /* core types */
};

static char *nested_translate(struct nesting *nesting, const struct table_metric *metric,
                              struct err *err);

static bool is_nested(const struct nesting *nesting, const struct table_metric *metric)
{
    for (size_t i = 0; i < nesting->count; i++)
        if (nesting->metrics[i] == metric)
            return true;
    return false;
}

static const struct table_metric *find_table_metric(const char *name)
{
    const struct event_table *table = event_table();
    for (size_t m = 0; m < table->metric_count; m++)
        if (strcasecmp(table->metrics[m].name, name) == 0)
            return &table->metrics[m];
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
    struct event_list list = {0};
    char *text = mem_printf("%s/%s/", pmus->here.items[0], name);
    bool has = event_parse(&list, text, MODE_ALL, NULL) == 0;
    event_list_release(&list);
    char *quoted = has ? mem_printf("'%s'", text) : NULL;
    free(text);
    return quoted;
}

/* The events of a text, added up where it stands for the same event of several PMUs; the caller
 * frees it. */
static char *events_sum(const char *name, struct err *err)
{
    struct event_list list = {0};
    struct str sum;
    char *lower = mem_strdup(name);
    size_t count;
    const struct table_event *event = event_table_named(name, &count);
    if (event && count == 1 && event_table()->pmus[event->pmus].core) {
        free(lower);
        return mem_printf("'%s'", event->name);
    }
    for (char *p = lower; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    str_init(&sum);
    /* In these files events of sysfs are written as perf prints them, or in capitals: TSC. */
    if (event_parse(&list, name, MODE_ALL, err) == 0 ||
        (strcmp(lower, name) != 0 && event_parse(&list, lower, MODE_ALL, NULL) == 0)) {
        for (size_t e = 0; e < list.count; e++)
            str_printf(&sum, "%s'%s'", e ? " + " : "", list.events[e].name);
    }
    event_list_release(&list);
    free(lower);
    return str_detach(&sum);
}

static int find_metric_name(struct nesting *nesting, const char *name, char **text, struct err *err)
{
    const struct table_metric *metric = find_table_metric(name);
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
    struct event_list list = {0};
    size_t count;
    const struct table_event *event = event_table_named(name, &count);
    bool has = event && event_table()->pmus[event->pmus].here.count;
    if (!event && event_parse(&list, name, MODE_ALL, NULL) == 0)
        has = list.count && list.events[0].state == EVENT_COUNTED;
    event_list_release(&list);
    return has;
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

static char *nested_translate(struct nesting *nesting, const struct table_metric *metric,
                              struct err *err)
{
    struct perf_words words = {find_table_word, nesting};
    if (nesting->count == NESTED_METRICS) {
        err_set(err, "it refers to metrics that are nested too deeply");
        return NULL;
    }
    nesting->metrics[nesting->count++] = metric;
    char *text = perf_expr_translate(metric->expr, &words, err);
    nesting->count--;
    return text;
}

/* ---- metrics ---- */

/* Adds the metric, with its unit if that is one of this program's and fits, else with the unit in
 * the help. */
static int define(struct metric_set *set, const struct table_metric *metric, bool several,
                  struct err *err)
{
    struct unit unit;
    struct nesting nesting = {.several = several};
    char *value = nested_translate(&nesting, metric, err);
    if (!value)
        return -1;
    char *expr =
        metric->scale == 1 ? mem_strdup(value) : mem_printf("%.15g * (%s)", metric->scale, value);
    bool known = unit_parse(&unit, metric->unit, NULL) == 0;
    int result =
        known ? metric_set_define(set, metric->name, expr, metric->unit, metric->text, err) : -1;
    if (result < 0 && *metric->unit) {
        char *help = mem_printf("%s%sin %s", metric->text, *metric->text ? ", " : "", metric->unit);
        result = metric_set_define(set, metric->name, expr, "", help, err);
        free(help);
    }
    free(expr);
    free(value);
    return result;
}

void file_metrics_add(struct metric_set *set, struct unusable_metrics *unusable)
{
    const struct event_table *table = event_table();
    struct names types;
    pmu_core_types(&types);
    for (size_t m = 0; m < table->metric_count; m++) {
        const struct table_metric *metric = &table->metrics[m];
        struct err err = {""};
        if (find_table_metric(metric->name) != metric)
            continue; /* an earlier file has it */
        int result = metric_set_find(set, metric->name) || column_is_fact(metric->name)
                         ? err_set(&err, "a column of this program has that name")
                         : define(set, metric, types.count > 1, &err);
        if (result == 0)
            continue;
        mem_grow(&unusable->items, &unusable->room, unusable->count + 1, sizeof(*unusable->items));
        unusable->items[unusable->count++] =
            (struct unusable_metric){mem_strdup(metric->name), mem_strdup(err.text)};
    }
    names_release(&types);
}

void unusable_metrics_release(struct unusable_metrics *unusable)
{
    for (size_t i = 0; i < unusable->count; i++) {
        free(unusable->items[i].name);
        free(unusable->items[i].reason);
    }
    free(unusable->items);
    *unusable = (struct unusable_metrics){0};
}
