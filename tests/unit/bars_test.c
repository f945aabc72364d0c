#include "unit/test.h"
#include "view/bars.h"

#include "unit/loads.h"
#include "unit/handmade.h"

static const char ini[] =
    "[metric ipc]\nexpr = instructions / cycles\ntitle = IPC\ndecimals = 2\nwidth = 5\n"
    "good = 1.5\nbad = 0.5\n"
    "[metric miss]\nexpr = cycles / instructions\ntitle = MISS\ndecimals = 2\n"
    "good = 1\nbad = 5\n"
    "[metric rate]\nexpr = cycles / interval\ntitle = CYC/s\nunit = 1/s\nwidth = 6\n"
    "[metric spent]\nexpr = oncpu / interval * 100\nunit = %\ndecimals = 1\n";

enum { CYCLES, INSTRUCTIONS, EVENTS, CPUS = 5 };
static const char *const names[EVENTS] = {"cycles", "instructions"};

/* A frame of CPUs 0, 1, 2, 4 and 5, busy 10 % to 50 %, with an IPC of 2, 1, 0.5, 0.5, and none. */
struct fixture {
    struct metric_set metric_set;
    struct frame *frame;
};

static int setup(void **state)
{
    static const uint64_t counts[CPUS][EVENTS] = {
        {100, 200}, {100, 100}, {200, 100}, {200, 100}, {0, 0}};
    struct fixture *f = mem_alloc(sizeof(*f));
    f->metric_set = (struct metric_set){0};
    if (metric_set_load(&f->metric_set, ini, "ini", NULL) < 0)
        return -1;
    struct frame *frame = f->frame = handmade_frame(handmade_set(EVENTS, names));
    frame->interval = 2;
    frame->has_cpus = true;
    for (int i = 0; i < CPUS; i++) {
        struct row row = handmade_row(frame, counts[i]);
        row.cpu = i < 3 ? i : i + 1;
        row.oncpu = 0.2 * (i + 1);
        for (size_t g = 0; g < frame->events->groups; g++)
            row.times[g] = (struct group_time){2, 2};
        row_sum_add(&frame->total, &row, frame);
        handmade_add(&frame->cpus, &frame->cpu_count, row);
    }
    row_sum_complete(&frame->total, frame);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    frame_free(f->frame);
    metric_set_release(&f->metric_set);
    free(f);
    return 0;
}

static void expect_bar(const struct bar *bar, int first, int last, const char *text,
                       const struct metric *metric)
{
    char seen[BARS_TEXT];
    bars_text(seen, metric, &bar->value);
    assert_int_equal(bar->first, first);
    assert_int_equal(bar->last, last);
    assert_string_equal(seen, text);
}

static void busy(void **state)
{
    struct fixture *f = *state;
    struct bar bars[CPUS];
    assert_int_equal(bars_cpus(f->frame, NULL, 1, bars), CPUS);
    expect_bar(&bars[0], 0, 0, "10.0%", NULL);
    expect_bar(&bars[4], 5, 5, "50.0%", NULL);
    bars_machine(f->frame, NULL, bars);
    expect_bar(bars, -1, -1, "30.0%", NULL); /* of all the time that CPUs have */
    assert_int_equal(bars_role(NULL, &bars->value), ROLE_VALUE);
    f->frame->interval = 0;
    bars_machine(f->frame, NULL, bars);
    expect_bar(bars, -1, -1, "n/a", NULL);
}

static void kernel_time(void **state)
{
    struct fixture *f = *state;
    struct bar bars[CPUS];
    bars_machine(f->frame, NULL, bars);
    assert_true(bars->kernel == -1);
    assert_int_equal(bars_cpus(f->frame, NULL, 1, bars), CPUS);
    assert_true(bars[0].kernel == -1); /* /proc/stat tells nothing of this CPU */
    *load_of(&f->frame->load, 1) = cpu_load_of(1, 30, 5, 100);
    *load_of(&f->frame->load, 5) = cpu_load_of(5, 80, 70, 100);
    bars_cpus(f->frame, NULL, 1, bars);
    assert_float_equal(bars[1].kernel, 5, 1e-9);
    assert_float_equal(bars[4].kernel, 50, 1e-9); /* no more than it was busy */
    bars_machine(f->frame, NULL, bars);
    assert_float_equal(bars->kernel, 30, 1e-9);
    *load_of(&f->frame->load, 5) = cpu_load_of(5, 80, 0, 100);
    bars_machine(f->frame, NULL, bars);
    assert_float_equal(bars->kernel, 2.5, 1e-9);
    bars_machine(f->frame, metric_set_find(&f->metric_set, "spent"), bars);
    assert_true(bars->kernel == -1);
}

static void several_together(void **state)
{
    struct fixture *f = *state;
    struct bar bars[CPUS];
    const struct metric *ipc = metric_set_find(&f->metric_set, "ipc");
    const struct metric *rate = metric_set_find(&f->metric_set, "rate");
    assert_int_equal(bars_cpus(f->frame, NULL, 2, bars), 3);
    expect_bar(&bars[0], 0, 1, "15.0%", NULL);
    expect_bar(&bars[1], 2, 4, "35.0%", NULL);
    expect_bar(&bars[2], 5, 5, "50.0%", NULL); /* what is left */
    bars_cpus(f->frame, ipc, 2, bars);
    expect_bar(&bars[0], 0, 1, "1.50", ipc); /* of the sums: not the mean of both */
    expect_bar(&bars[2], 5, 5, "n/a", ipc);
    bars_cpus(f->frame, ipc, 4, bars);
    expect_bar(&bars[0], 0, 4, "0.83", ipc);
    bars_cpus(f->frame, rate, 2, bars);
    expect_bar(&bars[0], 0, 1, "50", rate); /* a second, of one of them */
    expect_bar(&bars[1], 2, 4, "100", rate);
    assert_int_equal(bars_cpus(f->frame, NULL, 8, bars), 1);
    expect_bar(&bars[0], 0, 5, "30.0%", NULL);
}

static void of_the_machine(void **state)
{
    struct fixture *f = *state;
    struct bar bar;
    const struct metric *rate = metric_set_find(&f->metric_set, "rate");
    bars_machine(f->frame, rate, &bar);
    expect_bar(&bar, -1, -1, "300", rate); /* all of it */
    f->frame->events->events[CYCLES].state = EVENT_UNSUPPORTED;
    bars_machine(f->frame, rate, &bar);
    expect_bar(&bar, -1, -1, "-", rate);
    assert_true(bars_share(&bar.value, 100) == 0);
}

static void estimates_are_marked(void **state)
{
    struct fixture *f = *state;
    struct bar bars[CPUS];
    const struct metric *ipc = metric_set_find(&f->metric_set, "ipc");
    for (int e = 0; e < EVENTS; e++)
        f->frame->cpus[0].counts[e].coverage = 0.5;
    bars_cpus(f->frame, ipc, 1, bars);
    expect_bar(&bars[0], 0, 0, "2.00~", ipc);
    expect_bar(&bars[1], 1, 1, "1.00", ipc);
}

static void without_cpus(void **state)
{
    struct fixture *f = *state;
    struct bar bars[CPUS];
    f->frame->has_cpus = false;
    assert_int_equal(bars_cpus(f->frame, NULL, 1, bars), 0);
}

static void what_fills_a_bar(void **state)
{
    struct fixture *f = *state;
    const struct metric *ipc = metric_set_find(&f->metric_set, "ipc");
    assert_true(bars_full(NULL, 42) == 100);
    assert_true(bars_full(metric_set_find(&f->metric_set, "spent"), 250) == 100);
    assert_true(bars_full(ipc, 0.7) == 1.5); /* its good limit */
    assert_true(bars_full(ipc, 2.25) == 2.25);
    assert_true(bars_full(metric_set_find(&f->metric_set, "miss"), 0.2) ==
                0.2); /* less is better */
    assert_true(bars_full(metric_set_find(&f->metric_set, "rate"), 300) == 300);

    struct value value = {.number = 0.75};
    assert_true(bars_share(&value, 1.5) == 0.5);
    assert_true(bars_share(&value, 0.5) == 1);
    assert_true(bars_share(&value, 0) == 0);
    value.number = -1;
    assert_true(bars_share(&value, 1) == 0);
    value.number = 2;
    assert_int_equal(bars_role(ipc, &value), ROLE_VALUE);
    value.number = 0.4;
    assert_int_equal(bars_role(ipc, &value), ROLE_BAD);
    value.number = 1;
    assert_int_equal(bars_role(ipc, &value), ROLE_VALUE);
    value.state = VALUE_UNDEFINED;
    assert_int_equal(bars_role(ipc, &value), ROLE_VALUE);
    assert_true(bars_share(&value, 1) == 0);
}
