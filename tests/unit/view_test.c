#include "unit/viewed.h"

/* Short and distinct, with the unit, whatever is counted besides. */
static void titles_of_events_are_short_and_distinct(void **state)
{
    struct fixture *f = *state;
    static const struct {
        const char *event, *title;
    } cases[] = {
        {"sched:sched_switch", "switch/s"},
        {"sched:sched_wakeup/prio < 100/", "wakeup/s"},
        {"irq:irq_handler_entry:k", "entry:k/s"},
        {"syscalls:sys_enter_openat", "enter_openat/s"},
        {"syscalls:sys_enter_read", "enter_read/s"},
        {"minor-faults:u", "minor:u/s"},
        {"L1-dcache-load-misses", "L1-d-ld-miss/s"},
        {"MEM_LOAD_RETIRED:L3_MISS", "LOAD_RETIRED:L3_MISS/s"},
        {"MEM_INST_RETIRED:L3_MISS", "INST_RETIRED:L3_MISS/s"},
        {"msr/tsc/", "tsc/s"},
        {"cpu/event=0x3c,umask=1/u", "umask=1/u/s"},
        {"uprobe:/usr/bin/bash:readline", "readline/s"},
        {"sw", "sw/s"},
        {"instructionsoftheguest", "instructions/s"},
    };
    enum { CASES = sizeof(cases) / sizeof(cases[0]) };
    const char *events[CASES];
    static const uint64_t counts[CASES];
    for (size_t i = 0; i < CASES; i++)
        events[i] = cases[i].event;
    struct frame *frame = handmade_frame(handmade_set(CASES, events));
    handmade_process(frame, 1, "x", 1, counts);
    view_set_frame(f->view, frame);
    for (size_t i = 0; i < CASES; i++)
        assert_string_equal(view_column(f->view, column(f, cases[i].event))->title, cases[i].title);
    view_set_frame(f->view, NULL);
    frame_free(frame);
}

/* Alarm is for numbers as they are shown, so that equal ones look equal, and for rows that run. */
static void bad_numbers_look_equal(void **state)
{
    struct fixture *f = *state;
    struct row *row = &f->frame->processes[0], *other = &f->frame->processes[1];
    view_set_frame(f->view, f->frame);
    row->oncpu = other->oncpu = 0.01;
    row->counts[CYCLES].value = other->counts[CYCLES].value = 1000;
    row->counts[INSTRUCTIONS].value = 504;
    other->counts[INSTRUCTIONS].value = 496;
    expect_cell(f, 1, "ipc", "0.50", ROLE_BAD);
    expect_cell(f, 2, "ipc", "0.50", ROLE_BAD);
    row->counts[INSTRUCTIONS].value = 506;
    expect_cell(f, 1, "ipc", "0.51", ROLE_COUNTED);
    other->oncpu = 0.0099;
    expect_cell(f, 2, "ipc", "0.50", ROLE_COUNTED);
}

static void estimates_are_marked(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    f->frame->processes[0].counts[CYCLES].coverage = 0.5;
    expect_cell(f, 1, "ipc", "2.00~", ROLE_SCALED);
    f->frame->processes[0].counts[INSTRUCTIONS].value = 123456;
    expect_cell(f, 1, "ipc", "1235~", ROLE_SCALED);
    f->frame->processes[0].counts[CYCLES].coverage = 0;
    expect_cell(f, 1, "ipc", "-", ROLE_MISSING);
    f->frame->processes[0].counts[CYCLES].coverage = 1;
    f->frame->events->events[CYCLES].group = 2;
    f->frame->processes[0].counts[INSTRUCTIONS].value = 200;
    expect_cell(f, 1, "ipc", "2.00~", ROLE_SCALED);
}

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
    assert_int_equal(view_choose_screen(f->view, "s", false, NULL), 0);
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

static void the_dead_are_shown_and_not_asked_about(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->cmdline = true;
    settings_of(f->view)->filter = mem_strdup("a");
    f->frame->processes[0].exited = true;
    view_choose_screen(f->view, "sw", false, NULL);
    view_set_frame(f->view, f->frame);
    int asked = f->asked;
    expect_cell(f, 1, "pid", "1", ROLE_DEAD);
    expect_cell(f, 1, "state", "X", ROLE_DEAD);
    expect_cell(f, 1, "threads", "1", ROLE_DEAD);
    expect_cell(f, 1, "cpu_pct", "50.0", ROLE_DEAD);
    expect_cell(f, 1, "command", "alpha", ROLE_DEAD);
    assert_int_equal(f->asked, asked);
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

/* Three events in an interval are 3 a second however long it was, until a part of one tells more.
 * A metric that does not say that it is of events keeps its decimals. */
static void events_a_second_are_whole(void **state)
{
    struct fixture *f = *state;
    static const struct {
        double interval;
        uint64_t count;
        const char *event, *metric;
    } cases[] = {
        {1, 3, "3", "3"},
        {0.99, 3, "3", "3.0"},
        {1.04, 3, "3", "2.9"},
        {1.04, 1, "1", "1.0"},
        {1.04, 9, "9", "8.7"},
        {1.04, 12, "12", "12"},
        {1.04, 2000, "1.92k", "1.92k"},
        {0.5, 3, "6", "6"},
        {2, 3, "1.5", "1.5"},
        {4, 1, "0.3", "0.3"},
        {2.001, 16, "8", "8.0"},
        {1.04, 0, "0", "0"},
    };
    assert_int_equal(view_choose_screen(f->view, "rates", false, NULL), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char wanted[40];
        f->frame->interval = cases[i].interval;
        for (size_t p = 0; p < 3; p++)
            f->frame->processes[p].counts[CYCLES].value = cases[i].count;
        view_set_frame(f->view, f->frame);
        snprintf(wanted, sizeof(wanted), "%s|%s|%s", cases[i].event, cases[i].event,
                 cases[i].event);
        expect_cells(f, "cycles", wanted);
        snprintf(wanted, sizeof(wanted), "%s|%s|%s", cases[i].metric, cases[i].metric,
                 cases[i].metric);
        expect_cells(f, "rate", wanted);
    }
}
