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
    struct frame *all = tasks(), *next = handmade_frame(mem_share(f->frame->events));
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
