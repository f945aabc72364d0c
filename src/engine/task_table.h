/* The tasks (threads) and processes that the kernel's records mention. Each has an id that is never
 * used again, however often its pid is. An engine owns the table and calls it from one thread; the
 * table owns its tasks and processes. It makes no system call: names and owners that no record has
 * come from `lookup`.
 *
 * Invariant: table.tasks has the current task of each tid; a task that has ended stays until it was
 * listed twice. */
#pragma once

#include "engine/decode.h"
#include "engine/waits.h"
#include "system/netlink.h"

/* Answers from /proc, or from a test. Each returns false for a task that is gone. */
struct task_table_lookup {
    void *ctx;
    bool (*comm)(void *ctx, pid_t pid, pid_t tid, char comm[TASK_COMM_SIZE]);
    /* Fills ppid, uid, comm and exited. */
    bool (*process)(void *ctx, pid_t pid, struct process_info *process);
    bool (*alive)(void *ctx, pid_t pid, pid_t tid);
    /* ns in which the thread waited for a CPU, up to its last return to one. NULL: not known. */
    bool (*delay)(void *ctx, pid_t pid, pid_t tid, uint64_t *delay);
    /* The effective uid of a thread. NULL: not known. */
    bool (*owner)(void *ctx, pid_t pid, pid_t tid, uid_t *uid);
    /* The id of the cgroup in which a process is, as samples have it; 0 for one that is gone. NULL:
     * not known. */
    uint64_t (*cgroup)(void *ctx, pid_t pid);
};

struct process {
    struct process_info info;
    uint64_t asked; /* the round in which lookup was tried last; 0: not yet */
    bool leader_ended;
    size_t tasks;   /* in the table, with ended ones that are not yet freed */
    size_t living;  /* those that have not ended */
    size_t listed;  /* index in the snapshot being made, + 1 */
    uint64_t taken; /* for the ledger, while it looks for who had a CPU */
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
    uint64_t cgroup;          /* in which it ran last; 0: not known */
    struct counts counts;     /* of the table's event set, without kept events */
    struct task_waits *waits; /* these; NULL: there are none */
    uint64_t near[10]; /* where the counts are if there is room: of eight events in a group */
    uint64_t id;
    struct process *process;
    uid_t uid; /* of a thread that got an owner of its own; (uid_t)-1: its process's */
    char comm[TASK_COMM_SIZE];
    bool named;      /* comm is known */
    bool end_listed; /* its end was in a snapshot */
    size_t exiting;  /* for the ledger: the CPU that awaits the end of its last slice, + 1 */
    uint64_t since;  /* time of the first record about it, or of task_table_begin() */
    size_t move_count, move_room;
    struct task_move *moves; /* since the last snapshot */
    enum event_state state;  /* not EVENT_COUNTED: why it cannot be counted */
};

struct task_table {
    const struct task_table_lookup *lookup;
    const struct event_set *events; /* NULL until task_table_count */
    struct map tasks;               /* by tid: its current task */
    struct map processes;           /* by pid */
    bool cgroups;                   /* samples tell them */
    bool members_only;              /* list only members: tasks that are known to be counted */
    bool waits;                     /* any event is kept */
    bool delays;                    /* waiting after wake-ups is what lookup->delay says: */
    struct waits *late;             /* by CPU, what it said since task_table_count() */
    size_t late_room;
    /* Owners may change without execve(2). If the kernel reports that, each process is looked up
     * once; else once in each round (the time between two snapshots) in which it runs or has
     * children. */
    bool owners_reported;
    uint64_t round;
    size_t change_count, change_room;
    struct owner_change *changes; /* reported and not yet applied, in order of time */
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

/* Lets an empty table continue another one: new ids follow its ids, and a task that is added while
 * table.before is set keeps the id that it had there, if it is the same task. knows_ends: records
 * reported all ends to the other table; else a task is the same if task_table_begin() got the same
 * time for it in both. */
void task_table_follow(struct task_table *task_table, const struct task_table *before,
                       bool knows_ends);

/* Sets all counts to 0, for this event set, which the table borrows. */
void task_table_count(struct task_table *task_table, const struct event_set *events);

/* A rare case of the next one: a task that is not known or that has another process's pid. */
struct task *task_table_renew(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);
/* The current task of this tid; if none is known, or it is of another process, a new one that
 * begins at that time (ns). Inline, since it is called for each context switch of the machine. */
static inline struct task *task_table_task(struct task_table *task_table, pid_t pid, pid_t tid,
                                           uint64_t time)
{
    struct task *task = map_get(&task_table->tasks, (uint64_t)tid);
    if (task && task->pid == pid)
        return task;
    return task_table_renew(task_table, pid, tid, time);
}

/* A new task with this tid; ends the previous one. For sources without records of births and
 * ends, whose time may be anything that tells tasks with one tid apart. */
struct task *task_table_begin(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

/* The task with this tid that was found in /proc at this time; NULL for a zombie, whose end no
 * record would report. */
struct task *task_table_adopt(struct task_table *task_table, pid_t pid, pid_t tid, uint64_t time);

void task_table_add_touched(struct task_table *task_table, struct task *task); /* for the next */
/* Marks a task for the next snapshot. Inline, as above. */
static inline void task_table_touch(struct task_table *task_table, struct task *task)
{
    if (!task->touched)
        task_table_add_touched(task_table, task);
}
/* Take a record of a birth, or of a new name. */
void task_table_fork(struct task_table *task_table, const struct record *record);
void task_table_comm(struct task_table *task_table, const struct record *record);
/* Ends a task: its tid is free, and it is listed twice more. */
void task_table_end(struct task_table *task_table, struct task *task);

/* Notes that a task, and what it creates later, has another owner from change->time on. Records of
 * earlier times may still follow. */
void task_table_change(struct task_table *task_table, const struct owner_change *change);
/* Some changes of owners were not reported: looks up all owners again. */
void task_table_doubt(struct task_table *task_table);

/* Notes that from now on a task runs in another cgroup. */
void task_table_move(const struct task_table *task_table, struct task *task, uint64_t cgroup);

/* Clears `command` of all processes: another command will be started. */
void task_table_forget_command(struct task_table *task_table);

/* Looks up a task's name, owner and parent now, while it lives. */
void task_table_meet(struct task_table *task_table, struct task *task);
/* Adds the process that was found in /proc at this time, by one look; false: it has ended. */
bool task_table_meet_process(struct task_table *task_table, pid_t pid, uint64_t time);

/* Sets the name of a task, and of its process if it is its first thread: for sources without COMM
 * records. Does not touch the task. */
void task_table_name(struct task *task, const char *comm);

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
