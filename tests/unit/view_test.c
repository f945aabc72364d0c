#include "unit/viewed.h"

static void before_the_first_frame(void **state)
{
    struct fixture *f = *state;
    struct err err = {""};
    expect_columns(f, "pid user cpu cpu_pct ipc command");
    assert_int_equal(view_rows(f->view), 0);
    assert_string_equal(view_screen(f->view)->name, "hw");
    assert_int_equal(view_sort_by(f->view, "rate", false, &err), 0);
    assert_int_equal(view_sort_by(f->view, "ppid", false, &err), 0);
    assert_int_equal(view_sort_by(f->view, "ipx", false, &err), -1);
    assert_string_equal(err.text, "no column 'ipx': did you mean 'ipc'?");
}

static void events_make_columns_before_the_first_frame(void **state)
{
    struct fixture *f = *state;
    static const char *const some[] = {"cycles", "instructions", "LLC-loads"};
    struct event_set *set = handmade_set(3, some);
    view_set_events(f->view, set);
    event_set_drop(set);
    expect_columns(f, "pid user cpu cpu_pct ipc LLC-loads command");
    assert_int_equal(view_sort_by(f->view, "LLC-loads", false, NULL), 0);
    assert_int_equal(view_sort_by(f->view, "ppid", false, NULL), -1);
}

static void the_screen_follows_what_is_counted(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    assert_string_equal(view_screen(f->view)->name, "hw");
    struct frame *poor = tasks();
    poor->events->events[CYCLES].state = EVENT_UNSUPPORTED;
    view_set_frame(f->view, poor);
    assert_string_equal(view_screen(f->view)->name, "sw");
    /* Not even its screen uses them: what was asked for is there, with the reason. */
    expect_columns(f, "pid state threads cpu_pct cycles instructions page-faults command");
    expect_cell(f, 1, "cycles", "-", ROLE_MISSING);
    view_set_frame(f->view, f->frame);
    frame_free(poor);
}

static void screens_are_chosen_by_name(void **state)
{
    struct fixture *f = *state;
    struct err err = {""};
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_choose_screen(f->view, "sw", &err), 0);
    assert_string_equal(view_screen(f->view)->name, "sw");
    assert_int_equal(view_choose_screen(f->view, "swx", &err), -1);
    assert_string_equal(err.text, "no screen 'swx': did you mean 'sw'?");
    assert_int_equal(view_choose_screen(f->view, "typo", &err), -1);
    assert_string_equal(err.text, "cannot show screen 'typo': its column 'ipcc' is no metric and "
                                  "none of its events; nearest is 'ipc'");
    assert_string_equal(view_screen(f->view)->name, "sw");
    assert_int_equal(view_choose_screen(f->view, NULL, &err), 0);
    assert_string_equal(view_screen(f->view)->name, "hw");
}

static void without_screens_there_are_events(void **state)
{
    struct fixture *f = *state;
    struct screen_list none;
    screen_list_init(&none);
    struct view *bare = view_new(&f->metric_set, &none, NULL);
    view_set_frame(bare, f->frame);
    assert_null(view_screen(bare));
    assert_int_equal(view_columns(bare), 5);
    assert_string_equal(view_column(bare, 1)->name, "cycles");
    assert_string_equal(view_column(bare, 4)->name, "command");
    struct cell cell;
    view_cell(bare, 0, 4, &cell);
    assert_string_equal(cell.text, "gamma");
    view_free(bare);
    view_free(NULL);
}

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

static void unused_events_have_columns_of_their_own(void **state)
{
    struct fixture *f = *state;
    static const char *const more[] = {"cpu-cycles", "instructions", "faults", "LLC-loads",
                                       "task-clock"};
    static const uint64_t counts[] = {100, 200, 5, 2500, 500000000};
    struct frame *frame = handmade_frame(handmade_set(5, more));
    free(frame->events->events[4].unit);
    frame->events->events[4].unit = mem_strdup("ns");
    frame->interval = 2;
    handmade_process(frame, 1, "x", 1, counts);
    view_set_frame(f->view, frame);
    expect_columns(f, "pid user cpu cpu_pct ipc LLC-loads task-clock command");
    const struct view_column *shown = view_column(f->view, column(f, "LLC-loads"));
    assert_string_equal(shown->title, "LLC-loads/s");
    assert_string_equal(shown->help, "occurrences a second");
    assert_int_equal(shown->width, 11);
    assert_false(shown->left);
    expect_cell(f, 1, "LLC-loads", "1.25k", ROLE_COUNTED);
    expect_cell(f, 1, "task-clock", "250", ROLE_COUNTED);
    assert_string_equal(view_column(f->view, column(f, "task-clock"))->title, "task,ms/s");
    assert_string_equal(view_column(f->view, column(f, "task-clock"))->help,
                        "milliseconds of it a second");
    view_set_frame(f->view, f->frame);
    frame_free(frame);
}

static void a_column_says_why_its_event_is_not_counted(void **state)
{
    struct fixture *f = *state;
    static const char *const more[] = {"cycles", "instructions", "LLC-loads"};
    struct frame *frame = handmade_frame(handmade_set(3, more));
    frame->events->events[2].state = EVENT_NO_COUNTER;
    frame->events->events[2].reason = mem_strdup("no free counter");
    handmade_process(frame, 1, "x", 1, NULL);
    view_set_frame(f->view, frame);
    assert_string_equal(view_column(f->view, column(f, "LLC-loads"))->help,
                        "not counted: no free counter");
    expect_cell(f, 1, "LLC-loads", "-", ROLE_MISSING);
    view_set_frame(f->view, f->frame);
    frame_free(frame);
}

static void plain_events_can_be_on_a_screen(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_choose_screen(f->view, "rates", NULL), 0);
    expect_columns(f, "ppid rate cycles instructions page-faults command");
    expect_cell(f, 2, "cycles", "400", ROLE_COUNTED);
    expect_cell(f, 2, "rate", "400", ROLE_COUNTED);
    expect_cell(f, 2, "page-faults", "1.23k", ROLE_COUNTED);
    expect_cell(f, 2, "ppid", "-", ROLE_DIM);
}

static void facts(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    enum role mine = geteuid() == 0 ? ROLE_TEXT : ROLE_OTHER_USER;
    expect_cell(f, 1, "pid", "1", ROLE_TEXT);
    expect_cell(f, 1, "user", "root", mine);
    expect_cell(f, 2, "user", "systemd+", ROLE_OTHER_USER);
    expect_cell(f, 3, "user", "4242", ROLE_OTHER_USER);
    expect_cell(f, 3, "cpu", "2", ROLE_TEXT);
    expect_cell(f, 1, "command", "alpha", ROLE_TEXT);
    f->frame->processes[0].uid = (uid_t)-1;
    f->frame->processes[0].cpu = -1;
    expect_cell(f, 1, "user", "-", ROLE_DIM);
    expect_cell(f, 1, "cpu", "-", ROLE_DIM);

    view_choose_screen(f->view, "sw", NULL);
    expect_cell(f, 1, "state", "R", ROLE_TEXT);
    expect_cell(f, 1, "threads", "40", ROLE_TEXT);
    expect_cell(f, 3, "threads", "1", ROLE_TEXT);
}

static void numbers(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    expect_cell(f, 1, "cpu_pct", "50.0", ROLE_COUNTED);
    expect_cell(f, 1, "ipc", "2.00", ROLE_COUNTED); /* good: nothing is wrong */
    expect_cell(f, 2, "ipc", "0.25", ROLE_BAD);
    expect_cell(f, 3, "ipc", "n/a", ROLE_UNDEFINED);
    f->frame->processes[0].counts[CYCLES].value = 200;
    expect_cell(f, 1, "ipc", "1.00", ROLE_COUNTED);
    f->frame->processes[0].oncpu = 0;
    expect_cell(f, 1, "cpu_pct", "0.0", ROLE_DIM);
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
    assert_int_equal(view_choose_screen(f->view, "s", NULL), 0);
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

static void counts_a_second_in_the_interval_and_in_all(void **state)
{
    struct fixture *f = *state;
    struct err err;
    assert_int_equal(
        metric_set_load(&f->metric_set,
                        "[metric mega]\nexpr = page-faults / interval / 1e6\nunit = M/s\n"
                        "title = Mfault/s\ndecimals = 1\nwidth = 8\n",
                        "ini", &err),
        0);
    assert_int_equal(
        screen_list_load(&f->screens, "[screen s]\ncolumns = pid cpu_pct mega\n", "ini", &err), 0);
    assert_int_equal(view_choose_screen(f->view, "s", NULL), 0);
    f->frame->interval = 2;
    f->frame->processes[1].counts[FAULTS].value = 5000000;
    view_set_frame(f->view, f->frame);
    struct view_settings *settings = settings_of(f->view);
    expect_title(f, "mega", "Mfault/s", 8);
    expect_cell(f, 2, "mega", "2.5", ROLE_COUNTED);
    expect_cell(f, 2, "cycles", "200", ROLE_COUNTED);
    assert_string_equal(view_column(f->view, column(f, "cycles"))->help, "occurrences a second");
    for (settings->amount = AMOUNT_INTERVAL; settings->amount <= AMOUNT_TOTAL; settings->amount++) {
        view_apply(f->view);
        expect_title(f, "mega", "Mfault", 8);
        expect_cell(f, 2, "mega", "5.0", ROLE_COUNTED);
        expect_cell(f, 2, "cycles", "400", ROLE_COUNTED);
        expect_cell(f, 2, "cpu_pct", "45.0", ROLE_COUNTED); /* a share is no amount */
    }
    settings->amount = AMOUNT_TOTAL;
    assert_string_equal(view_column(f->view, column(f, "cycles"))->help,
                        "occurrences since the start");
    settings->exact = true;
    view_apply(f->view);
    expect_title(f, "mega", "fault", 13);
    expect_cell(f, 2, "mega", "5000000", ROLE_COUNTED);
    expect_title(f, "cycles", "cycles", 13);
    expect_cell(f, 2, "cycles", "400", ROLE_COUNTED);
    expect_cell(f, 2, "cpu_pct", "45.0", ROLE_COUNTED);
}

static void events_are_shown_in_their_unit(void **state)
{
    struct fixture *f = *state;
    static const char *const more[] = {"power/energy-pkg/", "cycles"};
    static const uint64_t counts[] = {1ull << 33, 5};
    struct frame *frame = handmade_frame(handmade_set(2, more));
    struct event_info *event = &frame->events->events[0];
    free(event->unit);
    event->unit = mem_strdup("Joules");
    event->scale = 1.0 / (1ull << 32);
    frame->interval = 4;
    handmade_process(frame, 1, "x", 1, counts);
    view_set_frame(f->view, frame);
    expect_cell(f, 1, "power/energy-pkg/", "0.50", ROLE_COUNTED);
    assert_string_equal(view_column(f->view, column(f, "power/energy-pkg/"))->help,
                        "Joules a second");
    settings_of(f->view)->amount = AMOUNT_INTERVAL;
    settings_of(f->view)->exact = true; /* there are no whole ones */
    view_apply(f->view);
    expect_cell(f, 1, "power/energy-pkg/", "2.00", ROLE_COUNTED);
    event->shared = true;
    view_set_events(f->view, f->frame->events);
    view_set_frame(f->view, frame);
    assert_string_equal(view_column(f->view, column(f, "power/energy-pkg/"))->help,
                        "Joules; counts a whole socket: of CPUs, not of tasks");
    view_set_frame(f->view, f->frame);
    frame_free(frame);
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
    view_choose_screen(f->view, "sw", NULL);
    view_set_frame(f->view, f->frame);
    int asked = f->asked;
    expect_cell(f, 1, "pid", "1", ROLE_DEAD);
    expect_cell(f, 1, "state", "X", ROLE_DEAD);
    expect_cell(f, 1, "threads", "1", ROLE_DEAD);
    expect_cell(f, 1, "cpu_pct", "50.0", ROLE_DEAD);
    expect_cell(f, 1, "command", "alpha", ROLE_DEAD);
    assert_int_equal(f->asked, asked);
}

static void a_view_needs_no_lookup(void **state)
{
    struct fixture *f = *state;
    struct view *view = view_new(&f->metric_set, &f->screens, NULL);
    settings_of(view)->cmdline = true;
    settings_of(view)->filter = mem_strdup("ALP");
    view_choose_screen(view, "sw", NULL);
    view_set_frame(view, f->frame);
    assert_int_equal(view_rows(view), 1);
    static const char *const texts[] = {"1", "-", "1", "50.0"};
    struct cell cell;
    for (size_t i = 0; i < 4; i++) {
        view_cell(view, 0, i, &cell);
        assert_string_equal(cell.text, texts[i]);
    }
    view_cell(view, 0, view_columns(view) - 1, &cell);
    assert_string_equal(cell.text, "alpha");
    view_free(view);
}

static void command_lines(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->cmdline = true;
    view_set_frame(f->view, f->frame);
    expect_cell(f, 1, "command", "/usr/bin/prog --pid=1", ROLE_TEXT);
    expect_cell(f, 2, "command", "Beta", ROLE_TEXT);
    /* Threads have names of their own. */
    settings_of(f->view)->threads = true;
    view_apply(f->view);
    expect_cell(f, 1, "command", "alpha", ROLE_TEXT);
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

static void every_role_has_a_name(void **state)
{
    (void)state;
    for (int role = 0; role < ROLE_COUNT; role++)
        assert_non_null(role_name((enum role)role));
    assert_string_equal(role_name(ROLE_HEADING_SORT), "heading-sort");
    assert_string_equal(role_name(amount_role(1)), "amount");
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
    assert_int_equal(view_choose_screen(f->view, "rates", NULL), 0);
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
