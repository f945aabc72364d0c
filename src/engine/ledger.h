/* The double-entry bookkeeping of the system-wide engine: from the records of all CPUs, in order of
 * time, to counts of every thread. Pure: it sees typed records and asks for names through a lookup.
 *
 * The rule: what a group counted between two of its records on a CPU is credited to the task that
 * the second record names, if that task alone can have run in between; else to `unattributed`.
 * Each count is credited once to a task, to idle or to unattributed, and once to its CPU. */
#ifndef ENGINE_LEDGER_H
#define ENGINE_LEDGER_H

#include "engine/ledger_layout.h"
#include "engine/task_table.h"

struct ledger;

struct ledger *ledger_new(const struct task_table_lookup *lookup); /* lookup outlives it */
void ledger_free(struct ledger *ledger);

/* Counts other events from now on: all counts are 0 again, there are no CPUs, tasks are kept. The
 * layout is the caller's and outlives its use. */
void ledger_begin(struct ledger *ledger, const struct ledger_layout *layout);

/* A CPU whose counters start at 0 at that time (ns); returns its number. */
size_t ledger_add_cpu(struct ledger *ledger, int cpu, uint64_t time);

/* The last counts of a group that is to be closed, or those by now of one that writes no records:
 * what it counted since its last record, or call, is nobody's. */
void ledger_close_group(struct ledger *ledger, size_t cpu, size_t group,
                        const struct group_read *read);

/* The counts of a group now, where its ring had no room for records: what it counted since its last
 * one is nobody's, and older records that come afterwards are passed over. */
void ledger_settle(struct ledger *ledger, size_t cpu, size_t group, const struct group_read *read);

/* A CPU that went offline and whose records are all taken: it is in the next snapshot for the last
 * time, or in the one after that where some of its time is after the cut. */
void ledger_remove_cpu(struct ledger *ledger, size_t cpu);

/* Its counters were opened anew and start at 0 now; its sums go on. */
void ledger_restart_cpu(struct ledger *ledger, size_t cpu, uint64_t time);

/* When a sample was written that does not carry the time: its group has been enabled ever since it
 * was opened, and its ticks tie that to the clock. */
uint64_t ledger_time(const struct ledger *ledger, const struct ledger_origin *origin,
                     const struct record *record);

void ledger_take(struct ledger *ledger, const struct ledger_origin *origin,
                 const struct record *record);

/* Whether SWITCH records of that CPU are needed to tell slices apart: where the kernel writes no
 * samples for the idle task, where a group does not count all of the time, or for the first while,
 * until the idle task is seen. */
bool ledger_wants_switches(const struct ledger *ledger, size_t cpu);

/* From that time on (ns) the kernel writes them; UINT64_MAX: no longer. */
void ledger_witness(struct ledger *ledger, size_t cpu, uint64_t from);

uint64_t ledger_lost(const struct ledger *ledger); /* records, so far */

/* A task that was found in /proc at that time without having run yet: for listing what is idle. */
void ledger_adopt(struct ledger *ledger, pid_t pid, pid_t tid, uint64_t time);

/* A process that exists at the start, likewise: it is asked for its name before it can end. */
void ledger_meet(struct ledger *ledger, pid_t pid, uint64_t time);

/* The next snapshot tells time up to that moment (ns), of all CPUs: what a later record shows to
 * have been after it is told by the snapshot after that. So no CPU has more time in an interval
 * than the interval is long. Returns the moment: that of a record where one is known that is later.
 * Without a cut a snapshot tells all that is known, of each CPU up to its last record. */
uint64_t ledger_cut(struct ledger *ledger, uint64_t time);

/* Whether a record is expected, but not there yet, that tells who has had that CPU at the cut. Not
 * of one that has written none since it was last awaited in vain: its idle task is silent. */
bool ledger_awaits(const struct ledger *ledger, size_t cpu);

/* Adds what is known to an empty snapshot of the same event set: tasks that ran or ended since the
 * last call, or all of them, the CPUs, idle and unattributed. */
void ledger_snapshot(struct ledger *ledger, struct snapshot *snapshot, bool all);

/* The invariant: for each event, what was credited to tasks (forgotten ones too), to idle and to
 * unattributed is what the CPUs counted (gone ones too). In builds with sanitizers each snapshot
 * checks it, and aborts. */
bool ledger_balanced(const struct ledger *ledger);

/* Who there is, for whoever corrects the books. */
struct task_table *ledger_roster(struct ledger *ledger);

/* Whether the last slice of a task has not been seen to end although the task has, and it belongs
 * to a command that is watched. */
bool ledger_awaits_command(const struct ledger *ledger);

#endif
