/* Which engine costs less where both can count what is watched: by how often tasks switch. */
#ifndef APP_ENGINE_CHOICE_H
#define APP_ENGINE_CHOICE_H

#include "sample/watch.h"

#include <stdbool.h>
#include <stddef.h>

/* Context switches a second. */
struct switch_rates {
    double machine;
    double watched; /* of these; only measured where it matters, else 0 */
};

/* Whether the machine switches so often that the ledger would be felt by those who are not watched:
 * the table in the manual, "ENGINES". */
bool engine_choice_disturbs(const struct switch_rates *rates, size_t cpus);
/* Whether the ledger suits single tasks: they pay less for it at each switch than for counters of
 * their own, and others are not disturbed, or pay less than the watched save. */
bool engine_choice_ledger(const struct switch_rates *rates, size_t cpus);

/* Measures the rates, in some 10 ms. False if they are not known. */
bool engine_choice_measure(const struct watch *watch, size_t cpus, struct switch_rates *rates);

#endif
