/* The tasks and processes in the kernel's records. Each has an id of its own, however often its pid
 * is reused. Pure: names and owners that are in no record come from `lookup`. */
#ifndef ENGINE_TASK_TABLE_H
#define ENGINE_TASK_TABLE_H

#include "base/map.h"
#include "engine/decode.h"
#include "engine/waits.h"
#include "sample/snapshot.h"
#include "system/owner_changes.h"

/* From /proc, or a test. Each returns false for a task that is gone. */
struct task_table_lookup {
    void *ctx;
    bool (*comm)(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE]);
    /* Fills ppid, uid and comm. */
    bool (*process)(void *ctx, pid_t pid, struct process_info *process);
    bool (*alive)(void *ctx, pid_t pid, pid_t tid);
    /* ns in which the thread waited for a CPU, up to its last return to one. NULL: not known. */
    bool (*delay)(void *ctx, pid_t pid, pid_t tid, uint64_t *delay);
    /* The effective uid of a thread. NULL: not known. */
    bool (*owner)(void *ctx, pid_t pid, pid_t tid, uid_t *uid);
};

struct process {
    struct process_info info;
    uint64_t asked; /* the round in which lookup was tried last; 0: not yet */
    bool leader_ended;
    size_t tasks;  /* in the table, with ended ones that are not yet freed */
    size_t living; /* those that have not ended */
    size_t listed; /* index in the snapshot being made, + 1 */
};

struct task {  /* first what each context switch needs, together in the cache */
    pid_t pid; /* of its process */
    pid_t tid;
    int cpu; /* on which it ran last; -1: not known */
    bool ended;
    bool touched;             /* is in task_table.touched */
    bool member;              /* see task_table.members_only */
    bool several;             /* stands for threads that are counted together */
    uint64_t seen;            /* on `cpu`, at that time */
    uint64_t oncpu;           /* ns */
    uint64_t ahead;           /* part of oncpu: after the moment of the next snapshot */
    struct counts counts;     /* of the table's event set, without kept events */
    struct task_waits *waits; /* these; NULL: there are none */
    uint64_t id;
    struct process *process;
    uid_t uid; /* of a thread that got an owner of its own; (uid_t)-1: its process's */
    char comm[TASK_COMM_SIZE];
    bool named;             /* comm is known */
    bool end_listed;        /* its end was in a snapshot */
    uint64_t listed;        /* then: a hash of what that snapshot has of it */
    size_t exiting;         /* for the ledger: the CPU that awaits the end of its last slice, + 1 */
    uint64_t since;         /* time of the first record about it, or of task_table_begin() */
    enum event_state state; /* not EVENT_COUNTED: why it cannot be counted */
};

struct task_table {
    const struct task_table_lookup *lookup;
    const struct event_set *events; /* NULL until task_table_count */
    struct map tasks;               /* by tid: its current task */
    struct map processes;           /* by pid */
    bool members_only;              /* list only members: tasks that are known to be counted */
    bool waits;                     /* any event is kept */
    bool delays;                    /* waiting after wake-ups is what lookup->delay says */
    /* Owners may change without execve(2). If the kernel tells, each process is asked once, else
     * once in each round, which is between two snapshots, in which it runs or has children. */
    bool owners_reported;
    uint64_t round;
    size_t change_count, change_room;
    struct owner_change *changes; /* told and not yet reached, in order of time */
    uint64_t next_id;
    const struct task_table *before; /* see task_table_follow(); NULL */
    bool knows_ends;                 /* the one before does */
    size_t touched_count, touched_room;
    struct task **touched;   /* to be in the next snapshot */
    bool whole;              /* all others are in a snapshot as they are: snapshot.whole */
    struct counts forgotten; /* of all tasks that were freed since task_table_count */
};

void task_table_init(struct task_table *task_table, const struct task_table_lookup *lookup);
void task_table_release(struct task_table *task_table);

/* An empty table takes the place of another one: its ids go on, and the tasks that are added while
 * `before` is set and are still those of the other table keep theirs. knows_ends: the other one
 * has been told of all that ended; else tasks are the same if task_table_begin() got the same time
 * for both. */
void task_table_follow(struct task_table *task_table, const struct task_table *before,
                       bool knows_ends);

/* Starts all counts at 0, for this set, which must outlive its use here. */
void task_table_count(struct task_table *task_table, const struct event_set *events);

/* The task that has this tid at this time; a new one if none is known. */
static inline struct task *task_table_task(struct task_table *task_table, pid_t pid, pid_t tid,
                                           uint64_t time);

/* A new task with this tid; ends the previous one. For sources without records of births and
 * ends, whose time may be anything that tells tasks with one tid apart. */
struct task *task_table_begin(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

/* The task with this tid that was found in /proc at this time; NULL for a zombie, whose end no
 * record would report. */
struct task *task_table_adopt(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

/* It is to be in the next snapshot. */
static inline void task_table_touch(struct task_table *task_table, struct task *task);
void task_table_fork(struct task_table *task_table, const struct record *record);
void task_table_comm(struct task_table *task_table, const struct record *record);
void task_table_end(struct task_table *task_table, struct task *task);

/* A task has another owner from then on, and what it creates later. Records of earlier times may
 * still follow. */
void task_table_change(struct task_table *task_table, const struct owner_change *change);
/* Some changes were not told: all are asked again. */
void task_table_doubt(struct task_table *task_table);

/* No process belongs to the command any more: another one will be started. */
void task_table_forget_command(struct task_table *task_table);

/* Looks up its name, owner and parent now, before it may be gone. */
void task_table_meet(struct task_table *task_table, struct task *task);

/* Sets its name: for sources without COMM records. */
void task_table_name(struct task *task, const char comm[TASK_COMM_SIZE]);

/* Ends all tasks that are gone. Call it after records were lost, which may have reported their
 * end. */
void task_table_sweep(struct task_table *task_table);

/* Adds the tasks that were touched since the last call to a snapshot. all: it is whole, and if the
 * one before was not, has all tasks. An ended task is listed twice, since the record of its last
 * slice may come late; then `forget` (NULL: none) is called and it is freed. */
void task_table_list(struct task_table *task_table, struct snapshot *snapshot, bool all,
                     void (*forget)(void *ctx, struct task *task), void *ctx);

/* Adds the counts of all tasks since task_table_count, also of those that were freed. */
void task_table_add_up(const struct task_table *task_table, struct counts *sum);

/* Inline, since they are called for each context switch of the machine; these are their rare cases:
 * a task that is not known or that has another process's pid, and one that was not touched. */
struct task *task_table_renew(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);
void task_table_add_touched(struct task_table *task_table, struct task *task);

static inline struct task *task_table_task(struct task_table *task_table, pid_t pid, pid_t tid,
                                           uint64_t time)
{
    struct task *task = map_get(&task_table->tasks, (uint64_t)tid);
    if (task && task->pid == pid)
        return task;
    return task_table_renew(task_table, pid, tid, time);
}

static inline void task_table_touch(struct task_table *task_table, struct task *task)
{
    if (!task->touched)
        task_table_add_touched(task_table, task);
}

#endif
