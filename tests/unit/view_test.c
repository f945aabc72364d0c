#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "view/view.h"

#include "handmade.h"

#include <stdio.h>
#include <unistd.h>

static const char ini[] =
    "[metric cpu_pct]\nexpr = oncpu / interval * 100\ntitle = %CPU\ndecimals = 1\nwidth = 6\n"
    "[metric ipc]\nexpr = instructions / cycles\ntitle = IPC\ndecimals = 2\nwidth = 5\n"
    "good = 1.5\nbad = 0.5\n"
    "[metric rate]\nexpr = cycles / interval\ntitle = CYC\nwidth = 5\n"
    "[screen hw]\nevents = {cycles,instructions},page-faults\nrequires = cycles instructions\n"
    "columns = pid user cpu cpu_pct ipc command\nsort = cpu_pct\n"
    "[screen sw]\ncolumns = pid state threads cpu_pct command\nsort = cpu_pct\n"
    "[screen typo]\ncolumns = pid ipcc\n"
    "[screen rates]\nevents = cycles\ncolumns = ppid rate cycles command\nsort = rate\n";

enum { CYCLES, INSTRUCTIONS, FAULTS, EVENTS };
static const char *const names[EVENTS] = {"cycles", "instructions", "page-faults"};

struct fixture {
    struct catalog catalog;
    struct screen_list screens;
    struct view *view;
    struct frame *frame;
    int asked; /* calls of the lookup */
};

static const char *user_name(void *ctx, uid_t uid)
{
    ((struct fixture *)ctx)->asked++;
    return uid == 0 ? "root" : uid == 101 ? "systemd-timesync" : NULL;
}

static bool cmdline(void *ctx, pid_t pid, char *buffer, size_t size)
{
    ((struct fixture *)ctx)->asked++;
    if (pid == 2)
        return false;
    snprintf(buffer, size, "/usr/bin/prog --pid=%d", (int)pid);
    return true;
}

static void task_state(void *ctx, pid_t pid, pid_t tid, char *state, size_t *threads)
{
    ((struct fixture *)ctx)->asked++;
    (void)tid;
    *state = pid == 1 ? 'R' : 'S';
    *threads = pid == 3 ? 0 : 40;
}

/* 1 alpha: 50 %, IPC 2; 2 Beta: 90 %, IPC 0.25; 3 gamma: 10 %, no cycles; 4 idle: did not run. */
static struct frame *tasks(void)
{
    static const uint64_t counts[][EVENTS] = {
        {100, 200, 5}, {400, 100, 1234}, {0, 10, 0}, {0, 0, 0}};
    struct event_set *set = handmade_set(EVENTS, names);
    for (int i = CYCLES; i <= INSTRUCTIONS; i++) {
        set->events[i].hardware = true;
        set->events[i].group = 1;
    }
    set->groups = 2;
    struct frame *frame = handmade_frame(set);
    static const char *const comms[] = {"alpha", "Beta", "gamma", "idle"};
    static const double oncpu[] = {0.5, 0.9, 0.1, 0};
    static const uid_t uids[] = {0, 101, 4242, 0};
    for (int i = 0; i < 4; i++) {
        struct row *row = handmade_process(frame, i + 1, comms[i], oncpu[i], counts[i]);
        struct row *thread = &frame->threads[i];
        row->uid = thread->uid = uids[i];
        row->cpu = thread->cpu = i;
        row->ran = thread->ran = i < 3;
    }
    return frame;
}

static int setup(void **state)
{
    struct fixture *f = mem_alloc(sizeof(*f));
    static struct view_lookup lookup = {NULL, user_name, cmdline, task_state};
    lookup.ctx = f;
    catalog_init(&f->catalog);
    screen_list_init(&f->screens);
    if (catalog_load(&f->catalog, ini, "ini", NULL) < 0 ||
        screen_list_load(&f->screens, ini, "ini", NULL) < 0)
        return -1;
    f->view = view_new(&f->catalog, &f->screens, &lookup);
    f->frame = tasks();
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    view_free(f->view);
    frame_free(f->frame);
    screen_list_release(&f->screens);
    catalog_release(&f->catalog);
    free(f);
    return 0;
}

static void expect_columns(const struct fixture *f, const char *expected)
{
    struct str seen;
    str_init(&seen);
    for (size_t i = 0; i < view_columns(f->view); i++)
        str_printf(&seen, "%s%s", i ? " " : "", view_column(f->view, i)->name);
    assert_string_equal(seen.text, expected);
    str_release(&seen);
}

/* The tids of the rows in order. */
static void expect_rows(const struct fixture *f, const char *expected)
{
    struct str seen;
    str_init(&seen);
    for (size_t i = 0; i < view_rows(f->view); i++)
        str_printf(&seen, "%s%d", i ? " " : "", (int)view_row(f->view, i)->tid);
    assert_string_equal(seen.text, expected);
    str_release(&seen);
}

static size_t column(const struct fixture *f, const char *name)
{
    for (size_t i = 0; i < view_columns(f->view); i++)
        if (str_equal(view_column(f->view, i)->name, name))
            return i;
    fail_msg("no column %s", name);
    return 0;
}

static size_t row(const struct fixture *f, pid_t tid)
{
    for (size_t i = 0; i < view_rows(f->view); i++)
        if (view_row(f->view, i)->tid == tid)
            return i;
    fail_msg("no row %d", (int)tid);
    return 0;
}

static void expect_cell(const struct fixture *f, pid_t tid, const char *name, const char *text,
                        enum role role)
{
    struct cell cell;
    memset(&cell, 'x', sizeof(cell));
    view_cell(f->view, row(f, tid), column(f, name), &cell);
    assert_string_equal(cell.text, text);
    assert_string_equal(role_name(cell.role), role_name(role));
    size_t length = strlen(text);
    assert_int_equal(cell.marked, length && text[length - 1] == '~');
}

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
    assert_string_equal(err.text, "no column 'ipx': did you mean 'ipc'? expected one of pid, user, "
                                  "cpu, cpu_pct, ipc, command");
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
    assert_string_equal(err.text, "no screen 'swx': did you mean 'sw'? expected one of hw, sw, "
                                  "typo, rates");
    assert_int_equal(view_choose_screen(f->view, "typo", &err), -1);
    assert_string_equal(err.text, "cannot show screen 'typo': its column 'ipcc' is no metric and "
                                  "none of its events");
    assert_string_equal(view_screen(f->view)->name, "sw");
    assert_int_equal(view_choose_screen(f->view, NULL, &err), 0);
    assert_string_equal(view_screen(f->view)->name, "hw");
}

static void without_screens_there_are_events(void **state)
{
    struct fixture *f = *state;
    struct screen_list none;
    screen_list_init(&none);
    struct view *bare = view_new(&f->catalog, &none, NULL);
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
    assert_string_equal(shown->title, "LLC-loads");
    assert_string_equal(shown->help, "occurrences a second");
    assert_int_equal(shown->width, 9);
    assert_false(shown->left);
    expect_cell(f, 1, "LLC-loads", "1.25k", ROLE_COUNTED);
    expect_cell(f, 1, "task-clock", "250", ROLE_COUNTED);
    assert_string_equal(view_column(f->view, column(f, "task-clock"))->help,
                        "milliseconds of it in a second");
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
    expect_cell(f, 2, "ppid", "-", ROLE_MISSING);
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
    expect_cell(f, 1, "user", "-", ROLE_MISSING);
    expect_cell(f, 1, "cpu", "-", ROLE_MISSING);

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
    expect_cell(f, 1, "ipc", "2.00", ROLE_GOOD);
    expect_cell(f, 2, "ipc", "0.25", ROLE_BAD);
    expect_cell(f, 3, "ipc", "n/a", ROLE_UNDEFINED);
    f->frame->processes[0].counts[CYCLES].value = 200;
    expect_cell(f, 1, "ipc", "1.00", ROLE_COUNTED);
    f->frame->processes[0].oncpu = 0;
    expect_cell(f, 1, "cpu_pct", "0.0", ROLE_DIM);
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

static void the_dead_are_shown_and_not_asked_about(void **state)
{
    struct fixture *f = *state;
    view_settings(f->view)->cmdline = true;
    view_settings(f->view)->filter = mem_strdup("a");
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
    struct view *view = view_new(&f->catalog, &f->screens, NULL);
    view_settings(view)->cmdline = true;
    view_settings(view)->filter = mem_strdup("ALP");
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
    view_settings(f->view)->cmdline = true;
    view_set_frame(f->view, f->frame);
    expect_cell(f, 1, "command", "/usr/bin/prog --pid=1", ROLE_TEXT);
    expect_cell(f, 2, "command", "Beta", ROLE_TEXT);
    /* Threads have names of their own. */
    view_settings(f->view)->threads = true;
    view_apply(f->view);
    expect_cell(f, 1, "command", "alpha", ROLE_TEXT);
}

static void names_are_made_harmless(void **state)
{
    struct fixture *f = *state;
    strcpy(f->frame->processes[0].comm, "a\033[31m\xc3\xa9\xff");
    view_set_frame(f->view, f->frame);
    expect_cell(f, 1, "command", "a?[31m\xc3\xa9?", ROLE_TEXT);
    view_settings(f->view)->ascii = true;
    expect_cell(f, 1, "command", "a?[31m??", ROLE_TEXT);
}

static void only_what_ran_is_shown(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    f->frame->processes[3].exited = true;
    view_apply(f->view);
    expect_rows(f, "2 1 3 4");
    f->frame->processes[3].exited = false;
    view_settings(f->view)->idle = true;
    view_apply(f->view);
    expect_rows(f, "2 1 3 4");
    view_set_frame(f->view, NULL);
    expect_rows(f, "");
}

static void filters(void **state)
{
    struct fixture *f = *state;
    struct view_settings *settings = view_settings(f->view);
    settings->filter = mem_strdup("beTA");
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2");
    strcpy(settings->filter, "=3");
    view_apply(f->view);
    expect_rows(f, "3");
    strcpy(settings->filter, "");
    view_apply(f->view);
    expect_rows(f, "2 1 3");
}

static void add_thread(struct frame *frame, pid_t pid, pid_t tid, const char *comm, double oncpu)
{
    struct row thread = handmade_row(frame, NULL);
    thread.pid = pid;
    thread.tid = tid;
    thread.oncpu = oncpu;
    strcpy(thread.comm, comm);
    handmade_add(&frame->threads, &frame->thread_count, thread);
}

static void threads_and_processes(void **state)
{
    struct fixture *f = *state;
    add_thread(f->frame, 1, 9, "worker", 0.3);
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    view_settings(f->view)->threads = true;
    view_apply(f->view);
    expect_columns(f, "pid tid user cpu cpu_pct ipc command");
    expect_rows(f, "2 1 9 3");
    expect_cell(f, 9, "pid", "1", ROLE_TEXT);
    expect_cell(f, 9, "tid", "9", ROLE_TEXT);
    expect_cell(f, 9, "command", "worker", ROLE_TEXT);
    view_choose_screen(f->view, "rates", NULL);
    expect_columns(f, "tid ppid rate cycles instructions page-faults command");
}

static void watched_tasks(void **state)
{
    struct fixture *f = *state;
    struct view_settings *settings = view_settings(f->view);
    add_thread(f->frame, 1, 9, "worker", 0.3);
    watch_add_processes(&settings->watch, "alpha,3", NULL);
    view_set_frame(f->view, f->frame);
    expect_rows(f, "1 3");
    settings->threads = true;
    view_apply(f->view);
    expect_rows(f, "1 9 3"); /* worker is a thread of alpha */

    watch_release(&settings->watch);
    watch_add_threads(&settings->watch, "9", NULL);
    view_apply(f->view);
    expect_rows(f, "9");
    settings->threads = false;
    view_apply(f->view);
    expect_rows(f, "1"); /* the process of that thread */

    watch_release(&settings->watch);
    watch_add_user(&settings->watch, 101);
    view_apply(f->view);
    expect_rows(f, "2");
}

static void a_watched_task_that_is_not_counted_is_shown(void **state)
{
    struct fixture *f = *state;
    struct row *idle = &f->frame->processes[3];
    idle->state = EVENT_DENIED;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    watch_add_pid(&view_settings(f->view)->watch, 4);
    view_apply(f->view);
    expect_rows(f, "4");
    expect_cell(f, 4, "cpu_pct", "-", ROLE_MISSING);
}

static void sort_orders(void **state)
{
    struct fixture *f = *state;
    struct view *view = f->view;
    struct err err;
    view_set_frame(view, f->frame);
    assert_int_equal(view_sort_column(view), column(f, "cpu_pct"));
    assert_false(view_sort_ascending(view));
    assert_int_equal(view_sort_by(view, "cpu_pct", true, &err), 0);
    expect_rows(f, "3 1 2");
    assert_true(view_sort_ascending(view));
    assert_true(view_sort_reverse(view));

    /* Without a value: last, whatever the direction. */
    assert_int_equal(view_sort_by(view, "ipc", false, &err), 0);
    expect_rows(f, "1 2 3");
    view_sort_invert(view);
    expect_rows(f, "2 1 3");

    /* Texts ascend first, and in no case. */
    assert_int_equal(view_sort_by(view, "command", false, &err), 0);
    assert_true(view_sort_ascending(view));
    expect_rows(f, "1 2 3");
    view_sort_invert(view);
    assert_false(view_sort_ascending(view));
    expect_rows(f, "3 2 1");
    view_sort_invert(view);
    expect_rows(f, "1 2 3");

    assert_int_equal(view_sort_by(view, "user", false, &err), 0);
    expect_rows(f, "3 1 2"); /* 4242 root systemd-timesync */
    assert_int_equal(view_sort_by(view, "rate", false, &err), -1);
    assert_string_equal(err.text, "no column 'rate': expected one of pid, user, cpu, cpu_pct, ipc, "
                                  "command");
    expect_rows(f, "3 1 2");
}

static void equal_rows_are_in_the_order_of_their_ids(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 3; i++)
        f->frame->processes[i].oncpu = 0.5;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "1 2 3");
    view_sort_invert(f->view);
    expect_rows(f, "1 2 3");
}

static void the_sorting_column_moves(void **state)
{
    struct fixture *f = *state;
    struct view *view = f->view;
    view_set_frame(view, f->frame);
    view_sort_move(view, 1);
    assert_int_equal(view_sort_column(view), column(f, "ipc"));
    view_sort_move(view, 1);
    view_sort_move(view, 1);
    assert_int_equal(view_sort_column(view), column(f, "command"));
    for (int i = 0; i < 9; i++)
        view_sort_move(view, -1);
    assert_int_equal(view_sort_column(view), 0);
    expect_rows(f, "3 2 1");
}

static void a_choice_of_sorting_outlives_screens(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_sort_by(f->view, "ipc", false, NULL), 0);
    view_choose_screen(f->view, "sw", NULL);
    assert_int_equal(view_sort_column(f->view), column(f, "cpu_pct"));
    expect_rows(f, "2 1 3");
    view_choose_screen(f->view, "hw", NULL);
    assert_int_equal(view_sort_column(f->view), column(f, "ipc"));
    expect_rows(f, "1 2 3");
}

static void add_cpu(struct frame *frame, int cpu, double busy, uint64_t cycles)
{
    const uint64_t counts[EVENTS] = {cycles, 2 * cycles, 0};
    struct row one = handmade_row(frame, counts);
    one.cpu = cpu;
    one.oncpu = busy;
    handmade_add(&frame->cpus, &frame->cpu_count, one);
}

static void expect_cpus(const struct fixture *f, int first, int second)
{
    assert_int_equal(view_rows(f->view), 2);
    assert_int_equal(view_row(f->view, 0)->cpu, first);
    assert_int_equal(view_row(f->view, 1)->cpu, second);
}

static void cpus(void **state)
{
    struct fixture *f = *state;
    f->frame->has_cpus = true;
    add_cpu(f->frame, 0, 0.25, 1000);
    add_cpu(f->frame, 1, 0.75, 3000);
    view_settings(f->view)->kind = VIEW_CPUS;
    view_settings(f->view)->filter = mem_strdup("alpha");
    view_set_frame(f->view, f->frame);
    expect_columns(f, "cpu cpu_pct ipc");
    expect_cpus(f, 0, 1);
    assert_true(view_sort_ascending(f->view));
    struct cell cell;
    view_cell(f->view, 1, 1, &cell);
    assert_string_equal(cell.text, "75.0");
    assert_int_equal(view_sort_by(f->view, "cpu_pct", false, NULL), 0);
    expect_cpus(f, 1, 0);
    assert_int_equal(view_sort_by(f->view, "ipc", true, NULL), 0);
    expect_cpus(f, 0, 1); /* equal: by number */
    view_settings(f->view)->kind = VIEW_TASKS;
    view_apply(f->view);
    expect_rows(f, "1");
}

static void a_frame_with_another_set_is_let_go(void **state)
{
    struct fixture *f = *state;
    static const char *const other[] = {"LLC-loads"};
    view_set_frame(f->view, f->frame);
    struct event_set *set = handmade_set(1, other);
    view_set_events(f->view, set);
    assert_int_equal(view_rows(f->view), 0);
    view_apply(f->view);
    assert_int_equal(view_rows(f->view), 0);
    event_set_drop(set);
}

static void every_role_has_a_name(void **state)
{
    (void)state;
    for (int role = 0; role < ROLE_COUNT; role++)
        assert_non_null(role_name((enum role)role));
    assert_string_equal(role_name(ROLE_HEADING_SORT), "heading-sort");
    assert_null(role_name(ROLE_COUNT));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(before_the_first_frame),
        TEST(events_make_columns_before_the_first_frame),
        TEST(the_screen_follows_what_is_counted),
        TEST(screens_are_chosen_by_name),
        TEST(without_screens_there_are_events),
        TEST(unused_events_have_columns_of_their_own),
        TEST(a_column_says_why_its_event_is_not_counted),
        TEST(plain_events_can_be_on_a_screen),
        TEST(facts),
        TEST(numbers),
        TEST(estimates_are_marked),
        TEST(the_dead_are_shown_and_not_asked_about),
        TEST(a_view_needs_no_lookup),
        TEST(command_lines),
        TEST(names_are_made_harmless),
        TEST(only_what_ran_is_shown),
        TEST(filters),
        TEST(threads_and_processes),
        TEST(watched_tasks),
        TEST(a_watched_task_that_is_not_counted_is_shown),
        TEST(sort_orders),
        TEST(equal_rows_are_in_the_order_of_their_ids),
        TEST(the_sorting_column_moves),
        TEST(a_choice_of_sorting_outlives_screens),
        TEST(cpus),
        TEST(a_frame_with_another_set_is_let_go),
        cmocka_unit_test(every_role_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
