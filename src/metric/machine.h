/* The machine for which metrics and screens are chosen: its names, and the named sets of CPUs that
 * sections of INI text refer to. `[metric NAME@SET]` and `[screen NAME@SET]` are only for the CPUs
 * of that set; with the key `cpus` they can name several. */
#pragma once

#include "base/base.h"

struct cpu_set_text {
    char *name;
    char *match; /* sets, names and patterns (fnmatch(3)), separated by blanks */
    char *label; /* for people: "AMD Zen 4" */
    int slots;   /* of the pipeline in a cycle; 0: not given */
    int line;    /* of its first mention in the text */
    bool *has;   /* by name of the machine: in this set; NULL: not asked yet */
};

struct machine { /* zeroed: empty */
    /* Its PMUs, the event tables for it, its processor. On Arm "0xMIDR NAME" for each core type
     * (system/topology.h): a set contains the machine if it has each of them. "caps/slots=8" is
     * what the PMU says of the pipeline. */
    struct names names;
    double ghz_nominal; /* 0: not known */
    struct cpu_set_text *sets;
    size_t set_count, set_room;
};

void machine_release(struct machine *machine);
void machine_add(struct machine *machine, const char *name); /* copies it; "" is not added */

/* Adds the [cpus NAME] sections of an INI text: keys match (required), label (default: the name)
 * and slots (of the pipeline in a cycle, where the PMU does not say). `origin` names the text in
 * messages. A set replaces an earlier one of the same name. On -1 the machine is unchanged. */
int machine_load(struct machine *machine, const char *text, const char *origin, struct err *err);

/* Whether one of the words, separated by blanks, names a set that contains this machine or matches
 * one of its names. True without words (NULL or ""), also for machine NULL. */
bool machine_matches(const struct machine *machine, const char *words);

/* Slots of the pipeline in a cycle: what the PMU says, else what the first set says that contains
 * this machine and has the key; 0: not known. */
int machine_slots(const struct machine *machine);

/* Describes words for people: the label of each set and all other words as they are, separated by
 * commas. The caller frees it. */
char *machine_describe(const struct machine *machine, const char *words);

/* Splits the name of a section: *name `cache@zen4` becomes `cache`, and *cpus "zen4" unless it is
 * set already. Both are on the heap and stay the caller's. */
void machine_take_set(char **name, char **cpus);
