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

static void expect(const struct event_index *event_index, const char *name, const char *group,
                   const char *text)
{
    const struct event_index_entry *entry = find(event_index, name);
    assert_non_null(entry);
    assert_string_equal(event_index->groups[entry->group].title, group);
    assert_string_equal(entry->text, text);
}

static void entries(void **state)
{
    NEED_INTEL_NAMES();
    const struct event_index *event_index = *state;
    expect(event_index, "instructions", "hardware events", "instructions completed");
    expect(event_index, "cpu-cycles", "hardware events", "another name of cycles");
    expect(event_index, "page-faults", "software events", "page faults, minor and major");
    expect(event_index, "L1-dcache-load-misses", "hardware cache events",
           "first level of data cache: loads that missed");
    expect(event_index, "cpu/cpu-cycles/", "PMU 'cpu'", "event=0x3c");
    expect(event_index, "power/energy-pkg/", "PMU 'power'", "event=0x02, in Joules");
    expect(event_index, "skx::INST_RETIRED:ANY_P", "libpfm4 'skx' (Intel Skylake X)",
           "Number of instructions retired (Precise Event): Number of instructions retired. "
           "General Counter - "
           "architectural event");
    expect(event_index, "mem:ADDRESS[/LENGTH][:rwx]", "other events, by how they are written",
           "reads, writes or executions of 1, 2, 4 or 8 bytes at an address: mem:0x1238/8:w");
    expect(event_index, "msr/TERM=VALUE,.../", "other events, by how they are written",
           "what the PMU counts under these terms of its own");
    expect(event_index, "sched:sched_switch", "tracepoints of 'sched'", "");
    /* The files that say more of an event are no events; the probes have a spelling of their own.
     */
    assert_null(find(event_index, "power/energy-pkg.unit/"));
    assert_null(find(event_index, "uprobe/TERM=VALUE,.../"));
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

static void expect_found(const struct event_index *event_index, const char *text, const char *names)
{
    struct event_index_search search = {0};
    AUTO_STR struct str found = str_new();
    event_index_search(event_index, &search, text);
    for (size_t i = 0; i < search.count; i++)
        str_printf(&found, "%s%s", i ? " " : "", event_index->entries[search.found[i]].name);
    assert_string_equal(found.text, names);
    event_index_search_release(&search);
}

static void words(void **state)
{
    expect_found(*state, "energy-pkg", "power/energy-pkg/");
    expect_found(*state, "JOULES", "power/energy-pkg/");
    expect_found(*state, "  joules  power ", "power/energy-pkg/");
    expect_found(*state, "another name branch", "branch-instructions");
    expect_found(*state, "branch name another", "branch-instructions");
    expect_found(*state, "tracepoints sched", "sched:sched_switch sched:sched_wakeup");
    expect_found(*state, "tracepoints energy-pkg", "");
    /* Names come first: page-faults have the words in their explanation, and are listed before. */
    expect_found(*state, "minor faults", "minor-faults page-faults");
}
