/* A part of the ledger: whose the counts are that a group's samples carry. */
#ifndef ENGINE_LEDGER_SAMPLES_H
#define ENGINE_LEDGER_SAMPLES_H

#include "engine/ledger_private.h"

/* A sample of that group; tick: within a slice, not at the end of one. */
void ledger_samples_sample(struct ledger *ledger, struct cpu *cpu, size_t group, bool tick,
                           const struct record *r);

/* What the group has counted since its last record is nobody's. */
void ledger_samples_nobody(struct ledger *ledger, struct cpu *cpu, size_t group,
                           const struct group_read *read);

/* Adds what the counters of a CPU have counted since they were opened, up to the last record of
 * each group. */
void ledger_samples_sum(const struct ledger *ledger, const struct cpu *cpu, struct counts *to);

#endif
