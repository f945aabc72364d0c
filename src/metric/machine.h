/* The machine that metrics and screens are for: by which names it is known, and the named sets of
 * CPUs that sections of INI text refer to. `[metric NAME@SET]` and `[screen NAME@SET]` are for the
 * CPUs of that set alone; their key `cpus` says the same with several words. */
#ifndef METRIC_MACHINE_H
#define METRIC_MACHINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cpu_set_text {
    char *name;
    char *match; /* names and patterns (fnmatch(3)), separated by blanks */
    char *label; /* what people call them: "AMD Zen 4" */
    int line;    /* where its text names it first */
};

struct machine {
    char **names; /* its PMUs, the event tables for it, its processor */
    size_t count, room;
    double ghz_nominal; /* 0: not known */
    struct cpu_set_text *sets;
    size_t set_count, set_room;
};

void machine_init(struct machine *machine);
void machine_release(struct machine *machine);
void machine_add(struct machine *machine, const char *name); /* copies it; "" is not added */

/* Adds the [cpus NAME] sections of an INI text: keys match (required) and label (the name where
 * none is given). `origin` names it in messages. A name given again replaces the set. On -1 the
 * machine is as it was. */
int machine_load(struct machine *machine, const char *text, const char *origin, struct err *err);

/* Whether one of the words is a set with this machine in it, or matches one of its names. NULL or
 * no words: any machine, also one that is NULL. */
bool machine_matches(const struct machine *machine, const char *words);

/* The words as people call them: labels of sets, other words as they are. The caller frees it. */
char *machine_describe(const struct machine *machine, const char *words);

/* Takes the set out of a section's name: `cache@zen4` becomes `cache`, and *cpus "zen4", unless it
 * was set before. Both are on the heap. */
void machine_take_set(char **name, char **cpus);

#endif
