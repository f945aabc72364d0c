/* The double-entry bookkeeping of the system-wide engine: turns the records of all CPUs, in the
 * order of time, into counts of every thread. The engine owns it and calls it from one thread. It
 * makes no system call: it gets decoded records, and asks for names through a lookup.
 *
 * What a group counted between two of its records on a CPU is credited to the task that the second
 * record names, if only that task can have run in between; else to `unattributed`.
 * Invariant: each count is credited once to a task, to idle or to unattributed, and once to its
 * CPU; so for each event tasks + idle + unattributed = the sum of the CPUs (ledger_balanced()). */
#ifndef ENGINE_LEDGER_H
#define ENGINE_LEDGER_H

#include "engine/ledger_credit.h"

/* An empty ledger, which borrows the lookup; ledger_free() frees it. */
struct ledger *ledger_new(const struct task_table_lookup *lookup);
void ledger_free(struct ledger *ledger);

/* Starts counting other events: sets all counts to 0, removes all CPUs, and keeps the tasks.
 * Borrows the layout until the next call. */
void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout);

/* Adds a CPU whose counters start at 0 at that time (monotonic, ns, as all times here); returns its
 * index for the calls below. */
size_t ledger_add_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* Adds a CPU that is not counted and is in no snapshot: it only reports births, names and ends. */
size_t ledger_follow_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* Removes a CPU that went offline, after its last record was taken. The next snapshot lists it for
 * the last time, or the one after that if some of its time is after the cut. */
void ledger_remove_cpu(struct ledger *ledger, size_t cpu);

/* Notes that a CPU's counters were opened again and start at 0 at that time; its sums go on. */
void ledger_restart_cpu(struct ledger *ledger, size_t cpu, uint64_t time);

/* Takes the last counts of a group that is closed next, or the present ones of a group that writes
 * no records: what it counted since its last record, or call, is unattributed. */
void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read);

/* Takes the present counts of a group whose ring had no room for records: what it counted since its
 * last record is unattributed, and older records that come later are ignored. */
void ledger_settle(struct ledger *ledger, size_t cpu, size_t group, const struct group_read *read);

/* The time (ns) of a sample that does not carry it: when its group was enabled, known from the last
 * tick, plus how long the group has been enabled. */
static inline uint64_t ledger_time(const struct ledger *ledger, const struct ledger_origin *origin,
                                   const struct record *record)
{
    return ledger->cpus[origin->cpu].groups[origin->group].zero + record->read->enabled;
}

/* The part of ledger_take() for records that are no samples. */
void ledger_take_nonsample(struct ledger *ledger, const struct ledger_origin *origin,
                           const struct record *record);

/* Takes one record. Records of all CPUs must come in the order of time. Inline, since it is called
 * for each context switch of the machine. */
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

/* Notes that the kernel writes SWITCH records of a CPU from that time on; UINT64_MAX: no longer. */
void ledger_witness(struct ledger *ledger, size_t cpu, uint64_t from);

/* Adds a task that was found in /proc at that time, so that it is listed although it has not run.
 */
void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time);

/* Adds a process that was found in /proc at that time, and looks up its name before it can end. */
void ledger_meet(struct ledger *ledger, pid_t pid, uint64_t time);

/* Ends the interval of the next snapshot at that moment, for all CPUs: later time belongs to the
 * interval after it, so no CPU has more time in an interval than the interval is long. Returns the
 * moment, which is later than asked if a later record was taken already. Without a cut a snapshot
 * has everything up to the last record of each CPU. */
uint64_t ledger_cut(struct ledger *ledger, uint64_t time);

/* Whether it is still unknown which task had that CPU at the cut, since no record after the cut has
 * come. False for a CPU that has written none since an earlier cut at which it was awaited in vain:
 * its idle task writes no records. */
bool ledger_awaits(const struct ledger *ledger, size_t cpu);

/* Whether a record of that CPU is known that was written at the cut or after it. */
bool ledger_reached(const struct ledger *ledger, size_t cpu);

/* Fills an empty snapshot of the same event set: with the tasks that ran or ended since the last
 * call, or all of them, the CPUs, idle and unattributed. */
void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all);

/* Whether the invariant holds, with tasks that were freed and CPUs that were removed. In builds
 * with sanitizers each snapshot checks it, and aborts. */
bool ledger_balanced(const struct ledger *ledger);

/* Whether a task of the watched command has ended, and the record at the end of its last slice has
 * not come. */
bool ledger_awaits_command(const struct ledger *ledger);

#endif
