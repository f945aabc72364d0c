#include "event/hybrid.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/pmu.h"

#include <stdlib.h>

void hybrid_settle(struct event *event, bool each)
{
    struct names pmus;
    struct str joined;
    pmu_core_types(&pmus);
    str_init(&joined);
    if (pmus.count)
        event->variants = mem_array(pmus.count, sizeof(*event->variants));
    for (size_t i = 0; i < pmus.count; i++) {
        const char *pmu = pmus.items[i];
        uint32_t type;
        if (!pmu_type(pmu, &type) || !(each || str_equal(event->pmu, pmu)))
            continue;
        struct event_variant *variant = &event->variants[event->variant_count++];
        *variant = (struct event_variant){mem_strdup(pmu), {0}, type, event->attr.config};
        pmu_cpus(pmu, &variant->cpus);
        /* perf_event_open(2), PERF_TYPE_HARDWARE: the upper half of config (Linux 5.13 on x86, 5.19
         * on Arm). */
        if (event->attr.type == PERF_TYPE_HARDWARE || event->attr.type == PERF_TYPE_HW_CACHE) {
            variant->type = event->attr.type;
            variant->config |= (uint64_t)type << PERF_PMU_TYPE_SHIFT;
        }
        str_printf(&joined, "%s%s", joined.length ? "," : "", pmu);
    }
    if (event->variant_count > 0) {
        event->attr.type = event->variants[0].type;
        event->attr.config = event->variants[0].config;
        free(event->pmu);
        event->pmu = str_detach(&joined);
    }
    str_release(&joined);
    names_release(&pmus);
}

/* Whether one of the CPUs chosen so far is of the same core type. */
static bool has_type(const struct cpulist *cpus, const struct cpulist *type)
{
    for (size_t c = 0; c < cpus->count; c++)
        if (cpulist_has(type, cpus->cpus[c]))
            return true;
    return false;
}

void hybrid_cores(const struct event_list *list, const size_t *events, size_t count,
                  struct cpulist *cpus)
{
    *cpus = (struct cpulist){0};
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &list->events[events[i]];
        for (size_t v = 0; v < event->variant_count; v++) {
            const struct cpulist *type = &event->variants[v].cpus;
            if (type->count == 0 || has_type(cpus, type))
                continue;
            mem_grow(&cpus->cpus, &cpus->room, cpus->count + 1, sizeof(*cpus->cpus));
            cpus->cpus[cpus->count++] = type->cpus[0];
        }
    }
}
