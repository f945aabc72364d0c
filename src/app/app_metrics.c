#include "app/app_metrics.h"
#include "base/str.h"
#include "metric/alias.h"
#include "view/column.h"

#include <stdint.h>

/* The name under which an event of an expression is to be counted, or is. */
static const char *counted_as(const struct event_list *events, const char *name, bool *there)
{
    for (size_t e = 0; e < events->count; e++)
        if (alias_same(events->events[e].name, name)) {
            *there = true;
            return events->events[e].name;
        }
    *there = false;
    return name;
}

/* Counts the events of an expression that are not counted yet, with the others in one pair of
 * braces: what is set against each other is to be counted at the same time. */
static int count_events(struct program *program, const struct expr *expr, struct err *err)
{
    const struct front_events *calls = &program->host.events;
    struct str text;
    bool all = true, there;
    size_t count = expr_event_count(expr);
    str_init(&text);
    for (size_t i = 0; i < count; i++) {
        const char *name = counted_as(&program->setup.events, expr_event(expr, i), &there);
        str_printf(&text, "%s%s", i ? "," : count > 1 ? "{" : "", name);
        all &= there;
    }
    str_add(&text, count > 1 ? "}" : "");
    int result = all ? 0 : calls->add(calls->ctx, text.text, err);
    str_release(&text);
    return result;
}

static int app_metrics_count(void *ctx, const char *name, struct err *err)
{
    struct program *program = ctx;
    const struct metric *metric = metric_set_find(&program->definitions.metric_set, name);
    if (!metric)
        return err_set(err, "no metric '%.60s'", name);
    return count_events(program, metric->expr, err);
}

static bool is_shown(const struct view *view, const char *name)
{
    for (size_t c = 0; c < view_columns(view); c++)
        if (str_equal(view_column(view, c)->name, name))
            return true;
    return false;
}

static int app_metrics_set(void *ctx, const char *name, const char *text, const char *unit,
                           struct err *err)
{
    struct program *program = ctx;
    struct metric_set *metric_set = &program->definitions.metric_set;
    if (column_is_fact(name))
        return err_set(err, "'%s' is a column of its own: choose another name", name);
    if (metric_set_check(metric_set, name, text, unit, err) < 0)
        return -1;
    struct expr *expr = expr_parse(text, err);
    int result = count_events(program, expr, err);
    expr_free(expr);
    if (result < 0 || metric_set_set(metric_set, name, text, unit, err) < 0)
        return -1;
    view_renew_metrics(program->view);
    return is_shown(program->view, name) ? 0 : view_add_column(program->view, name, SIZE_MAX, err);
}

static int unset(void *ctx, const char *name, struct err *err)
{
    struct program *program = ctx;
    struct metric_set *metric_set = &program->definitions.metric_set;
    int result = metric_set_unset(metric_set, name, err);
    view_renew_metrics(program->view);
    return result;
}

struct front_metrics app_metrics_calls(struct program *program)
{
    return (struct front_metrics){
        .ctx = program, .set = app_metrics_set, .remove = unset, .count = app_metrics_count};
}
