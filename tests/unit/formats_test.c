/* What openmetrics has of an interval, and nothing where there is nothing. */
#include "base/str.h"
#include "unit/viewed.h"

#include "cli/options.h"
#include "front/batch.h"

/* What was counted, -1: not told. The fourth did not run; the CPUs are those three, idle and a
 * rest. */
static const struct {
    const char *kind, *key; /* the row: by pid, or number of the CPU */
    long long counts[EVENTS];
} facts[] = {
    {"task", "1", {100, 200, 5}},     {"task", "2", {400, 100, 1234}}, {"task", "3", {0, 10, 0}},
    {"cpu", "0", {300, 250, 1000}},   {"cpu", "1", {230, 70, 246}},    {"idle", "", {20, 8, 0}},
    {"unattributed", "", {10, 2, 7}}, {"total", "", {530, 320, 1246}},
};

enum { FACTS = sizeof(facts) / sizeof(facts[0]) };

static void set_counts(struct row *row, const long long *counts)
{
    for (size_t e = 0; e < EVENTS; e++)
        row->counts[e] = (struct count){(uint64_t)counts[e], 1};
}

static struct frame *machine(void)
{
    struct frame *frame = tasks();
    frame->has_cpus = true;
    frame->wall = 1763628000.125;
    for (size_t f = 0; f < FACTS; f++) {
        if (strcmp(facts[f].kind, "cpu") == 0) {
            struct row row = handmade_row(frame, NULL);
            row.cpu = (int)frame->cpu_count;
            set_counts(&row, facts[f].counts);
            handmade_add(&frame->cpus, &frame->cpu_count, row);
        } else if (strcmp(facts[f].kind, "idle") == 0) {
            set_counts(&frame->idle, facts[f].counts);
        } else if (strcmp(facts[f].kind, "unattributed") == 0) {
            set_counts(&frame->unattributed, facts[f].counts);
        } else if (strcmp(facts[f].kind, "total") == 0) {
            set_counts(&frame->total, facts[f].counts);
        }
    }
    return frame;
}

static const struct session session = {.host = "h",
                                       .kernel = "6.1",
                                       .cpu_model = "A, \"B\"",
                                       .engine = "cpu",
                                       .engine_reason = "",
                                       .notice = "",
                                       .delay = 1};

static void expect_line(const struct str *text, const char *line)
{
    AUTO_STR struct str totals = str_new();
    str_printf(&totals, "\n%s\n", line);
    if (!strstr(text->text, totals.text))
        fail_msg("no '%s' in\n%s", line, text->text);
}

static struct exporter *new_metrics(struct fixture *f, size_t most)
{
    return exporter_new(view_new(&f->metric_set, &f->screens, view_lookup_of(f->view)), most);
}

static void take(struct exporter *metrics, struct frame *frame)
{
    exporter_take(metrics, &session, frame);
    frame_free(frame);
}

static void openmetrics_has_two_forms(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    struct str text, strict;
    text = str_new();
    strict = str_new();
    metrics_write(metrics, METRICS_TEXT, &text);
    assert_string_equal(text.text, "# EOF\n"); /* before the first interval */
    struct frame *frame = machine();
    frame->cpus[1].counts[CYCLES].coverage = 0.25;
    take(metrics, frame);
    str_clear(&text);
    metrics_write(metrics, METRICS_TEXT, &text);
    metrics_write(metrics, METRICS_1_0, &strict);
    expect_line(&text, "# TYPE countertop_cycles_total counter");
    expect_line(&strict, "# TYPE countertop_cycles counter");
    expect_line(&text, "# HELP countertop_cycles_total Event 'cycles', on each CPU");
    expect_line(&strict, "# HELP countertop_cycles Event 'cycles', on each CPU");
    expect_line(&strict, "# UNIT countertop_busy_seconds seconds");
    assert_null(strstr(text.text, "# UNIT"));
    assert_non_null(strstr(text.text, "# TYPE countertop_event_info gauge\n"));
    assert_non_null(strstr(strict.text, "# TYPE countertop_event info\n"));
    expect_line(&text, "countertop_coverage_ratio{event=\"cycles\",cpu=\"0\"} 1");
    expect_line(&text, "countertop_coverage_ratio{event=\"cycles\",cpu=\"1\"} 0.25");
    assert_null(strstr(text.text, "countertop_coverage_ratio{event=\"page-faults\""));
    assert_non_null(strstr(text.text, "cpu_model=\"A, \\\"B\\\"\""));
    assert_string_equal(text.text + text.length - 6, "# EOF\n");
    assert_string_equal(strict.text + strict.length - 6, "# EOF\n");
    exporter_free(metrics);
    str_release(&text);
    str_release(&strict);
}

static struct frame *with_kernel_time(struct frame *frame, bool again, uint64_t seconds)
{
    struct cpu_load *load = load_of(&frame->load, 0);
    kernel_times_set(&load->kernel_times, CPU_KERNEL, seconds * 1000000000);
    load->again = again;
    return frame;
}

static void openmetrics_adds_times_once(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    AUTO_STR struct str text = str_new();
    take(metrics, with_kernel_time(machine(), true, 0)); /* nothing is known yet */
    take(metrics, with_kernel_time(machine(), false, 2));
    take(metrics, with_kernel_time(machine(), true, 2));
    take(metrics, with_kernel_time(machine(), false, 3));
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_cpu_kernel_seconds_total{cpu=\"0\"} 5");
    exporter_free(metrics);
}

static struct frame *with_cgroup_time(struct frame *frame, const char *path,
                                      enum cgroup_kernel_time time, uint64_t seconds)
{
    kernel_times_set(&load_of_cgroup(&frame->load, path)->kernel_times, time, seconds * 1000000000);
    return frame;
}

/* A cgroup gets its limit while it is counted. */
static void openmetrics_has_times_known_later(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    AUTO_STR struct str text = str_new();
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_PRESSURE, 1));
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_THROTTLED, 2));
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_THROTTLED, 3));
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_cgroup_throttled_seconds_total{cgroup=\"/a\"} 5");
    expect_line(&text, "countertop_cgroup_cpu_some_seconds_total{cgroup=\"/a\"} 1");
    exporter_free(metrics);
}

/* A name is dropped for a busier one: its counts stay in the sums, in their unit. */
static void openmetrics_keeps_what_retires(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 1);
    AUTO_STR struct str text = str_new();
    for (int n = 0; n < 2; n++) {
        struct frame *frame = machine();
        free(frame->events->events[FAULTS].unit);
        frame->events->events[FAULTS].unit = mem_strdup("ms");
        frame->interval = 300; /* as long as a name is kept at least */
        frame->processes[0].oncpu = n ? 100 : 0.5;
        take(metrics, frame);
    }
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"task\",command=\"alpha\"} 100");
    expect_line(&text, "countertop_retired_total{event=\"cycles\"} 400");
    expect_line(&text, "countertop_retired_total{event=\"page-faults\"} 1.234");
    exporter_free(metrics);
}

/* Nothing that was not counted is told as 0. */
static void what_is_missing_is_absent(void **state)
{
    struct fixture *f = *state;
    struct frame *frame = machine();
    frame->events->events[CYCLES].state = EVENT_UNSUPPORTED;
    frame->events->events[CYCLES].reason = mem_strdup("no \"counters\"");
    frame->processes[1].counts[FAULTS].coverage = 0;
    frame->processes[1].times[0] = (struct group_time){1000, 0};
    frame->threads[1].counts[FAULTS].coverage = 0;
    struct exporter *metrics = new_metrics(f, 0);
    AUTO_STR struct str text = str_new();
    take(metrics, frame);
    metrics_write(metrics, METRICS_TEXT, &text);
    assert_null(strstr(text.text, "cycles_total"));
    assert_null(strstr(text.text, "page_faults_total{kind=\"task\",command=\"Beta\"}"));
    expect_line(&text, "countertop_tasks_page_faults_total{kind=\"task\",command=\"alpha\"} 5");
    expect_line(&text, "countertop_event_info{event=\"cycles\",state=\"unsupported\","
                       "reason=\"no \\\"counters\\\"\"} 1");
    exporter_free(metrics);
}
