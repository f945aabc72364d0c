#include "base/embed.h"
#include "metric/machine.h"
#include "metric/metric_set.h"
#include "unit/test.h"

#include "unit/handmade.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect_error(const char *text, const char *place)
{
    struct metric_set metric_set = {0};
    struct err err = {""};
    assert_int_equal(metric_set_load(&metric_set, text, "m.ini", &err), -1);
    assert_memory_equal(err.text, place, strlen(place));
    assert_int_equal(metric_set.count, 0);
    metric_set_release(&metric_set);
}

static void load(struct metric_set *metric_set, const char *text)
{
    struct err err = {""};
    int result = metric_set_load(metric_set, text, "m.ini", &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

static void units_decide_on_the_format(void **state)
{
    static const struct {
        const char *unit, *expr, *text;
        int decimals;
    } cases[] = {
        {"percent", "oncpu / interval * 100", "%", 1},
        {"%", "1", "%", 1},
        {"ratio", "a / b", "", 2},
        {"count", "a", "", METRIC_SI},
        {"seconds", "oncpu", "s", METRIC_DURATION},
        {"us", "oncpu * 1e6 / a", "us", METRIC_SI},
        {"bytes", "a * 64", "B", METRIC_SI},
        {"MB/s", "a * 64 / interval / 1e6", "MB/s", METRIC_SI},
        {"1/s", "a / interval", "1/s", METRIC_SI},
        {"count/s", "a / interval", "1/s", METRIC_SI},
        {"M/s", "a / interval / 1e6", "M/s", METRIC_SI},
        {"GHz", "a / oncpu / 1e9", "GHz", METRIC_SI},
        {"W", "a / interval", "W", METRIC_SI},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct metric_set metric_set = {0};
        char text[128];
        snprintf(text, sizeof(text), "[metric m]\nunit = %s\nexpr = %s\n", cases[i].unit,
                 cases[i].expr);
        load(&metric_set, text);
        assert_string_equal(metric_set.metrics[0].unit.text, cases[i].text);
        assert_int_equal(metric_set.metrics[0].decimals, cases[i].decimals);
        metric_set_release(&metric_set);
    }
}

static void mistakes_name_their_line(void **state)
{
    static const struct {
        const char *text;
        int line;
    } cases[] = {
        {"[metric a]\nexpr = 1 +\n", 2},
        {"[metric a]\nexpr = 1\n[metric b]\ntitle = x\n", 4},
        {"[metric a]\nexpr = 1\nwidht = 3\n", 3},
        {"[metric a]\nwidth = 3\n", 2},
        {"[metric a]\ndecimals = 7\n", 2},
        {"[metric a]\ndecimals = -1\n", 2},
        {"[metric a]\ngood = much\n", 2},
        {"[metric a]\nexpr = 1\ngood = 1\n", 2},
        {"[metric a]\nexpr = 1\ngood = 1\nbad = 1\n", 2},
        {"[metric a]\nunit = parsecs\n", 2},
        {"[metric a]\nunit = %\nexpr = oncpu * 100\n", 2},
        {"[metric a]\nunit = 1/s\nexpr = cycles\n", 2},
        {"[metric a]\nunit = s\nexpr = cycles / interval\n", 2},
        {"[metric a@]\nexpr = 1\n", 2},
        {"[metric a@zen]\nexpr = 1 +\n", 2},
        {"[metric -a]\nexpr = 1\n", 2},
        {"[metric a b]\nexpr = 1\n", 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char place[16];
        snprintf(place, sizeof(place), "m.ini:%d: ", cases[i].line);
        expect_error(cases[i].text, place);
    }
}

static void expect_text(const struct metric_set *metric_set, const char *name, const char *text)
{
    const struct metric *metric = metric_set_find(metric_set, name);
    assert_non_null(metric);
    assert_string_equal(metric->text, text);
}

static void set_while_it_runs(void **state)
{
    struct metric_set metric_set = {0};
    struct err err;
    load(&metric_set, "[metric ipc]\nexpr = instructions / cycles\ntitle = IPC\nunit = ratio\n"
                      "help = per cycle\nwidth = 7\ngood = 2\nbad = 1\n"
                      "[metric last]\nexpr = cycles\n");
    /* A new one, as one that has nothing but an expression. */
    assert_int_equal(metric_set_check(&metric_set, "mine", "cycles * 2", NULL, NULL), 0);
    assert_null(metric_set_find(&metric_set, "mine"));
    assert_int_equal(set_metric(&metric_set, "mine", "cycles * 2", NULL, NULL), 0);
    expect_text(&metric_set, "mine", "cycles * 2");
    assert_string_equal(metric_set_find(&metric_set, "mine")->title, "mine");
    assert_int_equal(metric_set_find(&metric_set, "mine")->decimals, METRIC_SI);
    assert_true(metric_set_find(&metric_set, "mine")->own);
    /* One that is there hands on what it has. */
    assert_int_equal(set_metric(&metric_set, "ipc", "instructions / (cycles + 1)", NULL, NULL), 0);
    assert_int_equal(set_metric(&metric_set, "ipc", "instructions / (cycles + 2)", NULL, NULL), 0);
    assert_int_equal(metric_set.count, 3);
    const struct metric *ipc = metric_set_find(&metric_set, "ipc");
    assert_string_equal(ipc->title, "IPC");
    assert_string_equal(ipc->help, "per cycle");
    assert_int_equal(ipc->width, 7);
    assert_int_equal(ipc->unit.kind, UNIT_RATIO);
    assert_int_equal(metric_judge(ipc, 3), 1);
    /* And is there again. */
    assert_int_equal(metric_set_unset(&metric_set, "ipc", NULL), 0);
    expect_text(&metric_set, "ipc", "instructions / cycles");
    assert_int_equal(metric_set_unset(&metric_set, "mine", NULL), 0);
    assert_int_equal(metric_set.count, 2);
    expect_text(&metric_set, "last", "cycles");
    assert_int_equal(metric_set_unset(&metric_set, "ipc", &err), -1);
    assert_string_equal(err.text, "cannot remove metric 'ipc': it is built in, or of a file");
    assert_int_equal(metric_set_unset(&metric_set, "none", &err), -1);
    assert_string_equal(err.text, "no metric 'none'");
    metric_set_release(&metric_set);
}

static void a_unit_can_be_set_with_it(void **state)
{
    struct metric_set metric_set = {0};
    struct err err;
    load(&metric_set, "[metric share]\nexpr = oncpu / interval\ndecimals = 3\n");
    assert_int_equal(set_metric(&metric_set, "mine", "cycles / interval", "M/s", NULL), 0);
    assert_string_equal(metric_set_find(&metric_set, "mine")->unit.text, "M/s");
    assert_int_equal(set_metric(&metric_set, "share", "oncpu / interval * 100", "%", NULL), 0);
    assert_int_equal(metric_set_find(&metric_set, "share")->unit.kind, UNIT_PERCENT);
    assert_int_equal(metric_set_find(&metric_set, "share")->decimals,
                     1); /* the usual ones of the unit */
    assert_int_equal(set_metric(&metric_set, "mine", "cycles", "parsec", &err), -1);
    assert_string_equal(err.text, "no unit 'parsec': expected count, ratio, percent, seconds, "
                                  "bytes, Hz, J or W, or such as us, MB/s, 1/s");
    assert_int_equal(metric_set_check(&metric_set, "mine", "cycles", "s", &err), -1);
    assert_string_equal(err.text,
                        "unit 's' of metric 'mine' does not fit this, which gives no time");
    expect_text(&metric_set, "mine", "cycles / interval");
    assert_string_equal(metric_set_find(&metric_set, "mine")->unit.text, "M/s");
    metric_set_release(&metric_set);
}

static void not_everything_can_be_set(void **state)
{
    struct metric_set metric_set = {0};
    char long_text[400];
    memset(long_text, '1', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    const char *const refused[][2] = {{"mine", "cycles /"},
                                      {"share", "oncpu * 2"}, /* which is no percentage */
                                      {"1", "cycles"},
                                      {"a@b", "cycles"},
                                      {"mine", long_text}};
    load(&metric_set, "[metric share]\nexpr = oncpu / interval\nunit = %\n");
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct err err = {""};
        assert_int_equal(metric_set_check(&metric_set, refused[i][0], refused[i][1], NULL, &err),
                         -1);
        assert_string_not_equal(err.text, "");
        assert_int_equal(set_metric(&metric_set, refused[i][0], refused[i][1], NULL, NULL), -1);
    }
    expect_text(&metric_set, "share", "oncpu / interval");
    assert_int_equal(metric_set.count, 1);
    metric_set_release(&metric_set);
}

static void limits_judge_by_their_order(void **state)
{
    struct metric_set metric_set = {0};
    load(&metric_set, "[metric more]\nexpr = 1\ngood = 2\nbad = 1\n"
                      "[metric less]\nexpr = 1\ngood = 5\nbad = 30\n");
    const struct metric *more = metric_set_find(&metric_set, "more");
    assert_int_equal(metric_judge(more, 2), 1);
    assert_int_equal(metric_judge(more, 1.5), 0);
    assert_int_equal(metric_judge(more, 1), -1);
    assert_int_equal(metric_judge(more, -1), -1);
    const struct metric *less = metric_set_find(&metric_set, "less");
    assert_int_equal(metric_judge(less, 0), 1);
    assert_int_equal(metric_judge(less, 5), 1);
    assert_int_equal(metric_judge(less, 6), 0);
    assert_int_equal(metric_judge(less, 30), -1);
    assert_int_equal(metric_judge(less, 99), -1);
    metric_set_release(&metric_set);
}

/* Loads what is compiled into the binary. */
static void load_builtin(struct metric_set *metric_set)
{
    *metric_set = (struct metric_set){0};
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (strstr(file->name, ".ini"))
            load(metric_set, file->text);
    char *spans = metric_spans_text();
    load(metric_set, spans);
    free(spans);
}

/* Words "NAME=NUMBER" as names and numbers, which are the text's: how many. */
static size_t words(char *text, const char *names[], double numbers[])
{
    size_t count = 0;
    for (char *word; (word = strsep(&text, " ")); count++) {
        names[count] = strsep(&word, "=");
        numbers[count] = atof(word);
    }
    return count;
}

static const char built_in_counts[] =
    "cycles=1e9 instructions=2e9 branches=4e8 branch-misses=4e6 cache-references=1e7 "
    "cache-misses=2e6 page-faults=600 cpu-migrations=8 minor-faults=500 "
    "major-faults=100 context-switches=50 stalled-cycles-frontend=25e7 "
    "stalled-cycles-backend=1e8 cycles:k=3e8 bus-cycles=2e7 "
    "L1-icache-load-misses=4e6 L1-dcache-loads=6e8 L1-dcache-load-misses=6e6 "
    "L1-dcache-stores=2e8 L1-dcache-store-misses=8e6 LLC-loads=1e6 "
    "LLC-load-misses=500000 LLC-stores=400000 LLC-store-misses=100000 dTLB-loads=6e8 "
    "dTLB-load-misses=1200000 iTLB-load-misses=200000 power/energy-pkg/=429496729600 "
    "power/energy-cores/=214748364800 power/energy-ram/=42949672960 "
    "power/energy-psys/=858993459200 power_core/energy-core/=17179869184 "
    "wait-time=1e9 block-time=5e8 preemptions=10 voluntary-switches=40 wakeups=20 "
    "wakeup-latency=4e6 wakeup-latency-max=1e6";

static const char built_in_values[] =
    "cpu_pct=25 mcycles=500 minstr=1000 ipc=2 ghz=2 branch_miss_pct=1 branch_mpki=2 "
    "cache_miss_pct=20 cache_mpki=1 cache_refs_per_s=5e6 branches_per_s=2e8 "
    "frontend_stall_pct=25 backend_stall_pct=10 ctxsw_per_s=25 migrations_per_s=4 "
    "faults_per_s=300 minor_faults_per_s=250 major_faults_per_s=50 "
    "us_per_switch=10000 kernel_pct=30 cache_miss_insn_pct=0.1 bus_insn_pct=1 "
    "branch_miss_insn_pct=0.2 branch_insn_pct=20 l1i_mpki=2 l1d_mpki=3 llc_mpki=0.25 "
    "l1d_reads_per_s=3e8 l1d_read_miss_pct=1 l1d_writes_per_s=1e8 "
    "l1d_write_miss_pct=4 llc_reads_per_s=5e5 llc_read_miss_pct=50 "
    "llc_writes_per_s=2e5 llc_write_miss_pct=25 dtlb_mpki=0.6 itlb_mpki=0.1 "
    "dtlb_miss_pct=0.2 package_watts=50 cores_watts=25 core_watts=2 ram_watts=5 "
    "system_watts=100 run_pct=25 parallelism=0.25 wait_pct=50 block_pct=25 "
    "preempt_per_s=5 yield_per_s=20 wakeup_latency_us=200 wakeup_max_us=1000 "
    "slice_us=10000 wait_p50_us=1000 wait_p95_us=1000 wait_p99_us=1000 "
    "wait_max_us=1000 wakeup_p50_us=1000 wakeup_p95_us=1000 wakeup_p99_us=1000 "
    "slice_p50_us=3000 slice_p95_us=3000 slice_p99_us=3000 slice_max_us=3000 "
    "sleep_p50_us=4800 sleep_p95_us=4800 sleep_p99_us=4800 sleep_max_us=4800 "
    "waiting=0.5 busy_pct=60 system_pct=40 steal_pct=20 irq_pct=5 softirq_pct=10 run_queue=1.5 "
    "throttled_pct=50 throttles_per_s=10 psi_cpu_pct=1 psi_cpu_full_pct=2 "
    "psi_memory_pct=3 psi_memory_full_pct=4 psi_io_pct=5 psi_io_full_pct=6";

/* The formulas of the design, on round numbers: half a second on a CPU in an interval of two. */
static void builtin_formulas(void **state)
{
    char *given = strdup(built_in_counts), *wanted = strdup(built_in_values);
    const char *names[100];
    double numbers[100];
    uint64_t counts[100];
    size_t events = words(given, names, numbers);
    for (size_t e = 0; e < events; e++)
        counts[e] = (uint64_t)numbers[e];
    struct frame *frame = handmade_frame(handmade_set(events, names));
    frame->interval = 2;
    struct row *row = handmade_process(frame, 1, "one", 0.5, counts);
    struct kernel_times times = {.known = ~0u,
                                 .time = {[CPU_TIME] = 2000000000,
                                          [CPU_BUSY] = 1200000000,
                                          [CPU_KERNEL] = 800000000,
                                          [CPU_STEAL] = 400000000,
                                          [CPU_IRQ] = 100000000,
                                          [CPU_SOFTIRQ] = 200000000,
                                          [CPU_QUEUE] = 3000000000}};
    struct kernel_times kept = {
        .known = ~0u,
        .time = {
            [CGROUP_TIME] = 2000000000, [CGROUP_THROTTLED] = 1000000000, [CGROUP_THROTTLES] = 20}};
    for (int p = 0; p < 6; p++)
        kept.time[CGROUP_PRESSURE + p] = (uint64_t)(p + 1) * 20000000;
    frame->has_cpus = true; /* whose records say how long each span was: here one of each kind */
    static const uint64_t lengths[SPAN_KINDS] = {1000000, 1000000, 3000000, 4800000};
    for (enum span_kind kind = 0; kind < SPAN_KINDS; kind++)
        wait_facts_span(&row->wait_facts, kind, lengths[kind]);
    struct metric_set metric_set;
    load_builtin(&metric_set);
    size_t metrics = words(wanted, names, numbers);
    assert_int_equal(metric_set.count, metrics);
    for (size_t i = 0; i < metrics; i++) {
        const struct metric *metric = metric_set_find(&metric_set, names[i]);
        assert_non_null(metric);
        row->of_cgroup = expr_uses(metric->expr, OP_CGROUP_KERNEL_TIME);
        row->kernel_times = row->of_cgroup ? &kept : &times;
        struct value value = eval_row(metric->expr, frame, row);
        assert_int_equal(value.state, VALUE_COUNTED);
        assert_float_equal(value.number, numbers[i], 1e-9 * numbers[i]);
    }
    free(given);
    free(wanted);
    metric_set_release(&metric_set);
    frame_free(frame);
}

static void a_set_takes_what_it_does_not_give_from_the_first(void **state)
{
    struct machine machine = {0};
    struct metric_set metric_set = {.machine = &machine};
    machine_add(&machine, "skx");
    load(&metric_set, "[metric x@icx]\nexpr = cycles\ntitle = X\nunit = %\nhelp = h\nwidth = 9\n"
                      "decimals = 3\ngood = 1\nbad = 2\n"
                      "[metric xy@skx]\nexpr = cycles\n"
                      "[metric x@skx]\nexpr = instructions\nhelp = own\n");
    const struct metric *metric = metric_set_find(&metric_set, "x");
    assert_non_null(metric);
    assert_string_equal(metric->text, "instructions");
    assert_string_equal(metric->help, "own");
    assert_string_equal(metric->title, "X");
    assert_int_equal(metric->unit.kind, UNIT_PERCENT);
    assert_int_equal(metric->width, 9);
    assert_int_equal(metric->decimals, 3);
    assert_true(metric->good == 1 && metric->bad == 2);
    assert_string_equal(metric_set_find(&metric_set, "xy")->title, "xy");
    metric_set_release(&metric_set);
    machine_release(&machine);
}
