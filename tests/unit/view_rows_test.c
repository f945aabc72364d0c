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
