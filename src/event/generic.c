#include "base/mem.h"
#include "event/event.h"
#include "event/query.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* A cache event is cache | operation << 8 | result << 16: perf_event_open(2), PERF_TYPE_HW_CACHE.
 */
enum {
    L1D = PERF_COUNT_HW_CACHE_L1D,
    L1I = PERF_COUNT_HW_CACHE_L1I,
    LLC = PERF_COUNT_HW_CACHE_LL,
    DTLB = PERF_COUNT_HW_CACHE_DTLB,
    ITLB = PERF_COUNT_HW_CACHE_ITLB,
    BRANCH = PERF_COUNT_HW_CACHE_BPU,
    NODE = PERF_COUNT_HW_CACHE_NODE,
    MISSES = PERF_COUNT_HW_CACHE_RESULT_MISS << 16,
    LOADS = PERF_COUNT_HW_CACHE_OP_READ << 8,
    LOAD_MISSES = LOADS | MISSES,
    STORES = PERF_COUNT_HW_CACHE_OP_WRITE << 8,
    STORE_MISSES = STORES | MISSES,
    PREFETCHES = PERF_COUNT_HW_CACHE_OP_PREFETCH << 8,
    PREFETCH_MISSES = PREFETCHES | MISSES,
};

const struct generic_event generic_events[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
     "cycles of the core, at whatever frequency it runs"},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, NULL},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions completed"},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
     "accesses to the last level of cache, as a rule"},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
     "accesses that the last level of cache could not serve"},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     "branch instructions completed"},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, NULL},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
     "branches that were predicted wrongly"},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES,
     "cycles of the bus, which may differ from all cycles"},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
     "cycles without an instruction to begin with"},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, NULL},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
     "cycles in which instructions waited for data or units"},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, NULL},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
     "cycles at a constant rate, whatever the core's frequency"},

    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
     "nanoseconds on a CPU, by its high-resolution timer"},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
     "nanoseconds that tasks ran on a CPU"},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page faults, minor and major"},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, NULL},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     "times that a task left a CPU to another one"},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
     "times that a task moved to another CPU"},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, NULL},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     "page faults served without reading from disk"},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     "page faults that had to read from disk"},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     "unaligned accesses that the kernel had to mend (never on x86)"},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
     "instructions that the kernel had to emulate"},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "counts nothing"},
    {"bpf-output", PERF_TYPE_SOFTWARE, SW_BPF_OUTPUT,
     "what BPF programs write with bpf_perf_event_output()"},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES,
     "switches to a task of another cgroup"},

    /* The combinations of cache, operation and result that exist: perf's evsel__hw_cache_stat[]. */
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, L1D | LOADS, NULL},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, L1D | LOAD_MISSES, NULL},
    {"L1-dcache-stores", PERF_TYPE_HW_CACHE, L1D | STORES, NULL},
    {"L1-dcache-store-misses", PERF_TYPE_HW_CACHE, L1D | STORE_MISSES, NULL},
    {"L1-dcache-prefetches", PERF_TYPE_HW_CACHE, L1D | PREFETCHES, NULL},
    {"L1-dcache-prefetch-misses", PERF_TYPE_HW_CACHE, L1D | PREFETCH_MISSES, NULL},
    {"L1-icache-loads", PERF_TYPE_HW_CACHE, L1I | LOADS, NULL},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, L1I | LOAD_MISSES, NULL},
    {"L1-icache-prefetches", PERF_TYPE_HW_CACHE, L1I | PREFETCHES, NULL},
    {"L1-icache-prefetch-misses", PERF_TYPE_HW_CACHE, L1I | PREFETCH_MISSES, NULL},
    {"LLC-loads", PERF_TYPE_HW_CACHE, LLC | LOADS, NULL},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, LLC | LOAD_MISSES, NULL},
    {"LLC-stores", PERF_TYPE_HW_CACHE, LLC | STORES, NULL},
    {"LLC-store-misses", PERF_TYPE_HW_CACHE, LLC | STORE_MISSES, NULL},
    {"LLC-prefetches", PERF_TYPE_HW_CACHE, LLC | PREFETCHES, NULL},
    {"LLC-prefetch-misses", PERF_TYPE_HW_CACHE, LLC | PREFETCH_MISSES, NULL},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, DTLB | LOADS, NULL},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, DTLB | LOAD_MISSES, NULL},
    {"dTLB-stores", PERF_TYPE_HW_CACHE, DTLB | STORES, NULL},
    {"dTLB-store-misses", PERF_TYPE_HW_CACHE, DTLB | STORE_MISSES, NULL},
    {"dTLB-prefetches", PERF_TYPE_HW_CACHE, DTLB | PREFETCHES, NULL},
    {"dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, DTLB | PREFETCH_MISSES, NULL},
    {"iTLB-loads", PERF_TYPE_HW_CACHE, ITLB | LOADS, NULL},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, ITLB | LOAD_MISSES, NULL},
    {"branch-loads", PERF_TYPE_HW_CACHE, BRANCH | LOADS, NULL},
    {"branch-load-misses", PERF_TYPE_HW_CACHE, BRANCH | LOAD_MISSES, NULL},
    {"node-loads", PERF_TYPE_HW_CACHE, NODE | LOADS, NULL},
    {"node-load-misses", PERF_TYPE_HW_CACHE, NODE | LOAD_MISSES, NULL},
    {"node-stores", PERF_TYPE_HW_CACHE, NODE | STORES, NULL},
    {"node-store-misses", PERF_TYPE_HW_CACHE, NODE | STORE_MISSES, NULL},
    {"node-prefetches", PERF_TYPE_HW_CACHE, NODE | PREFETCHES, NULL},
    {"node-prefetch-misses", PERF_TYPE_HW_CACHE, NODE | PREFETCH_MISSES, NULL},
    {0},
};

/* perf's words for caches, operations and results: util/evsel.c, evsel__hw_cache[],
 * evsel__hw_cache_op[] and evsel__hw_cache_result[]. */
struct word {
    const char *text;
    uint64_t code;
};

static const struct word caches[] = {
    {"L1-dcache", L1D},   {"l1-d", L1D},      {"l1d", L1D},    {"L1-data", L1D},
    {"L1-icache", L1I},   {"l1-i", L1I},      {"l1i", L1I},    {"L1-instruction", L1I},
    {"LLC", LLC},         {"L2", LLC},        {"dTLB", DTLB},  {"d-tlb", DTLB},
    {"Data-TLB", DTLB},   {"iTLB", ITLB},     {"i-tlb", ITLB}, {"Instruction-TLB", ITLB},
    {"branches", BRANCH}, {"branch", BRANCH}, {"bpu", BRANCH}, {"btb", BRANCH},
    {"bpc", BRANCH},      {"node", NODE},     {NULL, 0},
};
static const struct word operations[] = {
    {"loads", LOADS},
    {"load", LOADS},
    {"read", LOADS},
    {"stores", STORES},
    {"store", STORES},
    {"write", STORES},
    {"prefetches", PREFETCHES},
    {"prefetch", PREFETCHES},
    {"speculative-read", PREFETCHES},
    {"speculative-load", PREFETCHES},
    {NULL, 0},
};
static const struct word results[] = {
    {"refs", 0},        {"Reference", 0}, {"ops", 0}, {"access", 0},
    {"misses", MISSES}, {"miss", MISSES}, {NULL, 0},
};

/* The word of the list that text begins with, up to a '-' or the end; NULL if it is not in the
 * list. *rest is the text behind it. */
static const struct word *generic_take_word(const struct word *words, const char *text,
                                            const char **rest)
{
    for (; words->text; words++) {
        size_t length = strlen(words->text);
        if (strncmp(text, words->text, length) != 0 || (text[length] && text[length] != '-'))
            continue;
        *rest = text[length] ? text + length + 1 : text + length;
        return words;
    }
    return NULL;
}

const struct generic_event *generic_find(const char *name)
{
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (strcmp(event->name, name) == 0)
            return event;
    /* cache[-operation][-result] in any of perf's words; the default is loads, with any result
     * (util/parse-events.c, parse_events_add_cache()). */
    const char *rest;
    const struct word *cache = generic_take_word(caches, name, &rest);
    if (!cache)
        return NULL;
    const struct word *operation = *rest ? generic_take_word(operations, rest, &rest) : NULL;
    const struct word *result = *rest ? generic_take_word(results, rest, &rest) : NULL;
    if (*rest || name[strlen(name) - 1] == '-')
        return NULL;
    uint64_t config =
        cache->code | (operation ? operation->code : LOADS) | (result ? result->code : 0);
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (event->type == PERF_TYPE_HW_CACHE && event->config == config)
            return event;
    return NULL;
}

static const char *const cache_texts[] = {
    [PERF_COUNT_HW_CACHE_L1D] = "first level of data cache",
    [PERF_COUNT_HW_CACHE_L1I] = "first level of instruction cache",
    [PERF_COUNT_HW_CACHE_LL] = "last level of cache",
    [PERF_COUNT_HW_CACHE_DTLB] = "translation buffer for data",
    [PERF_COUNT_HW_CACHE_ITLB] = "translation buffer for instructions",
    [PERF_COUNT_HW_CACHE_BPU] = "branch prediction",
    [PERF_COUNT_HW_CACHE_NODE] = "memory of the own node",
};
static const char *const operation_texts[] = {
    [PERF_COUNT_HW_CACHE_OP_READ] = "loads",
    [PERF_COUNT_HW_CACHE_OP_WRITE] = "stores",
    [PERF_COUNT_HW_CACHE_OP_PREFETCH] = "prefetches",
};

char *generic_text(const struct generic_event *event)
{
    uint64_t config = event->config;
    const struct generic_event *first = generic_events; /* its synonyms follow */
    while (first->type != event->type || first->config != config)
        first++;
    if (first != event)
        return mem_printf("another name of %s", first->name);
    if (event->type != PERF_TYPE_HW_CACHE)
        return mem_strdup(event->text);
    return mem_printf("%s: %s%s", cache_texts[config & 0xff], operation_texts[config >> 8 & 0xff],
                      config >> 16 ? " that missed" : "");
}
