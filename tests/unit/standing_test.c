/* Where a number stands in its column: the hottest ones have a role of their own. */
#include "unit/viewed.h"

/* That many more processes, from pid 10 on, with cycles as given by `of`. */
static void add_processes(struct fixture *f, int count, uint64_t (*of)(int i))
{
    for (int i = 0; i < count; i++) {
        const uint64_t counts[EVENTS] = {of(i), 0, 0};
        struct row *row = handmade_process(f->frame, 10 + i, "many", 0.001, counts);
        row->ran = true;
    }
    settings_of(f->view)->terminal = true;
    assert_int_equal(view_choose_screen(f->view, "rates", NULL), 0);
    view_set_frame(f->view, f->frame);
}

static void expect_roles(const struct fixture *f, size_t high, size_t mid, size_t plain, size_t dim)
{
    size_t seen[ROLE_COUNT] = {0}, at = column(f, "cycles");
    for (size_t i = 0; i < view_rows(f->view); i++) {
        struct cell cell;
        view_cell(f->view, i, at, &cell);
        seen[cell.role]++;
    }
    assert_int_equal(seen[amount_role(1)], high);
    assert_int_equal(seen[amount_role(0.7)], mid);
    assert_int_equal(seen[ROLE_COUNTED], plain);
    assert_int_equal(seen[ROLE_DIM], dim);
}

static uint64_t steep(int i)
{
    return 1000 + 1000 * (uint64_t)i * (uint64_t)i;
}

/* Of 60 values 3 are the hottest twentieth and 12 the hottest fifth; 100 and 400 of the fixture are
 * small, its two zeros do not count. */
static void a_twentieth_is_hot(void **state)
{
    struct fixture *f = *state;
    add_processes(f, 58, steep);
    expect_roles(f, 3, 9, 48, 1);
    expect_cell(f, 67, "cycles", "3.25M", amount_role(1));
    expect_cell(f, 10, "cycles", "1.00k", ROLE_COUNTED);
    expect_cell(f, 3, "cycles", "0", ROLE_DIM);
}

static uint64_t alike(int i)
{
    return 1000 + (uint64_t)i % 7;
}

static void nothing_stands_out_among_equals(void **state)
{
    struct fixture *f = *state;
    add_processes(f, 58, alike);
    expect_roles(f, 0, 0, 60, 1);
}

static void without_heat_there_are_no_roles(void **state)
{
    struct fixture *f = *state;
    add_processes(f, 58, steep);
    settings_of(f->view)->terminal = false;
    expect_roles(f, 0, 0, 60, 1);
}

static void of_a_few_the_largest(void **state)
{
    struct fixture *f = *state;
    add_processes(f, 2, steep); /* 100, 400, 1000, 2000 */
    expect_roles(f, 1, 1, 2, 1);
}
