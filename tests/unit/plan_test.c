#include "base/mem.h"
#include "event/plan.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A PMU with some counters. */
struct fake {
    size_t counters;
    const char *impossible; /* this event cannot be opened at all */
    const char *apart[2];   /* these two cannot be in one group */
    bool mixed;             /* false: no software event in a group with a hardware event */
    bool contended;         /* groups of more than one hardware event fail once they were tried
                               singly, single ones from then on too */
    int trials;
};

static bool named(const struct event_list *list, size_t event, const char *name)
{
    return name && strcmp(list->events[event].name, name) == 0;
}

static bool fake_fits(void *ctx, struct event_list *list, const size_t *events, size_t count)
{
    struct fake *fake = ctx;
    size_t hardware = 0, apart = 0;
    fake->trials++;
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        struct event *event = &list->events[events[i]];
        assert_int_equal(event->state, EVENT_COUNTED);
        for (size_t k = 0; k < i; k++)
            assert_int_not_equal(events[i], events[k]);
        hardware += event->hardware;
        apart += named(list, events[i], fake->apart[0]) || named(list, events[i], fake->apart[1]);
        if (!named(list, events[i], fake->impossible))
            continue;
        if (count == 1) {
            event->state = EVENT_UNSUPPORTED;
            event->reason = mem_strdup("impossible");
        }
        return false;
    }
    if (!fake->mixed && hardware > 0 && hardware < count)
        return false;
    if (fake->contended && hardware > 0 && (count > 1 || fake->trials > 4))
        return false;
    return hardware <= fake->counters && apart < 2;
}

/* Names that begin with a capital are hardware events, with '*' shared ones; a digit behind '/' is
 * the braces' number. */
static void make_list(struct event_list *list, const char *text)
{
    *list = (struct event_list){0};
    char *copy = mem_strdup(text), *rest = copy;
    for (char *name; (name = strsep(&rest, " "));) {
        char *group = strchr(name, '/');
        if (group)
            *group++ = '\0';
        mem_grow(&list->events, &list->room, list->count + 1, sizeof(*list->events));
        struct event *event = &list->events[list->count++];
        *event = (struct event){.name = mem_strdup(name),
                                .unit = mem_strdup(""),
                                .group = -1,
                                .hardware = *name >= 'A' && *name <= 'Z',
                                .shared = *name == '*'};
        if (group) {
            event->group = *group - '0';
            if (event->group >= list->groups)
                list->groups = event->group + 1;
        }
    }
    free(copy);
}

/* The plan as text: the names of each group, groups separated by " | ", then what is left out. */
static void expect_plan(const char *text, struct fake *fake, const char *expected)
{
    struct event_list list;
    struct plan plan;
    char found[500] = "";
    make_list(&list, text);
    plan_make(&plan, &list, &(struct plan_trial){fake, fake_fits});
    for (int group = 0; group <= (int)plan.groups; group++) {
        bool last = group == (int)plan.groups, any = false;
        for (size_t i = 0; i < list.count; i++) {
            if (plan.group[i] != (last ? -1 : group))
                continue;
            assert_int_equal(list.events[i].state == EVENT_COUNTED, !last);
            assert_int_equal(list.events[i].reason == NULL, !last);
            snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s",
                     any     ? " "
                     : last  ? " -"
                     : group ? " | "
                             : "",
                     list.events[i].name);
            any = true;
        }
        assert_true(last || any);
    }
    assert_string_equal(found, expected);
    plan_release(&plan);
    event_list_release(&list);
}

static void all_fit(void **state)
{
    struct fake fake = {.counters = 6, .mixed = true};
    expect_plan("A faults B cs C", &fake, "A faults B cs C");
    assert_int_equal(fake.trials, 1);
    expect_plan("A/0 B/0 C/1", &fake, "A B C");
    expect_plan("faults", &fake, "faults");
}

static void nothing_to_count(void **state)
{
    struct fake fake = {.counters = 6, .impossible = "A"};
    struct event_list list = {0};
    struct plan plan;
    plan_make(&plan, &list, &(struct plan_trial){&fake, fake_fits});
    assert_int_equal(plan.groups, 0);
    assert_int_equal(fake.trials, 0);
    plan_release(&plan);
    expect_plan("A", &fake, " -A");
}

static void one_is_impossible(void **state)
{
    struct fake fake = {.counters = 6, .impossible = "B", .mixed = true};
    expect_plan("A B C faults", &fake, "A C faults -B");
}

static void known_bad_events_stay_out(void **state)
{
    struct fake fake = {.counters = 1};
    struct event_list list;
    struct plan plan;
    make_list(&list, "A B C");
    list.events[0].state = EVENT_DENIED;
    plan_make(&plan, &list, &(struct plan_trial){&fake, fake_fits});
    assert_int_equal(plan.group[0], -1);
    assert_int_equal(plan.group[1], 0);
    assert_int_equal(plan.group[2], 1);
    assert_int_equal(list.events[0].state, EVENT_DENIED);
    plan_release(&plan);
    event_list_release(&list);
}

static void software_apart_from_rotation(void **state)
{
    struct fake fake = {.counters = 2, .mixed = true};
    expect_plan("A faults B cs C", &fake, "faults cs | A B | C");
    fake = (struct fake){.counters = 2};
    expect_plan("A faults", &fake, "faults | A");
    /* The user's braces say that it goes along. */
    fake = (struct fake){.counters = 2, .mixed = true};
    expect_plan("A B C/0 faults/0 cs", &fake, "cs | A C faults | B");
}

static void braces_before_the_rest(void **state)
{
    struct fake fake = {.counters = 2};
    expect_plan("A B C/0 D E/0 A2/1 B2/1", &fake, "C E | A2 B2 | A B | D");
    expect_plan("A B/0 C/0 D", &fake, "B C | A D");
    fake.counters = 3;
    expect_plan("A/0 B/0 C D/1 E/1", &fake, "A B C | D E");
}

static void braces_that_do_not_fit_are_split(void **state)
{
    struct fake fake = {.counters = 2};
    expect_plan("A/0 B/0 C/0 D/0 E/0", &fake, "A B | C D | E");
    fake = (struct fake){.counters = 4, .apart = {"A", "B"}};
    expect_plan("A/0 B/0 C/0", &fake, "A | B C");
    expect_plan("A B C", &fake, "A C | B");
}

/* They are of other PMUs, on other CPUs. */
static void shared_events_are_groups_of_their_own(void **state)
{
    struct fake fake = {.counters = 2, .mixed = true};
    expect_plan("A *x B *y", &fake, "A B | *x | *y");
    expect_plan("A/0 *x/0 B faults C", &fake, "faults | A B | C | *x");
    fake.impossible = "*x";
    expect_plan("A *x *y", &fake, "A | *y -*x");
    struct event_list list;
    struct plan plan;
    fake.impossible = NULL;
    make_list(&list, "*x");
    plan_make(&plan, &list, &(struct plan_trial){&fake, fake_fits});
    assert_int_equal(plan.groups, 2); /* the first is empty */
    assert_int_equal(plan.shared, 1);
    assert_int_equal(plan.group[0], 1);
    plan_release(&plan);
    event_list_release(&list);
}

static void counters_vanish_meanwhile(void **state)
{
    struct fake fake = {.counters = 4, .contended = true};
    expect_plan("A B faults", &fake, "faults -A B");
}
