/* The CPUs view: what its rows add up, and how they compare. */
#include "unit/viewed.h"

#include "view/marks.h"

/* Eight CPUs, of which number n is busy for n tenths and counts 100 * (n + 1) cycles. */
static void show(struct fixture *f, enum view_level level)
{
    for (int cpu = 0; cpu < 8 && f->frame->cpu_count < 8; cpu++)
        add_cpu(f->frame, cpu, cpu / 10.0, 100 * ((uint64_t)cpu + 1));
    settings_of(f->view)->kind = VIEW_CPUS;
    settings_of(f->view)->level = level;
    view_choose_screen(f->view, "rates", NULL);
    view_set_frame(f->view, f->frame);
}

static void cores(void **state)
{
    struct fixture *f = *state;
    show(f, LEVEL_CORE);
    expect_columns(f, "socket core cpus heat rate cycles instructions page-faults");
    expect_cells(f, "socket", "all|0|0|1|1");
    expect_cells(f, "core", "|0|1|0|1");
    expect_cells(f, "cpus", "0-7|0-1|2-3|4-5|6-7");
    expect_cells(f, "cycles", "3.60k|300|700|1.10k|1.50k");
    assert_int_equal(view_row_marks(f->view, 0), ROW_TOTAL);
    assert_int_equal(view_row_marks(f->view, 1), 0);
    assert_int_equal(view_sort_by(f->view, "cycles", false, NULL), 0);
    expect_cells(f, "cpus", "0-7|6-7|4-5|2-3|0-1");
    view_sort_invert(f->view);
    expect_cells(f, "cpus", "0-7|0-1|2-3|4-5|6-7"); /* that of all stays where it is */
}

static void sockets_and_types(void **state)
{
    struct fixture *f = *state;
    show(f, LEVEL_SOCKET);
    expect_columns(f, "socket cpus heat rate cycles instructions page-faults");
    expect_cells(f, "cpus", "0-7|0-3|4-7");
    expect_cells(f, "cycles", "3.60k|1.00k|2.60k");
    uint64_t id = view_row(f->view, 1)->id;
    show(f, LEVEL_TYPE);
    expect_columns(f, "core_type cpus heat rate cycles instructions page-faults");
    expect_cells(f, "core_type", "all|big|little");
    expect_cells(f, "cycles", "3.60k|1.00k|2.60k");
    assert_int_not_equal(view_row(f->view, 1)->id, id);
    show(f, LEVEL_SOCKET);
    assert_int_equal(view_row(f->view, 1)->id, id);
}

static void a_place_that_is_not_known(void **state)
{
    struct fixture *f = *state;
    add_cpu(f->frame, 1, 0.5, 100);
    add_cpu(f->frame, 3, 0.5, 100);
    add_cpu(f->frame, 8, 0.5, 100);
    settings_of(f->view)->kind = VIEW_CPUS;
    settings_of(f->view)->level = LEVEL_SOCKET;
    view_set_frame(f->view, f->frame);
    expect_cells(f, "socket", "all|0|-"); /* last, as all without a value */
    expect_cells(f, "cpus", "1,3,8|1,3|8");
}

/* What is counted once for a socket is no core's, and no type's that others share the socket
 * with. */
static void what_sockets_count_is_not_summed_twice(void **state)
{
    struct fixture *f = *state;
    struct event_info *event = &f->frame->events->events[FAULTS];
    event->shared = true;
    event->group = 0;
    for (int cpu = 0; cpu < 8; cpu++) {
        add_cpu(f->frame, cpu, 0, 100);
        struct row *row = &f->frame->cpus[cpu];
        bool counts = cpu % 4 == 0;
        row->counts[FAULTS] = (struct count){counts ? 1000 : 0, counts};
        row->times[0] = (struct group_time){counts, counts};
    }
    f->frame->total.counts[FAULTS] = (struct count){2000, 1};
    f->frame->total.times[0] = (struct group_time){2, 2};
    show(f, LEVEL_SOCKET);
    expect_cells(f, "page-faults", "2.00k|1.00k|1.00k");
    show(f, LEVEL_TYPE);
    expect_cells(f, "page-faults", "2.00k|1.00k|1.00k"); /* here types are sockets */
    show(f, LEVEL_CORE);
    expect_cells(f, "page-faults", "2.00k|-|-|-|-");
    show(f, LEVEL_CPU);
    expect_cells(f, "page-faults", "2.00k|1.00k|-|-|-|1.00k|-|-|-");
}

static void heat(void **state)
{
    struct fixture *f = *state;
    show(f, LEVEL_CPU);
    expect_cells(f, "heat",
                 "|█|██|███|████|█████|██████|███████|████████"); /* by the screen's column, of the
                                                                     largest */
    settings_of(f->view)->ascii = true;
    view_apply(f->view);
    expect_cells(f, "heat", "|#|##|###|####|#####|######|#######|########");
    assert_int_equal(view_sort_by(f->view, "heat", false, NULL), 0);
    expect_cells(f, "cpu", "all|7|6|5|4|3|2|1|0");
    struct cell cell;
    view_cell(f->view, 8, column(f, "heat"), &cell);
    assert_string_equal(role_name(cell.role), "amount");
    view_cell(f->view, 5, column(f, "heat"), &cell);
    assert_string_equal(role_name(cell.role), "amount");
    view_cell(f->view, 1, column(f, "heat"), &cell);
    assert_string_equal(role_name(cell.role), "amount");
}

static void heat_of_shares(void **state)
{
    struct fixture *f = *state;
    show(f, LEVEL_CPU);
    settings_of(f->view)->ascii = true;
    view_choose_screen(f->view, "sw", NULL);
    expect_cells(f, "cpu_pct", "280.0|0.0|10.0|20.0|30.0|40.0|50.0|60.0|70.0");
    expect_cells(f, "heat", "###|.|#|##|##|###|####|#####|######"); /* of 100 %, all of 800 % */
    show(f, LEVEL_SOCKET);
    view_choose_screen(f->view, "sw", NULL);
    expect_cells(f, "cpu_pct", "280.0|60.0|220.0");
    expect_cells(f, "heat", "###|#|####"); /* of 400 % */
}

static void conditions_leave_the_total(void **state)
{
    struct fixture *f = *state;
    show(f, LEVEL_CORE);
    assert_int_equal(view_set_filter(f->view, "cycles > 1000", NULL), 0);
    expect_cells(f, "cpus", "0-7|4-5|6-7");
}

static void without_cpus(void **state)
{
    struct fixture *f = *state;
    settings_of(f->view)->kind = VIEW_CPUS;
    view_set_frame(f->view, f->frame);
    assert_int_equal(view_rows(f->view), 0);
}
