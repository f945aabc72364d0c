/* Conditions of filters: parsed or refused with a message, and what is parsed holds for a row or
 * not, also when its events are gone; what is put in parentheses means the same. */
#include "base/mem.h"
#include "metric/metric_set.h"
#include "view/condition.h"
#include "fuzz/fuzz.h"

#include <stdio.h>

static char cycles[] = "cycles", faults[] = "page-faults", none[] = "";

static bool holds(const struct condition *condition, struct event_set *set)
{
    struct frame frame = {.events = set, .interval = 1};
    struct count counts[] = {{1000000, 1}, {3, 0.5}};
    struct group_time times[2] = {{1, 1}, {1, 1}};
    struct row row = {.pid = 7,
                      .tid = 7,
                      .uid = 1000,
                      .comm = "spin",
                      .threads = 1,
                      .oncpu = 0.5,
                      .state = EVENT_COUNTED,
                      .counts = counts,
                      .times = times};
    struct view_context context = {.frame = &frame, .settings = {.exact = true}};
    return condition_holds(condition, &context, &row);
}

static void check_condition(const char *text, const struct column_name_scope *scope,
                            struct event_set *set)
{
    struct err err = {""};
    bool incomplete;
    struct condition *condition = condition_parse(text, scope, &incomplete, &err);
    if (!condition) {
        if (!*err.text)
            abort();
        return;
    }
    char *inside = malloc(strlen(text) + 3);
    if (!inside)
        abort();
    sprintf(inside, "(%s)", text);
    bool first = holds(condition, set);
    struct condition *same = condition_parse(inside, scope, &incomplete, &err);
    if (same && holds(same, set) != first)
        abort();
    struct event_set empty = {.references = 1};
    struct column_name_scope later = {scope->metric_set, &empty, NULL};
    condition_bind(condition, &later);
    holds(condition, &empty);
    condition_free(condition);
    condition_free(same);
    free(inside);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct event_info events[] = {
        {.name = cycles, .unit = none, .state = EVENT_COUNTED, .group = 1, .hardware = true},
        {.name = faults, .unit = none, .state = EVENT_COUNTED},
    };
    struct event_set set = {.references = 1, .count = 2, .events = events, .groups = 2};
    struct metric_set metric_set = {0};
    char *text = mem_strndup((const char *)data, size);
    if (metric_set_load(&metric_set,
                        "[metric cpu_pct]\ntitle = %CPU\nunit = %\nexpr = oncpu / interval * 100\n"
                        "[metric rate]\nexpr = cycles / interval\n",
                        "ini", NULL) < 0)
        abort();
    struct column_name_scope scope = {&metric_set, &set, NULL}, early = {&metric_set, NULL, NULL};
    condition_is(text, &scope);
    check_condition(text, &scope, &set);
    check_condition(text, &early, &set);
    metric_set_release(&metric_set);
    free(text);
    return 0;
}
