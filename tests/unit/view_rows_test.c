#include "unit/viewed.h"

static void only_what_ran_is_shown(void **state)
{
    struct fixture *f = *state;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    f->frame->processes[3].exited = true;
    view_apply(f->view);
    expect_rows(f, "2 1 3 4");
    f->frame->processes[3].exited = false;
    settings_of(f->view)->idle = true;
    view_apply(f->view);
    expect_rows(f, "2 1 3 4");
    view_set_frame(f->view, NULL);
    expect_rows(f, "");
}

static void filters(void **state)
{
    struct fixture *f = *state;
    struct view_settings *settings = settings_of(f->view);
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
    handmade_add(&frame->threads, &frame->thread_count, handmade_task(frame, thread));
}

static void threads_and_processes(void **state)
{
    struct fixture *f = *state;
    add_thread(f->frame, 1, 9, "worker", 0.3);
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    settings_of(f->view)->threads = true;
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
    struct view_settings *settings = settings_of(f->view);
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
    watch_add_pid(&settings_of(f->view)->watch, 4);
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
    assert_string_equal(err.text, "column 'rate' is not on this screen, which has pid, user, cpu, "
                                  "cpu_pct, ipc, command");
    assert_int_equal(view_sort_by(view, "xyzzy", false, &err), -1);
    assert_string_equal(err.text, "no column 'xyzzy': see --list-columns");
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

/* The next frame, with these shares of a CPU; below 0: did not run. */
static void run(struct fixture *f, double one, double two, double three)
{
    const double shares[] = {one, two, three};
    for (size_t i = 0; i < 3; i++) {
        f->frame->processes[i].ran = shares[i] >= 0;
        f->frame->processes[i].oncpu = shares[i] * f->frame->interval;
    }
    view_set_frame(f->view, f->frame);
}

static void on_a_terminal_equal_tasks_stay_where_they_were(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->terminal = true;
    run(f, 0.5, 0.5, 0.5);
    expect_rows(f, "1 2 3");
    run(f, 0.5, 0.5, 0.7);
    expect_rows(f, "3 1 2");
    run(f, 0.5, 0.50049, 0.49951); /* all show 50.0 */
    expect_rows(f, "3 1 2");
    run(f, 0.5, 0.501, 0.5);
    expect_rows(f, "2 3 1");
    run(f, 0.5, 0.5, -1);
    expect_rows(f, "2 1");
    run(f, 0.5, 0.5, 0.5); /* what comes is below */
    expect_rows(f, "2 1 3");
    view_sort_invert(f->view);
    expect_rows(f, "2 1 3");
    assert_int_equal(view_sort_by(f->view, "pid", true, NULL), 0); /* no measured number */
    expect_rows(f, "1 2 3");
    assert_int_equal(view_sort_by(f->view, "cpu_pct", false, NULL), 0);
    /* Another amount begins with ids; an interval that is sorted before the totals leaves their
     * order as it was. */
    settings_of(f->view)->amount = AMOUNT_TOTAL;
    f->frame->totals = true;
    run(f, 0.5, 0.5, 0.7);
    f->frame->totals = false;
    run(f, 0.5, 0.5, 0.5);
    expect_rows(f, "1 2 3");
    f->frame->totals = true;
    run(f, 0.5, 0.5, 0.5);
    expect_rows(f, "3 1 2");
    f->frame->totals = false;
    settings_of(f->view)->amount = AMOUNT_RATE;
    settings_of(f->view)->terminal = false;
    run(f, 0.5, 0.5, 0.7);
    run(f, 0.5, 0.5, 0.5);
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

static void cpus(void **state)
{
    struct fixture *f = *state;
    add_cpu(f->frame, 0, 0.25, 1000);
    add_cpu(f->frame, 1, 0.75, 3000);
    settings_of(f->view)->kind = VIEW_CPUS;
    settings_of(f->view)->filter = mem_strdup("alpha");
    view_set_frame(f->view, f->frame);
    expect_columns(f, "cpu heat cpu_pct ipc");
    expect_cells(f, "cpu", "all|0|1");
    expect_cells(f, "cpu_pct", "100.0|25.0|75.0");
    assert_true(view_sort_ascending(f->view));
    assert_int_equal(view_sort_by(f->view, "cpu_pct", false, NULL), 0);
    expect_cells(f, "cpu", "all|1|0");
    assert_int_equal(view_sort_by(f->view, "ipc", true, NULL), 0);
    expect_cells(f, "cpu", "all|0|1"); /* equal: by number */
    settings_of(f->view)->kind = VIEW_TASKS;
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
