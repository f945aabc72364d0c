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
