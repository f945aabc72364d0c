#include "view/column_name.h"
#include "base/str.h"
#include "metric/alias.h"
#include "view/builtin_column.h"

#include <stdio.h>
#include <strings.h>

const char *column_name_at(void *scope, size_t i)
{
    const struct column_name_scope *names = scope;
    const struct builtin_column *builtin = builtin_column_at(i);
    if (builtin)
        return builtin->shown.name;
    for (size_t f = 0; builtin_column_at(f); f++)
        i--;
    size_t metrics = names->metric_set ? names->metric_set->count : 0;
    if (i < metrics)
        return names->metric_set->metrics[i].name;
    i -= metrics;
    return names->events && i < names->events->count ? names->events->events[i].name : NULL;
}

static const char *nth_title(void *ctx, size_t i)
{
    const struct column_name_scope *names = ctx;
    const struct column_list *columns = names->columns;
    if (columns && i < columns->count)
        return columns->columns[i].shown.title;
    i -= columns ? columns->count : 0;
    const struct builtin_column *builtin = builtin_column_at(i);
    if (builtin)
        return builtin->shown.title;
    for (size_t f = 0; builtin_column_at(f); f++)
        i--;
    return names->metric_set && i < names->metric_set->count ? names->metric_set->metrics[i].title
                                                             : NULL;
}

/* The name of the column with that title. */
static const char *titled(const struct column_name_scope *names, size_t i)
{
    const struct column_list *columns = names->columns;
    size_t shown = columns ? columns->count : 0;
    return i < shown ? columns->columns[i].shown.name : column_name_at((void *)names, i - shown);
}

const char *column_name_exact(const struct column_name_scope *names, const char *word)
{
    const char *name;
    for (size_t i = 0; (name = column_name_at((void *)names, i)); i++)
        if (str_equal(name, word))
            return name;
    int event = names->events ? alias_find(names->events, word) : -1;
    return event >= 0 ? names->events->events[event].name : NULL;
}

const char *column_name_find(const struct column_name_scope *names, const char *word)
{
    if (strcasecmp(word, "cpu") == 0 && names->metric_set &&
        metric_set_find(names->metric_set, "cpu_pct"))
        return "cpu_pct";
    if (strcasecmp(word, "processor") == 0)
        return "cpu";
    const char *name = column_name_exact(names, word);
    if (name)
        return name;
    for (size_t i = 0; (name = nth_title((void *)names, i)); i++)
        if (strcasecmp(name, word) == 0)
            return titled(names, i);
    for (size_t i = 0; (name = column_name_at((void *)names, i)); i++)
        if (strcasecmp(name, word) == 0)
            return name;
    return NULL;
}

/* ---- all there is ---- */

static bool column_name_is_counted(const struct event_set *events, const char *name)
{
    int event = events ? alias_find(events, name) : -1;
    return event >= 0 && events->events[event].state == EVENT_COUNTED;
}

static void tell_metric(const struct metric *metric, const struct event_set *events,
                        struct view_candidate *entry)
{
    size_t length = 0;
    *entry = (struct view_candidate){
        .name = metric->name, .title = metric->title, .help = metric->help, .expr = metric->text};
    for (size_t i = 0; i < expr_event_count(metric->expr) && length < sizeof(entry->needs); i++) {
        const char *event = expr_event(metric->expr, i);
        if (!column_name_is_counted(events, event))
            length += (size_t)snprintf(entry->needs + length, sizeof(entry->needs) - length, "%s%s",
                                       length ? ", " : "", event);
    }
}

static void tell_event(const struct event_info *event, struct view_candidate *entry)
{
    const char *help = event->state == EVENT_COUNTED ? "an event that is counted" : event->reason;
    *entry = (struct view_candidate){.name = event->name, .title = event->name, .help = help};
}

bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry)
{
    const char *name = column_name_at((void *)scope, i);
    if (!name)
        return false;
    const struct builtin_column *builtin = builtin_column_find(name);
    const struct metric *metric =
        scope->metric_set ? metric_set_find(scope->metric_set, name) : NULL;
    if (builtin)
        *entry = (struct view_candidate){
            .name = name, .title = builtin->shown.title, .help = builtin->shown.help};
    else if (metric)
        tell_metric(metric, scope->events, entry);
    else
        tell_event(&scope->events->events[alias_find(scope->events, name)], entry);
    entry->fits = !builtin || builtin_column_fits(builtin, kind);
    entry->shown = scope->columns && column_list_find(scope->columns, name);
    return true;
}
