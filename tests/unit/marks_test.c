/* Tags, highlighted rows, the ended that stay, and the least %CPU. */
#include "unit/viewed.h"

#include "view/marks.h"
#include "view/rows.h"

static void expect_marks(struct fixture *f, const char *expected)
{
    char seen[64] = "";
    for (size_t i = 0; i < view_rows(f->view); i++)
        seen[i] = view_row_mark(f->view, i);
    assert_string_equal(seen, expected);
}

/* The frame after f->frame, in which those of the pids given are: 0 for the end. */
static struct frame *next_frame(struct fixture *f, const pid_t *pids)
{
    struct frame *all = tasks(), *next = handmade_frame(event_set_share(f->frame->events));
    next->seq = f->frame->seq + 1;
    for (; *pids; pids++) {
        const struct row *row = &all->processes[*pids - 1];
        uint64_t counts[EVENTS];
        for (int e = 0; e < EVENTS; e++)
            counts[e] = row->counts[e].value;
        handmade_process(next, *pids, row->comm, row->oncpu, counts);
    }
    frame_free(all);
    return next;
}

static void show_next(struct fixture *f, struct frame *next)
{
    view_set_frame(f->view, next);
    frame_free(f->frame);
    f->frame = next;
}

static void tags(void **state)
{
    struct fixture *f = *state;
    size_t count;
    view_set_frame(f->view, f->frame);
    assert_false(view_shows_marks(f->view));
    view_tag(f->view, row(f, 1), true);
    view_tag(f->view, row(f, 3), true);
    view_tag(f->view, row(f, 3), true);
    expect_rows(f, "2 1 3");
    expect_marks(f, " **");
    assert_true(view_shows_marks(f->view));
    expect_cell(f, 1, "cpu", "0", ROLE_TAGGED);
    expect_cell(f, 1, "ipc", "2.00", ROLE_TAGGED);
    expect_cell(f, 3, "ipc", "n/a", ROLE_UNDEFINED); /* what says something of the number stays */
    const struct view_tagged *tagged = view_tagged(f->view, &count);
    assert_int_equal(count, 2);
    assert_int_equal(tagged[0].pid, 1);
    assert_string_equal(tagged[1].comm, "gamma");
    view_tag(f->view, row(f, 1), false);
    expect_marks(f, "  *");
    tagged = view_tagged(f->view, &count);
    assert_int_equal(count, 1);
    assert_int_equal(tagged[0].id, 3);
    settings_of(f->view)->kind = VIEW_USERS;
    view_apply(f->view);
    expect_marks(f, "   "); /* ids of another kind */
    view_tag(f->view, 0, true);
    view_tagged(f->view, &count);
    assert_int_equal(count, 1);
    settings_of(f->view)->kind = VIEW_TASKS;
    view_untag_all(f->view);
    view_apply(f->view);
    expect_marks(f, "   ");
    view_tagged(f->view, &count);
    assert_int_equal(count, 0);
}

static void tags_end_with_their_tasks(void **state)
{
    struct fixture *f = *state;
    size_t count;
    view_set_frame(f->view, f->frame);
    view_tag(f->view, row(f, 1), true);
    view_tag(f->view, row(f, 2), true);
    struct frame *next = next_frame(f, (pid_t[]){2, 3, 0});
    next->processes[0].exited = true;
    strcpy(next->processes[0].comm, "renamed");
    strcpy(next->threads[0].comm, "renamed"); /* of the same id here */
    show_next(f, next);
    expect_marks(f, "* ");
    const struct view_tagged *tagged = view_tagged(f->view, &count);
    assert_int_equal(count, 2); /* 1 sleeps */
    assert_false(tagged[0].exited);
    assert_true(tagged[1].exited);
    assert_string_equal(tagged[1].comm, "renamed");
    show_next(f, next_frame(f, (pid_t[]){3, 0}));
    tagged = view_tagged(f->view, &count);
    assert_int_equal(count, 1);
    assert_int_equal(tagged[0].pid, 1);
}

static void highlighted_rows(void **state)
{
    struct fixture *f = *state;
    struct watch *highlight = &settings_of(f->view)->highlight;
    assert_int_equal(watch_add_processes(highlight, "Beta,3", NULL), 0);
    struct row thread = handmade_row(f->frame, NULL);
    thread.pid = 2;
    thread.tid = 9;
    thread.id = 9;
    thread.oncpu = 0.3;
    strcpy(thread.comm, "worker");
    handmade_add(&f->frame->threads, &f->frame->thread_count, handmade_task(f->frame, thread));
    view_set_frame(f->view, f->frame);
    expect_marks(f, "> >");
    expect_cell(f, 3, "command", "gamma", ROLE_WATCHED);
    view_tag(f->view, row(f, 3), true);
    expect_marks(f, "> *");
    assert_int_equal(view_row_marks(f->view, row(f, 3)), ROW_TAGGED | ROW_WATCHED);
    view_untag_all(f->view);
    settings_of(f->view)->threads = true;
    view_apply(f->view);
    expect_rows(f, "2 1 9 3");
    expect_marks(f, "> >>"); /* worker is a thread of Beta */
    watch_release(highlight);
    assert_int_equal(watch_add_processes(highlight, "worker", NULL), 0);
    view_apply(f->view);
    expect_marks(f, "  > ");
}

static void the_ended_stay(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->sticky = true;
    f->frame->processes[0].exited = f->frame->threads[0].exited = true;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    expect_marks(f, " + ");
    show_next(f, next_frame(f, (pid_t[]){2, 3, 0}));
    expect_rows(f, "2 1 3"); /* in order with the others */
    expect_marks(f, " + ");
    expect_cell(f, 1, "cpu_pct", "50.0", ROLE_DEAD);
    expect_cell(f, 1, "command", "alpha", ROLE_DEAD);
    view_choose_screen(f->view, "sw", NULL);
    expect_cell(f, 1, "state", "X", ROLE_DEAD);
    assert_int_equal(view_set_filter(f->view, "alph", NULL), 0);
    expect_rows(f, "1");
    assert_int_equal(view_set_filter(f->view, "beta", NULL), 0);
    expect_rows(f, "2");
    assert_int_equal(view_set_filter(f->view, NULL, NULL), 0);
    settings_of(f->view)->threads = true;
    view_apply(f->view);
    expect_rows(f, "2 1 3");
    settings_of(f->view)->threads = false;
    watch_add_pid(&settings_of(f->view)->watch, 1);
    view_apply(f->view);
    expect_rows(f, "1");
    watch_add_pid(&settings_of(f->view)->watch, 3);
    view_apply(f->view);
    expect_rows(f, "1 3");
    settings_of(f->view)->sticky = false;
    view_apply(f->view);
    expect_rows(f, "3");
    settings_of(f->view)->sticky = true; /* forgotten */
    view_apply(f->view);
    expect_rows(f, "3");
}

static void the_ended_are_not_added_up(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->sticky = true;
    settings_of(f->view)->tree = true;
    settings_of(f->view)->ascii = true;
    f->frame->processes[0].exited = true;
    f->frame->processes[1].ppid = 1;
    view_set_frame(f->view, f->frame);
    struct frame *next = next_frame(f, (pid_t[]){2, 3, 0});
    next->processes[0].ppid = 1;
    show_next(f, next);
    expect_cells(f, "command", "alpha|`- Beta|gamma");
    view_fold_all(f->view, true);
    expect_cells(f, "command", "[+] alpha|gamma");
    expect_cells(f, "cpu_pct", "90.0|10.0"); /* only what is of this interval */
    settings_of(f->view)->kind = VIEW_COMMANDS;
    view_apply(f->view);
    expect_cells(f, "command", "Beta|gamma");
}

/* A frame of the whole time has them itself, and one of the past does not know the future. */
static void the_ended_are_of_their_time(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->sticky = true;
    struct frame *next = next_frame(f, (pid_t[]){2, 3, 0});
    next->processes[0].exited = true;
    next->interval = 2;
    view_set_frame(f->view, f->frame);
    view_set_frame(f->view, next);
    struct frame *last = next_frame(f, (pid_t[]){3, 0});
    last->seq++;
    view_set_frame(f->view, last);
    expect_rows(f, "2 3");
    expect_cell(f, 2, "cpu_pct", "45.0", ROLE_DEAD); /* of two seconds, not of this one */
    settings_of(f->view)->least_cpu = 46;
    view_apply(f->view);
    expect_rows(f, "");
    settings_of(f->view)->least_cpu = 0;
    view_set_frame(f->view, next);
    expect_rows(f, "2 3");
    expect_marks(f, "+ ");
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1 3");
    expect_marks(f, "   ");
    last->totals = true;
    view_set_frame(f->view, last);
    expect_rows(f, "3");
    view_set_frame(f->view, f->frame);
    frame_free(last);
    frame_free(next);
}

static void a_bound_for_the_ended(void **state)
{
    struct fixture *f = *state;
    enum { EACH = 1500, FRAMES = 4 };
    settings_of(f->view)->sticky = true;
    view_set_frame(f->view, f->frame);
    for (int n = 0; n < FRAMES; n++) {
        struct frame *next = next_frame(f, (pid_t[]){0});
        for (int i = 0; i < EACH; i++) {
            struct row *row = handmade_process(next, 10000 * (n + 1) + i, "short", 0.001, NULL);
            row->exited = true;
        }
        show_next(f, next);
    }
    show_next(f, next_frame(f, (pid_t[]){0}));
    assert_int_equal(view_rows(f->view), STICKY_MAX);
    /* The first 1500 and 404 of the second have gone. */
    assert_int_equal(view_row(f->view, 0)->pid, 20000 + FRAMES * EACH - EACH - STICKY_MAX);
}

static void counts_of_other_events_go(void **state)
{
    struct fixture *f = *state;
    static const char *const other[] = {"LLC-loads"};
    settings_of(f->view)->sticky = true;
    f->frame->processes[0].exited = true;
    view_set_frame(f->view, f->frame);
    struct frame *next = handmade_frame(handmade_set(1, other));
    next->seq = 2;
    handmade_process(next, 7, "seven", 0.5, (uint64_t[]){1});
    show_next(f, next);
    expect_rows(f, "7");
}

static void least_cpu(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->least_cpu = 50;
    view_set_frame(f->view, f->frame);
    expect_rows(f, "2 1");
    f->frame->interval = 2;
    view_apply(f->view);
    expect_rows(f, ""); /* 45 % and 25 % */
    settings_of(f->view)->least_cpu = 25;
    view_apply(f->view);
    expect_rows(f, "2 1");
}
