#include "engine/tick.h"

enum { TICKS = 10 };                         /* in each interval, at least */
static const uint64_t TICK_MOST = 100000000; /* ns: for long intervals */
static const uint64_t TICK_LEAST = 1000000;
/* Where groups take turns, what one counted since its last record is lost to the books when a
 * switch comes while it pauses. Turns last some milliseconds (perf_event_mux_interval_ms). */
static const uint64_t TICK_IN_TURNS = 2000000;

uint64_t tick_of(uint64_t delay, size_t groups)
{
    uint64_t most = groups > 1 ? TICK_IN_TURNS : TICK_MOST;
    uint64_t ticks = (delay + most - 1) / most;
    uint64_t tick = delay / (ticks > TICKS ? ticks : TICKS);
    return tick > TICK_LEAST ? tick : TICK_LEAST;
}

uint64_t tick_hurried(size_t cpus)
{
    return 50000 + 4000 * (uint64_t)cpus;
}
