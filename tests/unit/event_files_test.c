#include "base/mem.h"
#include "base/str.h"
#include "event/event_table.h"
#include "event/name.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

#define DATA "tests/data/eventfiles/"

/* Reads the files of a directory for the machine of a root. */
static void use(const char *root, const char *directory)
{
    setenv("COUNTERTOP_ROOT", root, 1);
    setenv("LIBPFM_FORCE_PMU", "perf", 1); /* no names of libpfm4's for processors */
    struct event_table *table = mem_alloc(sizeof(*table));
    event_files_add(table, directory);
    event_table_sort(table);
    event_table_use(table);
}

static void expect(const char *name, const char *encoding)
{
    struct event_list list = {0};
    struct err err = {""};
    event_parse(&list, name, MODE_ALL, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(list.count, 1);
    if (list.events[0].state != EVENT_COUNTED)
        fail_msg("%s: %s", name, list.events[0].reason);
    assert_string_equal(list.events[0].encoding, encoding);
    event_list_release(&list);
}

/* Arm's own forms say for which processor they are (made data in the shape of ARM-software/data,
 * pmu/, of which older files have no cpuid, and of Arm's telemetry specifications). */
static void arm_form(void **state)
{
    size_t count;
    use(DATA "v2", DATA "arm/events");
    expect("turns", "armv8_pmuv3_0 type=8 config=0x11");
    expect("OWN_REFILL", "armv8_pmuv3_0 type=8 config=0x109");
    expect("FROM_R3P0", "armv8_pmuv3_0 type=8 config=0xf1");
    expect("WORK_DONE", "armv8_pmuv3_0 type=8 config=0x8");
    expect("OF_THE_KERNEL", "armv8_pmuv3_0 type=8 config=0x12");
    assert_int_equal(event_table()->events.count, 5);
    assert_string_equal(event_table_named("OWN_REFILL", &count)->text,
                        "Fills of a cache from elsewhere");
    assert_string_equal(event_table_named("FROM_R3P0", &count)->text, "Of this version");
    assert_string_equal(event_table_named("FROM_R3P0", &count)->detail, "Says which file is read");
    assert_string_equal(event_table_named("WORK_DONE", &count)->text, "Has no title");
    assert_int_equal(event_table()->metrics.count, 2);
    const struct table_event *metrics = event_table()->metrics.items;
    assert_string_equal(metrics[0].name, "work_per_turn");
    assert_string_equal(metrics[0].terms, "WORK_DONE / TURNS");
    assert_string_equal(metrics[0].unit, "per turn");
    assert_string_equal(metrics[0].text, "Work of a turn");
    assert_string_equal(metrics[1].unit, "%");
    assert_string_equal(metrics[1].text, "Share of turns");
    assert_int_equal(event_table()->faults.count, 3);
    assert_string_equal(event_table()->faults.items[0],
                        DATA "arm/events/nobody.json: it names no processor");
    assert_string_equal(event_table()->faults.items[1],
                        DATA "arm/events/v2-r3p0.json: entry 'formless': it has no formula; "
                             "left out");
    assert_string_equal(event_table()->faults.items[2],
                        DATA "arm/events/v2.json: entry 'BAD_CODE': code is 'many': expected a "
                             "number such as 7 or 0x1f; left out, and 2 more entries");
    /* By the name, and of versions that are all newer the oldest; each on its core type. */
    use("tests/data/biglittle", DATA "arm/events");
    expect("SMALL_OR_BIG",
           "armv8_cortex_a55 type=8 config=0xf0; armv8_cortex_a76 type=9 config=0xf1");
    expect("OF_THE_KERNEL",
           "armv8_cortex_a55 type=8 config=0x12; armv8_cortex_a76 type=9 config=0x12");
    assert_int_equal(event_table()->events.count, 3);
    assert_int_equal(event_table()->faults.count, 1);
    /* For no other machine. */
    use("tests/data/intel", DATA "arm/events");
    assert_int_equal(event_table()->events.count, 1);
    assert_string_equal(event_table()->events.items[0].name, "OF_THE_KERNEL");
    assert_int_equal(event_table()->faults.count, 1);
}

static void processors(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
    assert_true(event_files_match("GenuineIntel-6-55"));
    assert_true(event_files_match("GenuineIntel-6-55-4"));
    assert_true(event_files_match("GenuineIntel-6-(4E|55)"));
    assert_false(event_files_match("GenuineIntel-6-5"));
    assert_false(event_files_match("GenuineIntel-6-55-[56789ABCDEF]"));
    assert_false(event_files_match("enuineIntel-6-55"));
    assert_false(event_files_match("GenuineIntel-6-(55"));
    assert_false(event_files_match("((a{99}){99}){99}|GenuineIntel-6-55"));
}

static int end(void **state)
{
    event_table_use(NULL);
    return 0;
}
