/* Who there is: the tasks and processes that the records of the kernel have told of, each with an
 * identity of its own however often its pid is used again. Pure: names and owners that no record
 * tells are asked for through `lookup`. */
#ifndef ENGINE_TASK_TABLE_H
#define ENGINE_TASK_TABLE_H

#include "base/map.h"
#include "engine/decode.h"
#include "sample/snapshot.h"

/* From /proc, or a test. Each returns false for a task that is gone. */
struct task_table_lookup {
    void *ctx;
    bool (*comm)(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE]);
    /* Fills ppid, uid and comm. */
    bool (*process)(void *ctx, pid_t pid, struct process_info *process);
    bool (*alive)(void *ctx, pid_t pid, pid_t tid);
};

struct process {
    struct process_info info;
    bool asked; /* lookup was tried */
    bool leader_ended;
    size_t tasks;  /* in the roster, ended ones that are not yet forgotten included */
    size_t living; /* of these, those that have not ended */
    size_t listed; /* index in the snapshot being made, + 1 */
};

struct task {
    uint64_t id;
    pid_t tid;
    struct process *process;
    char comm[TASK_COMM_SIZE];
    bool named; /* comm is known */
    bool ended;
    bool told;              /* its end was in a snapshot */
    bool touched;           /* is in roster.touched */
    bool several;           /* it stands for threads that are counted together */
    bool member;            /* see roster.members_only */
    size_t ending;          /* for the ledger: the CPU that waits for its last slice, + 1 */
    uint64_t since;         /* time of the first record that knew it */
    int cpu;                /* ran there last, -1 */
    enum event_state state; /* not EVENT_COUNTED: it cannot be counted, why */
    uint64_t oncpu;         /* ns */
    uint64_t ahead;         /* of them those after the moment that the next snapshot is of */
    struct counts counts;   /* of the roster's event set */
};

struct task_table {
    const struct task_table_lookup *lookup;
    const struct event_set *events; /* NULL until task_table_count */
    struct map tasks;               /* by tid: the one that has it now */
    struct map processes;           /* by pid */
    bool members_only; /* only tasks that are known to be counted are listed: others may not be */
    uint64_t next_id;
    size_t touched_count, touched_room;
    struct task **touched;   /* to be in the next snapshot */
    struct counts forgotten; /* of all tasks that were freed since task_table_count */
};

void task_table_init(struct task_table *task_table, const struct task_table_lookup *lookup);
void task_table_release(struct task_table *task_table);

/* All counts are 0 from now on, and of that set, which outlives its use here. */
void task_table_count(struct task_table *task_table, const struct event_set *events);

/* The task that has that tid at that time; a new one where none is known. */
struct task *task_table_task(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

/* A task that has that tid from now on: whoever had it before has ended. For sources that are told
 * of no births and ends. */
struct task *task_table_begin(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

/* A task that was found in /proc at that time; NULL for one that is dead and only waits to be
 * reaped: no record would tell of its end. */
struct task *task_table_adopt(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

void task_table_touch(struct task_table *task_table, struct task *task);
void task_table_fork(struct task_table *task_table, const struct record *record);
void task_table_comm(struct task_table *task_table, const struct record *record);
void task_table_end(struct task_table *task_table, struct task *task);

/* Asks for its name, owner and parent now, lest it is gone before it is listed. */
void task_table_meet(struct task_table *task_table, struct task *task);

/* Its name as it is now: for sources that get no COMM records. */
void task_table_name(struct task *task, const char comm[TASK_COMM_SIZE]);

/* Ends all tasks that are gone: after records were lost, the news of it may be among them. */
void task_table_sweep(struct task_table *task_table);

/* Adds the tasks that were touched since the last call, or all of them, to a snapshot. An ended one
 * is listed twice, in case its last slice is told late, then `forget` (NULL: none) is called and it
 * is freed. */
void task_table_list(struct task_table *task_table, struct snapshot *snapshot, bool all,
                     void (*forget)(void *ctx, struct task *task), void *ctx);

/* Adds the counts of all tasks that there are and were since task_table_count. */
void task_table_add_up(const struct task_table *task_table, struct counts *sum);

#endif
