/* The views that add up processes. */
#include "unit/viewed.h"

#include "view/builtin_column.h"
#include "view/detail.h"

static void show(struct fixture *f, enum view_kind kind)
{
    settings_of(f->view)->kind = kind;
    view_set_frame(f->view, f->frame);
}

static struct row *add_process(struct fixture *f, pid_t pid, const char *comm, double oncpu,
                               uint64_t cycles, uint64_t instructions)
{
    return handmade_process(f->frame, pid, comm, oncpu, (uint64_t[]){cycles, instructions, 1});
}

static void users(void **state)
{
    struct fixture *f = *state;
    add_process(f, 5, "alpha", 0.25, 300, 600)->uid = 0;
    show(f, VIEW_USERS);
    expect_columns(f, "processes cpu_pct ipc user");
    expect_cells(f, "user", "systemd-timesync|root|4242");
    expect_cells(f, "processes", "1|2|1");
    expect_cells(f, "cpu_pct", "90.0|75.0|10.0");
    expect_cells(f, "ipc", "0.25|2.00|n/a"); /* 800 / 400: a ratio of sums */
    settings_of(f->view)->idle = true;
    view_apply(f->view);
    expect_cells(f, "processes", "1|3|1");
    settings_of(f->view)->least_cpu = 75;
    view_apply(f->view);
    expect_cells(f, "processes", "1|3"); /* of sums, which stay whole */
}

static void commands(void **state)
{
    struct fixture *f = *state;
    struct row *other = add_process(f, 5, "alpha", 0.25, 0, 0);
    other->uid = 101;
    other->exited = true;
    settings_of(f->view)->cmdline = true; /* does not matter: they differ */
    settings_of(f->view)->threads = true; /* likewise */
    show(f, VIEW_COMMANDS);
    expect_columns(f, "processes cpu_pct ipc command");
    expect_cells(f, "command", "Beta|alpha|gamma");
    expect_cells(f, "processes", "1|2|1");
    expect_cells(f, "cpu_pct", "90.0|75.0|10.0");
    assert_int_equal(view_row(f->view, 1)->threads, 2);
}

static void cgroups(void **state)
{
    struct fixture *f = *state;
    const char *path;
    add_process(f, 5, "late", 0.25, 0, 0)->exited = true;
    show(f, VIEW_CGROUPS);
    expect_columns(f, "processes cpu_pct ipc cgroup");
    expect_cells(f, "cgroup", "web.service|/|(ended)");
    expect_cells(f, "processes", "1|2|1");
    assert_int_equal(view_row_processes(f->view, 0, &path), 1);
    assert_string_equal(path, "/system.slice/web.service");
    assert_int_equal(view_row_processes(f->view, 2, &path), 1);
    assert_null(path);
    settings_of(f->view)->cmdline = true;
    view_apply(f->view);
    expect_cells(f, "cgroup", "/system.slice/web.service|/|(ended)");
}

static void the_cgroup_of_the_dead_is_remembered(void **state)
{
    struct fixture *f = *state;
    show(f, VIEW_CGROUPS);
    struct frame *next = tasks();
    next->seq = f->frame->seq + 1;
    next->processes[1].exited = true; /* pid 2 */
    int asked = f->asked;
    view_set_frame(f->view, next);
    expect_cells(f, "cgroup", "web.service|/");
    assert_int_equal(f->asked, asked + 2); /* 1 and 3: the dead are not asked */
    view_apply(f->view);
    expect_cells(f, "cgroup", "web.service|/");
    /* Not for ever: someone else may be meant. */
    next->seq += 1000;
    next->processes[1].ran = next->processes[1].exited = false;
    view_apply(f->view);
    next->seq += 1;
    next->processes[1].ran = next->processes[1].exited = true;
    view_apply(f->view);
    expect_cells(f, "cgroup", "(ended)|/");
    view_set_frame(f->view, NULL);
    frame_free(next);
}

static void each_view_names_its_rows(void **state)
{
    struct fixture *f = *state;
    show(f, VIEW_USERS);
    uint64_t id = view_row(f->view, 0)->id;
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_row(f->view, 0)->id, id);
    assert_int_not_equal(view_row(f->view, 1)->id, id);
    settings_of(f->view)->filter = mem_strdup("ROO");
    view_apply(f->view);
    expect_cells(f, "user", "root");
    assert_int_equal(view_sort_by(f->view, "user", false, NULL), 0);
    assert_int_equal(view_sort_by(f->view, "processes", false, NULL), 0);
    assert_int_equal(view_sort_by(f->view, "pid", false, NULL), -1);
    settings_of(f->view)->kind = VIEW_COMMANDS;
    view_apply(f->view);
    assert_int_equal(view_rows(f->view), 0);
    settings_of(f->view)->kind = VIEW_TASKS;
    view_apply(f->view);
    assert_int_equal(view_sort_by(f->view, "processes", false, NULL), -1);
}

/* A number would be asked of the row of the sum, which has none. */
static void the_naming_columns_have_texts(void **state)
{
    (void)state;
    for (const struct view_type *type = view_types; type->word; type++) {
        if (!type->key)
            continue;
        const struct builtin_column *naming = builtin_column_find(type->naming);
        assert_non_null(naming);
        assert_non_null(naming->text);
    }
}

static void only_what_is_watched_is_added_up(void **state)
{
    struct fixture *f = *state;
    watch_add_pid(&settings_of(f->view)->watch, 1);
    watch_add_pid(&settings_of(f->view)->watch, 3);
    show(f, VIEW_USERS);
    expect_cells(f, "user", "root|4242");
    settings_of(f->view)->watch.cgroup = mem_strdup("/sys/fs/cgroup/web");
    view_apply(f->view); /* a source names no others */
    expect_cells(f, "user", "root|4242");
}

/* As a process' threads: a sum lacks nothing, and is covered as its parts are together. */
static void parts_that_were_not_counted(void **state)
{
    struct fixture *f = *state;
    struct row *denied = add_process(f, 5, "denied", 0, 0, 0);
    denied->uid = 101;
    denied->state = EVENT_DENIED;
    f->frame->processes[0].times[1] = (struct group_time){300, 100};
    denied = add_process(f, 6, "half", 0.5, 100, 100);
    denied->uid = 0;
    denied->times[1] = (struct group_time){100, 100};
    show(f, VIEW_USERS);
    assert_int_equal(view_row(f->view, 0)->state, EVENT_COUNTED);
    assert_int_equal(view_row(f->view, 0)->uid, 0);
    assert_true(view_row(f->view, 0)->counts[CYCLES].coverage == 0.5);
    expect_cells(f, "ipc", "1.26~|n/a|-"); /* 334 / 266: 67 + 100 and 33 + 100, twice */
    expect_cells(f, "cpu_pct", "100.0|10.0|-");
}

static void expect_followed(struct fixture *f, const char *now, const char *total)
{
    const struct detail *detail = view_detail(f->view);
    assert_true(detail->listed);
    assert_string_equal(detail->lines[CYCLES].now.text, now);
    assert_string_equal(detail->lines[CYCLES].total.text, total);
}

/* What is followed is told from a frame that is not shown, and the rows that are shown stay. */
static void a_frame_that_is_not_shown_is_recorded(void **state)
{
    struct fixture *f = *state;
    struct frame *next = tasks();
    event_set_drop(next->events);
    next->events = event_set_share(f->frame->events);
    handmade_process(next, 6, "Beta", 0.05, (uint64_t[]){55, 0, 0});
    next->seq = f->frame->seq + 1;
    next->processes[1].exited = true; /* pid 2: its cgroup is remembered */
    static const enum view_kind kinds[] = {VIEW_TASKS, VIEW_COMMANDS, VIEW_CGROUPS};
    static const char *const now[] = {"400", "455", "455"};
    static const char *const shown[] = {"90.0|50.0|10.0", "90.0|50.0|10.0", "90.0|60.0"};
    for (size_t i = 0; i < 3; i++) {
        show(f, kinds[i]);
        view_apply(f->view);
        view_record(f->view, f->frame, false);
        view_follow(f->view, 0);
        view_tell(f->view, f->frame);
        expect_followed(f, "400", "-");
        view_record(f->view, next, true);
        view_record_total(f->view, next);
        expect_followed(f, "400", now[i]);
        view_tell(f->view, next);
        expect_followed(f, now[i], now[i]);
        expect_cells(f, "cpu_pct", shown[i]);
    }
    frame_free(next);
    expect_cells(f, "processes", "1|2");
}
