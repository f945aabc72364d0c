#include "base/mem.h"
#include "event/name.h"
#include "event/query.h"
#include "unit/intel.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct event_list list = {0};

static int setup(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/intel", 1);
    return 0;
}

static int teardown(void **state)
{
    event_list_release(&list);
    return 0;
}

static void parse_in(const char *text, enum count_mode mode)
{
    struct err err = {""};
    int result = event_parse(&list, text, mode, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(result, 0);
}

/* Exactly these names are in the list. */
static void expect_names(const char *const *names)
{
    size_t i = 0;
    for (; names[i]; i++) {
        assert_true(i < list.count);
        assert_string_equal(list.events[i].name, names[i]);
    }
    assert_int_equal(list.count, i);
}

/* The one event that text gives. */
static const struct event *only(const char *text, enum count_mode mode)
{
    event_list_release(&list);
    parse_in(text, mode);
    assert_int_equal(list.count, 1);
    const struct event *event = &list.events[0];
    assert_string_equal(event->name, text);
    return event;
}

static void expect_code(const char *text, uint32_t type, uint64_t config)
{
    const struct perf_event_attr *attr = &only(text, MODE_ALL)->attr;
    struct perf_event_attr expected = {.type = type, .config = config};
    assert_int_equal(attr->type, type);
    assert_int_equal(attr->config, config);
    assert_memory_equal(attr, &expected, sizeof(expected));
    assert_int_equal(list.events[0].state, EVENT_COUNTED);
    assert_null(list.events[0].reason);
    assert_int_equal(list.events[0].group, -1);
}

enum { XU = 1, XK = 2, XH = 4, XHOST = 8, XGUEST = 16, XIDLE = 32 };

static void expect_exclusions(const char *text, enum count_mode mode, int expected, int precise)
{
    const struct perf_event_attr *attr = &only(text, mode)->attr;
    int found = (attr->exclude_user ? XU : 0) | (attr->exclude_kernel ? XK : 0) |
                (attr->exclude_hv ? XH : 0) | (attr->exclude_host ? XHOST : 0) |
                (attr->exclude_guest ? XGUEST : 0) | (attr->exclude_idle ? XIDLE : 0);
    assert_int_equal(found, expected);
    assert_int_equal(attr->precise_ip, precise);
}

static void expect_never(const char *text, const char *reason)
{
    const struct event *event = only(text, MODE_ALL);
    assert_int_equal(event->state, EVENT_UNSUPPORTED);
    assert_string_equal(event->reason, reason);
}

/* A list that is refused leaves what was there before; NULL: with any message. */
static void expect_error(const char *text, const char *message)
{
    struct err err = {""};
    event_list_release(&list);
    parse_in("page-faults,{cs,faults}", MODE_ALL);
    assert_int_equal(event_parse(&list, text, MODE_ALL, &err), -1);
    if (message)
        assert_string_equal(err.text, message);
    assert_string_not_equal(err.text, "");
    static const char *const before[] = {"page-faults", "cs", "faults", NULL};
    expect_names(before);
    assert_int_equal(list.groups, 1);
    assert_int_equal(event_parse(&list, text, MODE_ALL, NULL), -1);
}

/* The codes are those that `perf stat -vv -e NAME true` (6.1) shows. */
static void each_generic_name(void **state)
{
    static const char expected[] =
        "cycles=0:0 cpu-cycles=0:0 instructions=0:1 cache-references=0:2 cache-misses=0:3 "
        "branches=0:4 branch-instructions=0:4 branch-misses=0:5 bus-cycles=0:6 "
        "stalled-cycles-frontend=0:7 idle-cycles-frontend=0:7 stalled-cycles-backend=0:8 "
        "idle-cycles-backend=0:8 ref-cycles=0:9 cpu-clock=1:0 task-clock=1:1 page-faults=1:2 "
        "faults=1:2 context-switches=1:3 cs=1:3 cpu-migrations=1:4 migrations=1:4 "
        "minor-faults=1:5 major-faults=1:6 alignment-faults=1:7 emulation-faults=1:8 "
        "dummy=1:9 bpf-output=1:10 cgroup-switches=1:11 L1-dcache-loads=3:0 "
        "L1-dcache-load-misses=3:0x10000 L1-dcache-stores=3:0x100 "
        "L1-dcache-store-misses=3:0x10100 L1-dcache-prefetches=3:0x200 "
        "L1-dcache-prefetch-misses=3:0x10200 L1-icache-loads=3:1 "
        "L1-icache-load-misses=3:0x10001 L1-icache-prefetches=3:0x201 "
        "L1-icache-prefetch-misses=3:0x10201 LLC-loads=3:2 LLC-load-misses=3:0x10002 "
        "LLC-stores=3:0x102 LLC-store-misses=3:0x10102 LLC-prefetches=3:0x202 "
        "LLC-prefetch-misses=3:0x10202 dTLB-loads=3:3 dTLB-load-misses=3:0x10003 "
        "dTLB-stores=3:0x103 dTLB-store-misses=3:0x10103 dTLB-prefetches=3:0x203 "
        "dTLB-prefetch-misses=3:0x10203 iTLB-loads=3:4 iTLB-load-misses=3:0x10004 "
        "branch-loads=3:5 branch-load-misses=3:0x10005 node-loads=3:6 "
        "node-load-misses=3:0x10006 node-stores=3:0x106 node-store-misses=3:0x10106 "
        "node-prefetches=3:0x206 node-prefetch-misses=3:0x10206";
    AUTO_FREE char *text = mem_strdup(expected);
    char *rest = text;
    size_t count = 0;
    for (char *name; (name = strsep(&rest, "=")); count++) {
        uint32_t type = (uint32_t)strtoul(strsep(&rest, ":"), NULL, 0);
        uint64_t config = strtoull(strsep(&rest, " "), NULL, 0);
        if (strcmp(name, "bpf-output") != 0) /* it is not counted: modes() */
            expect_code(name, type, config);
    }
    /* The table has these and no others. */
    struct generic_event event;
    for (const char *line = NULL; generic_next(&line, &event); count--)
        assert_true(count > 0);
    assert_int_equal(count, 0);
}

static void other_spellings(void **state)
{
    expect_code("l1d-read-miss", 3, 0x10000);
    expect_code("L1-data-load-refs", 3, 0);
    expect_code("L1-dcache", 3, 0);
    expect_code("L1-instruction-prefetch-misses", 3, 0x10201);
    expect_code("L2-write", 3, 0x102);
    expect_code("d-tlb-speculative-load-miss", 3, 0x10203);
    expect_code("Instruction-TLB-misses", 3, 0x10004);
    expect_code("bpc", 3, 5);
    expect_code("branch-ops", 3, 5);
    expect_code("branches-load-misses", 3, 0x10005);
    expect_code("node-Reference", 3, 6);
    assert_int_equal(event_parse(&list, "l1d-", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "l1d-read-", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "l1d-read-read", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "l1dx", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "bpu-write-miss", MODE_ALL, NULL), -1);
}

static void impossible_cache_events(void **state)
{
    static const char *const names[] = {"L1-icache-stores", "iTLB-stores", "iTLB-prefetches",
                                        "branch-stores", "branch-prefetches"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        assert_int_equal(event_parse(&list, names[i], MODE_ALL, NULL), -1);
}

static void raw_codes(void **state)
{
    expect_code("r1a2", PERF_TYPE_RAW, 0x1a2);
    expect_code("r0x1A2", PERF_TYPE_RAW, 0x1a2);
    expect_code("rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX);
    assert_string_equal(list.events[0].pmu, "cpu");
    assert_true(list.events[0].hardware);
    assert_int_equal(event_parse(&list, "r10000000000000000", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "r", MODE_ALL, NULL), -1);
    assert_int_equal(event_parse(&list, "r0x", MODE_ALL, NULL), -1);
}

/* As perf 6.1 sets them, but for exclude_guest, which it sets in every event unless G is given. */
static void modifiers(void **state)
{
    expect_exclusions("cycles", MODE_ALL, 0, 0);
    expect_exclusions("cycles:u", MODE_ALL, XK | XH | XGUEST, 0);
    expect_exclusions("cycles:k", MODE_ALL, XU | XH, 0);
    expect_exclusions("cycles:h", MODE_ALL, XU | XK, 0);
    expect_exclusions("cycles:uk", MODE_ALL, XH | XGUEST, 0);
    expect_exclusions("cycles:ukh", MODE_ALL, XGUEST, 0);
    expect_exclusions("cycles:H", MODE_ALL, XGUEST, 0);
    expect_exclusions("cycles:G", MODE_ALL, XHOST, 0);
    expect_exclusions("cycles:HG", MODE_ALL, 0, 0);
    expect_exclusions("cycles:uG", MODE_ALL, XK | XH | XHOST, 0);
    expect_exclusions("cycles:I", MODE_ALL, XIDLE, 0);
    expect_exclusions("cycles:p", MODE_ALL, XGUEST, 1);
    expect_exclusions("cycles:ppu", MODE_ALL, XK | XH | XGUEST, 2);
    expect_exclusions("cycles:ppp", MODE_ALL, XGUEST, 3);
    expect_exclusions("cycles:P", MODE_ALL, 0, 0);
    expect_exclusions("cycles:WSb", MODE_ALL, 0, 0);
    expect_exclusions("cycles:D", MODE_ALL, 0, 0);
    assert_true(list.events[0].attr.pinned);
    assert_false(list.events[0].attr.exclusive);
    expect_exclusions("cycles:eu", MODE_ALL, XK | XH | XGUEST, 0);
    assert_false(list.events[0].attr.pinned);
    assert_true(list.events[0].attr.exclusive);
    expect_exclusions("page-faults:u", MODE_ALL, XK | XH | XGUEST, 0);
    expect_exclusions("L1-dcache-load-misses:k", MODE_ALL, XU | XH, 0);
    expect_exclusions("r1a2:k", MODE_ALL, XU | XH, 0);
    expect_exclusions("sched:sched_switch:k", MODE_ALL, XU | XH, 0);
    expect_exclusions("cpu/event=0xc0/k", MODE_ALL, XU | XH, 0);
    expect_exclusions("cpu/event=0xc0/:k", MODE_ALL, XU | XH, 0);
}

static void modes(void **state)
{
    expect_exclusions("cycles", MODE_USER, XK | XH, 0);
    expect_exclusions("cycles", MODE_KERNEL, XU, 0);
    expect_exclusions("cycles:I", MODE_USER, XK | XH | XIDLE, 0);
    expect_exclusions("cycles:k", MODE_USER, XU | XH, 0);
    expect_exclusions("cycles:u", MODE_KERNEL, XK | XH | XGUEST, 0);
    expect_exclusions("page-faults", MODE_USER, XK | XH, 0);
    expect_exclusions("syscalls:sys_enter_read", MODE_KERNEL, XU, 0);
    expect_exclusions("syscalls:sys_enter_read", MODE_USER, XK | XH, 0);
    /* What happens in kernel mode only is counted in any mode; user mode by itself is refused. */
    static const char *const of_kernel[] = {"sched:sched_switch", "context-switches",
                                            "cpu-migrations", "cgroup-switches",
                                            "kprobe:do_nanosleep"};
    for (size_t i = 0; i < sizeof(of_kernel) / sizeof(*of_kernel); i++) {
        expect_exclusions(of_kernel[i], MODE_KERNEL, 0, 0);
        expect_exclusions(of_kernel[i], MODE_USER, 0, 0);
        assert_int_equal(list.events[0].state, EVENT_COUNTED);
        char name[64];
        snprintf(name, sizeof(name), "%s:u", of_kernel[i]);
        expect_never(name, "happens in kernel mode only: count it without a modifier, or with k");
    }
    expect_never("page-faults:h", "happens in user and kernel mode only: count it without a "
                                  "modifier, or with u or k");
    expect_never("bpf-output", "BPF programs write to events of their own, and none counts: count "
                               "what the program does, or a kprobe");
}

static void bad_modifiers(void **state)
{
    static const char *const texts[] = {"cycles:x", "cycles:uu",  "cycles:pppp",  "cycles:u:k",
                                        "cycles:",  "{cycles}:x", "cpu/event=1/x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        expect_error(texts[i], NULL);
}

static void lists_and_braces(void **state)
{
    static const char *const names[] = {"cycles",
                                        "instructions:u",
                                        "branches:k",
                                        "branch-misses:ku",
                                        "msr/tsc/",
                                        "cpu/event=0xc0,umask=1/kI",
                                        "sched:sched_switch:kI",
                                        "r01c2:pkI",
                                        NULL};
    parse_in(" cycles, instructions:u,\n{branches, branch-misses:ku}:k,msr/tsc/,"
             "{cpu/event=0xc0,umask=1/k,sched:sched_switch,r01c2:p}:kI",
             MODE_ALL);
    expect_names(names);
    static const int groups[] = {-1, -1, 0, 0, -1, 1, 1, 1};
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(list.events[i].group, groups[i]);
    assert_int_equal(list.groups, 2);
    assert_true(list.events[2].attr.exclude_user);
    assert_false(list.events[3].attr.exclude_user);
    assert_true(list.events[6].attr.exclude_idle);
    assert_int_equal(list.events[5].attr.config, 0x1c0);
}

static void same_event_twice(void **state)
{
    static const char *const names[] = {"cycles", "cycles:u", "instructions", NULL};
    parse_in("cycles,cycles:u,cycles,{cycles,instructions}", MODE_ALL);
    expect_names(names);
    assert_int_equal(list.events[0].group, 0);
    assert_int_equal(list.events[1].group, -1);
    assert_int_equal(list.events[2].group, 0);
    parse_in("instructions,{instructions,cycles:u}", MODE_USER);
    expect_names(names);
    assert_int_equal(list.events[2].group, 0);
    assert_int_equal(list.events[1].group, 1);
}

static void bad_lists(void **state)
{
    static const char *const texts[] = {
        "",          " ",       ",",          "cycles,", "cycles,,branches", "{}",
        "{cycles,}", "{cycles", "{cycles,cs", "cycles}", "{{cycles},cs}",    "{cycles}u",
        "{cycles}:", "cyc les"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        expect_error(texts[i], NULL);
    char text[400];
    memset(text, 'a', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    expect_error(text, NULL);
}

static void unknown_names(void **state)
{
    NEED_INTEL_NAMES();
    expect_error("cylces", "unknown event 'cylces': expected a perf or libpfm4 name; nearest is "
                           "'cycles'");
    expect_error("cylces:u", "unknown event 'cylces:u': expected a perf or libpfm4 name; nearest "
                             "is 'cycles'");
    expect_error("cycles,xyzzy", "unknown event 'xyzzy': expected a perf or libpfm4 name "
                                 "(--list-events shows them)");
    expect_error("MEM_LOAD_RETIERD:L3_MISS", "unknown event 'MEM_LOAD_RETIERD:L3_MISS': expected a "
                                             "perf or libpfm4 name; nearest is "
                                             "'MEM_LOAD_RETIRED'");
    expect_error("skx::INST_RETIRE", "unknown event 'skx::INST_RETIRE': expected a perf or libpfm4 "
                                     "name; nearest is 'skx::INST_RETIRED'");
}

static void expect_refused(const char *text, enum event_state state, const char *reason)
{
    const struct event *event = only(text, MODE_ALL);
    assert_int_equal(event->state, state);
    assert_string_equal(event->reason, reason);
    assert_string_equal(event->unit, "");
}

static void known_but_not_here(void **state)
{
    expect_refused("armv8_pmuv3_0/inst_retired/u", EVENT_UNSUPPORTED,
                   "this machine has no PMU 'armv8_pmuv3_0'");
    assert_null(list.events[0].pmu);
    expect_error("sched:sched_swich", "unknown event 'sched:sched_swich': this kernel has no such "
                                      "tracepoint; nearest is 'sched:sched_switch'");
    expect_error("kvm:kvm_exit",
                 "unknown event 'kvm:kvm_exit': this kernel has no such tracepoint; "
                 "a module that is not loaded may bring it");
    expect_error("shced:sched_switch:u", "unknown event 'shced:sched_switch:u': this kernel has no "
                                         "such tracepoint; nearest is 'sched:sched_switch'");
    event_list_release(&list);
    assert_int_equal(event_parse_foreign(&list, "kvm:kvm_exit", MODE_ALL, NULL), 0);
    assert_int_equal(list.events[0].state, EVENT_UNSUPPORTED);
    assert_string_equal(list.events[0].pmu, "tracepoint");
    setenv("COUNTERTOP_ROOT", "tests/data/novpmu", 1);
    expect_refused("sched:sched_switch", EVENT_DENIED,
                   "tracefs is not mounted: as root, run 'mount -t tracefs nodev "
                   "/sys/kernel/tracing' to make tracepoints known");
}

static void sysfs_terms(void **state)
{
    expect_code("cpu/cache-misses/", PERF_TYPE_RAW, 0x412e);
    expect_code("cpu/event=0xc0,umask=1,cmask=2,inv,edge/", PERF_TYPE_RAW, 0x28401c0);
    expect_code("uncore_imc_0/cas_count_read/", 15, 0x304);
    expect_code("msr/mperf/", 10, 2);
    expect_error("cpu/evnt=1/", "unknown term 'evnt' of PMU 'cpu': expected names from "
                                "/sys/bus/event_source/devices/cpu/events or format; nearest is "
                                "'event'");
    expect_error("cpu/event=1", "bad event 'cpu/event=1': expected pmu/term=value,.../modifiers");
    expect_error("cpu//", "bad event 'cpu//': expected pmu/term=value,.../modifiers");
    expect_error("/event=1/", "bad event '/event=1/': expected pmu/term=value,.../modifiers");
    expect_error("cpu/event=1/u/", "bad event 'cpu/event=1/u/': expected "
                                   "pmu/term=value,.../modifiers");
}

/* LIBPFM_FORCE_PMU=skx: a Skylake server, whatever runs the test. */
static void libpfm_events(void **state)
{
    NEED_INTEL_NAMES();
    expect_code("skx::MEM_LOAD_RETIRED:L3_MISS", PERF_TYPE_RAW, 0x20d1);
    expect_code("MEM_LOAD_RETIRED:L3_MISS", PERF_TYPE_RAW, 0x20d1);
    expect_code("INST_RETIRED:i=1:c=2", PERF_TYPE_RAW, 0x28000c0);
    assert_string_equal(list.events[0].pmu, "cpu");
    assert_true(list.events[0].hardware);
    expect_exclusions("skx::MEM_LOAD_RETIRED:L3_MISS:u", MODE_ALL, XK | XH | XGUEST, 0);
    expect_exclusions("MEM_LOAD_RETIRED:L3_MISS:uk", MODE_ALL, XH | XGUEST, 0);
    expect_exclusions("MEM_LOAD_RETIRED:u:L3_MISS", MODE_KERNEL, XK, 0);
    expect_exclusions("MEM_LOAD_RETIRED:L3_MISS", MODE_USER, XK | XH, 0);
    expect_exclusions("MEM_LOAD_RETIRED:L3_MISS:I", MODE_ALL, XIDLE, 0);
    assert_int_equal(list.events[0].attr.config, 0x20d1);
    event_list_release(&list);
    parse_in("{MEM_LOAD_RETIRED:L3_MISS,INST_RETIRED}:k", MODE_ALL);
    assert_string_equal(list.events[0].name, "MEM_LOAD_RETIRED:L3_MISS:k");
    assert_string_equal(list.events[1].name, "INST_RETIRED:k");
    expect_error("MEM_LOAD_RETIRED:L3_MIS",
                 "bad event 'MEM_LOAD_RETIRED:L3_MIS': invalid event attribute (libpfm4); its unit "
                 "masks: L1_HIT, L2_HIT, L3_HIT, L1_MISS, L2_MISS, L3_MISS, HIT_LFB, FB_HIT");
    expect_error("MEM_LOAD_RETIRED",
                 "bad event 'MEM_LOAD_RETIRED': invalid or missing unit mask (libpfm4); its unit "
                 "masks: L1_HIT, L2_HIT, L3_HIT, L1_MISS, L2_MISS, L3_MISS, HIT_LFB, FB_HIT");
    expect_refused("amd64_fam17h_zen2::RETIRED_INSTRUCTIONS", EVENT_UNSUPPORTED,
                   "it is an event of AMD64 Fam17h Zen2, which this machine is not");
}

/* What a text for several machines names is one of another, unless it is a slip. */
static void events_of_other_machines(void **state)
{
    NEED_INTEL_NAMES();
    struct err err;
    event_list_release(&list);
    assert_int_equal(event_parse(&list, "no_such_thing", MODE_ALL, &err), -1);
    assert_int_equal(
        event_parse_foreign(&list, "page-faults,{no_such_thing:u,cycles}", MODE_ALL, &err), 0);
    expect_names((const char *[]){"page-faults", "no_such_thing:u", "cycles", NULL});
    assert_int_equal(list.events[1].state, EVENT_UNSUPPORTED);
    assert_string_equal(list.events[1].reason,
                        "neither perf nor libpfm4 knows an event of that name here");
    assert_int_equal(list.events[0].state, EVENT_COUNTED);
    assert_int_equal(event_parse_foreign(&list, "page-fualts", MODE_ALL, &err), -1);
    assert_string_equal(err.text, "unknown event 'page-fualts': expected a perf or libpfm4 name; "
                                  "nearest is 'page-faults'");
    assert_int_equal(event_parse_foreign(&list, "L2_RQSTS:NO_SUCH_MASK", MODE_ALL, &err), 0);
    assert_int_equal(list.events[3].state, EVENT_UNSUPPORTED);
    assert_string_equal(
        list.events[3].reason,
        "libpfm4 has the event for this machine, but not the attributes after its name");
    assert_int_equal(event_parse(&list, "L2_RQSTS:NO_SUCH_MASK_2", MODE_ALL, &err), -1);
    /* A PMU without an event that other machines' have: a virtual machine's 'power' has none, or
     * energy-psys alone. */
    assert_int_equal(event_parse_foreign(&list, "power/no-such-thing/", MODE_ALL, &err), 0);
    assert_int_equal(list.events[4].state, EVENT_UNSUPPORTED);
    assert_string_equal(list.events[4].reason, "the PMU 'power' has no 'no-such-thing' here");
    assert_int_equal(event_parse(&list, "power/no-such-thing-2/", MODE_ALL, &err), -1);
    assert_int_equal(event_parse_foreign(&list, "power/energy-pgk/", MODE_ALL, &err), 0);
    assert_string_equal(list.events[5].reason, "the PMU 'power' has no 'energy-pgk' here");
    assert_int_equal(event_parse(&list, "power/energy-pgk-2/", MODE_ALL, &err), -1);
    assert_int_equal(event_parse_foreign(&list, "power/energy-pkg=x/", MODE_ALL, &err), -1);
    assert_int_equal(event_parse_foreign(&list, "cycles:zz", MODE_ALL, &err), -1);
    assert_int_equal(list.count, 6);
}

static void lists_join(void **state)
{
    struct event_list more = {0};
    struct err err;
    event_list_release(&list);
    parse_in("{cycles,instructions},page-faults,branches", MODE_ALL);
    assert_int_equal(event_parse(&more, "cs,{branches,branch-misses,cycles}", MODE_ALL, &err), 0);
    event_list_join(&list, &more);
    expect_names((const char *[]){"cycles", "instructions", "page-faults", "branches", "cs",
                                  "branch-misses", NULL});
    assert_int_equal(list.events[0].group, list.events[1].group);
    assert_int_equal(list.events[3].group, list.events[5].group);
    assert_int_not_equal(list.events[0].group, list.events[3].group);
    assert_int_equal(list.events[4].group, -1);
    /* As text each group is in one piece, and gives the same groups again. */
    char *text = event_list_text(&list);
    assert_string_equal(text, "{cycles,instructions},page-faults,{branches,branch-misses},cs");
    free(text);
    event_list_release(&more);
    text = event_list_text(&more);
    assert_string_equal(text, "");
    free(text);
}

/* `NAME=event` and perf's `event/name=NAME/`. */
static void names_of_their_own(void **state)
{
    NEED_INTEL_NAMES();
    static const char *const cases[][4] = {
        /* text, name, its event, text of the list */
        {"sw=cs", "sw", "cs", "sw=cs"},
        {"cs/name=sw/", "sw", "cs", "sw=cs"},
        {"cs/name=sw/k", "sw", "cs:k", "sw=cs:k"},
        {"cycles/name=a.b-c/:u", "a.b-c", "cycles:u", "a.b-c=cycles:u"},
        {"cpu/event=0x3c,name=c/u", "c", "cpu/event=0x3c/u", "c=cpu/event=0x3c/u"},
        {"cpu/name=c,event=0x3c/", "c", "cpu/event=0x3c/", "c=cpu/event=0x3c/"},
        {"sched:sched_switch/name=s/", "s", "sched:sched_switch", "s=sched:sched_switch"},
        {"s=sched:sched_switch/prev_pid == 3/", "s", "sched:sched_switch/prev_pid == 3/",
         "s=sched:sched_switch/prev_pid == 3/"},
        {"w=mem:0x1000/4:w", "w", "mem:0x1000/4:w", "w=mem:0x1000/4:w"},
        {"{a=cs}:k", "a", "cs:k", "{a=cs:k}"},
        {"BR_INST_RETIRED:COND:c=1", "BR_INST_RETIRED:COND:c=1", "BR_INST_RETIRED:COND:c=1",
         "BR_INST_RETIRED:COND:c=1"},
    };
    static const char *const bad[] = {"=cs",           "cycles=cs", "cs/name=/",
                                      "a=cs,a=faults", "a=",        "cs/name=a"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        event_list_release(&list);
        parse_in(cases[i][0], MODE_ALL);
        assert_int_equal(list.count, 1);
        assert_string_equal(list.events[0].name, cases[i][1]);
        assert_string_equal(list.events[0].text, cases[i][2]);
        char *text = event_list_text(&list);
        assert_string_equal(text, cases[i][3]);
        /* The text of the list gives the same list. */
        event_list_release(&list);
        parse_in(text, MODE_ALL);
        assert_string_equal(list.events[0].name, cases[i][1]);
        free(text);
    }
    event_list_release(&list);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct err err = {""};
        assert_int_equal(event_parse(&list, bad[i], MODE_ALL, &err), -1);
        assert_string_not_equal(err.text, "");
    }
    assert_int_equal(list.count, 0);
}

static int begin(void **state)
{
    /* Read by libpfm4 when it is first asked. */
    setenv("LIBPFM_FORCE_PMU", "skx", 1);
    return 0;
}
