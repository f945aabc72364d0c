/* Tasks under their parents. */
#include "unit/viewed.h"

#include "view/detail.h"
#include "view/marks.h"

#include <time.h>

/* Above: 1 alpha 50 %, 2 Beta 90 %, 3 gamma 10 %, 4 idle. Here 1 is the parent of 2 and 4, and 4,
 * which did not run, that of 3. */
static void plant(struct fixture *f)
{
    static const pid_t parents[] = {0, 1, 4, 1};
    for (int i = 0; i < 4; i++) {
        f->frame->processes[i].ppid = f->frame->threads[i].ppid = parents[i];
        f->frame->threads[i].id += 100;
    }
    settings_of(f->view)->tree = true;
    settings_of(f->view)->ascii = true;
    view_set_frame(f->view, f->frame);
}

/* Ratios are those of the sums: 1 has 100 cycles, 200 instructions; 2 400, 100; 3 0, 10. */
static void folded_rows_add_up(void **state)
{
    struct fixture *f = *state;
    plant(f);
    view_fold(f->view, 2, true);
    expect_rows(f, "1 2 4");
    expect_cells(f, "command", "alpha||- Beta|`- [+] idle");
    expect_cells(f, "cpu_pct", "50.0|90.0|10.0");
    assert_int_equal(view_row_marks(f->view, 2), ROW_HAS_CHILDREN | ROW_FOLDED);
    view_fold(f->view, 0, true);
    expect_rows(f, "1");
    expect_cells(f, "command", "[+] alpha");
    expect_cells(f, "cpu_pct", "150.0");
    expect_cells(f, "ipc", "0.62"); /* 310 / 500 */
    assert_int_equal(view_row(f->view, 0)->id, 1);
    view_set_frame(f->view, f->frame); /* by identity */
    expect_rows(f, "1");
    view_fold(f->view, 0, false);
    expect_rows(f, "1 2 4");
    view_fold_all(f->view, false);
    expect_rows(f, "1 2 4 3");
    view_fold_all(f->view, true);
    expect_rows(f, "1");
    view_fold(f->view, 0, false);
    expect_rows(f, "1 2 4");
    /* A row without children is not marked as folded, nor is it summed. */
    expect_cells(f, "command", "alpha||- Beta|`- [+] idle");
    /* Siblings are in the order of what is shown. */
    f->frame->processes[2].oncpu = 0.95;
    view_apply(f->view);
    expect_rows(f, "1 4 2");
    settings_of(f->view)->tree = false;
    view_apply(f->view);
    expect_rows(f, "3 2 1");
    expect_cells(f, "cpu_pct", "95.0|90.0|50.0");
}

static void pids_that_are_used_again(void **state)
{
    struct fixture *f = *state;
    struct row *again = handmade_process(f->frame, 4, "again", 0.2, (uint64_t[]){1, 1, 1});
    again->id = 77;
    again->ppid = 0;
    f->frame->processes[3].exited = true;
    plant(f);
    /* 3 is below the one that lives, the old 4 where it was. */
    expect_cells(f, "command", "alpha||- Beta|`- idle|again|`- gamma");
}

static void loops_are_cut(void **state)
{
    struct fixture *f = *state;
    plant(f);
    f->frame->processes[0].ppid = 3; /* 1 below 3, which is below 4, which is below 1 */
    f->frame->processes[1].ppid = 2; /* its own parent */
    view_apply(f->view);
    assert_int_equal(view_rows(f->view), 4);
    size_t parent, roots = 0;
    for (size_t i = 0; i < 4; i++)
        roots += !view_row_parent(f->view, i, &parent);
    assert_int_equal(roots, 2);
    view_fold_all(f->view, true);
    assert_int_equal(view_rows(f->view), 2);
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A chain as deep as there are rows, and one that ends in itself: time is linear, cells end. */
static void a_deep_tree(void **state)
{
    enum { DEEP = 30000 };
    struct fixture *f = *state;
    struct frame *frame = handmade_frame(mem_share(f->frame->events));
    for (int i = 0; i < DEEP; i++) {
        struct row *row = &frame->processes[frame->process_count++];
        *row = handmade_task(frame, handmade_row(frame, NULL));
        row->id = (uint64_t)i + 1;
        row->pid = row->tid = i + 1;
        row->ppid = i;
        row->ran = i == DEEP - 1;
        row->oncpu = i == DEEP - 1;
        strcpy(row->comm, "deep");
    }
    settings_of(f->view)->tree = true;
    double before = cpu_seconds();
    view_set_frame(f->view, frame);
    frame->processes[0].ppid = DEEP;
    view_apply(f->view);
    view_fold_all(f->view, true);
    expect_cells(f, "cpu_pct", "100.0");
    view_fold_all(f->view, false);
    /* A walk of all above each row takes 20 times as long. */
    assert_true(cpu_seconds() - before < 1);
    assert_int_equal(view_rows(f->view), DEEP - 1); /* the loop made a leaf of what did not run */
    struct cell cell;
    view_cell(f->view, DEEP - 2, column(f, "command"), &cell);
    char expected[128]; /* lines of the nearest 24 levels */
    snprintf(expected, sizeof(expected), "%*s└─ deep", 23 * 3, "");
    assert_string_equal(cell.text, expected);
    view_set_frame(f->view, NULL);
    frame_free(frame);
}
