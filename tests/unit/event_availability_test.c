#include "app/host.h"
#include "base/mem.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

/* Events as a plan leaves them, by letters: 'a' to 'c' are hardware events in groups 0 to 2, 's' is
 * a software event in group 0, 'u' one that a whole socket shares, in group 3, '-' was refused. */
static struct event_set *set_of(const char *kinds)
{
    struct event_set *set = event_set_new(strlen(kinds));
    set->groups = 4;
    for (size_t e = 0; e < set->count; e++) {
        struct event_info *event = &set->events[e];
        event->hardware = kinds[e] != 's' && kinds[e] != 'u';
        event->shared = kinds[e] == 'u';
        event->group = kinds[e] == 'u' ? 3 : kinds[e] == 's' ? 0 : kinds[e] - 'a';
        if (kinds[e] == '-') {
            event->state = EVENT_NO_COUNTER;
            event->group = -1;
        }
    }
    return set;
}

static char *fit(void **state, const char *before, const char *after)
{
    struct event_set *sets[] = {set_of(before), set_of(after)};
    char *text = availability_fit(*state, sets[0], sets[1]);
    event_set_drop(sets[0]);
    event_set_drop(sets[1]);
    return text;
}

static void expect(void **state, const char *before, const char *after, const char *expected)
{
    char *text = fit(state, before, after);
    assert_string_equal(text, expected);
    free(text);
}

static void no_counter(void **state)
{
    expect(state, "", "s", "fits: takes none of the cores' counters");
    expect(state, "saabb", "saabbs", "fits: takes none of the cores' counters");
    expect(state, "aa", "aau", "fits: takes none of the cores' counters");
}

static void turns(void **state)
{
    expect(state, "aaa", "aaab",
           "will take turns: 2 groups (1 now), each counted about 1/2 of the time");
    expect(state, "saabb", "saabbc",
           "will take turns: 3 groups (2 now), each counted about 1/3 of the time");
    expect(state, "saabb", "saabbb",
           "will take turns: 2 groups (2 now), each counted about 1/2 of the time");
    expect(state, "aau-", "aau-b",
           "will take turns: 2 groups (1 now), each counted about 1/2 of the time");
}

/* How many counters there are is the machine's word, where it has any. */
static void room(void **state)
{
    const char *const cases[][3] = {{"", "a", "fits: 1 "}, {"sau-", "sau-a", "fits: 2 "}};
    for (size_t i = 0; i < 2; i++) {
        char *text = fit(state, cases[i][0], cases[i][1]);
        assert_int_equal(strncmp(text, cases[i][2], strlen(cases[i][2])), 0);
        assert_non_null(strstr(text, "counters used"));
        free(text);
    }
}

static int begin(void **state)
{
    *state = availability_new(MODE_ALL, false);
    return 0;
}

static int end(void **state)
{
    availability_free(*state);
    return 0;
}
