#include "front/tui/setup/events.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>

struct setup_events {
    char **names;
    size_t count, room;
};

void setup_events_release(struct ui *ui)
{
    for (size_t i = 0; ui->setup_events && i < ui->setup_events->count; i++)
        free(ui->setup_events->names[i]);
    if (ui->setup_events)
        free(ui->setup_events->names);
    free(ui->setup_events);
}

static bool is_noted(const struct setup_events *events, const char *name)
{
    for (size_t i = 0; i < events->count; i++)
        if (str_equal(events->names[i], name))
            return true;
    return false;
}

void setup_events_note(struct ui *ui, const char *name)
{
    const struct metric *metric = metric_set_find(ui->metric_set, name);
    if (!ui->setup_events)
        ui->setup_events = mem_alloc(sizeof(*ui->setup_events));
    struct setup_events *events = ui->setup_events;
    for (size_t i = 0; metric && ui->frame && i < expr_event_count(metric->expr); i++) {
        const char *event = expr_event(metric->expr, i);
        if (event_set_find(ui->frame->events, event) >= 0 || is_noted(events, event))
            continue;
        mem_grow(&events->names, &events->room, events->count + 1, sizeof(*events->names));
        events->names[events->count++] = mem_strdup(event);
    }
}

/* Whether a metric of a column needs the event. */
static bool is_needed(const struct ui *ui, const char *event)
{
    for (size_t c = 0; c < view_columns(ui->view); c++) {
        const struct metric *metric =
            metric_set_find(ui->metric_set, view_column(ui->view, c)->name);
        for (size_t i = 0; metric && i < expr_event_count(metric->expr); i++)
            if (str_equal(expr_event(metric->expr, i), event))
                return true;
    }
    return false;
}

void setup_events_prune(struct ui *ui)
{
    struct setup_events *events = ui->setup_events;
    size_t kept = 0;
    if (!events)
        return;
    for (size_t i = 0; i < events->count; i++) {
        if (is_needed(ui, events->names[i])) {
            events->names[kept++] = events->names[i];
            continue;
        }
        host_remove_event(ui->host, events->names[i], NULL);
        free(events->names[i]);
    }
    if (kept < events->count)
        host_refresh(ui->host);
    events->count = kept;
}
