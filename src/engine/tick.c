#include "engine/tick.h"

enum { TICKS = 10 };                        /* per interval, at least */
static const uint64_t TICK_MAX = 100000000; /* ns: for long intervals */
static const uint64_t TICK_MIN = 1000000;
/* If groups take turns, what a group counted since its last record cannot be credited when a switch
 * happens while the group pauses. Turns last some milliseconds (perf_event_mux_interval_ms). */
static const uint64_t TICK_IN_TURNS = 2000000;

uint64_t tick_of(uint64_t delay, size_t groups)
{
    uint64_t most = groups > 1 ? TICK_IN_TURNS : TICK_MAX;
    uint64_t ticks = (delay + most - 1) / most;
    uint64_t tick = delay / (ticks > TICKS ? ticks : TICKS);
    return tick > TICK_MIN ? tick : TICK_MIN;
}

uint64_t tick_hurried(size_t cpus)
{
    return 50000 + 4000 * (uint64_t)cpus;
}
