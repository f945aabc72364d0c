#include "unit/viewed.h"

static void shares_beyond_100_of_what_was_scaled_apart_say_nothing(void **state)
{
    struct fixture *f = *state;
    struct err err;
    assert_int_equal(
        metric_set_load(&f->metric_set,
                        "[metric part]\nexpr = instructions / cycles * 100\nunit = %\n", "ini",
                        &err),
        0);
    assert_int_equal(
        screen_list_load(&f->screens, "[screen s]\ncolumns = pid part command\n", "ini", &err), 0);
    assert_int_equal(view_choose_screen(f->view, "s", true, NULL), 0);
    view_set_frame(f->view, f->frame);
    struct row *row = &f->frame->processes[0];
    row->counts[INSTRUCTIONS].value = 2247;
    expect_cell(f, 1, "part", "2247.0", ROLE_COUNTED); /* 22.47 times, of one group: so it was */
    row->counts[CYCLES].coverage = row->counts[INSTRUCTIONS].coverage = 0.5;
    expect_cell(f, 1, "part", "2247~", ROLE_SCALED);
    f->frame->events->events[CYCLES].group = 0;
    expect_cell(f, 1, "part", "n/a", ROLE_UNDEFINED);
    row->counts[INSTRUCTIONS].value = 99;
    expect_cell(f, 1, "part", "99.0~", ROLE_SCALED);
}

static void expect_title(const struct fixture *f, const char *name, const char *title, int width)
{
    const struct view_column *shown = view_column(f->view, column(f, name));
    assert_string_equal(shown->title, title);
    assert_int_equal(shown->width, width);
}

static void the_least_coverage_has_a_column_where_events_take_turns(void **state)
{
    struct fixture *f = *state;
    f->frame->events->events[INSTRUCTIONS].group = 0;
    view_set_frame(f->view, f->frame);
    expect_columns(f, "pid user cpu cpu_pct ipc coverage_pct command");
    expect_title(f, "coverage_pct", "%COV", 4);
    struct row *row = &f->frame->processes[0];
    expect_cell(f, 1, "coverage_pct", "100", ROLE_TEXT);
    row->counts[CYCLES].coverage = 0.999;
    row->counts[INSTRUCTIONS].coverage = 0.5;
    expect_cell(f, 1, "coverage_pct", "50", ROLE_SCALED);
    row->counts[INSTRUCTIONS].coverage = 1;
    expect_cell(f, 1, "coverage_pct", "99", ROLE_SCALED); /* less than all is never 100 */
    row->counts[CYCLES].coverage = 0;
    expect_cell(f, 1, "coverage_pct", "0", ROLE_SCALED);
    f->frame->events->events[CYCLES].state = EVENT_DENIED; /* no part of it */
    expect_cell(f, 1, "coverage_pct", "100", ROLE_TEXT);
    row->state = EVENT_NO_DESCRIPTOR;
    expect_cell(f, 1, "coverage_pct", "-", ROLE_MISSING);
}

static void names_are_made_harmless(void **state)
{
    struct fixture *f = *state;
    strcpy(f->frame->processes[0].comm, "a\033[31m\xc3\xa9\xff");
    view_set_frame(f->view, f->frame);
    expect_cell(f, 1, "command", "a?[31m\xc3\xa9?", ROLE_TEXT);
    settings_of(f->view)->ascii = true;
    expect_cell(f, 1, "command", "a?[31m??", ROLE_TEXT);
}
