/* The double-entry bookkeeping of the system-wide engine: from the records of all CPUs, in order of
 * time, to counts of every thread. Pure: it reads typed records and asks for names through a
 * lookup.
 *
 * The rule: what a group counted between two of its records on a CPU is credited to the task that
 * the second record names, if only that task can have run in between; else to `unattributed`. Each
 * count is credited once to a task, to idle or to unattributed, and once to its CPU. */
#ifndef ENGINE_LEDGER_H
#define ENGINE_LEDGER_H

#include "engine/ledger_credit.h"

struct ledger *ledger_new(const struct task_table_lookup *lookup); /* lookup outlives it */
void ledger_free(struct ledger *ledger);

/* Starts counting other events: all counts are 0, there are no CPUs, tasks are kept. The caller
 * owns the layout, which must outlive its use. */
void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout);

/* Adds a CPU whose counters start at 0 at that time (ns); returns its number. */
size_t ledger_add_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* The same for a CPU that is not counted, and is in no snapshot: its tasks' births, names and ends
 * are known. */
size_t ledger_follow_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* Removes an offline CPU whose records are all taken: it is in the next snapshot for the last time,
 * or in the one after that if some of its time is after the cut. */
void ledger_remove_cpu(struct ledger *ledger, size_t cpu);

/* Its counters were opened again and start at 0 now; its sums go on. */
void ledger_restart_cpu(struct ledger *ledger, size_t cpu, uint64_t time);

/* Takes the last counts of a group that is closed next, or the present ones of a group that writes
 * no records: what it counted since its last record, or call, is unattributed. */
void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read);

/* Takes the present counts of a group whose ring had no room for records: what it counted since its
 * last record is unattributed, and older records that come later are ignored. */
void ledger_settle(struct ledger *ledger, size_t cpu, size_t group, const struct group_read *read);

/* The time of a sample that does not carry it: its group has been enabled since it was opened, and
 * its ticks relate that to the clock. */
static inline uint64_t ledger_time(const struct ledger *ledger, const struct ledger_origin *origin,
                                   const struct record *record)
{
    return ledger->cpus[origin->cpu].groups[origin->group].zero + record->read->enabled;
}

/* For ledger_take(): a record that is no sample. */
void ledger_take_nonsample(struct ledger *ledger, const struct ledger_origin *origin,
                           const struct record *record);

/* Inline, since it is called for each context switch of the machine. */
static inline void ledger_take(struct ledger *ledger, const struct ledger_origin *origin,
                               const struct record *record)
{
    struct cpu *cpu = &ledger->cpus[origin->cpu];
    cpu->mute = false;
    if (record->kind == RECORD_SAMPLE)
        ledger_take_sample(ledger, cpu, origin->group, origin->tick, record);
    else
        ledger_take_nonsample(ledger, origin, record);
}

/* Whether SWITCH records of that CPU are needed to tell slices apart: if the kernel writes no
 * samples for the idle task, if a group does not count all of the time, and at the start until the
 * idle task is seen. */
bool ledger_wants_switches(const struct ledger *ledger, size_t cpu);

/* The kernel writes them from that time on (ns); UINT64_MAX: no longer. */
void ledger_witness(struct ledger *ledger, size_t cpu, uint64_t from);

/* Adds a task that was found in /proc at that time and may not have run yet: for listing idle
 * tasks. */
void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time);

/* The same for a process that exists at the start; looks up its name before it can end. */
void ledger_meet(struct ledger *ledger, pid_t pid, uint64_t time);

/* Ends the next snapshot at that moment (ns), on all CPUs: time that a later record shows to be
 * after it belongs to the snapshot after that. So no CPU has more time in an interval than the
 * interval is long. Returns the moment, which is later if a later record is known already. Without
 * a cut a snapshot contains everything known, of each CPU up to its last record. */
uint64_t ledger_cut(struct ledger *ledger, uint64_t time);

/* Whether the record that shows which task had that CPU at the cut is still missing. Not for a CPU
 * that has written none since the last cut at which none came: its idle task is silent. */
bool ledger_awaits(const struct ledger *ledger, size_t cpu);

/* Whether a record of that CPU is known that was written at the cut or after it. */
bool ledger_reached(const struct ledger *ledger, size_t cpu);

/* Adds everything known to an empty snapshot of the same event set: tasks that ran or ended since
 * the last call, or all of them, the CPUs, idle and unattributed. */
void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all);

/* The invariant: for each event, the credits of tasks (freed ones too), idle and unattributed add
 * up to what the CPUs counted (removed ones too). In builds with sanitizers each snapshot checks
 * it, and aborts. */
bool ledger_balanced(const struct ledger *ledger);

/* Whether a task of a watched command has ended whose last slice may not be over. */
bool ledger_awaits_command(const struct ledger *ledger);

#endif
