/* Lists of CPUs in the kernel's format: "0-3,8" (cpuset(7), "List format"). */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cpulist {
    int *cpus; /* ascending, each once */
    size_t count;
    size_t room;
};

/* Fills list (initialised by the call) from text; a trailing newline and an empty text are fine. -1
 * with a message if text is not such a list; list is then empty. */
int cpulist_parse(struct cpulist *list, const char *text, struct err *err);
void cpulist_copy(struct cpulist *to, const struct cpulist *from); /* `to` is initialised by it */
void cpulist_release(struct cpulist *list);
/* For a local `AUTO_CPUS struct cpulist cpus = {0};`: released where its block ends. */
#define AUTO_CPUS __attribute__((unused, cleanup(cpulist_release)))
bool cpulist_has(const struct cpulist *list, int cpu);
