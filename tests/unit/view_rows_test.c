#include "unit/viewed.h"

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
