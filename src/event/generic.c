#include "event/generic.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Missing in older headers. */
enum { SW_BPF_OUTPUT = 10, SW_CGROUP_SWITCHES = 11 };

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
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},

    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", PERF_TYPE_SOFTWARE, SW_BPF_OUTPUT},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, SW_CGROUP_SWITCHES},

    /* The combinations of cache, operation and result that exist: perf's evsel__hw_cache_stat[]. */
    {"L1-dcache-loads", PERF_TYPE_HW_CACHE, L1D | LOADS},
    {"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, L1D | LOAD_MISSES},
    {"L1-dcache-stores", PERF_TYPE_HW_CACHE, L1D | STORES},
    {"L1-dcache-store-misses", PERF_TYPE_HW_CACHE, L1D | STORE_MISSES},
    {"L1-dcache-prefetches", PERF_TYPE_HW_CACHE, L1D | PREFETCHES},
    {"L1-dcache-prefetch-misses", PERF_TYPE_HW_CACHE, L1D | PREFETCH_MISSES},
    {"L1-icache-loads", PERF_TYPE_HW_CACHE, L1I | LOADS},
    {"L1-icache-load-misses", PERF_TYPE_HW_CACHE, L1I | LOAD_MISSES},
    {"L1-icache-prefetches", PERF_TYPE_HW_CACHE, L1I | PREFETCHES},
    {"L1-icache-prefetch-misses", PERF_TYPE_HW_CACHE, L1I | PREFETCH_MISSES},
    {"LLC-loads", PERF_TYPE_HW_CACHE, LLC | LOADS},
    {"LLC-load-misses", PERF_TYPE_HW_CACHE, LLC | LOAD_MISSES},
    {"LLC-stores", PERF_TYPE_HW_CACHE, LLC | STORES},
    {"LLC-store-misses", PERF_TYPE_HW_CACHE, LLC | STORE_MISSES},
    {"LLC-prefetches", PERF_TYPE_HW_CACHE, LLC | PREFETCHES},
    {"LLC-prefetch-misses", PERF_TYPE_HW_CACHE, LLC | PREFETCH_MISSES},
    {"dTLB-loads", PERF_TYPE_HW_CACHE, DTLB | LOADS},
    {"dTLB-load-misses", PERF_TYPE_HW_CACHE, DTLB | LOAD_MISSES},
    {"dTLB-stores", PERF_TYPE_HW_CACHE, DTLB | STORES},
    {"dTLB-store-misses", PERF_TYPE_HW_CACHE, DTLB | STORE_MISSES},
    {"dTLB-prefetches", PERF_TYPE_HW_CACHE, DTLB | PREFETCHES},
    {"dTLB-prefetch-misses", PERF_TYPE_HW_CACHE, DTLB | PREFETCH_MISSES},
    {"iTLB-loads", PERF_TYPE_HW_CACHE, ITLB | LOADS},
    {"iTLB-load-misses", PERF_TYPE_HW_CACHE, ITLB | LOAD_MISSES},
    {"branch-loads", PERF_TYPE_HW_CACHE, BRANCH | LOADS},
    {"branch-load-misses", PERF_TYPE_HW_CACHE, BRANCH | LOAD_MISSES},
    {"node-loads", PERF_TYPE_HW_CACHE, NODE | LOADS},
    {"node-load-misses", PERF_TYPE_HW_CACHE, NODE | LOAD_MISSES},
    {"node-stores", PERF_TYPE_HW_CACHE, NODE | STORES},
    {"node-store-misses", PERF_TYPE_HW_CACHE, NODE | STORE_MISSES},
    {"node-prefetches", PERF_TYPE_HW_CACHE, NODE | PREFETCHES},
    {"node-prefetch-misses", PERF_TYPE_HW_CACHE, NODE | PREFETCH_MISSES},
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
 * list. *rest is what follows. */
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

/* cache[-operation][-result] in any of perf's words; the default is loads, with any result
 * (util/parse-events.c, parse_events_add_cache()). */
static bool parse_cache(const char *text, uint64_t *config)
{
    const char *rest;
    const struct word *cache = generic_take_word(caches, text, &rest);
    if (!cache)
        return false;
    const struct word *operation = *rest ? generic_take_word(operations, rest, &rest) : NULL;
    const struct word *result = *rest ? generic_take_word(results, rest, &rest) : NULL;
    if (*rest || text[strlen(text) - 1] == '-')
        return false;
    *config = cache->code | (operation ? operation->code : LOADS) | (result ? result->code : 0);
    return true;
}

const struct generic_event *generic_find(const char *name)
{
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (strcmp(event->name, name) == 0)
            return event;
    uint64_t config;
    if (!parse_cache(name, &config))
        return NULL;
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (event->type == PERF_TYPE_HW_CACHE && event->config == config)
            return event;
    return NULL;
}
