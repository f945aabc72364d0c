#include "event/event.h"
#include "event/pmu.h"
#include "system/topology.h"

#include <linux/hw_breakpoint.h>

/* The texts that an event owns. */
static char **event_text(struct event *event, size_t i)
{
    char **const texts[] = {&event->text,   &event->name,   &event->pmu,      &event->unit,
                            &event->target, &event->filter, &event->encoding, &event->reason};
    return i < sizeof(texts) / sizeof(*texts) ? texts[i] : NULL;
}

void event_release(struct event *event)
{
    for (size_t i = 0; event_text(event, i); i++)
        free(*event_text(event, i));
    cpulist_release(&event->cpus);
    for (size_t v = 0; v < event->variant_count; v++) {
        free(event->variants[v].pmu);
        cpulist_release(&event->variants[v].cpus);
    }
    free(event->variants);
    *event = (struct event){0};
}

static struct event event_copy(const struct event *from)
{
    struct event to = *from;
    for (size_t i = 0; event_text(&to, i); i++)
        *event_text(&to, i) = mem_strdup(*event_text(&to, i));
    cpulist_copy(&to.cpus, &from->cpus);
    if (from->variants)
        to.variants = mem_array(from->variant_count, sizeof(*to.variants));
    for (size_t v = 0; v < from->variant_count; v++) {
        to.variants[v] = from->variants[v];
        to.variants[v].pmu = mem_strdup(from->variants[v].pmu);
        cpulist_copy(&to.variants[v].cpus, &from->variants[v].cpus);
    }
    return to;
}

/* The upper half of the addresses belongs to the kernel. */
static const uint64_t KERNEL_ADDRESSES = UINT64_C(1) << 63;

bool event_is_clock(const struct event *event)
{
    uint64_t config = event->attr.config;
    return event->attr.type == PERF_TYPE_SOFTWARE &&
           (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

static enum idle_share idle_share_of(const struct event *event)
{
    static const uint32_t of_tasks =
        1 << PERF_COUNT_SW_PAGE_FAULTS | 1 << PERF_COUNT_SW_PAGE_FAULTS_MIN |
        1 << PERF_COUNT_SW_PAGE_FAULTS_MAJ | 1 << PERF_COUNT_SW_CPU_MIGRATIONS |
        1 << PERF_COUNT_SW_ALIGNMENT_FAULTS | 1 << PERF_COUNT_SW_EMULATION_FAULTS |
        1 << PERF_COUNT_SW_DUMMY | 1 << SW_BPF_OUTPUT;
    const struct perf_event_attr *attr = &event->attr;
    if (event_is_clock(event))
        return IDLE_TIME;
    if (event_is_switch(event))
        return IDLE_SWITCHES;
    if (attr->type == PERF_TYPE_SOFTWARE)
        return attr->config < 32 && of_tasks >> attr->config & 1 ? IDLE_NONE : IDLE_UNKNOWN;
    /* An idle task makes no system calls, runs no user code and does not touch user data. */
    bool call = str_starts(event->text, "syscalls:") || str_starts(event->text, "raw_syscalls:");
    if ((attr->type == PERF_TYPE_TRACEPOINT && call) || str_equal(event->pmu, "uprobe") ||
        (attr->type == PERF_TYPE_BREAKPOINT && attr->bp_addr < KERNEL_ADDRESSES))
        return IDLE_NONE;
    return IDLE_UNKNOWN;
}

void event_settle(struct event *event)
{
    static const char *const pmus[] = {[PERF_TYPE_SOFTWARE] = "software",
                                       [PERF_TYPE_TRACEPOINT] = "tracepoint",
                                       [PERF_TYPE_BREAKPOINT] = "breakpoint"};
    char name[256];
    uint32_t type = event->attr.type;
    bool generic =
        type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
    if (event->state == EVENT_COUNTED) {
        const char *pmu = type < sizeof(pmus) / sizeof(*pmus) ? pmus[type] : NULL;
        if (!event->pmu && !pmu &&
            (generic ? topology_core_pmu(name, sizeof(name)) : pmu_name(type, name, sizeof(name))))
            pmu = name;
        if (!event->pmu)
            event->pmu = mem_strdup(pmu);
        event->hardware =
            generic || (type >= PERF_TYPE_MAX && event->pmu && topology_is_core_pmu(event->pmu));
    }
    event->idle = idle_share_of(event);
    if (!event->unit)
        event->unit = mem_strdup(event_is_clock(event) ? "ns" : "");
    if (!(event->scale > 0))
        event->scale = 1;
}

static void set_code(struct perf_event_attr *attr, const struct perf_event_attr *from)
{
    attr->type = from->type;
    attr->config = from->config;
    attr->config1 = from->config1;
    attr->config2 = from->config2;
}

void event_set_variants(struct event *event, bool each, const char *terms)
{
    AUTO_NAMES struct names pmus = {0};
    AUTO_STR struct str joined = str_new();
    pmu_core_types(&pmus);
    if (pmus.count)
        event->variants = mem_array(pmus.count, sizeof(*event->variants));
    for (size_t i = 0; i < pmus.count; i++) {
        const char *pmu = pmus.items[i];
        uint32_t type;
        struct perf_event_attr own = event->attr;
        if (!pmu_type(pmu, &type) ||
            (terms ? !pmu_has_event(pmu, terms) || pmu_encode(pmu, terms, &own, NULL) != 0
                   : !each && !str_equal(event->pmu, pmu)))
            continue;
        struct event_variant *variant = &event->variants[event->variant_count++];
        own.type = type;
        /* perf_event_open(2), PERF_TYPE_HARDWARE: the upper half of config (Linux 5.13 on x86, 5.19
         * on Arm). */
        if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) {
            own.type = event->attr.type;
            own.config |= (uint64_t)type << PERF_PMU_TYPE_SHIFT;
        }
        *variant = (struct event_variant){.pmu = mem_strdup(pmu), .attr = own};
        pmu_cpus(pmu, "cpus", &variant->cpus);
        str_printf(&joined, "%s%s", joined.length ? "," : "", pmu);
    }
    if (event->variant_count > 0) {
        set_code(&event->attr, &event->variants[0].attr);
        free(event->pmu);
        event->pmu = str_detach(&joined);
    }
}

struct perf_event_attr event_attr_on(const struct event *event, int cpu)
{
    struct perf_event_attr attr = event->attr;
    if (event->target)
        attr.config1 = (uintptr_t)event->target;
    if (event->variant_count == 0 || cpu < 0)
        return attr;
    for (size_t v = 0; v < event->variant_count; v++) {
        const struct event_variant *variant = &event->variants[v];
        if (!cpulist_has(&variant->cpus, cpu))
            continue;
        set_code(&attr, &variant->attr);
        return attr;
    }
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
        .exclude_user = attr.exclude_user,
        .exclude_kernel = attr.exclude_kernel,
        .exclude_hv = attr.exclude_hv,
    };
}

enum scheduler_event event_kept(const struct event *event)
{
    return event->attr.type == SCHEDULER_TYPE ? (enum scheduler_event)event->attr.config
                                              : SCHEDULER_NONE;
}

bool event_is_probe(const struct event *event)
{
    return str_equal(event->pmu, "kprobe") || str_equal(event->pmu, "uprobe");
}

bool event_is_switch(const struct event *event)
{
    return event->attr.type == PERF_TYPE_SOFTWARE &&
           event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

bool event_of_kernel(const struct event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_SOFTWARE)
        return attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
               attr->config == PERF_COUNT_SW_CPU_MIGRATIONS ||
               attr->config == PERF_COUNT_SW_CGROUP_SWITCHES;
    /* Tracepoints of system calls are counted with the registers of the calling mode
     * (kernel/trace/trace_syscalls.c, perf_syscall_enter()), others with the kernel's
     * (kernel/events/core.c, perf_tp_event_match()). */
    const char *text = event->text ? event->text : "";
    if (event_kept(event))
        return true;
    if (attr->type == PERF_TYPE_TRACEPOINT)
        return !str_starts(text, "syscalls:") && !str_starts(text, "perf::syscalls:");
    return str_equal(event->pmu, "kprobe");
}

/* Arm's common events have the same codes everywhere; which of them a processor has, or a virtual
 * machine passes on, its PMCEID registers say, and the kernel lists just these (Arm Architecture
 * Reference Manual, PMCEID0_EL0; drivers/perf/arm_pmuv3.c, armv8pmu_event_attr_is_visible()). The
 * others can be opened and count 0. Kernels before 4.20 know no names for codes above the last. */
enum { ARM_CYCLES = 0x11, ARM_CHAIN = 0x1e /* has no name, the kernel uses it */, ARM_LAST = 0x38 };

static bool arm_lacks(const struct event *event)
{
    uint64_t code = event->attr.config;
    bool own = event->attr.type == PERF_TYPE_RAW || event->attr.type >= PERF_TYPE_MAX;
    if (!event->hardware || !own || !event->pmu || !str_starts(event->pmu, "armv8") ||
        event->variant_count || code > ARM_LAST || code == ARM_CHAIN)
        return false;
    AUTO_NAMES struct names names = {0};
    /* Each has cycles: where these are not listed, the list is not complete. */
    bool complete = false, listed = false;
    pmu_names(event->pmu, "events", &names);
    for (size_t i = 0; i < names.count && !listed; i++) {
        struct perf_event_attr attr = {0};
        if (pmu_encode(event->pmu, names.items[i], &attr, NULL) < 0)
            continue;
        complete |= attr.config == ARM_CYCLES;
        listed = attr.config == code;
    }
    return complete && !listed;
}

void event_never(struct event *event)
{
    const struct perf_event_attr *attr = &event->attr;
    bool software = attr->type == PERF_TYPE_SOFTWARE && !event_is_clock(event) &&
                    attr->config != PERF_COUNT_SW_DUMMY;
    if (arm_lacks(event))
        event_refuse(event, "arm");
    else if (software && attr->config == SW_BPF_OUTPUT)
        /* kernel/trace/bpf_trace.c: BPF programs write to such an event, and it counts nothing. */
        event_refuse(event, "bpf");
    else if (attr->exclude_kernel && event_of_kernel(event))
        event_refuse(event, "of-kernel");
    else if (attr->exclude_kernel && attr->exclude_user &&
             (software || attr->type == PERF_TYPE_BREAKPOINT))
        event_refuse(event, "no-mode");
}

static void encoding_add_words(struct str *text, const char *pmu,
                               const struct perf_event_attr *attr)
{
    str_printf(text, "%s%s type=%u config=0x%llx", text->length ? "; " : "", pmu ? pmu : "?",
               attr->type, (unsigned long long)attr->config);
    if (attr->config1)
        str_printf(text, " config1=0x%llx", (unsigned long long)attr->config1);
    if (attr->config2)
        str_printf(text, " config2=0x%llx", (unsigned long long)attr->config2);
}

char *event_encoding(const struct event *event, const char *full)
{
    const struct perf_event_attr *attr = &event->attr;
    struct str text = str_new();
    if (event_kept(event))
        return mem_printf("no perf event: %s", scheduler_info(event_kept(event))->text);
    for (size_t v = 0; v < event->variant_count; v++)
        encoding_add_words(&text, event->variants[v].pmu, &event->variants[v].attr);
    if (attr->type == PERF_TYPE_BREAKPOINT) {
        str_printf(&text, "%s type=%u bp_addr=0x%llx bp_len=%llu bp_type=%s%s%s", event->pmu,
                   attr->type, (unsigned long long)attr->bp_addr, (unsigned long long)attr->bp_len,
                   attr->bp_type & HW_BREAKPOINT_R ? "r" : "",
                   attr->bp_type & HW_BREAKPOINT_W ? "w" : "",
                   attr->bp_type & HW_BREAKPOINT_X ? "x" : "");
    } else if (event->variant_count == 0) {
        encoding_add_words(&text, event->pmu, attr);
    }
    if (event->target)
        str_printf(&text, " %s", event->target);
    if (event->filter)
        str_printf(&text, " filter '%s'", event->filter);
    if (full)
        str_printf(&text, " %s", full);
    return str_detach(&text);
}

void event_list_release(struct event_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        event_release(&list->events[i]);
    free(list->events);
    *list = (struct event_list){0};
}

void event_list_copy(struct event_list *to, const struct event_list *from)
{
    *to = (struct event_list){0};
    mem_grow(&to->events, &to->room, from->count, sizeof(*to->events));
    for (size_t i = 0; i < from->count; i++)
        to->events[i] = event_copy(&from->events[i]);
    to->count = from->count;
    to->groups = from->groups;
}

struct event *event_list_add(struct event_list *list)
{
    return MEM_ADD(list->events, list->count, list->room);
}

void event_list_join(struct event_list *list, const struct event_list *more)
{
    for (size_t i = 0; i < more->count; i++) {
        const struct event *event = &more->events[i];
        struct event *there = event_list_find(list, event->name);
        if (!there) {
            there = event_list_add(list);
            *there = event_copy(event);
            there->group = -1;
        }
        if (there->group < 0 && event->group >= 0)
            there->group = list->groups + event->group;
    }
    list->groups += more->groups;
}

char *event_list_item(const struct event_list *list, size_t e)
{
    int group = list->events[e].group;
    struct str text = str_new();
    for (size_t before = 0; before < e && group >= 0; before++)
        if (list->events[before].group == group)
            return NULL;
    for (size_t i = e; i < list->count; i++) {
        const struct event *event = &list->events[i];
        if (i > e && (group < 0 || event->group != group))
            continue;
        str_add(&text, i > e ? "," : group < 0 ? "" : "{");
        if (!str_equal(event->name, event->text))
            str_printf(&text, "%s=", event->name);
        str_add(&text, event->text);
    }
    str_add(&text, group < 0 ? "" : "}");
    return str_detach(&text);
}

char *event_list_text(const struct event_list *list)
{
    struct str text = str_new();
    for (size_t e = 0; e < list->count; e++) {
        AUTO_FREE char *item = event_list_item(list, e);
        if (item)
            str_printf(&text, "%s%s", text.length ? "," : "", item);
    }
    return str_detach(&text);
}

struct event *event_list_find(const struct event_list *list, const char *name)
{
    return STR_FIND(list->events, list->count, name, name);
}
