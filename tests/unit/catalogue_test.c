#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "event/catalogue.h"
#include "event/name.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Skylake's table, which is large, on the machine of tests/data/intel. */
static int on_intel(void **state)
{
    setenv("LIBPFM_FORCE_PMU", "skx", 1);
    setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
    *state = catalogue_new();
    return 0;
}

static int leave(void **state)
{
    catalogue_free(*state);
    return 0;
}

static const struct catalogue_entry *find(const struct catalogue *catalogue, const char *name)
{
    for (size_t i = 0; i < catalogue->count; i++)
        if (str_equal(catalogue->entries[i].name, name))
            return &catalogue->entries[i];
    return NULL;
}

static void expect(const struct catalogue *catalogue, const char *name, const char *group,
                   const char *text)
{
    const struct catalogue_entry *entry = find(catalogue, name);
    assert_non_null(entry);
    assert_string_equal(catalogue->groups[entry->group].title, group);
    assert_string_equal(entry->text, text);
}

static void entries(void **state)
{
    const struct catalogue *catalogue = *state;
    expect(catalogue, "instructions", "hardware events", "instructions completed");
    expect(catalogue, "cpu-cycles", "hardware events", "another name of cycles");
    expect(catalogue, "page-faults", "software events", "page faults, minor and major");
    expect(catalogue, "L1-dcache-load-misses", "hardware cache events",
           "first level of data cache: loads that missed");
    expect(catalogue, "cpu/cpu-cycles/", "PMU 'cpu'", "event=0x3c");
    expect(catalogue, "power/energy-pkg/", "PMU 'power'", "event=0x02, in Joules");
    expect(catalogue, "skx::INST_RETIRED:ANY_P", "libpfm4 'skx' (Intel Skylake X)",
           "Number of instructions retired (Precise Event): Number of instructions retired. "
           "General Counter - "
           "architectural event");
    expect(catalogue, "mem:ADDRESS[/LENGTH][:rwx]", "other events, by how they are written",
           "reads, writes or executions of 1, 2, 4 or 8 bytes at an address: mem:0x1238/8:w");
    expect(catalogue, "msr/TERM=VALUE,.../", "other events, by how they are written",
           "what the PMU counts under these terms of its own");
    expect(catalogue, "sched:sched_switch", "tracepoints of 'sched'", "");
    /* The files that say more of an event are no events; the probes have a spelling of their own.
     */
    assert_null(find(catalogue, "power/energy-pkg.unit/"));
    assert_null(find(catalogue, "uprobe/TERM=VALUE,.../"));
}

/* Groups stand together, and every text has words for its reader. */
static void groups(void **state)
{
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->count; i++) {
        size_t group = catalogue->entries[i].group;
        size_t before = i ? catalogue->entries[i - 1].group : 0;
        assert_true(group == before || group == before + 1);
        if (catalogue->groups[group].kind != CATALOGUE_TRACEPOINTS)
            assert_string_not_equal(catalogue->entries[i].text, "");
    }
    assert_int_equal(catalogue->entries[catalogue->count - 1].group + 1, catalogue->group_count);
}

/* Whatever is offered can be asked for. */
static void accepted(void **state)
{
    const struct catalogue *catalogue = *state;
    size_t known = 0;
    for (size_t i = 0; i < catalogue->count; i++) {
        const struct catalogue_entry *entry = &catalogue->entries[i];
        struct event_list list;
        struct err err = {""};
        event_list_init(&list);
        if (catalogue->groups[entry->group].kind == CATALOGUE_SPELLINGS)
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

static char *explanation(const struct catalogue *catalogue, const char *name)
{
    struct str text;
    str_init(&text);
    const struct catalogue_entry *entry = find(catalogue, name);
    assert_non_null(entry);
    catalogue_explain(catalogue, (size_t)(entry - catalogue->entries), told, &text);
    return str_detach(&text);
}

static void explanations(void **state)
{
    const struct catalogue *catalogue = *state;
    char *text = explanation(catalogue, "skx::BR_MISP_RETIRED:CONDITIONAL");
    assert_true(str_starts(text, "unit masks: "));
    assert_non_null(strstr(text, "ALL_BRANCHES, "));
    assert_non_null(strstr(text, "\nmodifiers: "));
    assert_non_null(strstr(text, "c (counter-mask in range [0-255])"));
    free(text);
    text = explanation(catalogue, "msr/TERM=VALUE,.../");
    assert_string_equal(text, "terms: event\n");
    free(text);
    text = explanation(catalogue, "page-faults");
    assert_string_equal(text, "");
    free(text);
}

static void nearest(void **state)
{
    assert_string_equal(catalogue_nearest(*state, "cylces"), "cycles");
    assert_string_equal(catalogue_nearest(*state, "sched_swich"), "sched_switch");
    assert_string_equal(catalogue_nearest(*state, "enrgy-pkg/"), "energy-pkg/");
    assert_null(catalogue_nearest(*state, "xyzzy-plugh-frotz"));
}

static void expect_found(const struct catalogue *catalogue, const char *text, const char *names)
{
    struct catalogue_search search = {0};
    struct str found;
    str_init(&found);
    catalogue_search(catalogue, &search, text);
    for (size_t i = 0; i < search.count; i++)
        str_printf(&found, "%s%s", i ? " " : "", catalogue->entries[search.found[i]].name);
    assert_string_equal(found.text, names);
    str_release(&found);
    catalogue_search_release(&search);
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
}

/* ---- 3,000 entries ---- */

enum { SUBSYSTEMS = 50, EVENTS = 60 };

static char root[] = "/tmp/countertop-catalogue-XXXXXX";

static void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0700), 0);
}

static int on_many(void **state)
{
    assert_non_null(mkdtemp(root));
    char *path = mem_printf("%s/sys", root);
    static const char *const parts[] = {"", "/kernel", "/kernel/tracing", "/kernel/tracing/events"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        char *part = mem_printf("%s%s", path, parts[i]);
        make_folder(part);
        free(part);
    }
    for (int s = 0; s < SUBSYSTEMS; s++) {
        char *subsystem = mem_printf("%s/kernel/tracing/events/part_%02d", path, s);
        make_folder(subsystem);
        for (int e = 0; e < EVENTS; e++) {
            char *event = mem_printf("%s/point_%02d", subsystem, e);
            char *id = mem_printf("%s/id", event);
            make_folder(event);
            fclose(fopen(id, "w"));
            free(id);
            free(event);
        }
        free(subsystem);
    }
    free(path);
    setenv("COUNTERTOP_ROOT", root, 1);
    *state = catalogue_new();
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static int leave_many(void **state)
{
    catalogue_free(*state);
    return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void expect_search(const struct catalogue *catalogue, struct catalogue_search *search,
                          const char *text, size_t examined, size_t count)
{
    catalogue_search(catalogue, search, text);
    assert_int_equal(search->examined, examined);
    assert_int_equal(search->count, count);
}

/* Typing on looks only at what is left. */
static void narrowing(void **state)
{
    const struct catalogue *catalogue = *state;
    struct catalogue_search search = {0};
    size_t all = catalogue->count;
    assert_true(all > SUBSYSTEMS * EVENTS);
    expect_search(catalogue, &search, "", all, all);
    expect_search(catalogue, &search, "part_", all, SUBSYSTEMS * EVENTS);
    expect_search(catalogue, &search, "part_1", SUBSYSTEMS * EVENTS, 10 * EVENTS);
    expect_search(catalogue, &search, "part_17", 10 * EVENTS, EVENTS);
    expect_search(catalogue, &search, "part_17 point_0", EVENTS, 10);
    expect_search(catalogue, &search, "part_17 point_07", 10, 1);
    assert_string_equal(catalogue->entries[search.found[0]].name, "part_17:point_07");
    expect_search(catalogue, &search, "part_17 point_0", all, 10);
    expect_search(catalogue, &search, "part_17 point_0x", 10, 0);
    expect_search(catalogue, &search, "part_17 point_0xy", 0, 0);
    catalogue_search_release(&search);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entries, on_intel, leave),
        cmocka_unit_test_setup_teardown(groups, on_intel, leave),
        cmocka_unit_test_setup_teardown(accepted, on_intel, leave),
        cmocka_unit_test_setup_teardown(explanations, on_intel, leave),
        cmocka_unit_test_setup_teardown(nearest, on_intel, leave),
        cmocka_unit_test_setup_teardown(words, on_intel, leave),
        cmocka_unit_test_setup_teardown(narrowing, on_many, leave_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
