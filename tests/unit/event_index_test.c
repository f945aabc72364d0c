#include "base/mem.h"
#include "base/str.h"
#include "event/event_index.h"
#include "event/name.h"
#include "unit/intel.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Skylake's table, which is large, on the machine of tests/data/intel. */
static int setup(void **state)
{
    setenv("LIBPFM_FORCE_PMU", "skx", 1);
    setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
    *state = event_index_new();
    return 0;
}

static int teardown(void **state)
{
    event_index_free(*state);
    return 0;
}

static const struct event_index_entry *find(const struct event_index *event_index, const char *name)
{
    for (size_t i = 0; i < event_index->count; i++)
        if (str_equal(event_index->entries[i].name, name))
            return &event_index->entries[i];
    return NULL;
}

/* Whatever is offered can be asked for. */
static void accepted(void **state)
{
    NEED_INTEL_NAMES();
    const struct event_index *event_index = *state;
    size_t known = 0;
    for (size_t i = 0; i < event_index->count; i++) {
        const struct event_index_entry *entry = &event_index->entries[i];
        struct event_list list = {0};
        struct err err = {""};
        if (event_index->groups[entry->group].kind == EVENT_INDEX_SPELLINGS)
            continue;
        event_parse(&list, entry->name, MODE_ALL, &err);
        if (*err.text)
            print_message("%s: %s\n", entry->name, err.text);
        known += list.count == 1 && list.events[0].state == EVENT_COUNTED;
        assert_string_equal(err.text, "");
        event_list_release(&list);
    }
    assert_true(known > 400);
}

static void told(void *to, const char *what, const char *text)
{
    str_printf(to, "%s: %s\n", what, text);
}

static char *explanation(const struct event_index *event_index, const char *name)
{
    struct str text;
    text = str_new();
    const struct event_index_entry *entry = find(event_index, name);
    assert_non_null(entry);
    event_index_explain(event_index, (size_t)(entry - event_index->entries), told, &text);
    return str_detach(&text);
}

static void explanations(void **state)
{
    NEED_INTEL_NAMES();
    const struct event_index *event_index = *state;
    char *text = explanation(event_index, "skx::BR_MISP_RETIRED:CONDITIONAL");
    assert_true(str_starts(text, "unit masks: "));
    assert_non_null(strstr(text, "ALL_BRANCHES, "));
    assert_non_null(strstr(text, "\nmodifiers: "));
    assert_non_null(strstr(text, "c (counter-mask in range [0-255])"));
    free(text);
    text = explanation(event_index, "msr/TERM=VALUE,.../");
    assert_string_equal(text, "terms: event\n");
    free(text);
    text = explanation(event_index, "page-faults");
    assert_string_equal(text, "");
    free(text);
}

static void nearest(void **state)
{
    assert_string_equal(event_index_nearest(*state, "cylces"), "cycles");
    assert_string_equal(event_index_nearest(*state, "sched_swich"), "sched_switch");
    assert_string_equal(event_index_nearest(*state, "enrgy-pkg/"), "energy-pkg/");
    assert_null(event_index_nearest(*state, "xyzzy-plugh-frotz"));
}
