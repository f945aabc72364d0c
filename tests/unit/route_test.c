/* The order in which stops are visited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/term/route.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STOPS = 200 };

struct field {
    struct {
        int y, x;
    } stops[STOPS];
    int count;
};

static int line(void *ctx, int stop)
{
    return ((struct field *)ctx)->stops[stop].y;
}

/* As with a cursor, down is cheaper than up, and left than right. */
static int cost(void *ctx, int from, int to, int most)
{
    const struct field *field = ctx;
    int down = field->stops[to].y - field->stops[from].y;
    int right = field->stops[to].x - field->stops[from].x;
    int bytes = (down < 0 ? 3 : down) + (right > 0 ? 4 : -right);
    return bytes > most ? most + 1 : bytes;
}

static int cost_of(struct field *field, const int *order)
{
    int sum = 0;
    for (int i = 0, at = 0; i < field->count - 1; at = order[i++])
        sum += cost(field, at, order[i], INT_MAX);
    return sum;
}

static int find(struct field *field, int *order)
{
    bool visited[STOPS] = {true};
    struct route route = {field->count, line, cost, field};
    route_find(&route, order);
    for (int i = 0; i < field->count - 1; i++) {
        assert_in_range(order[i], 1, field->count - 1);
        assert_false(visited[order[i]]);
        visited[order[i]] = true;
    }
    return cost_of(field, order);
}

/* Stops anywhere, sorted by lines but for the first one. */
static void scatter(struct field *field, int count, int height, int width, unsigned *seed)
{
    field->count = count;
    for (int i = 0, y = 0; i < count; i++) {
        y += i > 0 && rand_r(seed) % count < height;
        field->stops[i].y = i > 0 ? y : rand_r(seed) % height;
        field->stops[i].x = rand_r(seed) % width;
    }
}

static int least_of(struct field *field, int *order, int from)
{
    int least = from == field->count - 1 ? cost_of(field, order) : INT_MAX;
    for (int i = from; i < field->count - 1; i++) {
        int swap = order[from];
        order[from] = order[i];
        order[i] = swap;
        int sum = least_of(field, order, from + 1);
        least = sum < least ? sum : least;
        order[i] = order[from];
        order[from] = swap;
    }
    return least;
}

/* Beside all orders that there are. */
static void nearly_the_best(void **state)
{
    (void)state;
    unsigned seed = 1;
    int sum = 0, least = 0;
    for (int run = 0; run < 200; run++) {
        struct field field;
        int order[STOPS];
        scatter(&field, 1 + run % 8, 4, 12, &seed);
        sum += find(&field, order);
        least += least_of(&field, order, 0);
    }
    assert_in_range(sum * 100, least * 100, least * 105);
}

static void many(void **state)
{
    (void)state;
    unsigned seed = 2;
    for (int run = 0; run < 100; run++) {
        struct field field;
        int order[STOPS], in_lines[STOPS];
        scatter(&field, 1 + rand_r(&seed) % STOPS, 1 + run % 60, 200, &seed);
        for (int i = 0; i < field.count; i++)
            in_lines[i] = i + 1;
        assert_in_range(find(&field, order), 0, cost_of(&field, in_lines));
    }
}

/* Down one column, then the next one. */
static void by_columns(void **state)
{
    (void)state;
    struct field field = {.count = 1};
    int order[STOPS];
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 3; x++, field.count++) {
            field.stops[field.count].y = y;
            field.stops[field.count].x = 10 * x;
        }
    find(&field, order);
    for (int i = 0; i < field.count - 1; i++)
        if (i % 10 > 0)
            assert_int_equal(order[i], order[i - 1] + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_the_best),
        cmocka_unit_test(many),
        cmocka_unit_test(by_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
