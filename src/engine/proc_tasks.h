/* Tasks from /proc, for the engines: answers to the task table's lookups, and tasks that existed
 * before the ledger's records began. */
#pragma once

#include "engine/ledger.h"

extern const struct task_table_lookup proc_tasks_lookup;

/* What a watch needs to know of a process, or with tid > 0 of its thread; reads only that. Its name
 * is kept in `comm`. */
struct watched proc_tasks_watched(const struct watch *watch, pid_t pid, pid_t tid,
                                  char comm[TASK_COMM_SIZE]);

/* Tells a table which owners have changed since the last call. changes: from owner_changes_open();
 * -1: nothing is told. Call it after the rings were looked at, and before their records are taken:
 * what a task creates after a change is in a later record. */
void proc_tasks_hear(int changes, struct task_table *task_table);

/* Reads the names of all processes once at the start, since one that ends soon has none later; not
 * of the kernel's threads, which stay. The newest first, which are likely to end soonest, and for
 * 50 ms at most, since the first table waits. */
void proc_tasks_meet(struct ledger *ledger);

/* Adds all threads that the ledger lacks: of the machine, or of a cgroup's directory (as
 * system/cgroup.h finds it; NULL: all). */
void proc_tasks_adopt(struct ledger *ledger, const char *cgroup);

/* The last scan of the machine. Zeroed: none. */
struct proc_scan_state {
    uint64_t generation, lost; /* of the counts; how many records were lost by then */
    uint64_t next;             /* when the next scan is due */
};

/* The same for the machine while records report new tasks: scans only after other counters were
 * opened, after records were lost, and every 10 s for tasks that write no records. */
void proc_tasks_keep(struct proc_scan_state *scan, struct ledger *ledger, uint64_t generation);
