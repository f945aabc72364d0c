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

static void expect_not_here(const char *name, const char *reason)
{
    struct event_list list = {0};
    struct err err = {""};
    event_parse(&list, name, MODE_ALL, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(list.events[0].state, EVENT_UNSUPPORTED);
    assert_string_equal(list.events[0].reason, reason);
    event_list_release(&list);
}

static void expect_unknown(const char *name, const char *message)
{
    struct event_list list = {0};
    struct err err = {""};
    assert_int_equal(event_parse(&list, name, MODE_ALL, &err), -1);
    assert_string_equal(err.text, message);
}

/* The codes are Intel's (perfmon, skylakex_core.json), the bits those of the PMU's format. */
static void intel(void **state)
{
    use("tests/data/intel", DATA "config/events");
    assert_int_equal(event_table()->faults.count, 0);
    /* Fixed counters are chosen by the general code. */
    expect("INST_RETIRED.ANY", "cpu type=4 config=0xc0");
    expect("cpu_clk_unhalted.thread", "cpu type=4 config=0x3c");
    expect("inst_retired:any:u", "cpu type=4 config=0xc0");
    expect("own=Inst_Retired.Any", "cpu type=4 config=0xc0");
    /* Registers go into config1. */
    expect("mem_trans_retired.load_latency_gt_128", "cpu type=4 config=0x1cd config1=0x80");
    expect("OFFCORE_RESPONSE.DEMAND_DATA_RD.L3_MISS.ANY_SNOOP",
           "cpu type=4 config=0x1b7 config1=0x3fbc000001");
    expect("FRONTEND_RETIRED.DSB_MISS", "cpu type=4 config=0x1c6 config1=0x11");
    expect("UOPS_EXECUTED.STALL_CYCLES", "cpu type=4 config=0x18001b1");
    expect("CPU_CLK_UNHALTED.RING0_TRANS", "cpu type=4 config=0x104003c");
    /* Other terms may follow, as after a name of the kernel's. */
    expect("cpu/UOPS_EXECUTED.STALL_CYCLES,inv=0,cmask=2/k", "cpu type=4 config=0x20001b1");
    /* perfmon's own form. */
    expect("MEM_LOAD_RETIRED.L3_MISS", "cpu type=4 config=0x20d1");
    expect_not_here("UNC_CHA_CLOCKTICKS", "this machine has no PMU 'uncore_cha', which counts it");
    expect_unknown("ONLY_ON_CASCADE_LAKE", "unknown event 'ONLY_ON_CASCADE_LAKE': expected a perf "
                                           "or libpfm4 name (--list-events shows them)");
    expect_unknown("UOPS_EXECUTED.STAL_CYCLES",
                   "unknown event 'UOPS_EXECUTED.STAL_CYCLES': expected a perf or libpfm4 name; "
                   "nearest is 'UOPS_EXECUTED.STALL_CYCLES'");
    expect_unknown("cpu/UOPS_EXECUTED.STAL_CYCLES/",
                   "unknown term 'UOPS_EXECUTED.STAL_CYCLES' of PMU 'cpu': expected names from "
                   "/sys/bus/event_source/devices/cpu/events or format; nearest is "
                   "'UOPS_EXECUTED.STALL_CYCLES'");
}

/* An event of several PMUs is one of each. */
static void several_pmus(void **state)
{
    use("tests/data/intel", DATA "config/events");
    struct event_list list = {0};
    assert_int_equal(event_parse(&list, "unc_m_cas_count.rd,x=UNC_M_PRE_COUNT.RD", MODE_ALL, NULL),
                     0);
    assert_int_equal(list.count, 4);
    assert_string_equal(list.events[1].name, "uncore_imc_1/unc_m_cas_count.rd/");
    assert_string_equal(list.events[1].encoding, "uncore_imc_1 type=16 config=0x304");
    assert_string_equal(list.events[1].unit, "Bytes");
    assert_true(list.events[1].scale == 64);
    assert_true(list.events[1].shared);
    assert_string_equal(list.events[2].name, "x_uncore_imc_0");
    assert_string_equal(list.events[2].encoding, "uncore_imc_0 type=15 config=0x2");
    event_list_release(&list);
}

/* Each core type counts an event by its own code and register. */
static void core_types(void **state)
{
    use(DATA "adl", DATA "config/events");
    assert_int_equal(event_table()->faults.count, 0);
    expect("ITLB_MISSES.WALK_COMPLETED",
           "cpu_core type=4 config=0xe11; cpu_atom type=10 config=0xe85");
    expect("OCR.DEMAND_DATA_RD.L3_MISS", "cpu_core type=4 config=0x12a config1=0x3fbfc00001; "
                                         "cpu_atom type=10 config=0x1b7 config1=0x3f84400001");
    expect("cpu_atom/ITLB_MISSES.WALK_COMPLETED/", "cpu_atom type=10 config=0xe85");
    expect("LSD.UOPS", "cpu_core type=4 config=0x1a8");
    struct event_list list = {0};
    assert_int_equal(event_parse(&list, "OCR.DEMAND_DATA_RD.L3_MISS", MODE_ALL, NULL), 0);
    struct perf_event_attr core = event_attr_on(&list.events[0], 1);
    struct perf_event_attr atom = event_attr_on(&list.events[0], 2);
    assert_int_equal(core.config1, 0x3fbfc00001);
    assert_int_equal(atom.config1, 0x3f84400001);
    event_list_release(&list);
}

/* AMD's Processor Programming Reference for family 1Ah. */
static void amd(void **state)
{
    use("tests/data/zen5", DATA "config/events");
    assert_int_equal(event_table()->faults.count, 0);
    expect("ex_ret_ops", "cpu type=4 config=0xc1");
    expect("LS_DMND_FILLS_FROM_SYS.DRAM_IO_ALL", "cpu type=4 config=0x4843");
    expect("de_no_dispatch_per_slot.no_ops_from_frontend", "cpu type=4 config=0x1000001a0");
    expect_not_here("ls_not_halted_cyc",
                    "cannot use an event of PMU 'cpu': its term 'cmask' is not in "
                    "/sys/bus/event_source/devices/cpu/format");
    expect_not_here("l3_lookup_state.l3_miss", "this machine has no PMU 'amd_l3', which counts it");
    size_t count;
    const struct table_event *miss = event_table_named("l3_lookup_state.l3_miss", &count);
    assert_int_equal(count, 1);
    assert_string_equal(miss->terms, "event=0x4,umask=0x1,enallcores=0x1,sliceid=0x3,"
                                     "enallslices=0x1,threadmask=0x3");
}

/* The row with the highest version that is not above the processor's, and references to standard
 * events, which an entry may add to. */
static void arm(void **state)
{
    use(DATA "v2", DATA "config/events");
    assert_int_equal(event_table()->faults.count, 0);
    expect("cpu_cycles", "armv8_pmuv3_0 type=8 config=0x11");
    expect("STALL_SLOT_BACKEND", "armv8_pmuv3_0 type=8 config=0x3d");
    expect("L2D_CACHE_REFILL_PREFETCH", "armv8_pmuv3_0 type=8 config=0x10a");
    size_t count;
    const struct table_event *retired = event_table_named("INST_RETIRED", &count);
    assert_int_equal(count, 1);
    assert_string_equal(retired->text, "Instructions that retired");
    assert_string_equal(retired->detail, "Counts instructions of the architecture");
    assert_null(event_table_named("ONLY_BEFORE_R1P1", &count));
    assert_null(event_table_named("TURNS_OF_THE_CLOCK", &count));
    assert_true(event_files_match("0x00000000410fd4f0"));
    assert_true(event_files_match("0x00000000413fd4f1"));
    assert_false(event_files_match("0x00000000413fd4f2"));
    assert_false(event_files_match("0x00000000410fd4e0"));
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
    assert_int_equal(event_table()->count, 5);
    assert_string_equal(event_table_named("OWN_REFILL", &count)->text,
                        "Fills of a cache from elsewhere");
    assert_string_equal(event_table_named("FROM_R3P0", &count)->text, "Of this version");
    assert_string_equal(event_table_named("FROM_R3P0", &count)->detail, "Says which file is read");
    assert_string_equal(event_table_named("WORK_DONE", &count)->text, "Has no title");
    assert_int_equal(event_table()->metric_count, 2);
    const struct table_metric *metrics = event_table()->metrics;
    assert_string_equal(metrics[0].name, "work_per_turn");
    assert_string_equal(metrics[0].expr, "WORK_DONE / TURNS");
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
    assert_int_equal(event_table()->count, 3);
    assert_int_equal(event_table()->faults.count, 1);
    /* For no other machine. */
    use("tests/data/intel", DATA "arm/events");
    assert_int_equal(event_table()->count, 1);
    assert_string_equal(event_table()->events[0].name, "OF_THE_KERNEL");
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

/* A mistake costs its entry alone, and is said once for each file. */
static void mistakes(void **state)
{
    use("tests/data/intel", DATA "bad/events");
    expect("STILL_THERE", "cpu type=4 config=0x3c");
    assert_int_equal(event_table()->count, 1);
    assert_true(event_table()->events[0].scale == 64); /* no exponent follows the e */
    assert_string_equal(event_table()->events[0].unit, "e");
    assert_int_equal(event_table()->faults.count, 3);
    assert_string_equal(event_table()->faults.items[0],
                        DATA "bad/events/broken.json:2: no JSON: ']' expected near end of file");
    assert_string_equal(event_table()->faults.items[1],
                        DATA "bad/events/list.json: no event file: expected a list of events");
    assert_string_equal(event_table()->faults.items[2],
                        DATA "bad/events/wrong.json: entry 2 'BAD_CODE': EventCode is 'thirty': "
                             "expected a number such as 7 or 0x1f; left out, and 5 more entries");
    use("tests/data/intel", DATA "nothing/here");
    assert_int_equal(event_table()->count + event_table()->faults.count, 0);
}

static int end(void **state)
{
    event_table_use(NULL);
    return 0;
}
