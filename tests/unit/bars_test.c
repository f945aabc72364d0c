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
