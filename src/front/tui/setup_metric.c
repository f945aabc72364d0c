#include "front/tui/setup_metric.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/setup_columns.h"

#include <stdlib.h>
#include <string.h>

void setup_metric_forget(struct ui *ui)
{
    struct setup_metric *metric = &ui->setup->metric;
    free(metric->name);
    free(metric->unit);
    free(metric->before);
    *metric = (struct setup_metric){0};
}

static int setup_metric_set(struct ui *ui, const char *expr, struct err *err)
{
    const struct setup_metric *metric = &ui->setup->metric;
    return host_set_metric(ui->host, metric->name, expr, metric->unit, err);
}

/* --- The expression --- */

/* Whether all its events are counted: then it can be tried while it is typed. */
static bool setup_metric_is_counted(const struct ui *ui, const char *text)
{
    struct expr *expr = expr_parse(text, NULL);
    bool counted = expr && ui->frame &&
                   metric_applies(&(const struct metric){.expr = expr}, ui->frame->events);
    expr_free(expr);
    return counted;
}

/* A mistake whose place is the end of the text: more of it is to come. */
static bool is_unfinished(const struct err *err)
{
    size_t length = strlen(err->text);
    return length > 0 && err->text[length - 1] == '^';
}

/* The expression that a metric had before it was edited. */
static void restore(struct ui *ui)
{
    struct setup_metric *metric = &ui->setup->metric;
    if (!metric->tried)
        return;
    if (metric->own)
        setup_metric_set(ui, metric->before, NULL);
    else
        host_remove_metric(ui->host, metric->name, NULL);
    metric->tried = false;
    table_follow(&ui->table, ui->view);
}

/* A metric that is edited changes while its expression is typed, as long as that can be counted. */
static void expr_change(struct ui *ui, const char *text)
{
    struct setup_metric *metric = &ui->setup->metric;
    struct err err;
    if (metric_set_check(ui->metric_set, metric->name, text, metric->unit, &err) == 0) {
        if (metric->before && setup_metric_is_counted(ui, text))
            metric->tried |= setup_metric_set(ui, text, NULL) == 0;
    } else if (*text && !is_unfinished(&err)) {
        restore(ui);
        ui_say(ui, ROLE_NOTICE, "%s", err.text);
    }
}

static int expr_enter(struct ui *ui, const char *text, struct err *err)
{
    if (setup_metric_set(ui, text, err) < 0) {
        restore(ui);
        return -1;
    }
    setup_events_note(ui, ui->setup->metric.name);
    setup_columns_show(ui, ui->setup->metric.name);
    ui_say(ui, ROLE_VALUE, "%s = %s", ui->setup->metric.name, text);
    host_refresh(ui->host); /* events of it may have been added */
    return 0;
}

static void ask_expr(struct ui *ui)
{
    struct setup_metric *metric = &ui->setup->metric;
    metric->dialog = (struct dialog){
        .label = metric->name,
        .hint = "events, interval, oncpu: 100 * cache-misses / cache-references",
        .enter = "set",
        .change = expr_change,
        .enter_text = expr_enter,
        .cancel = restore,
    };
    dialog_open(ui, &metric->dialog, metric->before);
}

void setup_metric_edit(struct ui *ui)
{
    const char *name = setup_chosen(ui);
    const struct metric *found =
        name && ui->metric_set ? metric_set_find(ui->metric_set, name) : NULL;
    if (!found) {
        ui_say(ui, ROLE_NOTICE, "'%s' is no metric: only these have an expression to edit", name);
        return;
    }
    setup_metric_forget(ui);
    ui->setup->metric.name = mem_strdup(name);
    ui->setup->metric.before = mem_strdup(found->text);
    ui->setup->metric.own = found->own;
    ask_expr(ui);
}

/* --- A new one --- */

static int unit_enter(struct ui *ui, const char *text, struct err *err)
{
    struct unit unit;
    if (unit_parse(&unit, text, err) < 0)
        return -1;
    free(ui->setup->metric.unit);
    ui->setup->metric.unit = mem_strdup(text);
    ask_expr(ui);
    return 0;
}

static const struct dialog unit_dialog = {
    .label = "Unit",
    .hint = "percent, ratio, s, B/s, 1/s ...; nothing: a count",
    .enter = "go on",
    .enter_text = unit_enter,
};

static int name_enter(struct ui *ui, const char *text, struct err *err)
{
    struct view_candidate candidate;
    if (!*text)
        return 0;
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        if (str_equal(candidate.name, text))
            return err_set(err, "there is a column '%s': choose another name", text);
    if (metric_set_check(ui->metric_set, text, "1", NULL, err) < 0)
        return -1;
    setup_metric_forget(ui);
    ui->setup->metric.name = mem_strdup(text);
    dialog_open(ui, &unit_dialog, NULL);
    return 0;
}

static const struct dialog name_dialog = {
    .label = "New metric",
    .hint = "its name: letters, digits, _ - .",
    .enter = "go on",
    .enter_text = name_enter,
};

void setup_metric_new(struct ui *ui)
{
    if (ui->metric_set)
        dialog_open(ui, &name_dialog, NULL);
}

void setup_metric_undo(struct ui *ui)
{
    for (size_t i = 0; ui->metric_set && i < ui->metric_set->count;) {
        char *name =
            ui->metric_set->metrics[i].own ? mem_strdup(ui->metric_set->metrics[i].name) : NULL;
        if (!name || host_remove_metric(ui->host, name, NULL) < 0)
            i++;
        free(name);
    }
}
