/* Columns changed while they are shown: added, removed, moved, resized, and undone; and what of
 * it lasts when the events, the view or the screen change. */
#include "unit/viewed.h"

#include "view/column.h"

static void show(struct fixture *f)
{
    view_set_frame(f->view, f->frame);
    expect_columns(f, "pid user cpu cpu_pct ipc command");
}

static void apply(struct fixture *f, enum view_kind kind)
{
    settings_of(f->view)->kind = kind;
    view_apply(f->view);
}

static void add(struct fixture *f, const char *name, size_t place)
{
    struct err err = {""};
    if (view_add_column(f->view, name, place, &err) < 0)
        fail_msg("%s: %s", name, err.text);
}

static void expect_refused(int result, const struct err *err, const char *message)
{
    assert_int_equal(result, -1);
    assert_string_equal(err->text, message);
}

static void columns_move(void **state)
{
    struct fixture *f = *state;
    struct err err;
    show(f);
    assert_int_equal(view_move_column(f->view, 1, -1, &err), 0);
    expect_columns(f, "user pid cpu cpu_pct ipc command");
    assert_int_equal(view_move_column(f->view, 1, 1, &err), 0);
    assert_int_equal(view_move_column(f->view, 2, 1, &err), 0);
    expect_columns(f, "user cpu cpu_pct pid ipc command");
    expect_refused(view_move_column(f->view, 0, -1, &err), &err,
                   "cannot move column 'user': it is the first");
    expect_refused(view_move_column(f->view, 4, 1, &err), &err,
                   "cannot move column 'ipc': the one after it has its place");
    expect_refused(view_move_column(f->view, 5, -1, &err), &err,
                   "cannot move column 'command': it names the rows and is last");
    /* Over what is not shown: CPUs have no pid and no user. */
    f->frame->has_cpus = true;
    apply(f, VIEW_CPUS);
    expect_columns(f, "cpu heat cpu_pct ipc");
    assert_int_equal(view_move_column(f->view, 3, -1, &err), 0);
    expect_columns(f, "cpu heat ipc cpu_pct");
    expect_refused(view_move_column(f->view, 2, -1, &err), &err,
                   "cannot move column 'ipc': the one before it has its place");
    expect_refused(view_remove_column(f->view, 0, &err), &err,
                   "cannot remove column 'cpu': it leads in this view");
    assert_int_equal(view_remove_column(f->view, 1, &err), 0);
    expect_columns(f, "cpu ipc cpu_pct");
    apply(f, VIEW_TASKS);
    expect_columns(f, "user cpu ipc cpu_pct pid command");
}

static void columns_that_come_by_themselves(void **state)
{
    struct fixture *f = *state;
    static const char *const more[] = {"cycles", "instructions", "page-faults", "major-faults"};
    struct err err;
    struct frame *frame = handmade_frame(handmade_set(4, more));
    handmade_process(frame, 1, "alpha", 0.5, NULL);
    view_set_frame(f->view, frame);
    expect_columns(f, "pid user cpu cpu_pct ipc major-faults command");
    assert_int_equal(view_move_column(f->view, 5, -1, &err), 0);
    expect_columns(f, "pid user cpu cpu_pct major-faults ipc command");
    /* It goes with its event, and comes back to its place. */
    view_set_frame(f->view, f->frame);
    expect_columns(f, "pid user cpu cpu_pct ipc command");
    view_set_frame(f->view, frame);
    expect_columns(f, "pid user cpu cpu_pct major-faults ipc command");
    assert_int_equal(view_remove_column(f->view, 4, &err), 0);
    expect_columns(f, "pid user cpu cpu_pct ipc command");
    add(f, "major-faults", 0);
    expect_columns(f, "major-faults pid user cpu cpu_pct ipc command");
    /* The thread's id has its place, and is not kept where there are none. */
    settings_of(f->view)->threads = true;
    view_apply(f->view);
    expect_columns(f, "major-faults pid tid user cpu cpu_pct ipc command");
    expect_refused(view_move_column(f->view, 2, 1, &err), &err,
                   "cannot move column 'tid': it tells threads from each other");
    add(f, "ppid", 3);
    settings_of(f->view)->threads = false;
    view_apply(f->view);
    expect_columns(f, "major-faults pid ppid user cpu cpu_pct ipc command");
    view_set_frame(f->view, NULL);
    frame_free(frame);
}
