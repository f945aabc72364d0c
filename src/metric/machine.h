/* The machine for which metrics and screens are chosen: its names, and the named sets of CPUs that
 * sections of INI text refer to. `[metric NAME@SET]` and `[screen NAME@SET]` are only for the CPUs
 * of that set; with the key `cpus` they can name several. */
#ifndef METRIC_MACHINE_H
#define METRIC_MACHINE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct cpu_set_text {
    char *name;
    char *match; /* names and patterns (fnmatch(3)), separated by blanks */
    char *label; /* for people: "AMD Zen 4" */
    int line;    /* of its first mention in the text */
};

struct machine {  /* zeroed: empty */
    char **names; /* its PMUs, the event tables for it, its processor */
    size_t count, room;
    double ghz_nominal; /* 0: not known */
    struct cpu_set_text *sets;
    size_t set_count, set_room;
};

void machine_release(struct machine *machine);
void machine_add(struct machine *machine, const char *name); /* copies it; "" is not added */

/* Adds the [cpus NAME] sections of an INI text: keys match (required) and label (default: the
 * name). `origin` names the text in messages. A set replaces an earlier one of the same name. On -1
 * the machine is unchanged. */
int machine_load(struct machine *machine, const char *text, const char *origin, struct err *err);

/* Whether one of the words is a set that contains this machine, or matches one of its names. NULL
 * or no words: true for any machine, also for NULL. */
bool machine_matches(const struct machine *machine, const char *words);

/* The words for people: labels of sets, other words unchanged. The caller frees it. */
char *machine_describe(const struct machine *machine, const char *words);

/* Splits a section's name: `cache@zen4` becomes `cache`, and *cpus "zen4" unless it is set already.
 * Both are on the heap. */
void machine_take_set(char **name, char **cpus);

#endif
