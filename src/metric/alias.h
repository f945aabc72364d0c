/* Finds the events of a metric by other names than those of the set: generic events that have two
 * names in perf (cpu-cycles, cycles), in upper or lower case, and the event of several PMUs, which
 * are counted one by one, by the name that they share: `uncore_imc/event/` (event/pmu.h,
 * pmu_instances()). */
#pragma once

#include "sample/snapshot.h"

/* Whether `PMU/event/` stands for several events of which this is one: `PMU_7/event/`. */
bool alias_instance(const char *whole, const char *part);

/* Whether both name the same event, in upper or lower case: the same word, or two of perf's names
 * for it, or one is an instance of the other (alias_instance()). */
bool alias_same(const char *a, const char *b);

/* Index of the event with this name, else of the first with an alias of it, or that is a part of
 * it; -1 if there is none. */
int alias_find(const struct event_set *set, const char *name);
