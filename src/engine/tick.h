/* The periods of the system-wide engine's tickers, which sample a task that is not switched out. */
#ifndef ENGINE_TICK_H
#define ENGINE_TICK_H

#include <stddef.h>
#include <stdint.h>

/* ns, for such a refresh interval (ns) and so many groups: a divisor of the interval, but for very
 * short ones. */
uint64_t tick_of(uint64_t delay, size_t groups);

/* At a refresh, once, so that all CPUs tell who has them: long enough that so many are asked and
 * answer before it fires again. */
uint64_t tick_hurried(size_t cpus);

#endif
