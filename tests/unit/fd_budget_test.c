#include <string.h>

#include "engine/watcher.h"
#include "unit/test.h"

/* Who moves, as the letters of their names in the order of the answer. */
static const char *movers(struct fd_budget *shares, size_t count, size_t room, size_t most)
{
    static char letters[32];
    size_t length = 0, moved = fd_budget_choose(shares, count, room, most), got = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            assert_true(shares[i - 1].rate >= shares[i].rate);
        got += shares[i].move && !shares[i].has;
        if (shares[i].move)
            letters[length++] = *(const char *)shares[i].who;
    }
    letters[length] = '\0';
    assert_int_equal(got, moved);
    return letters;
}

static struct fd_budget has(const char *name, double rate, size_t need)
{
    return (struct fd_budget){.who = (void *)name, .rate = rate, .need = need, .has = true};
}

static struct fd_budget wants(const char *name, double rate, size_t need)
{
    return (struct fd_budget){.who = (void *)name, .rate = rate, .need = need, .move = true};
}

static void nobody_and_nothing(void **state)
{
    assert_int_equal(fd_budget_choose(NULL, 0, 10, 10), 0);
    struct fd_budget all[] = {has("a", 1, 3), has("b", 0, 3)};
    assert_string_equal(movers(all, 2, 0, 8), "");
}

static void free_ones_go_to_the_busiest(void **state)
{
    struct fd_budget all[] = {wants("a", 0, 3), wants("b", 0.5, 3), wants("c", 0.1, 3)};
    assert_string_equal(movers(all, 3, 6, 8), "bc");
    assert_string_equal(movers(all, 3, 100, 8), "bca");
    assert_string_equal(movers(all, 3, 100, 1), "b");
    assert_string_equal(movers(all, 3, 2, 8), "");
}

static void the_idle_give_way(void **state)
{
    struct fd_budget all[] = {has("a", 0, 3), wants("b", 0.5, 3), has("c", 0.4, 3),
                              wants("d", 0.1, 3)};
    assert_string_equal(movers(all, 4, 0, 8), "ba");
}

static void only_to_one_that_is_busier_by_far(void **state)
{
    struct fd_budget close_by[] = {has("a", 0.3, 3), wants("b", 0.5, 3)};
    assert_string_equal(movers(close_by, 2, 0, 8), "");
    struct fd_budget far[] = {has("a", 0.2, 3), wants("b", 0.5, 3)};
    assert_string_equal(movers(far, 2, 0, 8), "ba");
    struct fd_budget idle[] = {has("a", 0, 3), wants("b", 0, 3)};
    assert_string_equal(movers(idle, 2, 0, 8), "");
}

static void several_give_way_to_one_that_needs_more(void **state)
{
    struct fd_budget all[] = {has("a", 0.1, 3), has("b", 0.1, 3), has("c", 0.1, 3),
                              wants("d", 0.7, 9)};
    assert_string_equal(movers(all, 4, 0, 8), "dabc");
    all[0] = has("a", 0.2, 3); /* the array was sorted */
    all[1] = has("b", 0.1, 3);
    all[2] = has("c", 0.1, 3);
    all[3] = wants("d", 0.7, 9);
    assert_string_equal(movers(all, 4, 0, 8), "");
}

static void nobody_gives_way_for_nothing(void **state)
{
    /* Even all of them would not make enough room; the next one in line can be helped. */
    struct fd_budget all[] = {has("a", 0, 3), wants("b", 1, 9), wants("c", 0.5, 3)};
    assert_string_equal(movers(all, 3, 0, 8), "ca");
}
