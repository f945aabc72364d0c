#include "event/name.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>

/* Events that are more than a type and a config: breakpoints, probes, filters, units, sockets and
 * core types, on the machines of tests/data. */

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

static const struct event *only_in(const char *text, enum count_mode mode)
{
    struct err err = {""};
    event_list_release(&list);
    event_parse(&list, text, mode, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(list.count, 1);
    assert_string_equal(list.events[0].name, text);
    return &list.events[0];
}

static const struct event *only(const char *text)
{
    return only_in(text, MODE_ALL);
}

static void expect_error(const char *text, const char *message)
{
    struct err err = {""};
    event_list_release(&list);
    assert_int_equal(event_parse(&list, text, MODE_ALL, &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(list.count, 0);
}

enum { R = 1, W = 2, X = 4 }; /* linux/hw_breakpoint.h */

static void expect_breakpoint(const char *text, uint64_t address, uint64_t length, uint32_t access)
{
    const struct event *event = only(text);
    assert_int_equal(event->attr.type, PERF_TYPE_BREAKPOINT);
    assert_int_equal(event->attr.config, 0);
    assert_int_equal(event->attr.bp_addr, address);
    assert_int_equal(event->attr.bp_len, length);
    assert_int_equal(event->attr.bp_type, access);
    assert_int_equal(event->state, EVENT_COUNTED);
}

static void expect_unaligned(const char *text, const char *reason)
{
    const struct event *event = only(text);
    assert_int_equal(event->state, EVENT_INVALID);
    assert_string_equal(event->reason, reason);
    assert_string_equal(event->pmu, "breakpoint");
}

static void breakpoints(void **state)
{
    expect_breakpoint("mem:0x1234", 0x1234, 4, R | W);
    expect_breakpoint("mem:4096/8", 4096, 8, R | W);
    expect_breakpoint("mem:0x1238/8:rw", 0x1238, 8, R | W);
    expect_breakpoint("mem:0x1234/1:w", 0x1234, 1, W);
    expect_breakpoint("mem:0xffffffff81000000:x", 0xffffffff81000000, sizeof(long), X);
    expect_breakpoint("mem:0x1234:rwx", 0x1234, 4, R | W | X);
    expect_breakpoint("mem:0x1234:u", 0x1234, 4, R | W);
    assert_true(list.events[0].attr.exclude_kernel);
    expect_breakpoint("mem:0x1234/2:w:k", 0x1234, 2, W);
    assert_true(list.events[0].attr.exclude_user);
    assert_string_equal(only("mem:0x1238/8:rw")->encoding,
                        "breakpoint type=5 bp_addr=0x1238 bp_len=8 bp_type=rw");
    expect_breakpoint("mem:0x1235:x", 0x1235, sizeof(long), X);
    expect_unaligned("mem:0x1234/8:rw",
                     "address 0x1234 is not a multiple of 8: use one that is, such as 0x1230, or a "
                     "length of 4");
    expect_unaligned("mem:0x1236:w:u",
                     "address 0x1236 is not a multiple of 4: use one that is, such as 0x1234, or a "
                     "length of 2");
    expect_unaligned("mem:0xffffffff81000001/2",
                     "address 0xffffffff81000001 is not a multiple of 2: use one that is, such as "
                     "0xffffffff81000000, or a length of 1");
    static const char *const wrong[] = {
        "mem:",          "mem:x",       "mem:0x",       "mem:0x1234/",   "mem:0x1234/x",
        "mem:0x1234/8/", "mem:0x1234:", "mem:0x1234:z", "mem:0x1234:ww", "mem:0x12345678901234567"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char message[300];
        snprintf(message, sizeof(message),
                 "bad event '%s': expected mem:ADDRESS[/LENGTH][:rwx], such as mem:0x1238/8:w",
                 wrong[i]);
        expect_error(wrong[i], message);
    }
    expect_error("mem:0x1238/3:w",
                 "bad event 'mem:0x1238/3:w': bad length 3: expected 1, 2, 4 or 8");
    expect_error("mem:0x1238/0", "bad event 'mem:0x1238/0': bad length 0: expected 1, 2, 4 or 8");
}

static void filters(void **state)
{
    const struct event *event = only("sched:sched_switch/prev_prio < 100/");
    assert_int_equal(event->attr.type, PERF_TYPE_TRACEPOINT);
    assert_int_equal(event->attr.config, 316);
    assert_string_equal(event->filter, "prev_prio < 100");
    assert_string_equal(event->encoding, "tracepoint type=2 config=0x13c filter 'prev_prio < 100'");
    assert_null(only("sched:sched_switch")->filter);
    expect_error("sched:sched_swich/prev_prio < 100/u",
                 "unknown event 'sched:sched_swich/prev_prio < 100/u': this kernel has no such "
                 "tracepoint; nearest is 'sched:sched_switch'");
    expect_error("inst_retired:any_p/prev_prio < 100/", /* libpfm4's have no filter */
                 "unknown event 'inst_retired:any_p/prev_prio < 100/': this kernel has no such "
                 "tracepoint; a module that is not loaded may bring it");
    expect_error("sched:sched_switch//",
                 "bad event 'sched:sched_switch//': expected subsystem:event/filter/modifiers, "
                 "such as sched:sched_switch/prev_prio < 100/");
    expect_error("sched:sched_switch/a",
                 "bad event 'sched:sched_switch/a': expected subsystem:event/filter/modifiers, "
                 "such as sched:sched_switch/prev_prio < 100/");
    expect_error("cpu/event = 1/", "bad event 'cpu/event = 1/': unexpected ' '");
}

/* main() of this very program. */
int main(void);

static void user_probes(void **state)
{
    const struct event *event = only("uprobe:/proc/self/exe:main");
    assert_int_equal(event->attr.type, 8);
    assert_int_equal(event->attr.config, 0);
    assert_int_equal(event->attr.config1, 0);
    assert_string_equal(event->target, "/proc/self/exe");
    uint64_t offset = event->attr.config2;
    unsigned char code[8];
    FILE *self = fopen("/proc/self/exe", "re");
    fseek(self, (long)offset, SEEK_SET);
    assert_int_equal(fread(code, 1, sizeof(code), self), sizeof(code));
    fclose(self);
    assert_memory_equal(code, (const void *)main, sizeof(code));
    struct perf_event_attr attr = event_attr_on(event, 0);
    assert_string_equal((const char *)(uintptr_t)attr.config1, "/proc/self/exe");

    event = only("uprobe:/proc/self/exe:main+4:u");
    assert_int_equal(event->attr.config2, offset + 4);
    assert_true(event->attr.exclude_kernel);
    assert_int_equal(only("uprobe:/proc/self/exe:0x12")->attr.config2, 0x12);
    assert_int_equal(only("uretprobe:/proc/self/exe:main")->attr.config, 1);
    assert_string_equal(only("uprobe:/bin/x:18")->encoding,
                        "uprobe type=8 config=0x0 config2=0x12 /bin/x");
    expect_error("uprobe:/proc/self/exe:user_probs",
                 "bad event 'uprobe:/proc/self/exe:user_probs': '/proc/self/exe' has no function "
                 "'user_probs'; nearest is 'user_probes'");
    expect_error("uprobe:/nosuch:f", "bad event 'uprobe:/nosuch:f': cannot read '/nosuch': No such "
                                     "file or directory");
    expect_error("uprobe:/dev/null:f", "bad event 'uprobe:/dev/null:f': '/dev/null' is no program "
                                       "or library of this machine");
    static const char *const wrong[] = {"uprobe:",        "uprobe:main", "uprobe:/x",
                                        "uprobe:bin/x:f", "uprobe:/x:",  "uprobe:/x:f+",
                                        "uprobe:/x:f+g"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char message[200];
        snprintf(message, sizeof(message),
                 "bad event '%s': expected uprobe:/path:function[+offset]", wrong[i]);
        expect_error(wrong[i], message);
    }
    setenv("COUNTERTOP_ROOT", "tests/data/arm", 1);
    event = only("uprobe:/bin/x:18");
    assert_int_equal(event->state, EVENT_UNSUPPORTED);
    assert_string_equal(event->reason,
                        "this kernel has no uprobes (built without CONFIG_UPROBE_EVENTS)");
}

static void kernel_probes(void **state)
{
    const struct event *event = only_in("kprobe:do_nanosleep+0x10", MODE_USER);
    assert_int_equal(event->attr.type, 7);
    assert_int_equal(event->attr.config, 0);
    assert_int_equal(event->attr.config2, 0x10);
    assert_false(event->attr.exclude_kernel); /* it happens there alone */
    assert_string_equal(event->target, "do_nanosleep");
    assert_int_equal(only("kretprobe:do_open_execat:k")->attr.config, 1);
    event = only("kprobe:0xffffffff81000000");
    assert_int_equal(event->attr.config2, 0xffffffff81000000);
    assert_null(event->target);
    event = only("kprobe:do_nanoslep");
    assert_int_equal(event->state, EVENT_UNSUPPORTED);
    assert_string_equal(event->reason,
                        "this kernel has no function 'do_nanoslep'; nearest is 'do_nanosleep'");
    assert_int_equal(only("kprobe:do_data")->state, EVENT_UNSUPPORTED);
    expect_error("kprobe:", "bad event 'kprobe:': expected kprobe:function[+offset]");
    expect_error("kretprobe:+1", "bad event 'kretprobe:+1': expected kretprobe:function");
}

/* A name without its PMU, or with that of a whole family. */
static void short_names(void **state)
{
    struct err err = {""};
    assert_string_equal(only("mem-loads")->pmu, "cpu");
    assert_int_equal(list.events[0].attr.config, 0x1cd);
    assert_int_equal(list.events[0].attr.config1, 3);
    assert_string_equal(only("energy-pkg")->unit, "Joules");
    expect_error("cas_count_read",
                 "ambiguous event 'cas_count_read': choose from uncore_imc_0/cas_count_read/, "
                 "uncore_imc_1/cas_count_read/");
    static const char *const families[] = {"uncore_imc/cas_count_read/", "imc/cas_count_read/"};
    for (size_t i = 0; i < 2; i++) {
        event_list_release(&list);
        assert_int_equal(event_parse(&list, families[i], MODE_ALL, &err), 0);
        assert_int_equal(list.count, 2);
        assert_string_equal(list.events[0].name, "uncore_imc_0/cas_count_read/");
        assert_string_equal(list.events[1].name, "uncore_imc_1/cas_count_read/");
        assert_int_equal(list.events[1].attr.type, 16);
        assert_string_equal(list.events[1].unit, "MiB");
        assert_true(list.events[1].scale == 6.103515625e-5);
    }
    expect_error("uncore_imcc/cas_count_read/",
                 "this machine has no PMU 'uncore_imcc'; nearest is 'uncore_imc_0'");
    assert_int_equal(only("cpu/cycles/")->attr.type, PERF_TYPE_HARDWARE);
    assert_int_equal(only("cpu/l1d-miss/u")->attr.config, 0x10000);
    assert_int_equal(only("duration_time")->state, EVENT_UNSUPPORTED);
    expect_error("mem-laods", "unknown event 'mem-laods': expected a perf or libpfm4 name; nearest "
                              "is 'mem-loads'");
}

static void expect_on(const struct event *event, int cpu, uint32_t type, uint64_t config)
{
    struct perf_event_attr attr = event_attr_on(event, cpu);
    assert_int_equal(attr.type, type);
    assert_int_equal(attr.config, config);
    assert_int_equal(attr.exclude_kernel, event->attr.exclude_kernel);
}

/* CPUs 0 to 7 are of one type, PMU 4, the others of another, PMU 10. */
static void core_types(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/hybrid", 1);
    const struct event *event = only("instructions:u");
    assert_string_equal(event->pmu, "cpu_core,cpu_atom");
    assert_int_equal(event->variant_count, 2);
    expect_on(event, 0, PERF_TYPE_HARDWARE, 0x400000001);
    expect_on(event, 7, PERF_TYPE_HARDWARE, 0x400000001);
    expect_on(event, 8, PERF_TYPE_HARDWARE, 0xa00000001);
    expect_on(event, -1, PERF_TYPE_HARDWARE, 0x400000001);
    assert_string_equal(event->encoding,
                        "cpu_core type=0 config=0x400000001; cpu_atom type=0 config=0xa00000001");
    event = only("LLC-load-misses");
    expect_on(event, 0, PERF_TYPE_HW_CACHE, 0x400010002);
    expect_on(event, 15, PERF_TYPE_HW_CACHE, 0xa00010002);
    event = only("r1a2");
    expect_on(event, 0, 4, 0x1a2);
    expect_on(event, 8, 10, 0x1a2);
    event = only("cpu_atom/instructions/u");
    assert_string_equal(event->pmu, "cpu_atom");
    expect_on(event, 8, 10, 0xc0);
    expect_on(event, 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    event = only("cpu_atom/cycles/");
    expect_on(event, 8, PERF_TYPE_HARDWARE, 0xa00000000);
    expect_on(event, 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
    assert_int_equal(only("page-faults")->variant_count, 0);
    expect_error("instruction", "unknown event 'instruction': expected a perf or libpfm4 name; "
                                "nearest is 'instructions'");
}

/* Arm's common events that the kernel does not list: the processor has none of them. */
static void events_that_arm_lacks(void **state)
{
    setenv("COUNTERTOP_ROOT", "tests/data/arm", 1);
    static const char *const here[] = {"r3",  "r8",   "r24",          "r1e",   "r39",
                                       "r40", "r121", "inst_retired", "cycles"};
    static const char *const lacking[] = {"r0", "r21", "r22", "r38", "armv8_pmuv3_0/event=0x21/"};
    for (size_t i = 0; i < sizeof(here) / sizeof(*here); i++)
        assert_int_equal(only(here[i])->state, EVENT_COUNTED);
    for (size_t i = 0; i < sizeof(lacking) / sizeof(*lacking); i++) {
        assert_int_equal(only(lacking[i])->state, EVENT_UNSUPPORTED);
        assert_string_equal(list.events[0].reason, "this processor, or the virtual machine, does "
                                                   "not have the event: it would count 0");
    }
    /* This made machine lists only some. */
    setenv("COUNTERTOP_ROOT", "tests/data/neoverse", 1);
    assert_int_equal(only("r21")->state, EVENT_COUNTED);
}

static int begin(void **state)
{
    /* Read by libpfm4 when it is first asked. */
    setenv("LIBPFM_FORCE_PMU", "skx", 1);
    return 0;
}
