#include "front/batch.h"

enum type { COUNTER, GAUGE, INFO, HISTOGRAM };
static const char *const suffixes[] = {"_total", "", "_info", ""}; /* of samples */

struct metrics_writer {
    struct str *text;
    enum metrics_form form;
    enum type type;    /* the family being written */
    char *name;        /* its name */
    struct str labels; /* for the next sample */
};

/* Begins a metric family. name: without "countertop" and the suffix of samples; unit: at the end of
 * the name, NULL: none. */
static void begin_family(struct metrics_writer *w, enum type type, const char *name,
                         const char *unit, const char *help)
{
    static const char *const types[] = {"counter", "gauge", "info", "histogram"};
    bool text = w->form == METRICS_TEXT;
    const char *suffix = text ? suffixes[type] : "";
    const char *word = types[text && type == INFO ? GAUGE : type];
    mem_replace(&w->name, mem_strdup(name));
    w->type = type;
    str_printf(w->text, "# TYPE countertop%s%s %s\n", name, suffix, word);
    if (unit && !text)
        str_printf(w->text, "# UNIT countertop%s %s\n", name, unit);
    str_printf(w->text, "# HELP countertop%s%s ", name, suffix);
    for (const char *c = help; *c; c++) { /* only OpenMetrics escapes quotes */
        if (*c == '\\' || (!text && *c == '"'))
            str_add_char(w->text, '\\');
        str_add_char(w->text, *c);
    }
    str_add_char(w->text, '\n');
}

/* Writes the name of a sample, its suffix, the labels set before, and a blank. */
static void begin_suffixed(struct metrics_writer *w, const char *suffix)
{
    str_printf(w->text, "countertop%s%s", w->name, suffix);
    if (w->labels.length)
        str_printf(w->text, "{%s}", w->labels.text);
    str_add_char(w->text, ' ');
    str_clear(&w->labels);
}

static void begin_sample(struct metrics_writer *w)
{
    begin_suffixed(w, suffixes[w->type]);
}

static void add_count(struct metrics_writer *w, uint64_t count)
{
    begin_sample(w);
    str_printf(w->text, "%llu\n", (unsigned long long)count);
}

static void openmetrics_add_number(struct metrics_writer *w, double number)
{
    begin_sample(w);
    str_printf(w->text, "%.15g\n", number);
}

/* A count of an event, in the unit of its metric. */
static void add_event_count(struct metrics_writer *w, const struct exporter *exporter, size_t e,
                            uint64_t count)
{
    double factor = exporter->names[e].factor;
    if (factor == 1)
        add_count(w, count);
    else
        openmetrics_add_number(w, (double)count * factor);
}

/* A place's sum of an event, no sample if never counted; after the last event its seconds, and its
 * long waits. */
static void add_place(struct metrics_writer *w, const struct exporter *exporter, size_t e,
                      const struct cumulative *of, const struct cumulative_place *place)
{
    const struct cumulative_sum *sum =
        e < exporter->set->count ? cumulative_sum(of, place, e) : NULL;
    if (e > exporter->set->count)
        add_count(w, place->listed);
    else if (!sum)
        openmetrics_add_number(w, place->seconds);
    else if (sum->known)
        add_event_count(w, exporter, e, sum->value);
    else
        str_clear(&w->labels);
}

static void label_cpu(struct metrics_writer *w, const struct cumulative_place *place)
{
    if (*place->name)
        exporter_add_label(&w->labels, "cpu", place->name);
}

static void add_cpus(struct metrics_writer *w, const struct exporter *exporter, size_t e)
{
    for (size_t i = 0; i < exporter->cpus.count; i++) {
        label_cpu(w, exporter->cpus.places[i]);
        add_place(w, exporter, e, &exporter->cpus, exporter->cpus.places[i]);
    }
}

/* Groups of tasks, and what is in none of them. exporter_take() has escaped names. */
static void add_tasks(struct metrics_writer *w, const struct exporter *exporter, size_t e)
{
    const char *naming = view_types[view_settings(exporter->view)->kind].naming;
    for (size_t i = 0; i < exporter->tasks.count; i++) {
        exporter_add_label(&w->labels, "kind", "task");
        exporter_add_label(&w->labels, naming, exporter->tasks.places[i]->name);
        add_place(w, exporter, e, &exporter->tasks, exporter->tasks.places[i]);
    }
    exporter_add_label(&w->labels, "kind", "other");
    add_place(w, exporter, e, &exporter->tasks, &exporter->tasks.rest);
}

/* Begins the family of an event. by: the labels that distinguish its counters. */
static void begin_event(struct metrics_writer *w, const struct exporter *exporter, size_t e,
                        const char *prefix, const char *by)
{
    const struct metric_name *name = &exporter->names[e];
    AUTO_FREE char *family = mem_printf("%s%s", prefix, name->text);
    AUTO_STR struct str help = str_new();
    str_add(&help, "Event '");
    str_add_visible(&help, exporter->set->events[e].name);
    str_printf(&help, "', %s", by);
    begin_family(w, COUNTER, family, name->unit, help.text);
}

/* The largest of an interval is nothing that adds up. */
static bool is_counter(const struct event_info *event)
{
    return event->state == EVENT_COUNTED && !scheduler_is_peak(event->kept);
}

static void openmetrics_write_events(struct metrics_writer *w, const struct exporter *exporter)
{
    const struct event_info *events = exporter->set->events;
    for (size_t e = 0; e < exporter->set->count; e++) {
        if (!is_counter(&events[e]) || scheduler_of_tasks(events[e].kept))
            continue;
        begin_event(w, exporter, e, "_", "on each CPU");
        add_cpus(w, exporter, e);
    }
    for (size_t e = 0; e < exporter->set->count; e++) {
        if (!is_counter(&events[e]) || (events[e].shared && !events[e].kept))
            continue;
        begin_event(w, exporter, e, "_tasks_", "by who did it");
        add_tasks(w, exporter, e);
        for (size_t i = 0; i < exporter->books.count; i++) {
            exporter_add_label(&w->labels, "kind", exporter->books.places[i]->name);
            add_place(w, exporter, e, &exporter->books, exporter->books.places[i]);
        }
    }
    begin_family(w, COUNTER, "_retired", NULL,
                 "Counts of names that were dropped for busier ones, by event");
    for (size_t e = 0; e < exporter->set->count; e++) {
        if (!is_counter(&events[e]))
            continue;
        exporter_add_label(&w->labels, "event", events[e].name);
        add_event_count(w, exporter, e, cumulative_retired(&exporter->tasks, e));
    }
}

static void write_coverage(struct metrics_writer *w, const struct exporter *exporter)
{
    bool hardware = false;
    for (size_t e = 0; e < exporter->set->count; e++)
        hardware |=
            exporter->set->events[e].hardware && exporter->set->events[e].state == EVENT_COUNTED;
    if (!hardware)
        return;
    begin_family(w, GAUGE, "_coverage_ratio", "ratio",
                 "Part of the last interval that an event was on a hardware "
                 "counter: below 1 its counts are estimates");
    for (size_t e = 0; e < exporter->set->count; e++) {
        const struct event_info *event = &exporter->set->events[e];
        for (size_t i = 0; event->hardware && i < exporter->cpus.count; i++) {
            const struct cumulative_place *place = exporter->cpus.places[i];
            const struct cumulative_sum *sum = cumulative_sum(&exporter->cpus, place, e);
            if (sum->coverage <= 0) /* not counted then, as on a CPU that is offline */
                continue;
            exporter_add_label(&w->labels, "event", event->name);
            label_cpu(w, place);
            openmetrics_add_number(w, sum->coverage);
        }
    }
}

static void write_pressure(struct metrics_writer *w, const struct machine_pressure *pressure)
{
    if (pressure->time == 0)
        return;
    begin_family(w, COUNTER, "_pressure_seconds", "seconds",
                 "Time in which some tasks of the machine, or all that were not "
                 "idle (full), could not go on for lack of a resource");
    for (int p = 0; p < PRESSURES; p++)
        for (int full = 0; full <= (p != PRESSURE_CPU); full++) {
            const struct pressure_time *of = &pressure->of[p];
            exporter_add_label(&w->labels, "resource", pressure_names[p]);
            exporter_add_label(&w->labels, "kind", full ? "full" : "some");
            openmetrics_add_number(w, (double)(full ? of->full : of->some) / 1e9);
        }
}

/* One sample of what the kernel tells, if it is known. */
static void add_kernel_times(struct metrics_writer *w, const char *key, const char *value,
                             const struct kernel_times *times, size_t number)
{
    uint64_t time;
    if (!kernel_times_get(times, number, &time))
        return;
    exporter_add_label(&w->labels, key, value);
    openmetrics_add_number(w, (double)time / 1e9);
}

static void begin_kernel_times(struct metrics_writer *w, const char *of,
                               const struct kernel_time_name *times)
{
    AUTO_FREE char *name = mem_printf("_%s_%s_seconds", of, times->column);
    begin_family(w, COUNTER, name, "seconds", times->text);
}

static void write_kernel_times(struct metrics_writer *w, const struct exporter *exporter)
{
    const struct machine_load *load = &exporter->load, *cgroups = &exporter->cgroups;
    for (size_t i = 0; i < CPU_TIMES; i++) {
        if (!kernel_times_of_cpu[i].text)
            continue;
        begin_kernel_times(w, "cpu", &kernel_times_of_cpu[i]);
        for (size_t c = 0; c < load->count; c++) {
            char cpu[16];
            snprintf(cpu, sizeof(cpu), "%d", load->cpus[c].cpu);
            add_kernel_times(w, "cpu", cpu, &load->cpus[c].kernel_times, i);
        }
    }
    for (size_t i = 0; i < CGROUP_TIMES && cgroups->cgroup_count > 0; i++) {
        if (!kernel_times_of_cgroup[i].text)
            continue;
        begin_kernel_times(w, "cgroup", &kernel_times_of_cgroup[i]);
        for (size_t c = 0; c < cgroups->cgroup_count; c++)
            add_kernel_times(w, "cgroup", cgroups->cgroups[c].path,
                             &cgroups->cgroups[c].kernel_times, i);
    }
}

/* Buckets end at powers of two, from 1 us to 17 s, which are ends of those that are kept, too. */
static void write_spans(struct metrics_writer *w, const struct exporter *exporter)
{
    enum { FIRST_BIT = 10, LAST_BIT = 34 };
    static const char *const texts[SPAN_KINDS] = {
        "Single waits of threads for a CPU, to the end of each", "Those after a wake-up",
        "Times on a CPU between two switches", "Times from leaving a CPU to the wake-up"};
    uint64_t counts[SPAN_BUCKETS];
    for (enum span_kind kind = 0; kind < SPAN_KINDS; kind++) {
        uint64_t all = wait_facts_buckets(exporter->wait_facts, kind, counts), sum = 0;
        if (all == 0)
            continue;
        AUTO_FREE char *name = mem_printf("_%s_spans_seconds", span_kinds[kind].name);
        begin_family(w, HISTOGRAM, name, "seconds", texts[kind]);
        size_t bucket = 0;
        for (int bit = FIRST_BIT; bit <= LAST_BIT; bit++) {
            char end[32];
            for (; bucket < span_bucket(1ull << bit); bucket++)
                sum += counts[bucket];
            snprintf(end, sizeof(end), "%.9f", (double)((1ull << bit) - 1) / 1e9);
            exporter_add_label(&w->labels, "le", end);
            begin_suffixed(w, "_bucket");
            str_printf(w->text, "%llu\n", (unsigned long long)sum);
        }
        exporter_add_label(&w->labels, "le", "+Inf");
        begin_suffixed(w, "_bucket");
        str_printf(w->text, "%llu\n", (unsigned long long)all);
        begin_suffixed(w, "_count");
        str_printf(w->text, "%llu\n", (unsigned long long)all);
        begin_suffixed(w, "_sum");
        str_printf(w->text, "%.15g\n", (double)exporter->wait_facts->sum[kind] / 1e9);
    }
}

static void write_state(struct metrics_writer *w, const struct exporter *exporter)
{
    const struct self *self = &exporter->self;
    const struct {
        enum type type;
        const char *name, *unit, *help;
        double number; /* NAN: not known */
    } states[] = {
        {COUNTER, "_refreshes", NULL, "Intervals counted so far", (double)exporter->refreshes},
        {GAUGE, "_interval_seconds", "seconds", "Length of the last interval", exporter->interval},
        {GAUGE, "_last_refresh_timestamp_seconds", "seconds",
         "End of the last interval, since 1970", exporter->wall},
        {COUNTER, "_alarms", NULL, "Times that the condition of --when became true",
         exporter->alarms},
        {GAUGE, "_last_alarm_timestamp_seconds", "seconds", "The last of them, since 1970",
         exporter->last_alarm},
        {COUNTER, "_lost_records", NULL,
         "Records that the kernel dropped; their counts are unattributed", (double)exporter->lost},
        {COUNTER, "_throttled", NULL, "Times that the kernel throttled sampling",
         (double)exporter->throttled},
        {GAUGE, "_denied_tasks", NULL, "Tasks not counted for lack of permission",
         (double)exporter->denied},
        {GAUGE, "_starved_tasks", NULL, "Tasks not counted because descriptors ran out",
         (double)exporter->starved},
        {COUNTER, "_self_cpu_seconds", "seconds", "CPU time that countertop took", self->seconds},
        /* only if frame_has_descriptors() */
        {GAUGE, "_self_descriptors", NULL, "Descriptors that countertop counts with",
         self->descriptors || self->rss ? (double)self->descriptors : NAN},
        {GAUGE, "_self_resident_memory_bytes", "bytes", "Memory that countertop takes",
         self->rss ? (double)self->rss : NAN},
    };
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (isnan(states[i].number))
            continue;
        begin_family(w, states[i].type, states[i].name, states[i].unit, states[i].help);
        openmetrics_add_number(w, states[i].number);
    }
}

void metrics_write(const struct exporter *exporter, enum metrics_form form, struct str *text)
{
    struct metrics_writer w = {.text = text, .form = form};
    w.labels = str_new();
    if (exporter->set) {
        begin_family(&w, INFO, "", NULL, "The machine and how it is counted");
        str_add(&w.labels, exporter->info.text);
        add_count(&w, 1);
        begin_family(&w, INFO, "_event", NULL,
                     "Each event, with its metric where it has one, and the "
                     "reason why it is not counted");
        for (size_t e = 0; e < exporter->set->count; e++) {
            const struct event_info *event = &exporter->set->events[e];
            exporter_add_label(&w.labels, "event", event->name);
            exporter_add_label(&w.labels, "state", event_state_name(event->state));
            if (event->pmu)
                exporter_add_label(&w.labels, "pmu", event->pmu);
            if (is_counter(event)) /* some have no counter of CPUs */
                str_printf(&w.labels, ",metric=\"countertop_%s%s_total\"",
                           scheduler_of_tasks(event->kept) ? "tasks_" : "",
                           exporter->names[e].text);
            if (event->reason)
                exporter_add_label(&w.labels, "reason", event->reason);
            add_count(&w, 1);
        }
        openmetrics_write_events(&w, exporter);
        begin_family(&w, COUNTER, "_busy_seconds", "seconds", "Time that each CPU was busy");
        add_cpus(&w, exporter, exporter->set->count);
        begin_family(&w, COUNTER, "_tasks_busy_seconds", "seconds",
                     "Time on a CPU, by who took it");
        add_tasks(&w, exporter, exporter->set->count);
        if (exporter->lists_waits) {
            begin_family(&w, COUNTER, "_tasks_long_waits", NULL,
                         "Single waits for a CPU that --waits-over lists, by who waited");
            add_tasks(&w, exporter, exporter->set->count + 1);
        }
        write_coverage(&w, exporter);
        write_kernel_times(&w, exporter);
        write_pressure(&w, &exporter->pressure);
        write_spans(&w, exporter);
        write_state(&w, exporter);
    }
    str_add(text, "# EOF\n");
    str_release(&w.labels);
    free(w.name);
}

int openmetrics_write(struct batch *batch, const struct session *session UNUSED,
                      struct err *err UNUSED)
{
    metrics_write(batch->in.exporter, METRICS_TEXT, &batch->text);
    return 0;
}
