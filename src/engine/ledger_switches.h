/* A part of the ledger: who has a CPU from when to when, as samples and switch records tell. */
#ifndef ENGINE_LEDGER_SWITCHES_H
#define ENGINE_LEDGER_SWITCHES_H

#include "engine/ledger_private.h"

/* Number of groups that write records: the first ones. */
size_t ledger_switches_groups(const struct ledger *ledger);

/* As ledger_wants_switches. */
bool ledger_switches_wants_switches(const struct ledger *ledger, const struct cpu *cpu);

/* A sample was taken: whether a slice without a record of its own was hidden in it. */
void ledger_switches_note_silence(struct cpu *cpu, bool silent);
/* The idle task wrote a record, as it does on most kernels. */
void ledger_switches_note_idle(const struct ledger *ledger, struct cpu *cpu);

void ledger_switches_switch_in(struct ledger *ledger, struct cpu *cpu, const struct record *r);
void ledger_switches_switch_out(struct ledger *ledger, struct cpu *cpu, const struct record *r);

/* The task had the CPU until then; NULL: idle, or nobody that is known. */
void ledger_switches_credit_time(struct ledger *ledger, struct cpu *cpu, struct task *task,
                                 uint64_t until);
/* The task had it, for how long is told by a switch record. */
void ledger_switches_see_running(struct ledger *ledger, const struct cpu *cpu, struct task *task);
/* It was seen to have the CPU at that time: from here on the end of its slice will be known. */
void ledger_switches_see_within(struct cpu *cpu, uint64_t time);

/* A record told who has the CPU: this thread, 0 for the idle task, until the next record. Each end
 * of a slice writes one. -1: not known. */
void ledger_switches_has_cpu(struct cpu *cpu, pid_t process, pid_t thread);
/* Whether the last record is a switch to the idle task. */
bool ledger_switches_idle_known(const struct cpu *cpu);
/* Time up to then is credited once and for all: to the task that is known to have the CPU, else to
 * no task. */
void ledger_switches_reach(struct ledger *ledger, struct cpu *cpu, uint64_t time);

/* A group that was off its counters as a slice ended wrote no record there. That it was enabled in
 * that slice is credited all the same: what it has counted of the task is then known to be a
 * part. */
void ledger_switches_lend(struct ledger *ledger, struct cpu *cpu, size_t group, struct counts *to,
                          uint64_t until);

/* Who ran on that CPU since its last record is not known. */
void ledger_switches_lose(struct ledger *ledger, struct cpu *cpu);

#endif
