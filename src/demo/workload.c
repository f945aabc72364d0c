#include "demo/workload.h"

#include <string.h>

size_t workload_start(const struct workload *workload)
{
    const struct workload_knob *knob = &workload->knob;
    return knob->start || !knob->find_start ? knob->start : knob->find_start(workload);
}

const char rows_overcount[] = "some processors count an instruction for each interrupt";
const char rows_siblings[] = "a busy SMT sibling, or a hypervisor that takes the CPU away";

const struct workload *workload_nth(size_t i)
{
    static const struct workload *const groups[] = {rows_core};
    for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
        for (const struct workload *workload = groups[g]; workload->name; workload++)
            if (i-- == 0)
                return workload;
    return NULL;
}

const char *workload_name(void *ctx, size_t i)
{
    const struct workload *workload = workload_nth(i);
    (void)ctx;
    return workload ? workload->name : NULL;
}

const struct workload *workload_find(const char *name)
{
    const struct workload *workload;
    for (size_t i = 0; (workload = workload_nth(i)); i++)
        if (strcmp(workload->name, name) == 0)
            return workload;
    return NULL;
}
