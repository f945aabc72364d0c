#include "event/meaning.h"
#include "base/mem.h"

#include <linux/perf_event.h>
#include <string.h>

static const char *const hardware[] = {
    [PERF_COUNT_HW_CPU_CYCLES] = "cycles of the core, at whatever frequency it runs",
    [PERF_COUNT_HW_INSTRUCTIONS] = "instructions completed",
    [PERF_COUNT_HW_CACHE_REFERENCES] = "accesses to the last level of cache, as a rule",
    [PERF_COUNT_HW_CACHE_MISSES] = "accesses that the last level of cache could not serve",
    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branch instructions completed",
    [PERF_COUNT_HW_BRANCH_MISSES] = "branches that were predicted wrongly",
    [PERF_COUNT_HW_BUS_CYCLES] = "cycles of the bus, which may differ from all cycles",
    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "cycles without an instruction to begin with",
    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] =
        "cycles in which instructions waited for data or units",
    [PERF_COUNT_HW_REF_CPU_CYCLES] = "cycles at a constant rate, whatever the core's frequency",
};

static const char *const software[] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "nanoseconds on a CPU, by its high-resolution timer",
    [PERF_COUNT_SW_TASK_CLOCK] = "nanoseconds that tasks ran on a CPU",
    [PERF_COUNT_SW_PAGE_FAULTS] = "page faults, minor and major",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "times that a task left a CPU to another one",
    [PERF_COUNT_SW_CPU_MIGRATIONS] = "times that a task moved to another CPU",
    [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "page faults served without reading from disk",
    [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "page faults that had to read from disk",
    [PERF_COUNT_SW_ALIGNMENT_FAULTS] =
        "unaligned accesses that the kernel had to mend (never on x86)",
    [PERF_COUNT_SW_EMULATION_FAULTS] = "instructions that the kernel had to emulate",
    [PERF_COUNT_SW_DUMMY] = "counts nothing",
    [10] = "what BPF programs write with bpf_perf_event_output()",
    [11] = "switches to a task of another cgroup",
};

static const char *const caches[] = {
    [PERF_COUNT_HW_CACHE_L1D] = "first level of data cache",
    [PERF_COUNT_HW_CACHE_L1I] = "first level of instruction cache",
    [PERF_COUNT_HW_CACHE_LL] = "last level of cache",
    [PERF_COUNT_HW_CACHE_DTLB] = "translation buffer for data",
    [PERF_COUNT_HW_CACHE_ITLB] = "translation buffer for instructions",
    [PERF_COUNT_HW_CACHE_BPU] = "branch prediction",
    [PERF_COUNT_HW_CACHE_NODE] = "memory of the own node",
};

static const char *const operations[] = {
    [PERF_COUNT_HW_CACHE_OP_READ] = "loads",
    [PERF_COUNT_HW_CACHE_OP_WRITE] = "stores",
    [PERF_COUNT_HW_CACHE_OP_PREFETCH] = "prefetches",
};

static const char *meaning_at(const char *const *texts, size_t count, uint64_t index)
{
    return index < count && texts[index] ? texts[index] : "";
}

char *meaning_text(const struct generic_event *event)
{
    uint64_t config = event->config;
    const struct generic_event *first = generic_events; /* of the synonyms */
    while (first->type != event->type || first->config != config)
        first++;
    if (first->name && strcmp(first->name, event->name) != 0)
        return mem_printf("another name of %s", first->name);
    if (event->type == PERF_TYPE_HARDWARE)
        return mem_strdup(meaning_at(hardware, sizeof(hardware) / sizeof(*hardware), config));
    if (event->type == PERF_TYPE_SOFTWARE)
        return mem_strdup(meaning_at(software, sizeof(software) / sizeof(*software), config));
    const char *operation =
        meaning_at(operations, sizeof(operations) / sizeof(*operations), config >> 8 & 0xff);
    const char *cache = meaning_at(caches, sizeof(caches) / sizeof(*caches), config & 0xff);
    return mem_printf("%s: %s%s", cache, operation, config >> 16 ? " that missed" : "");
}
