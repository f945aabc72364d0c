#include "front/exporter.h"

/* Units in the kernel's files, and their base units. */
static const struct base_unit {
    const char *unit, *base;
    double factor;
} units[] = {
    {"ns", "seconds", 1e-9}, {"us", "seconds", 1e-6},  {"ms", "seconds", 1e-3},
    {"Joules", "joules", 1}, {"KiB", "bytes", 0x1p10}, {"MiB", "bytes", 0x1p20},
    {"Bytes", "bytes", 1},   {"bytes", "bytes", 1},    {"64Bytes", "bytes", 64},
};

/* Letters and digits of an event's name; other characters become one '_'. */
static char *simplify(const char *name)
{
    struct str text = str_new();
    bool gap = false;
    for (const char *c = name; *c; c++) {
        if (!isascii((unsigned char)*c) || !isalnum((unsigned char)*c)) {
            gap = text.length > 0;
            continue;
        }
        if (gap)
            str_add_char(&text, '_');
        gap = false;
        str_add_char(&text, (char)tolower((unsigned char)*c));
    }
    if (!text.length)
        str_add(&text, "unnamed");
    return str_detach(&text);
}

static bool is_time_of(const char *text, const char *of, const struct kernel_time_name *times,
                       size_t count)
{
    bool same = false;
    for (size_t i = 0; i < count && !same; i++) {
        AUTO_FREE char *own = mem_printf("%s_%s_seconds", of, times[i].column);
        same = strcmp(own, text) == 0;
    }
    return same;
}

/* Whether countertop has a metric of that name, with its unit. An event may have any name. */
static bool metricname_is_own(const char *text)
{
    static const char *const own[] = {"busy_seconds", "coverage_ratio", "interval_seconds",
                                      "pressure_seconds"};
    return STR_IN(own, text) || is_time_of(text, "cpu", kernel_times_of_cpu, CPU_TIMES) ||
           is_time_of(text, "cgroup", kernel_times_of_cgroup, CGROUP_TIMES);
}

struct metric_name *metric_names_new(const struct event_set *set)
{
    static const char *const own[] = {
        "alarms",       "last_alarm", "busy",     "coverage",     "denied",
        "event",        "info",       "interval", "last_refresh", "long_waits",
        "lost_records", "refreshes",  "retired",  "starved",      "throttled",
    };
    struct metric_name *names = mem_array(set->count, sizeof(*names));
    for (size_t e = 0; e < set->count; e++) {
        struct metric_name *name = &names[e];
        const struct event_info *event = &set->events[e];
        const struct base_unit *unit = STR_FIND_IN(units, unit, event->unit);
        AUTO_FREE char *simple = simplify(event->name), *other = simplify(event->unit);
        bool taken =
            str_starts(simple, "self_") || str_starts(simple, "tasks_") || STR_IN(own, simple);
        *name = (struct metric_name){.factor = event->scale};
        if (unit) {
            name->unit = unit->base;
            name->factor *= unit->factor;
        }
        /* An unknown unit is a part of the text, but not a base unit. */
        const char *end = unit ? unit->base : *event->unit ? other : "";
        const char *gap = *end ? "_" : "";
        name->text = mem_printf("%s%s%s", simple, gap, end);
        const char *prefix = taken || metricname_is_own(name->text) ? "event_" : "";
        free(name->text);
        name->text = mem_printf("%s%s%s%s", prefix, simple, gap, end);
        for (int n = 2; STR_FIND(names, e, text, name->text); n++) {
            free(name->text);
            name->text = mem_printf("%s%s_%d%s%s", prefix, simple, n, gap, end);
        }
    }
    return names;
}

void metric_names_free(struct metric_name *names, const struct event_set *set)
{
    if (!names)
        return;
    for (size_t e = 0; e < set->count; e++)
        free(names[e].text);
    free(names);
}

/* ---- counters ---- */

void exporter_add_label(struct str *text, const char *key, const char *value)
{
    AUTO_STR struct str clean = str_new();
    str_add_visible(&clean, value);
    str_printf(text, "%s%s=\"", text->length ? "," : "", key);
    for (const char *c = clean.text; *c; c++) {
        if (*c == '\\' || *c == '"')
            str_add_char(text, '\\');
        str_add_char(text, *c);
    }
    str_add_char(text, '"');
}

static int by_oncpu(const void *pa, const void *pb, void *ctx)
{
    const struct view *view = ctx;
    const struct row *a = view_row(view, *(const size_t *)pa);
    const struct row *b = view_row(view, *(const size_t *)pb);
    return (a->oncpu < b->oncpu) - (a->oncpu > b->oncpu);
}

static void exporter_take_tasks(struct exporter *exporter, const struct frame *frame)
{
    view_set_frame(exporter->view, frame);
    cumulative_begin(&exporter->tasks, frame);
    size_t count = view_rows(exporter->view);
    AUTO_FREE size_t *order = mem_array(count, sizeof(*order));
    for (size_t r = 0; r < count; r++)
        order[r] = r;
    qsort_r(order, count, sizeof(*order), by_oncpu, exporter->view);
    for (size_t r = 0; r < count; r++) {
        struct group_info group;
        AUTO_STR struct str clean = str_new();
        task_info_group(&group, exporter->view, order[r]);
        if (group.name) /* names with the same escaped text share a counter */
            str_add_visible(&clean, group.name);
        cumulative_add(&exporter->tasks, frame, group.row, group.name ? clean.text : NULL);
    }
    /* Counts of tasks in no visible group: not watched, or filtered out. If CPUs are counted, all
     * tasks have everything that is neither idle nor unattributed; recordings have no rows of
     * unwatched tasks. Estimates do not balance: then the rows are added, as they were counted. */
    const struct event_set *set = frame->events;
    struct row rest = row_sum_new(set);
    for (size_t p = 0; p < frame->process_count; p++)
        row_sum_add(&rest, &frame->processes[p], frame);
    rest.state = EVENT_COUNTED;
    if (frame->has_cpus)
        rest.oncpu = frame->total.oncpu;
    for (size_t e = 0; e < set->count; e++)
        if (frame->has_cpus && frame->total.counts[e].coverage >= 1)
            rest.counts[e].value = frame->total.counts[e].value - frame->idle.counts[e].value -
                                   frame->unattributed.counts[e].value;
    uint64_t listed = 0;
    for (size_t r = 0; r < view_rows(exporter->view); r++) {
        const struct row *row = view_row(exporter->view, r);
        listed += row->wait_facts ? row->wait_facts->listed : 0;
        rest.oncpu -= row->oncpu;
        for (size_t e = 0; e < set->count; e++)
            rest.counts[e].value -= row_sum_raw(row, frame, e);
        for (size_t g = 0; g < set->groups; g++) {
            rest.times[g].enabled -= row->times[g].enabled;
            rest.times[g].running -= row->times[g].running;
        }
    }
    row_sum_complete(&rest, frame);
    for (size_t e = 0; e < set->count; e++)
        if (frame->has_cpus && frame->total.counts[e].coverage >= 1)
            rest.counts[e].coverage = !set->events[e].shared || set->events[e].kept;
    rest.oncpu = fmax(round(rest.oncpu * 1e9), 0) / 1e9; /* whole ns, like its parts */
    if (rest.wait_facts && frame->long_waits)            /* also of tasks without rows */
        rest.wait_facts->listed = frame->long_waits->count - listed;
    cumulative_add(&exporter->tasks, frame, &rest, NULL);
    row_sum_release(&rest);
    view_set_frame(exporter->view, NULL);
}

/* Adds what passed in an interval. What was not known in an earlier one, as of a cgroup that had no
 * limit, is known from now on. */
static void exporter_add_times(struct kernel_times *sum, const struct kernel_times *span)
{
    unsigned known = sum->known | span->known;
    kernel_times_add(sum, span);
    sum->known = known;
}

/* Adds what passed to the sums of cgroups that still exist. A sum that was dropped begins at 0
 * again, as counters may. */
static void exporter_take_cgroups(struct exporter *exporter, const struct machine_load *load)
{
    struct machine_load now = {0};
    size_t count =
        exporter->most && exporter->most < load->cgroup_count ? exporter->most : load->cgroup_count;
    for (size_t i = 0; i < count; i++) {
        const struct cgroup_load *span = &load->cgroups[i];
        AUTO_STR struct str clean = str_new();
        str_add_visible(&clean, span->path); /* equal texts share a sum, as names do */
        const struct cgroup_load *old = load_find_cgroup(&exporter->cgroups, clean.text);
        bool begun = load_find_cgroup(&now, clean.text) != NULL;
        struct kernel_times *sum = &load_of_cgroup(&now, clean.text)->kernel_times;
        if (old && !begun)
            *sum = old->kernel_times;
        exporter_add_times(sum, &span->kernel_times);
    }
    load_release(&exporter->cgroups);
    exporter->cgroups = now;
}

void exporter_take(struct exporter *exporter, const struct session *session,
                   const struct frame *frame)
{
    str_clear(&exporter->info);
    exporter_add_label(&exporter->info, "version", COUNTERTOP_VERSION);
    exporter_add_label(&exporter->info, "host", session->host);
    exporter_add_label(&exporter->info, "kernel", session->kernel);
    exporter_add_label(&exporter->info, "cpu_model", session->cpu_model);
    exporter_add_label(&exporter->info, "engine", session->engine);
    exporter_add_label(&exporter->info, "mode", session_mode(session));
    if (exporter->set != frame->events) {
        metric_names_free(exporter->names, exporter->set);
        event_set_drop(exporter->set);
        exporter->set = mem_share(frame->events);
        exporter->names = metric_names_new(exporter->set);
    }
    cumulative_begin(&exporter->cpus, frame);
    cumulative_begin(&exporter->books, frame);
    for (size_t c = 0; frame->has_cpus && c < frame->cpu_count; c++) {
        char name[16];
        snprintf(name, sizeof(name), "%d", frame->cpus[c].cpu);
        cumulative_add(&exporter->cpus, frame, &frame->cpus[c], name);
    }
    if (frame->has_cpus) {
        cumulative_add(&exporter->books, frame, &frame->idle, "idle");
        cumulative_add(&exporter->books, frame, &frame->unattributed, "unattributed");
    } else {
        cumulative_add(&exporter->cpus, frame, &frame->total, "");
    }
    exporter_take_tasks(exporter, frame);
    exporter->refreshes++;
    exporter->lists_waits |= frame->long_waits != NULL;
    exporter->lost += frame->lost_records;
    exporter->pressure = pressure_sum(&exporter->pressure, &frame->load.pressure);
    for (size_t c = 0; c < frame->load.count; c++) {
        const struct cpu_load *cpu = &frame->load.cpus[c];
        if (!cpu->again)
            exporter_add_times(&load_of(&exporter->load, cpu->cpu)->kernel_times,
                               &cpu->kernel_times);
    }
    exporter_take_cgroups(exporter, &frame->load);
    wait_facts_add(&exporter->wait_facts, frame->total.wait_facts);
    exporter->throttled += frame->throttled;
    exporter->denied = frame->denied_tasks;
    exporter->starved = frame->starved_tasks;
    const struct session_alarm *alarm = &session->alarm;
    exporter->alarms = alarm->armed ? (double)alarm->count : NAN;
    exporter->last_alarm = alarm->count ? alarm->time : NAN;
    exporter->wall = frame->wall;
    exporter->interval = frame->interval;
    exporter->self = (struct self){exporter->self.seconds + frame->self_cpu,
                                   frame->self_descriptors, frame->self_rss};
}

struct exporter *exporter_new(struct view *view, size_t names)
{
    struct exporter *exporter = mem_alloc(sizeof(*exporter));
    exporter->view = view;
    struct view_settings settings = *view_settings(view);
    if (!view_adds_up(settings.kind) || view_types[settings.kind].takers)
        settings.kind = VIEW_COMMANDS;
    view_change(view, &settings);
    cumulative_init(&exporter->cpus, 0);
    cumulative_init(&exporter->tasks, names);
    exporter->most = names;
    cumulative_init(&exporter->books, 0);
    exporter->info = str_new();
    return exporter;
}

void exporter_free(struct exporter *exporter)
{
    if (!exporter)
        return;
    view_free(exporter->view);
    cumulative_release(&exporter->cpus);
    cumulative_release(&exporter->tasks);
    cumulative_release(&exporter->books);
    metric_names_free(exporter->names, exporter->set);
    event_set_drop(exporter->set);
    str_release(&exporter->info);
    load_release(&exporter->load);
    load_release(&exporter->cgroups);
    wait_facts_free(exporter->wait_facts);
    free(exporter);
}

/* ---- tasks and groups ---- */

void task_info_task(struct task_info *info, const struct view *view, const struct row *row)
{
    const struct view_lookup *lookup = view_lookup_of(view);
    bool thread = view_settings(view)->threads;
    *info = (struct task_info){0};
    char threads[16];
    pid_t tid = thread ? row->tid : 0;
    if (row->exited || !lookup->word(lookup->ctx, row->pid, tid, "stat", ")", STAT_STATE,
                                     info->state, sizeof(info->state)))
        info->state[0] = '\0';
    if (thread)
        info->threads = 1;
    else if (*info->state && lookup->word(lookup->ctx, row->pid, tid, "stat", ")", STAT_THREADS,
                                          threads, sizeof(threads)))
        info->threads = strtoul(threads, NULL, 10);
}

const char *task_info_container(const struct view *view, const char *path)
{
    const struct view_lookup *lookup = view_lookup_of(view);
    return path && lookup->container ? lookup->container(lookup->ctx, path) : NULL;
}

void task_info_group(struct group_info *group, struct view *view, size_t index)
{
    group->row = view_row(view, index);
    group->group = view_row_group(view, index);
    group->name = group->group->key;
    if (view_settings(view)->kind == VIEW_USERS)
        group->name = view_user(view_lookup_of(view), group->row->uid, group->number);
}
