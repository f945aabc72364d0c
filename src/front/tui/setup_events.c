#include "front/tui/setup_events.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/ui.h"

#include <stdlib.h>

void setup_events_release(struct setup_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        free(events->names[i]);
    free(events->names);
    *events = (struct setup_events){0};
}

static bool is_noted(const struct setup_events *events, const char *name)
{
    size_t i = 0;
    while (i < events->count && !str_equal(events->names[i], name))
        i++;
    return i < events->count;
}

void setup_events_note(struct ui *ui, const char *name)
{
    struct setup_events *events = &ui->setup_events;
    const struct metric *metric = metric_set_find(ui->metric_set, name);
    for (size_t i = 0; metric && ui->frame && i < expr_event_count(metric->expr); i++) {
        const char *event = expr_event(metric->expr, i);
        if (event_set_find(ui->frame->events, event) >= 0 || is_noted(events, event))
            continue;
        mem_grow(&events->names, &events->room, events->count + 1, sizeof(*events->names));
        events->names[events->count++] = mem_strdup(event);
    }
}

static bool uses(const struct metric *metric, const char *event)
{
    for (size_t i = 0; metric && i < expr_event_count(metric->expr); i++)
        if (str_equal(expr_event(metric->expr, i), event))
            return true;
    return false;
}

static bool setup_events_is_used(const struct ui *ui, const char *event)
{
    for (size_t i = 0; i < view_columns(ui->view); i++)
        if (uses(metric_set_find(ui->metric_set, view_column(ui->view, i)->name), event))
            return true;
    return false;
}

void setup_events_prune(struct ui *ui)
{
    struct setup_events *events = &ui->setup_events;
    size_t kept = 0;
    for (size_t i = 0; i < events->count; i++) {
        if (setup_events_is_used(ui, events->names[i])) {
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
