#include "front/exporter.h"
#include "base/mem.h"
#include "front/task_info.h"
#include "view/view_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void exporter_add_label(struct str *text, const char *key, const char *value)
{
    struct str clean;
    str_init(&clean);
    str_add_visible(&clean, value);
    str_printf(text, "%s%s=\"", text->length ? "," : "", key);
    for (const char *c = clean.text; *c; c++) {
        if (*c == '\\' || *c == '"')
            str_add_char(text, '\\');
        str_add_char(text, *c);
    }
    str_add_char(text, '"');
    str_release(&clean);
}

static int by_oncpu(const void *pa, const void *pb, void *ctx)
{
    const struct view *view = ctx;
    const struct row *a = view_row(view, *(const size_t *)pa);
    const struct row *b = view_row(view, *(const size_t *)pb);
    return (a->oncpu < b->oncpu) - (a->oncpu > b->oncpu);
}

static void exporter_take_tasks(struct exporter *metrics, const struct frame *frame)
{
    view_set_frame(metrics->view, frame);
    cumulative_begin(&metrics->tasks, frame);
    size_t count = view_rows(metrics->view), *order = mem_array(count, sizeof(*order));
    for (size_t r = 0; r < count; r++)
        order[r] = r;
    qsort_r(order, count, sizeof(*order), by_oncpu, metrics->view);
    for (size_t r = 0; r < count; r++) {
        struct group_info group;
        struct str clean; /* names with the same escaped text share a counter */
        str_init(&clean);
        task_info_group(&group, metrics->view, metrics->lookup, order[r]);
        if (group.name)
            str_add_visible(&clean, group.name);
        cumulative_add(&metrics->tasks, frame, group.row, group.name ? clean.text : NULL);
        str_release(&clean);
    }
    free(order);
    /* Counts of tasks in no visible group: not watched, or filtered out. If CPUs are counted, all
     * tasks have everything that is neither idle nor unattributed; recordings have no rows of
     * unwatched tasks. Estimates do not balance: then the rows are added. */
    size_t events = frame->events->count;
    struct row rest = {.state = EVENT_COUNTED};
    rest.counts = mem_array(events, sizeof(*rest.counts));
    for (size_t p = 0; p < frame->process_count; p++)
        rest.oncpu += frame->processes[p].oncpu;
    if (frame->has_cpus)
        rest.oncpu = frame->total.oncpu;
    for (size_t e = 0; e < events; e++) {
        uint64_t *value = &rest.counts[e].value;
        for (size_t p = 0; p < frame->process_count; p++)
            *value += frame->processes[p].counts[e].value;
        if (frame->has_cpus && frame->total.counts[e].coverage >= 1)
            *value = frame->total.counts[e].value - frame->idle.counts[e].value -
                     frame->unattributed.counts[e].value;
        const struct event_info *event = &frame->events->events[e];
        rest.counts[e].coverage = !event->shared || event->kept;
    }
    for (size_t r = 0; r < view_rows(metrics->view); r++) {
        const struct row *row = view_row(metrics->view, r);
        rest.oncpu -= row->oncpu;
        for (size_t e = 0; e < events; e++)
            rest.counts[e].value -= row->counts[e].value;
    }
    rest.oncpu = fmax(round(rest.oncpu * 1e9), 0) / 1e9; /* whole ns, like its parts */
    cumulative_add(&metrics->tasks, frame, &rest, NULL);
    free(rest.counts);
    view_set_frame(metrics->view, NULL);
}

/* Adds what passed to the sums of cgroups that still exist. A sum that was dropped begins at 0
 * again, as counters may. */
static void exporter_take_cgroups(struct exporter *metrics, const struct machine_load *load)
{
    struct machine_load now = {0};
    size_t count =
        metrics->most && metrics->most < load->cgroup_count ? metrics->most : load->cgroup_count;
    for (size_t i = 0; i < count; i++) {
        const struct cgroup_load *span = &load->cgroups[i];
        const struct cgroup_load *old = load_find_cgroup(&metrics->cgroups, span->path);
        struct kernel_times *sum = &load_of_cgroup(&now, span->path)->kernel_times;
        *sum = old ? old->kernel_times : (struct kernel_times){0};
        kernel_times_add(sum, &span->kernel_times);
    }
    load_release(&metrics->cgroups);
    metrics->cgroups = now;
}

void exporter_take(struct exporter *metrics, const struct session *session,
                   const struct frame *frame)
{
    str_clear(&metrics->info);
    exporter_add_label(&metrics->info, "version", COUNTERTOP_VERSION);
    exporter_add_label(&metrics->info, "host", session->host);
    exporter_add_label(&metrics->info, "kernel", session->kernel);
    exporter_add_label(&metrics->info, "cpu_model", session->cpu_model);
    exporter_add_label(&metrics->info, "engine", session->engine);
    exporter_add_label(&metrics->info, "mode", session_mode(session));
    if (metrics->set != frame->events) {
        metric_names_free(metrics->names, metrics->set);
        event_set_drop(metrics->set);
        metrics->set = event_set_share(frame->events);
        metrics->names = metric_names_new(metrics->set);
    }
    cumulative_begin(&metrics->cpus, frame);
    cumulative_begin(&metrics->books, frame);
    for (size_t c = 0; frame->has_cpus && c < frame->cpu_count; c++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", frame->cpus[c].cpu);
        cumulative_add(&metrics->cpus, frame, &frame->cpus[c], name);
    }
    if (frame->has_cpus) {
        cumulative_add(&metrics->books, frame, &frame->idle, "idle");
        cumulative_add(&metrics->books, frame, &frame->unattributed, "unattributed");
    } else {
        cumulative_add(&metrics->cpus, frame, &frame->total, "");
    }
    exporter_take_tasks(metrics, frame);
    metrics->refreshes++;
    metrics->lost += frame->lost_records;
    metrics->pressure = pressure_sum(&metrics->pressure, &frame->load.pressure);
    for (size_t c = 0; c < frame->load.count; c++)
        kernel_times_add(&load_of(&metrics->load, frame->load.cpus[c].cpu)->kernel_times,
                         &frame->load.cpus[c].kernel_times);
    exporter_take_cgroups(metrics, &frame->load);
    metrics->throttled += frame->throttled;
    metrics->denied = frame->denied_tasks;
    metrics->starved = frame->starved_tasks;
    metrics->wall = frame->wall;
    metrics->interval = frame->interval;
    metrics->self = (struct self){metrics->self.seconds + frame->self_cpu, frame->self_descriptors,
                                  frame->self_rss};
}

struct exporter *exporter_new(struct view *view, const struct view_lookup *lookup, size_t names)
{
    struct exporter *metrics = mem_alloc(sizeof(*metrics));
    metrics->view = view;
    metrics->lookup = lookup;
    struct view_settings *settings = view_settings(view);
    if (!view_adds_up(settings->kind))
        settings->kind = VIEW_COMMANDS;
    cumulative_init(&metrics->cpus, 0);
    cumulative_init(&metrics->tasks, names);
    metrics->most = names;
    cumulative_init(&metrics->books, 0);
    str_init(&metrics->info);
    return metrics;
}

void exporter_free(struct exporter *metrics)
{
    if (!metrics)
        return;
    view_free(metrics->view);
    cumulative_release(&metrics->cpus);
    cumulative_release(&metrics->tasks);
    cumulative_release(&metrics->books);
    metric_names_free(metrics->names, metrics->set);
    event_set_drop(metrics->set);
    str_release(&metrics->info);
    load_release(&metrics->load);
    load_release(&metrics->cgroups);
    free(metrics);
}
