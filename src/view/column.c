#include "view/column.h"
#include "base/mem.h"
#include "base/str.h"
#include "metric/alias.h"
#include "view/fact.h"
#include "view/format.h"
#include "view/text.h"

#include <stdlib.h>
#include <string.h>

static void init_metric(struct column *column, const struct metric *metric,
                        const struct event_set *set)
{
    column->kind = COLUMN_METRIC;
    column->metric = metric;
    column->shown =
        (struct view_column){metric->name, metric->title, metric->help, metric->width, false};
    eval_bind(&column->binding, metric->expr, set);
}

static void init_event(struct column *column, const char *name, const struct event_set *set)
{
    enum { NARROWEST = 6, WIDEST = 20 };
    column->kind = COLUMN_EVENT;
    column->event = set ? alias_find(set, name) : -1;
    const struct event_info *info = column->event >= 0 ? &set->events[column->event] : NULL;
    column->clock = info && str_equal(info->unit, "ns");
    column->owned[0] = mem_strdup(name);
    if (info && info->state != EVENT_COUNTED && info->reason)
        column->owned[1] = mem_printf("not counted: %s", info->reason);
    else if (!info)
        column->owned[1] = mem_strdup("not among the events that are counted");
    else
        column->owned[1] =
            mem_strdup(column->clock ? "milliseconds of it in a second" : "occurrences a second");
    size_t length = strnlen(name, WIDEST);
    column->shown = (struct view_column){
        .name = column->owned[0],
        .title = column->owned[0],
        .help = column->owned[1],
        .width = length < NARROWEST ? NARROWEST : (int)length,
    };
}

void column_init(struct column *column, const char *name, const struct catalog *catalog,
                 const struct event_set *set)
{
    *column = (struct column){.event = -1};
    const struct metric *metric;
    if ((column->fact = fact_find(name))) {
        column->kind = COLUMN_FACT;
        column->shown = column->fact->shown;
    } else if ((metric = catalog_find(catalog, name))) {
        init_metric(column, metric, set);
    } else {
        init_event(column, name, set);
    }
}

void column_release(struct column *column)
{
    free(column->owned[0]);
    free(column->owned[1]);
}

bool column_is_fact(const char *name)
{
    return fact_find(name) != NULL;
}

bool column_fits(const struct column *column, enum view_kind kind)
{
    return column->kind != COLUMN_FACT || column->fact->views >> kind & 1;
}

const char *column_naming(enum view_kind kind)
{
    static const char *const names[] = {
        [VIEW_TASKS] = "command",    [VIEW_CPUS] = NULL,          [VIEW_USERS] = "user",
        [VIEW_COMMANDS] = "command", [VIEW_CGROUPS] = "cgroup",
    };
    return names[kind];
}

bool column_uses(const struct column *column, const char *event)
{
    if (column->kind == COLUMN_EVENT)
        return alias_same(column->shown.name, event);
    if (column->kind == COLUMN_METRIC)
        for (size_t i = 0; i < expr_event_count(column->metric->expr); i++)
            if (alias_same(expr_event(column->metric->expr, i), event))
                return true;
    return false;
}

bool column_is_text(const struct column *column)
{
    return column->kind == COLUMN_FACT && column->fact->text;
}

static struct value event_value(const struct column *column, const struct frame *frame,
                                const struct row *row)
{
    if (column->event < 0)
        return (struct value){.state = VALUE_MISSING};
    struct value value = eval_event(frame, row, (size_t)column->event);
    if (value.state < VALUE_UNDEFINED && !(frame->interval > 0))
        value.state = VALUE_UNDEFINED;
    /* ns to ms: a clock that runs all the time then shows 1000 ms a second. */
    value.number /= column->clock ? frame->interval * 1e6 : frame->interval;
    return value;
}

static struct value column_value(const struct column *column, const struct frame *frame,
                                 const struct row *row)
{
    if (column->kind == COLUMN_METRIC)
        return eval_bound(column->metric->expr, &column->binding, frame, row);
    return event_value(column, frame, row);
}

bool column_number(const struct column *column, const struct scene *scene, const struct row *row,
                   double *number)
{
    if (column->kind == COLUMN_FACT) {
        int64_t id;
        if (!column->fact->number || !column->fact->number(scene, row, &id))
            return false;
        *number = (double)id;
        return true;
    }
    struct value value = column_value(column, scene->frame, row);
    *number = value.number;
    return value.state < VALUE_UNDEFINED;
}

bool column_text(const struct column *column, const struct scene *scene, const struct row *row,
                 char *text, size_t size)
{
    return column_is_text(column) && column->fact->text(scene, row, text, size);
}

static void fact_cell(const struct column *column, const struct scene *scene, const struct row *row,
                      struct cell *cell)
{
    const struct fact *fact = column->fact;
    int64_t number;
    bool known;
    if (fact->number) {
        known = fact->number(scene, row, &number);
        if (known)
            format_id(cell->text, number, fact->shown.width);
    } else {
        known = fact->text(scene, row, cell->text, sizeof(cell->text));
        /* What names the row is last, and as wide as there is room. */
        if (known && !str_equal(fact->shown.name, column_naming(scene->settings->kind)))
            text_cut(cell->text, fact->shown.width);
    }
    cell->role = ROLE_TEXT;
    if (!known) {
        strcpy(cell->text, "-");
        cell->role = ROLE_MISSING;
    } else if (row->exited) {
        cell->role = ROLE_DEAD;
    } else if (str_equal(fact->shown.name, "user") && row->uid != scene->self) {
        cell->role = ROLE_OTHER_USER;
    }
}

static enum role number_role(const struct column *column, const struct row *row,
                             const struct value *value)
{
    if (value->state == VALUE_SCALED)
        return ROLE_SCALED;
    if (row->exited)
        return ROLE_DEAD;
    int judged = column->kind == COLUMN_METRIC ? metric_judge(column->metric, value->number) : 0;
    if (judged)
        return judged > 0 ? ROLE_GOOD : ROLE_BAD;
    return value->number == 0 ? ROLE_DIM : ROLE_COUNTED;
}

void column_format(char text[FORMAT_SIZE], const struct metric *metric, double number, int width)
{
    if (metric->decimals == METRIC_SI)
        format_count(text, number, width);
    else if (metric->decimals == METRIC_DURATION)
        format_duration(text, number, width);
    else
        format_fixed(text, number, metric->decimals, width);
}

static void number_cell(const struct column *column, const struct row *row,
                        const struct value *value, struct cell *cell)
{
    cell->marked = value->state == VALUE_SCALED;
    int width = column->shown.width - cell->marked; /* room for the mark */
    if (column->kind == COLUMN_METRIC)
        column_format(cell->text, column->metric, value->number, width);
    else
        format_count(cell->text, value->number, width);
    if (cell->marked)
        strcat(cell->text, "~");
    cell->role = number_role(column, row, value);
}

void column_cell(const struct column *column, const struct scene *scene, const struct row *row,
                 struct cell *cell)
{
    cell->marked = false;
    if (column->kind == COLUMN_FACT) {
        fact_cell(column, scene, row, cell);
        return;
    }
    struct value value = column_value(column, scene->frame, row);
    if (value.state == VALUE_MISSING) {
        strcpy(cell->text, "-");
        cell->role = ROLE_MISSING;
    } else if (value.state == VALUE_UNDEFINED) {
        strcpy(cell->text, "n/a");
        cell->role = ROLE_UNDEFINED;
    } else {
        number_cell(column, row, &value, cell);
    }
}
