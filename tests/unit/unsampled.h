/* A profiler that is never started. */
#pragma once

#include "engine/engines.h"

static inline struct profiler *no_profiler(void)
{
    return code_profiler_new(&(struct caps){0}, &(struct cpulist){0}, false);
}
