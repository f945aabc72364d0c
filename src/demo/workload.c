#include "demo/workload.h"

size_t workload_start(const struct workload *workload)
{
    const struct workload_knob *knob = &workload->knob;
    return knob->start || !knob->find_start ? knob->start : knob->find_start(workload);
}
