#include "front/tui/setup/setup.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static struct names *events_of(const struct ui *ui)
{
    static const struct own own = {.size = sizeof(struct names), .end = own_names_end};
    return ui_own(ui, &own);
}

void setup_events_note(struct ui *ui, const char *name)
{
    const struct metric *metric = metric_set_find(ui->metric_set, name);
    struct names *events = events_of(ui);
    for (size_t i = 0; metric && ui->frame && i < expr_event_count(metric->expr); i++) {
        const char *event = expr_event(metric->expr, i);
        bool noted = event_set_find(ui->frame->events, event) >= 0;
        for (size_t n = 0; n < events->count; n++)
            noted |= str_equal(events->items[n], event);
        if (!noted)
            names_add(events, event);
    }
}

void setup_events_prune(struct ui *ui)
{
    struct names *events = events_of(ui);
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++) {
        char *event = events->items[i];
        bool needed = false;
        for (size_t c = 0; c < view_columns(ui->view); c++) {
            const struct metric *metric =
                metric_set_find(ui->metric_set, view_column(ui->view, c)->name);
            for (size_t e = 0; metric && e < expr_event_count(metric->expr); e++)
                needed |= str_equal(expr_event(metric->expr, e), event);
        }
        if (needed) {
            events->items[kept++] = event;
            continue;
        }
        host_remove_event(ui->host, event, NULL);
        free(event);
    }
    if (kept < events->count)
        host_refresh(ui->host);
    events->count = kept;
}

void metric_forget(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    free(metric->name);
    free(metric->unit);
    free(metric->before);
    *metric = (struct metric_draft){0};
}

static int set_draft(struct ui *ui, const char *expr, struct err *err)
{
    const struct metric_draft *metric = &setup_of(ui)->metric;
    return host_set_metric(ui->host, metric->name, expr, metric->unit, err);
}

/* --- The expression --- */

/* Restores the expression from before the edit. */
static void restore(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    if (!metric->tried)
        return;
    if (metric->own)
        set_draft(ui, metric->before, NULL);
    else
        host_remove_metric(ui->host, metric->name, NULL);
    metric->tried = false;
    table_follow(&ui->table, ui->view);
}

/* While an expression is typed, the metric follows it if it can be computed. */
static void expr_change(struct ui *ui, const char *text)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    struct err err;
    if (metric_set_check(ui->metric_set, metric->name, text, metric->unit, &err) == 0) {
        /* The table can show it while it is typed if all its events are counted. */
        struct expr *expr = metric->before && ui->frame ? expr_parse(text, NULL) : NULL;
        if (expr && metric_applies(&(const struct metric){.expr = expr}, ui->frame->events))
            metric->tried |= set_draft(ui, text, NULL) == 0;
        expr_free(expr);
    } else if (*text && err.text[0] && err.text[strlen(err.text) - 1] != '^') {
        /* A mistake at the end of the text may only be an incomplete expression. */
        restore(ui);
        ui_say(ui, ROLE_NOTICE, "%s", err.text);
    }
}

static int expr_enter(struct ui *ui, const char *text, struct err *err)
{
    if (set_draft(ui, text, err) < 0) {
        restore(ui);
        return -1;
    }
    setup_events_note(ui, setup_of(ui)->metric.name);
    setup_events_prune(ui);
    section_point_column(ui, setup_of(ui)->metric.name);
    ui_say(ui, ROLE_VALUE, "%s = %s", setup_of(ui)->metric.name, text);
    host_refresh(ui->host); /* its events may have been added */
    return 0;
}

static void ask_expr(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    metric->dialog = (struct dialog){
        .label = metric->name,
        .hint = "events, interval, oncpu: 100 * cache-misses / cache-references",
        .enter = "set",
        .takes_empty = true,
        .change = expr_change,
        .enter_text = expr_enter,
        .cancel = restore,
    };
    dialog_open(ui, &metric->dialog, metric->before);
}

void metric_edit(struct ui *ui)
{
    const char *name = section_chosen(ui);
    const struct metric *found =
        name && ui->metric_set ? metric_set_find(ui->metric_set, name) : NULL;
    if (!found) {
        ui_say(ui, ROLE_NOTICE, "'%s' is no metric: only metrics have an expression to edit", name);
        return;
    }
    metric_forget(ui);
    setup_of(ui)->metric.name = mem_strdup(name);
    setup_of(ui)->metric.before = mem_strdup(found->text);
    setup_of(ui)->metric.own = found->own;
    ask_expr(ui);
}

/* --- A new metric --- */

static int unit_enter(struct ui *ui, const char *text, struct err *err)
{
    struct unit unit;
    if (unit_parse(&unit, text, err) < 0)
        return -1;
    free(setup_of(ui)->metric.unit);
    setup_of(ui)->metric.unit = mem_strdup(text);
    ask_expr(ui);
    return 0;
}

static const struct dialog unit_dialog = {
    .label = "Unit",
    .hint = "percent, ratio, s, B/s, 1/s ...; empty: a count",
    .enter = "go on",
    .takes_empty = true,
    .enter_text = unit_enter,
};

static int name_enter(struct ui *ui, const char *text, struct err *err)
{
    struct view_candidate candidate;
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        if (str_equal(candidate.name, text))
            return err_set(err, "there is a column '%s': choose another name", text);
    if (metric_set_check(ui->metric_set, text, "1", NULL, err) < 0)
        return -1;
    metric_forget(ui);
    setup_of(ui)->metric.name = mem_strdup(text);
    dialog_open(ui, &unit_dialog, NULL);
    return 0;
}

static const struct dialog name_dialog = {
    .label = "New metric",
    .hint = "its name: letters, digits, _ - .",
    .enter = "go on",
    .enter_text = name_enter,
};

void metric_new(struct ui *ui)
{
    if (ui->metric_set)
        dialog_open(ui, &name_dialog, NULL);
}

void metric_undo(struct ui *ui)
{
    const struct metric_set *set = ui->metric_set;
    for (size_t i = 0; set && i < set->count;) {
        char *name = set->metrics[i].own ? mem_strdup(set->metrics[i].name) : NULL;
        if (!name || host_remove_metric(ui->host, name, NULL) < 0)
            i++;
        free(name);
    }
}
