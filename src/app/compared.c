#include "app/program.h"
#include "app/startup.h"
#include "view/column.h"

#include <langinfo.h>

void compared_rows_release(struct compared_rows *rows)
{
    event_set_drop(rows->set);
    free(rows->bindings);
    free(rows->shown);
    rows->set = NULL;
    rows->bindings = NULL;
    rows->shown = NULL;
}

static void compared_rows_bind(struct compared_rows *rows, struct event_set *set)
{
    const struct metric_set *metrics = rows->metrics;
    if (rows->set == set)
        return;
    compared_rows_release(rows);
    rows->set = mem_share(set);
    rows->bindings = mem_array(metrics->count, sizeof(*rows->bindings));
    rows->shown = mem_array(metrics->count, sizeof(*rows->shown));
    for (size_t m = 0; m < metrics->count; m++) {
        const struct metric *metric = &metrics->metrics[m];
        bool rate = metric->unit.kind == UNIT_COUNT && metric->unit.time < 0;
        rows->shown[m] =
            metric_applies(metric, set) && !rate && column_fits_metric(metric, VIEW_COMMANDS);
        eval_bind(&rows->bindings[m], metric->expr, set);
    }
}

static double number_of(const struct value *value)
{
    return value->state <= VALUE_SCALED ? value->number : NAN;
}

/* The part of an event that is known to be the row's: the ledger may have counts that it could not
 * attribute to any task. Below a hundredth they are not worth a mark. */
static double certainty(const struct frame *frame, const struct row *row, size_t event)
{
    double value = (double)row->counts[event].value;
    double nobodys = frame->has_cpus ? (double)frame->unattributed.counts[event].value : 0;
    return nobodys <= value * FRAME_UNATTRIBUTED_BAD ? 1 : value / (value + nobodys);
}

static void set_event(struct comparison *comparison, size_t subject, size_t side,
                      const struct frame *frame, const struct row *row, size_t event)
{
    const struct event_info *info = &frame->events->events[event];
    struct value value = eval_event(frame, row, event);
    char unit[16];
    if (info->state != EVENT_COUNTED || info->shared)
        return;
    if (!comparison->recordings) {
        comparison_set(comparison, subject, side, info->name, COMPARE_COUNT, info->unit,
                       number_of(&value), value.coverage * certainty(frame, row, event));
        return;
    }
    snprintf(unit, sizeof(unit), "%s/s", info->unit);
    comparison_set(comparison, subject, side, info->name, COMPARE_RATE, unit,
                   number_of(&value) / frame_seconds(frame, row), value.coverage);
}

void compared_rows_set(struct compared_rows *rows, struct comparison *comparison, size_t subject,
                       size_t side, const struct frame *frame, const struct row *row)
{
    compared_rows_bind(rows, frame->events);
    for (size_t e = 0; e < frame->events->count; e++)
        set_event(comparison, subject, side, frame, row, e);
    for (size_t m = 0; m < rows->metrics->count; m++) {
        const struct metric *metric = &rows->metrics->metrics[m];
        if (!rows->shown[m])
            continue;
        struct value value = eval_bound(metric->expr, &rows->bindings[m], frame, row);
        comparison_set(comparison, subject, side, metric->name,
                       metric->unit.kind == UNIT_PERCENT ? COMPARE_PERCENT : COMPARE_NUMBER,
                       metric->unit.text, number_of(&value), value.coverage);
    }
}

int compared_write(struct comparison *comparison, struct compare_input input,
                   const struct options *options, struct out *out, struct err *err)
{
    AUTO_STR struct str text = str_new();
    comparison_finish(comparison);
    input.rows = options->format_options.rows;
    input.ascii = options->view.ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    input.csv_safe = options->format_options.csv_safe;
    options_format(options)->compare(&text, comparison, &input);
    int result = out_write(out, &text, err);
    return result < 0 ? EXIT_RUNNING : 0;
}
