/* One interval through each of the batch front ends: the same numbers in all of them, and nothing
 * where there is none. */
#include "unit/viewed.h"

#include "cli/options.h"
#include "front/batch.h"
#include "front/openmetrics.h"

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

/* What a format writes of a frame, which it takes. */
static char *written(const char *name, struct fixture *f, struct frame *frame)
{
    char path[] = "formats_test.XXXXXX", text[1 << 16];
    struct err err = {""};
    struct out out;
    const struct format *format = formats;
    while (strcmp(format->name, name) != 0)
        format++;
    close(mkstemp(path));
    assert_int_equal(out_open(&out, path, false, &err), 0);
    const struct batch_input input = {
        .view = f->view, .metric_set = &f->metric_set, .lookup = view_lookup_of(f->view)};
    struct front *front = batch_new(format, &input, out);
    assert_int_equal(front->ops->present(front, &session, frame, &err), 0);
    front->ops->close(front);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    return mem_strdup(text);
}

/* The field of a line; fields here have no commas inside but the model's. The caller frees it. */
static char *field(const char *line, size_t number)
{
    for (; number; number--)
        line += strcspn(line, ",") + 1;
    return mem_strndup(line, strcspn(line, ",\n"));
}

static size_t field_number(const char *header, const char *name)
{
    for (size_t i = 0;; i++) {
        char *title = field(header, i);
        bool found = strcmp(title, name) == 0;
        free(title);
        if (found)
            return i;
        assert_true(i < 100);
    }
}

/* The line of CSV that a fact is about. */
static const char *line_of(const char *csv, const char *kind, const char *key)
{
    bool cpu = strcmp(kind, "cpu") == 0;
    size_t column = field_number(csv, cpu ? "cpu" : "pid");
    for (const char *line = csv; *line; line += strcspn(line, "\n") + 1) {
        char *found = field(line, 0), *value = field(line, column);
        bool same = strcmp(found, kind) == 0 && strcmp(value, key) == 0;
        free(found);
        free(value);
        if (same)
            return line;
    }
    fail_msg("no %s %s", kind, key);
    return NULL;
}

static void expect_field(const char *csv, const char *line, const char *name, const char *expected)
{
    char *value = field(line, field_number(csv, name));
    assert_string_equal(value, expected);
    free(value);
}

static void csv_has_the_numbers(void **state)
{
    struct fixture *f = *state;
    char *csv = written("csv", f, machine()), number[32];
    for (size_t i = 0; i < FACTS; i++) {
        const char *line = line_of(csv, facts[i].kind, facts[i].key);
        for (size_t e = 0; e < EVENTS; e++) {
            snprintf(number, sizeof(number), "%lld", facts[i].counts[e]);
            expect_field(csv, line, names[e], number);
        }
        expect_field(csv, line, "time", "1763628000.125");
        expect_field(csv, line, "coverage:cycles", "1");
    }
    expect_field(csv, line_of(csv, "task", "1"), "ipc", "2");
    expect_field(csv, line_of(csv, "task", "3"), "ipc", ""); /* nothing to divide by */
    expect_field(csv, line_of(csv, "task", "1"), "comm", "alpha");
    expect_field(csv, line_of(csv, "idle", ""), "oncpu", "");
    assert_non_null(
        strstr(line_of(csv, "total", ""), ",h,6.1,\"A, \"\"B\"\"\",cpu,all,1,,,,,counted,,"));
    free(csv);
}

/* Every line has as many fields as the first. */
static void csv_has_a_shape(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->kind = VIEW_USERS;
    char *csv = written("csv", f, machine());
    size_t expected = 0, lines = 0, groups = 0;
    for (const char *line = csv; *line; line += strcspn(line, "\n") + 1, lines++) {
        size_t fields = 1;
        bool quoted = false;
        for (const char *c = line; *c != '\n'; c++) {
            quoted ^= *c == '"';
            fields += *c == ',' && !quoted;
        }
        expected = lines ? expected : fields;
        assert_int_equal(fields, expected);
        groups += str_starts(line, "group,");
    }
    assert_int_equal(groups, 3);
    assert_int_equal(lines, 1 + 3 + 3 + 2 + 3); /* tasks, groups, cpus, the books */
    free(csv);
}

static void json_has_the_numbers(void **state)
{
    struct fixture *f = *state;
    char *json = written("json", f, machine());
    for (size_t i = 0; i < FACTS; i++) {
        bool book = !*facts[i].key;
        char *at =
            mem_printf(book ? "\"%s\":{\"counts\"" : "{\"%s\":%s,",
                       strcmp(facts[i].kind, "task") == 0 ? "pid" : facts[i].kind, facts[i].key);
        char *counts = mem_printf("\"counts\":{\"cycles\":%lld,\"instructions\":%lld,"
                                  "\"page-faults\":%lld}",
                                  facts[i].counts[0], facts[i].counts[1], facts[i].counts[2]);
        const char *row = strstr(json, at);
        assert_non_null(row);
        const char *found = strstr(row, "\"counts\"");
        assert_memory_equal(found, counts, strlen(counts));
        free(at);
        free(counts);
    }
    free(json);
}

static void text_has_the_numbers(void **state)
{
    struct fixture *f = *state;
    struct view_settings *settings = settings_of(f->view);
    settings->amount = AMOUNT_INTERVAL;
    settings->exact = true;
    assert_int_equal(view_choose_screen(f->view, "sw", NULL), 0);
    char *text = written("text", f, machine());
    for (size_t i = 0; i < 3; i++) {
        char line[128];
        snprintf(line, sizeof(line), "\n%7s R", facts[i].key);
        char *row = strstr(text, line);
        if (!row) {
            snprintf(line, sizeof(line), "\n%7s S", facts[i].key);
            row = strstr(text, line);
        }
        assert_non_null(row);
        unsigned long long counts[EVENTS];
        assert_int_equal(
            sscanf(row, "%*d %*s %*s %*s %llu %llu %llu", &counts[0], &counts[1], &counts[2]), 3);
        for (size_t e = 0; e < EVENTS; e++)
            assert_int_equal(counts[e], facts[i].counts[e]);
    }
    free(text);
}

static void expect_line(const struct str *text, const char *line)
{
    struct str totals;
    str_init(&totals);
    str_printf(&totals, "\n%s\n", line);
    if (!strstr(text->text, totals.text))
        fail_msg("no '%s' in\n%s", line, text->text);
    str_release(&totals);
}

static struct exporter *new_metrics(struct fixture *f, size_t most)
{
    return exporter_new(view_new(&f->metric_set, &f->screens, view_lookup_of(f->view)),
                        view_lookup_of(f->view), most);
}

static void take(struct exporter *metrics, struct frame *frame)
{
    exporter_take(metrics, &session, frame);
    frame_free(frame);
}

static void openmetrics_has_the_numbers(void **state)
{
    struct fixture *f = *state;
    static const char *const commands[] = {"alpha", "Beta", "gamma"};
    static const char *const events[EVENTS] = {"cycles", "instructions", "page_faults"};
    struct exporter *metrics = new_metrics(f, 0);
    struct str text;
    str_init(&text);
    /* Twice: counters grow. */
    for (int n = 1; n <= 2; n++) {
        take(metrics, machine());
        str_clear(&text);
        metrics_write(metrics, METRICS_1_0, &text);
        for (size_t i = 0; i < FACTS; i++) {
            for (size_t e = 0; e < EVENTS; e++) {
                char labels[64] = "", line[160];
                if (i < 3)
                    snprintf(labels, sizeof(labels), "kind=\"task\",command=\"%s\"", commands[i]);
                else if (strcmp(facts[i].kind, "cpu") == 0)
                    snprintf(labels, sizeof(labels), "cpu=\"%s\"", facts[i].key);
                else
                    snprintf(labels, sizeof(labels), "kind=\"%s\"", facts[i].kind);
                snprintf(line, sizeof(line), "countertop_%s%s_total{%s} %lld",
                         strcmp(facts[i].kind, "cpu") == 0 ? "" : "tasks_", events[e], labels,
                         n * facts[i].counts[e]);
                if (strcmp(facts[i].kind, "total") != 0) /* the sum of the CPUs */
                    expect_line(&text, line);
            }
        }
    }
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"other\"} 0");
    expect_line(&text, "countertop_tasks_busy_seconds_total{kind=\"task\",command=\"Beta\"} 1.8");
    expect_line(&text, "countertop_refreshes_total 2");
    exporter_free(metrics);
    str_release(&text);
}

static void openmetrics_has_two_forms(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    struct str text, strict;
    str_init(&text);
    str_init(&strict);
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
    struct str text;
    str_init(&text);
    take(metrics, with_kernel_time(machine(), true, 0)); /* nothing is known yet */
    take(metrics, with_kernel_time(machine(), false, 2));
    take(metrics, with_kernel_time(machine(), true, 2));
    take(metrics, with_kernel_time(machine(), false, 3));
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_cpu_kernel_seconds_total{cpu=\"0\"} 5");
    exporter_free(metrics);
    str_release(&text);
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
    struct str text;
    str_init(&text);
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_PRESSURE, 1));
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_THROTTLED, 2));
    take(metrics, with_cgroup_time(machine(), "/a", CGROUP_THROTTLED, 3));
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_cgroup_throttled_seconds_total{cgroup=\"/a\"} 5");
    expect_line(&text, "countertop_cgroup_cpu_some_seconds_total{cgroup=\"/a\"} 1");
    exporter_free(metrics);
    str_release(&text);
}

/* What is filtered out, and what has no name any more, is one: sums stay what they are. */
static void openmetrics_has_a_rest(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 1);
    struct str text;
    str_init(&text);
    take(metrics, machine());
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"task\",command=\"Beta\"} 400");
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"other\"} 100");
    assert_null(strstr(text.text, "alpha"));
    exporter_free(metrics);
    metrics = new_metrics(f, 0);
    settings_of(metrics->view)->filter = mem_strdup("alpha");
    take(metrics, machine());
    str_clear(&text);
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"task\",command=\"alpha\"} 100");
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"other\"} 400");
    exporter_free(metrics);
    str_release(&text);
}

/* A name is dropped for a busier one: its counts stay in the sums, in their unit. */
static void openmetrics_keeps_what_retires(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 1);
    struct str text;
    str_init(&text);
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
    str_release(&text);
}

/* A CPU that is offline keeps its counters, and has no coverage. */
static void openmetrics_has_the_last_coverage(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    struct str text;
    str_init(&text);
    take(metrics, machine());
    struct frame *frame = machine();
    free(frame->cpus[--frame->cpu_count].counts);
    take(metrics, frame);
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_cycles_total{cpu=\"1\"} 230");
    expect_line(&text, "countertop_coverage_ratio{event=\"cycles\",cpu=\"0\"} 1");
    assert_null(strstr(text.text, "countertop_coverage_ratio{event=\"cycles\",cpu=\"1\"}"));
    exporter_free(metrics);
    str_release(&text);
}

/* An event is told with a metric that is there: some are of tasks alone, the largest has none. */
static void openmetrics_names_its_metrics(void **state)
{
    struct fixture *f = *state;
    struct exporter *metrics = new_metrics(f, 0);
    struct str text;
    str_init(&text);
    struct frame *frame = machine();
    frame->events->events[INSTRUCTIONS].kept = SCHEDULER_LATENCY_MAX;
    frame->events->events[FAULTS].kept = SCHEDULER_BLOCK;
    take(metrics, frame);
    metrics_write(metrics, METRICS_TEXT, &text);
    expect_line(&text, "countertop_event_info{event=\"cycles\",state=\"counted\","
                       "metric=\"countertop_cycles_total\"} 1");
    expect_line(&text, "countertop_event_info{event=\"instructions\",state=\"counted\"} 1");
    expect_line(&text, "countertop_event_info{event=\"page-faults\",state=\"counted\","
                       "metric=\"countertop_tasks_page_faults_total\"} 1");
    assert_non_null(strstr(text.text, "\ncountertop_tasks_page_faults_total{"));
    assert_null(strstr(text.text, "\ncountertop_page_faults_total{"));
    exporter_free(metrics);
    str_release(&text);
}

/* Nothing that was not counted is told as 0. */
static void what_is_missing_is_absent(void **state)
{
    struct fixture *f = *state;
    struct frame *frames[2];
    for (size_t i = 0; i < 2; i++) {
        frames[i] = machine();
        frames[i]->events->events[CYCLES].state = EVENT_UNSUPPORTED;
        frames[i]->events->events[CYCLES].reason = mem_strdup("no \"counters\"");
        frames[i]->processes[1].counts[FAULTS].coverage = 0;
        frames[i]->processes[1].times[0] = (struct group_time){1000, 0};
        frames[i]->threads[1].counts[FAULTS].coverage = 0;
    }
    char *csv = written("csv", f, frames[0]);
    const char *line = line_of(csv, "task", "2");
    expect_field(csv, line, "cycles", "");
    expect_field(csv, line, "coverage:cycles", "");
    expect_field(csv, line, "page-faults", "");
    expect_field(csv, line, "ipc", "");
    expect_field(csv, line, "instructions", "100");
    assert_non_null(strstr(csv, ",unsupported,\"no \"\"counters\"\"\",counted,,"));
    free(csv);
    struct exporter *metrics = new_metrics(f, 0);
    struct str text;
    str_init(&text);
    take(metrics, frames[1]);
    metrics_write(metrics, METRICS_TEXT, &text);
    assert_null(strstr(text.text, "cycles_total"));
    assert_null(strstr(text.text, "page_faults_total{kind=\"task\",command=\"Beta\"}"));
    expect_line(&text, "countertop_tasks_page_faults_total{kind=\"task\",command=\"alpha\"} 5");
    expect_line(&text, "countertop_event_info{event=\"cycles\",state=\"unsupported\","
                       "reason=\"no \\\"counters\\\"\"} 1");
    exporter_free(metrics);
    str_release(&text);
}

/* Names that are the same when control characters are made visible are one label set. */
static void names_are_visible(void **state)
{
    struct fixture *f = *state;
    struct frame *frame = machine();
    strcpy(frame->processes[0].comm, "a\x1b\",\n\\");
    strcpy(frame->processes[1].comm, "a\\x1b\",\\x0a\\");
    strcpy(frame->processes[2].comm, "\xff");
    struct exporter *metrics = new_metrics(f, 0);
    struct str text;
    str_init(&text);
    with_cgroup_time(frame, "/a\tb", CGROUP_THROTTLED, 1);
    with_cgroup_time(frame, "/a\\x09b", CGROUP_THROTTLED, 2);
    exporter_take(metrics, &session, frame);
    exporter_take(metrics, &session, frame);
    metrics_write(metrics, METRICS_TEXT, &text);
    const char *cgroup = strstr(text.text, "\ncountertop_cgroup_throttled_seconds_total{");
    expect_line(&text, "countertop_cgroup_throttled_seconds_total{cgroup=\"/a\\\\x09b\"} 6");
    assert_null(strstr(cgroup + 1, "\ncountertop_cgroup_throttled_seconds_total{"));
    expect_line(&text, "countertop_tasks_cycles_total{kind=\"task\","
                       "command=\"a\\\\x1b\\\",\\\\x0a\\\\\"} 1000");
    expect_line(&text,
                "countertop_tasks_instructions_total{kind=\"task\",command=\"\xef\xbf\xbd\"} 20");
    exporter_free(metrics);
    str_release(&text);
    char *csv = written("csv", f, frame);
    assert_non_null(strstr(csv, ",\"a\\x1b\"\",\\x0a\\\",root,"));
    free(csv);
}

/* What each row of the table says is what the command line does. */
static void rows_are_kept_to(void **state)
{
    (void)state;
    struct str help;
    str_init(&help);
    formats_describe(&help);
    for (const char *line = help.text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        assert_in_range(strcspn(line, "\n"), 1, 52);
    }
    for (const struct format *format = formats; format->name; format++) {
        struct options options;
        struct err err = {""};
        char *words[] = {"countertop", "-b",    "--format", (char *)format->name,
                         "--show",     "total", "--tree",   "--sticky",
                         NULL};
        assert_non_null(strstr(help.text, format->name));
        assert_int_equal(cmdline_parse(&options, 8, words, &err), 0);
        assert_ptr_equal(options_format(&options), format);
        assert_int_equal(options_totals(&options), format->totals);
        /* Else intervals would stand under the heading of totals. */
        assert_int_equal(options.view.amount, format->totals ? AMOUNT_TOTAL : AMOUNT_INTERVAL);
        assert_int_equal(options.view.tree && options.view.sticky, format->as_shown);
        options_release(&options);
        assert_non_null(format->write);
    }
    str_release(&help);
    /* An option that goes with one format names one there is. */
    const struct option_spec *spec;
    size_t found = 0, named = 0;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        for (const char *const *need = spec->needs; *need; need++) {
            if (strncmp(*need, "format=", strlen("format=")) != 0)
                continue;
            named++;
            for (const struct format *format = formats; format->name; format++)
                found += strcmp(format->name, *need + strlen("format=")) == 0;
        }
    }
    assert_true(named > 0);
    assert_int_equal(found, named);
}
