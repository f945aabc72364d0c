/* Columns changed while they are shown: added, removed, moved, resized, and undone; and what of
 * it lasts when the events, the view or the screen change. */
#include "unit/viewed.h"

#include "view/column_set.h"

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

static void columns_are_added(void **state)
{
    struct fixture *f = *state;
    struct err err;
    show(f);
    assert_false(view_edited(f->view));
    add(f, "ppid", 1);
    expect_columns(f, "pid ppid user cpu cpu_pct ipc command");
    assert_true(view_edited(f->view));
    add(f, "cycles", 99);
    expect_columns(f, "pid ppid user cpu cpu_pct ipc cycles command");
    add(f, "THR", 0); /* a title */
    expect_columns(f, "threads pid ppid user cpu cpu_pct ipc cycles command");
    expect_cell(f, 2, "cycles", "400", ROLE_COUNTED);
    expect_refused(view_add_column(f->view, "cycles", 0, &err), &err, "'cycles' is shown already");
    expect_refused(view_add_column(f->view, "cpu", 0, &err), &err, "'cpu' is shown already");
    expect_refused(view_add_column(f->view, "cycels", 0, &err), &err,
                   "no column and no counted event 'cycels'; nearest is 'cycles'");
    expect_refused(view_add_column(f->view, "processes", 0, &err), &err,
                   "cannot add 'processes': rows of this view have none");
    view_undo_edits(f->view);
    expect_columns(f, "pid user cpu cpu_pct ipc command");
    assert_false(view_edited(f->view));
    view_undo_edits(f->view); /* nothing to undo */
}

static void columns_are_removed(void **state)
{
    struct fixture *f = *state;
    struct err err;
    show(f);
    assert_int_equal(view_remove_column(f->view, column(f, "user"), &err), 0);
    assert_int_equal(view_remove_column(f->view, column(f, "ipc"), &err), 0);
    expect_columns(f, "pid cpu cpu_pct command"); /* the screen counts cycles: no column for them */
    assert_int_equal(view_remove_column(f->view, column(f, "command"), &err), 0);
    assert_int_equal(view_remove_column(f->view, column(f, "cpu"), &err), 0);
    assert_int_equal(view_remove_column(f->view, column(f, "cpu_pct"), &err), 0);
    expect_columns(f, "pid");
    expect_refused(view_remove_column(f->view, 0, &err), &err,
                   "cannot remove column 'pid': it is the only one");
    add(f, "command", 0);
    add(f, "user", 99);
    expect_columns(f, "pid user command");
    apply(f, VIEW_USERS);
    expect_refused(view_remove_column(f->view, column(f, "user"), &err), &err,
                   "cannot remove column 'user': it names the rows and is last");
    expect_refused(view_remove_column(f->view, 0, &err), &err,
                   "cannot remove column 'processes': it leads in this view");
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

/* An event of the screen's own that is not counted any more keeps its column, and says so. */
static void lost_events(void **state)
{
    struct fixture *f = *state;
    static const char *const fewer[] = {"page-faults"};
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_choose_screen(f->view, "rates", NULL), 0);
    expect_columns(f, "ppid rate cycles instructions page-faults command");
    struct frame *frame = handmade_frame(handmade_set(1, fewer));
    handmade_process(frame, 1, "alpha", 0.5, NULL);
    view_set_frame(f->view, frame);
    expect_columns(f, "ppid rate cycles page-faults command");
    assert_string_equal(view_column(f->view, column(f, "cycles"))->help, "not counted any more");
    expect_cell(f, 1, "cycles", "-", ROLE_MISSING);
    view_set_frame(f->view, NULL);
    frame_free(frame);
}

static void widths_are_set(void **state)
{
    struct fixture *f = *state;
    struct err err;
    show(f);
    assert_int_equal(view_resize_column(f->view, column(f, "user"), 16, &err), 0);
    assert_int_equal(view_column(f->view, column(f, "user"))->width, 16);
    expect_cell(f, 2, "user", "systemd-timesync", ROLE_OTHER_USER);
    assert_int_equal(view_resize_column(f->view, column(f, "user"), 4, &err), 0);
    expect_cell(f, 2, "user", "sys+", ROLE_OTHER_USER);
    assert_int_equal(view_resize_column(f->view, column(f, "ipc"), 3, &err), 0);
    expect_cell(f, 2, "ipc", "0.3", ROLE_BAD);
    assert_int_equal(view_resize_column(f->view, column(f, "command"), 3, &err), 0);
    expect_cell(f, 2, "command", "Be+", ROLE_TEXT);
    assert_int_equal(view_resize_column(f->view, column(f, "user"), 0, &err), 0);
    assert_int_equal(view_column(f->view, column(f, "user"))->width, 8);
    expect_refused(view_resize_column(f->view, column(f, "pid"), 2, &err), &err,
                   "no width 2 for column 'pid': expected 3 to 200, or 0 for the usual one");
    assert_int_equal(view_resize_column(f->view, column(f, "pid"), 201, &err), -1);
}

static void each_screen_has_its_own(void **state)
{
    struct fixture *f = *state;
    show(f);
    add(f, "ppid", 1);
    assert_int_equal(view_choose_screen(f->view, "sw", NULL), 0);
    assert_false(view_edited(f->view));
    add(f, "user", 0);
    assert_int_equal(view_choose_screen(f->view, "hw", NULL), 0);
    expect_columns(f, "pid ppid user cpu cpu_pct ipc command");
    assert_string_equal(view_screen(f->view)->name, "hw");
    view_undo_edits(f->view);
    assert_int_equal(view_choose_screen(f->view, "sw", NULL), 0);
    assert_true(view_edited(f->view));
    assert_string_equal(view_column(f->view, 0)->name, "user");
}

static void candidates_are_listed(void **state)
{
    struct fixture *f = *state;
    struct view_candidate candidate;
    struct str text;
    show(f);
    str_init(&text);
    for (size_t i = 0; view_candidate(f->view, i, &candidate); i++)
        if (candidate.expr || str_equal(candidate.name, "processes"))
            str_printf(&text, "%s %d %d;", candidate.name, candidate.fits, candidate.shown);
    assert_string_equal(text.text, "processes 0 0;cpu_pct 1 1;ipc 1 1;rate 1 0;");
    str_clear(&text);
    static const char *const fewer[] = {"instructions"};
    struct event_set *set = handmade_set(1, fewer);
    view_set_events(f->view, set);
    for (size_t i = 0; view_candidate(f->view, i, &candidate); i++)
        if (*candidate.needs || str_equal(candidate.name, "instructions"))
            str_printf(&text, "%s[%s %s]", candidate.name, candidate.title, candidate.needs);
    assert_string_equal(text.text, "ipc[IPC cycles]rate[CYC cycles]instructions[instructions ]");
    str_release(&text);
    event_set_drop(set);
}

/* What is saved is what tasks have, whatever is shown of it, but for CPUs. */
static void saved_columns(void **state)
{
    struct fixture *f = *state;
    struct column_list list = {0};
    show(f);
    add(f, "cycles", 1);
    settings_of(f->view)->threads = true;
    apply(f, VIEW_USERS);
    assert_int_equal(view_choose_saved(f->view, &list), VIEW_TASKS);
    assert_int_equal(list.count, 7);
    assert_string_equal(list.columns[1].shown.name, "cycles");
    apply(f, VIEW_CPUS);
    assert_int_equal(view_choose_saved(f->view, &list), VIEW_CPUS);
    assert_string_equal(list.columns[0].shown.name, "cpu");
    column_list_release(&list);
}

/* A metric that is set while it is shown. */
static void metrics_are_renewed(void **state)
{
    struct fixture *f = *state;
    show(f);
    assert_int_equal(set_metric(&f->metric_set, "ipc", "cycles / instructions", NULL, NULL), 0);
    assert_int_equal(set_metric(&f->metric_set, "mine", "cycles * 2", NULL, NULL), 0);
    view_renew_metrics(f->view);
    expect_cell(f, 2, "ipc", "4.00", ROLE_COUNTED);
    add(f, "mine", 99);
    expect_cell(f, 2, "mine", "800", ROLE_COUNTED);
    assert_int_equal(metric_set_unset(&f->metric_set, "mine", NULL), 0);
    assert_int_equal(metric_set_unset(&f->metric_set, "ipc", NULL), 0);
    view_renew_metrics(f->view);
    expect_columns(f, "pid user cpu cpu_pct ipc command");
    expect_cell(f, 2, "ipc", "0.25", ROLE_BAD);
}
