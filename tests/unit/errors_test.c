/* What is kept of errors: each once, counted, with its times. */
#include "front/tui/state/errors.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

static void messages_are_counted(void **state)
{
    struct errors errors = {0};
    errors_say(&errors, "no user 'a'", 10);
    errors_say(&errors, "no user 'b'", 11);
    errors_say(&errors, "no user 'a'", 12);
    errors_say(&errors, "cannot send SIGTERM to 12", 13);
    errors_say(&errors, "cannot send SIGTERM to 13", 14);
    assert_int_equal(errors.count, 4);
    assert_string_equal(errors.list[0].text, "no user 'b'");
    assert_string_equal(errors.list[1].text, "no user 'a'");
    assert_int_equal(errors.list[1].times, 2);
    assert_true(errors.list[1].first == 10 && errors.list[1].last == 12);
    assert_int_equal(errors.list[2].times, 1);
    errors_release(&errors);
}

static void what_lasts_came_up_once(void **state)
{
    struct errors errors = {0};
    struct session session = {.faults = "12 threads not counted: no\ncycles not counted: no PMU\n"};
    struct session more = {.faults = "9 threads not counted: no\n"}, none = {.faults = ""};
    struct frame frame = {.seq = 1, .wall = 100};
    errors_take(&errors, &session, &frame);
    frame = (struct frame){.seq = 2, .wall = 101};
    errors_take(&errors, &more, &frame);
    assert_int_equal(errors.count, 2);
    assert_string_equal(errors.list[0].text, "cycles not counted: no PMU");
    assert_true(errors.list[0].last == 100);
    assert_string_equal(errors.list[1].text, "9 threads not counted: no");
    assert_int_equal(errors.list[1].times, 1);
    assert_true(errors.list[1].first == 100 && errors.list[1].last == 101);
    frame = (struct frame){.seq = 3, .wall = 102};
    errors_take(&errors, &none, &frame);
    frame = (struct frame){.seq = 4, .wall = 103};
    errors_take(&errors, &more, &frame);
    assert_int_equal(errors.count, 2);
    assert_int_equal(errors.list[1].times, 2);
    errors_release(&errors);
}

static void amounts_add_up(void **state)
{
    struct errors errors = {0};
    for (uint64_t seq = 1; seq <= 3; seq++) {
        struct frame frame = {.seq = seq, .wall = 1, .lost_records = seq == 2 ? 0 : 10 * seq};
        errors_take(&errors, NULL, &frame);
    }
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.list[0].amount, 40);
    assert_int_equal(errors.list[0].times, 2);
    assert_true(strncmp(errors.list[0].text, "records lost: ", 14) == 0);
    errors_release(&errors);
}

static void the_oldest_are_forgotten(void **state)
{
    struct errors errors = {0};
    for (int i = 0; i < ERRORS_MAX + 3; i++) {
        char text[sizeof("error -2147483648")];
        snprintf(text, sizeof(text), "error %d", i);
        errors_say(&errors, text, i);
        errors_say(&errors, "always", i);
    }
    assert_int_equal(errors.count, ERRORS_MAX);
    assert_int_equal(errors.forgotten, 4);
    assert_string_equal(errors.list[0].text, "error 4");
    assert_string_equal(errors.list[ERRORS_MAX - 1].text, "always");
    assert_int_equal(errors.list[ERRORS_MAX - 1].times, ERRORS_MAX + 3);
    errors_release(&errors);
}
