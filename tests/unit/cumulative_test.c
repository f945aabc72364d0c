/* Counters that only grow, and who has a name. */
#include "unit/handmade.h"
#include "unit/test.h"
#include "view/cumulative.h"

static const char *const two[] = {"a", "b"}, *const other[] = {"c", "a"};

static const struct cumulative_place *place(const struct cumulative *cumulative, const char *name)
{
    for (size_t i = 0; i < cumulative->count; i++)
        if (strcmp(cumulative->places[i]->name, name) == 0)
            return cumulative->places[i];
    return NULL;
}

/* One interval of that many seconds in which those named did so much, the busiest first. */
static void pass(struct cumulative *cumulative, struct event_set *set, double seconds, size_t count,
                 const char *const *names, const double *oncpu, uint64_t value)
{
    struct frame *frame = handmade_frame(mem_share(set));
    frame->interval = seconds;
    cumulative_begin(cumulative, frame);
    for (size_t i = 0; i < count; i++) {
        struct row row = handmade_row(frame, (uint64_t[]){value, 2 * value});
        row.oncpu = oncpu[i];
        cumulative_add(cumulative, frame, &row, names[i]);
        free(row.counts);
    }
    frame_free(frame);
}

static uint64_t value_of(const struct cumulative *cumulative, const struct cumulative_place *at,
                         size_t event)
{
    assert_non_null(at);
    return cumulative_sum(cumulative, at, event)->value;
}

/* Intervals in which the group of an event was on no counter are estimated by the next one in which
 * it was: a counter does not leave out what happened in them. */
static void what_was_missed_is_made_up_for(void **state)
{
    struct cumulative cumulative;
    struct event_set *set = handmade_set(2, two);
    static const struct group_time turns[] = {{100, 100}, {100, 0}, {200, 0}, {50, 25}, {100, 100}};
    static const uint64_t values[] = {5, 0, 0, 6, 7}, sums[] = {5, 5, 5, 47, 54};
    cumulative_init(&cumulative, 0);
    for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
        struct frame *frame = handmade_frame(mem_share(set));
        struct row row = handmade_row(frame, (uint64_t[]){values[i], 1});
        row.times[set->events[0].group] = turns[i];
        row_sum_complete(&row, frame);
        row.counts[0].value = values[i];
        cumulative_begin(&cumulative, frame);
        cumulative_add(&cumulative, frame, &row, "x");
        assert_int_equal(value_of(&cumulative, place(&cumulative, "x"), 0), sums[i]);
        free(row.counts);
        frame_free(frame);
    }
    cumulative_release(&cumulative);
    event_set_drop(set);
}

/* Names are few: who comes later is one of the rest, until it is busier than one that has had its
 * name for long. No count is in two places, and none is lost. */
static void the_least_busy_gives_way(void **state)
{
    struct cumulative cumulative;
    struct event_set *set = handmade_set(2, two);
    cumulative_init(&cumulative, 2);
    pass(&cumulative, set, 1, 3, (const char *const[]){"x", "y", "z"}, (double[]){.9, .1, .05}, 10);
    assert_int_equal(cumulative.count, 2);
    assert_null(place(&cumulative, "z"));
    assert_int_equal(value_of(&cumulative, &cumulative.rest, 0), 10);
    /* Busier than y is not enough: that has been there for a second. */
    pass(&cumulative, set, 1, 1, (const char *const[]){"z"}, (double[]){.8}, 10);
    assert_int_equal(value_of(&cumulative, &cumulative.rest, 0), 20);
    pass(&cumulative, set, 300, 1, (const char *const[]){"x"}, (double[]){100}, 10);
    /* y did 0.1 s, five minutes ago: half of it counts, and z needs twice as much. */
    pass(&cumulative, set, 1, 1, (const char *const[]){"z"}, (double[]){.09}, 10);
    assert_null(place(&cumulative, "z"));
    pass(&cumulative, set, 1, 2, (const char *const[]){"z", "w"}, (double[]){.2, .19}, 10);
    assert_int_equal(value_of(&cumulative, place(&cumulative, "z"), 0), 10);
    assert_null(place(&cumulative, "y"));
    assert_null(place(&cumulative, "w")); /* x is busier than that */
    assert_int_equal(cumulative_retired(&cumulative, 0), 10);
    assert_int_equal(cumulative_retired(&cumulative, 1), 20);
    assert_int_equal(value_of(&cumulative, place(&cumulative, "x"), 0), 20);
    assert_int_equal(value_of(&cumulative, &cumulative.rest, 0), 40);
    /* 8 rows of 10. */
    assert_int_equal(value_of(&cumulative, place(&cumulative, "x"), 0) +
                         value_of(&cumulative, place(&cumulative, "z"), 0) +
                         value_of(&cumulative, &cumulative.rest, 0) +
                         cumulative_retired(&cumulative, 0),
                     80);
    cumulative_release(&cumulative);
    event_set_drop(set);
}
