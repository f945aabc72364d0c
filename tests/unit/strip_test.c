/* The last values of rows as strips: which column, which scale, which colours. */
#include "unit/viewed.h"

#include "view/detail.h"
#include "view/strip.h"

/* An interval of half a second in which CPU 0 is busy for a tenth and counts 100 cycles, and CPU 1
 * is busy for that share and counts these; CPU 0 has two instructions per cycle. */
static void interval_of(struct fixture *f, double busy, uint64_t cycles, uint64_t instructions)
{
    struct frame *frame = handmade_frame(event_set_share(f->frame->events));
    frame->interval = 0.5;
    add_cpu(frame, 0, 0.05, 100);
    add_cpu(frame, 1, busy / 2, cycles);
    frame->cpus[1].counts[INSTRUCTIONS].value = instructions;
    view_set_frame(f->view, frame);
    view_record(f->view, frame, false);
    frame_free(f->frame);
    f->frame = frame;
}

static void interval(struct fixture *f, double busy, uint64_t cycles)
{
    interval_of(f, busy, cycles, 2 * cycles);
}

/* The marks of a row's strip, and of their roles: dim, or which third of the shades of amounts. */
static void expect_strip(const struct fixture *f, size_t row, size_t width, const char *marks,
                         const char *roles)
{
    struct strip strip;
    struct strip_cell cells[HISTORY_LENGTH];
    char text[128] = "", kinds[128] = "";
    view_strip_begin(f->view, width, &strip);
    assert_int_equal(strip.count, width < HISTORY_LENGTH ? width : HISTORY_LENGTH);
    view_strip(f->view, &strip, row, cells);
    for (size_t i = 0; i < strip.count; i++) {
        unsigned shade = cells[i].role - ROLE_AMOUNT;
        strcat(text, cells[i].text);
        strcat(kinds, cells[i].role == ROLE_DIM ? "d" : shade < 8 ? "l" : shade < 16 ? "m" : "h");
    }
    assert_string_equal(text, marks);
    assert_string_equal(kinds, roles);
}

static void show(struct fixture *f, const char *screen, enum view_kind kind)
{
    settings_of(f->view)->kind = kind;
    assert_int_equal(view_choose_screen(f->view, screen, NULL), 0);
}

static void shares_of_each_cpu(void **state)
{
    struct fixture *f = *state;
    struct strip strip;
    show(f, "sw", VIEW_HEAT);
    view_strip_begin(f->view, 8, &strip);
    assert_true(strip.seconds == 0);
    interval(f, 0.2, 100);
    interval(f, 1, 100);
    interval(f, 0, 100);
    expect_columns(f, "cpu heat cpu_pct cycles instructions page-faults trend");
    view_strip_begin(f->view, 8, &strip);
    assert_string_equal(strip.title, "%CPU");
    assert_true(strip.full == 100 && strip.seconds == 1.5);
    expect_strip(f, 1, 5, "  ▁▁▁", "ddlll");
    expect_strip(f, 2, 5, "  ▂█▁", "ddlhd");
    expect_strip(f, 0, 5, "  ▂▅▁", "ddlml"); /* of 200 % */
    expect_strip(f, 2, 2, "█▁", "hd");
    settings_of(f->view)->ascii = true;
    view_apply(f->view);
    expect_strip(f, 2, 5, "  290", "ddlhd");
}

static void others_by_the_largest(void **state)
{
    struct fixture *f = *state;
    struct strip strip;
    show(f, "rates", VIEW_HEAT);
    interval(f, 0.2, 400);
    interval(f, 0.2, 100);
    view_strip_begin(f->view, 4, &strip);
    assert_string_equal(strip.title, "CYC");
    assert_true(strip.full == 800); /* a second */
    expect_strip(f, 1, 4, "  ▃▃", "ddll");
    expect_strip(f, 2, 4, "  █▃", "ddhl");
    expect_strip(f, 0, 4, "  █▄", "ddhm"); /* a sum has a scale of its own */
    expect_strip(f, 2, 1, "█", "h");       /* what is left of the strip does not count */
}

static void cpus_keep_their_lines(void **state)
{
    struct fixture *f = *state;
    show(f, "rates", VIEW_HEAT);
    interval(f, 0.2, 400);
    interval(f, 0.2, 400);
    assert_int_equal(view_sort_by(f->view, "cycles", false, NULL), 0);
    expect_cells(f, "cpu", "all|0|1");
    assert_string_equal(view_column(f->view, view_sort_column(f->view))->name, "cycles");
    view_sort_move(f->view, -1);
    assert_string_equal(view_column(f->view, view_sort_column(f->view))->name, "rate");
    view_sort_invert(f->view);
    expect_cells(f, "cpu", "all|0|1");
    show(f, "rates", VIEW_CPUS); /* where a choice sorts */
    assert_int_equal(view_sort_by(f->view, "cycles", false, NULL), 0);
    expect_cells(f, "cpu", "all|1|0");
}

/* CPUs have histories while tasks are shown, and tasks while CPUs are. */
static void they_outlast_another_view(void **state)
{
    struct fixture *f = *state;
    show(f, "rates", VIEW_TASKS);
    interval(f, 0.2, 400);
    interval(f, 0.2, 200);
    show(f, "rates", VIEW_HEAT);
    expect_strip(f, 2, 4, "  █▅", "ddhm");
    show(f, "rates", VIEW_CPUS);
    expect_strip(f, 2, 4, "  █▅", "ddhm");
}

/* While the screen is paused, its strips stand still; afterwards nothing is missing. */
static void they_are_held(void **state)
{
    struct fixture *f = *state;
    show(f, "rates", VIEW_HEAT);
    interval(f, 0.2, 400);
    for (int i = 0; i < 2; i++) {
        view_record(f->view, f->frame, true);
        expect_strip(f, 2, 4, "   █", "dddh");
    }
    interval(f, 0.2, 200);
    expect_strip(f, 2, 5, " ███▅", "dhhhm");
}

/* Also of a metric with limits: a shade says how much, not whether that is good. */
static void amounts_choose_the_colour(void **state)
{
    struct fixture *f = *state;
    show(f, "hw", VIEW_HEAT);
    assert_int_equal(view_sort_by(f->view, "ipc", false, NULL), 0);
    interval_of(f, 0.2, 1000, 200);
    interval_of(f, 0.2, 1000, 1000);
    interval_of(f, 0.2, 1000, 3000);
    expect_strip(f, 2, 4, " ▁▃█", "dlmh");
    expect_strip(f, 1, 4, " ▆▆▆", "dmmm");
}
