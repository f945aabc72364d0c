/* The descriptors that count one task of a command and all tasks that it creates from then on: each
 * CPU has the events once (perf_event_open(2), inherit). */
#ifndef ENGINE_FAMILY_ROOT_H
#define ENGINE_FAMILY_ROOT_H

#include "base/cpulist.h"
#include "engine/group.h"
#include "engine/ring.h"
#include "engine/task_table.h"

/* The books of a command's tasks (engine/family.h): whose row has what was counted. Pure.
 *
 * A root is a task for which events were opened; its members are itself and all tasks that
 * inherited these events. What a root's members have counted together is known at any time; what
 * one of them has is told at its end, by each event, and before that by samples. The rest, which
 * nobody has been told to have, is in no row, until only one member can have it. So a row never has
 * less than before, and all rows of a root never have more than the whole. */

struct book_amount {
    uint64_t value;
    uint64_t running; /* ns */
};

/* An event on a CPU. */
struct book_slot {
    size_t group; /* of the event set */
    int event;    /* of the event set; -1: none */
    bool leads;   /* the group's time running is the leader's */
    bool clock;   /* its time running is that of the task on the CPU */
};

struct book_root {
    struct book_amount *whole;  /* by slot: of all members, set by the owner */
    struct book_amount *booked; /* by slot: what of it is in rows */
    size_t open;                /* members that have not told all that they counted */
    size_t living;              /* members that have not ended */
};

struct book_member {
    struct task *task;
    struct book_root *root;
    size_t reported;          /* slots that were told at its end */
    bool over;                /* it has ended, as far as its events tell */
    bool bare;                /* it has executed a program of which no code is mapped yet */
    bool closed;              /* it has told all */
    uint64_t clock;           /* ns on CPUs, by the clocks in its row */
    uint64_t enabled;         /* ns on CPUs at its last sample */
    uint64_t ran;             /* ... of these in this row */
    struct book_amount *last; /* by slot, what its row has; NULL: only ends add to it */
};

struct family_books {
    const struct event_set *set;
    size_t count;
    struct book_slot *slots;
    struct map members; /* by the task's id */
    uint64_t oncpu;     /* ns, of all rows */
};

/* `slots` are zeroed, for the caller to fill. The set outlives the books. */
void books_init(struct family_books *books, const struct event_set *set, size_t slots);
void books_release(struct family_books *books);

void book_root_init(struct book_root *root, const struct family_books *books);
void book_root_release(struct book_root *root);

/* The task's member; a new one of this root if it has none. */
struct book_member *books_member(struct family_books *books, struct book_root *root,
                                 struct task *task);

/* A record says that the task has ended; what it counted is told apart from that. */
void books_end(struct book_member *member);

/* What an event counted for a task, told at its end: each slot once. */
void books_report(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now);

/* At a sample: what an event had counted for a task; how long that was on CPUs, ns. */
void books_sample(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now);
void books_sample_time(struct family_books *books, struct book_member *member, uint64_t enabled);

/* The task was on CPUs for at least this long, ns. */
void books_ran(struct family_books *books, struct task *task, uint64_t oncpu);

/* In a group that was not counted all the time, the times of a living task tell so. */
void books_cover(struct book_member *member, size_t group);

/* After executing a program, the thread that did so goes on as `task`, with the first thread's
 * number (task_table_comm()): with its events, and what its row had of them. */
void books_take_over(struct family_books *books, struct task *task);

/* The only member that can have the rest; NULL: there are several, or none. */
struct book_member *books_sole(const struct family_books *books, const struct book_root *root);

/* The member whose row the rest belongs in if that has to be one row now: the first, since one task
 * never tells, the one that ends with the events that were opened; else one that has ended and not
 * told, or that still lives. NULL if there is none. */
struct book_member *books_holder(const struct family_books *books, const struct book_root *root,
                                 const struct task *first);

/* Adds the rest to a member's row. What it tells later is compared with that. */
void books_settle(struct family_books *books, struct book_member *member);

/* Takes away what was settled, from a member that has no samples. */
void books_unsettle(struct family_books *books, struct book_member *member);

/* The table frees the task. */
void books_forget(struct family_books *books, const struct task *task);

/* The same for all roots of a command. */
struct family_style {
    const struct group_plan *plan;
    struct perf_event_attr filler;
    struct cpulist cpus;
    bool on_exec; /* counting starts when the task executes a program; else at once */
    /* Also samples, so that tasks have counts before they end. That needs Linux 6.12 (kernel commit
     * 7e8b255650fc: a sample has what the events counted for its task, not for all). */
    bool live;
    int changes;  /* from owner_changes_open() */
    size_t slots; /* events of one CPU, by family_slots() */
};

/* Where records are written. */
struct family_ring {
    struct ring ring;
    int fd;               /* the tracker that it is mapped on, if it is a CPU's */
    int cpu;              /* whose events write to it */
    struct record record; /* the next one, while it is merged */
    const struct perf_event_header *raw;
};

/* What is written on a CPU has that CPU's ring, for all roots. What an event tells at a task's end
 * is written on the CPU where that ends, whichever CPU's event it is, and each event has a ring of
 * its own for that: the kernel's counters of a ring are not made for two CPUs at once
 * (kernel/events/ring_buffer.c, perf_output_get_handle()), after which it stays silent for ever.
 * Those who write for the same event wait for each other (kernel/events/core.c,
 * perf_event_exit_event(): child_mutex). */
struct family_rings {
    struct family_ring *rings; /* of each CPU, then of each root by slot */
    size_t count;
    size_t bytes; /* at most, of an event's */
};

struct family_root {
    struct book_root book;
    pid_t pid, tid;
    struct task *task;         /* in the task table; NULL: it was freed */
    uint64_t before;           /* ns on CPUs that are not counted, since they were before */
    int *fds;                  /* by slot: those of a CPU are consecutive, its clock comes first */
    int *local;                /* of each CPU: its tracker, and a ticker for each shape; -1: none */
    struct family_ring *rings; /* by slot */
};

/* Whether this kernel writes what a task counted when it ends: 6.18 does, 6.1 does not
 * (kernel/events/core.c, sync_child_event(): the task is TASK_TOMBSTONE by then). Found out with
 * two processes that end at once; to be called before threads are started. */
bool family_reads_exits(void);

size_t family_slots(const struct group_plan *plan);

/* Fills the slots of all CPUs. */
void family_root_describe(const struct family_style *style, struct book_slot *slots);

/* Rings for that many roots; none is mapped. */
void family_rings_init(struct family_rings *rings, const struct family_style *style, size_t roots);
void family_rings_release(struct family_rings *rings);

/* Opens root->tid on each CPU; `at` is its number. -1 with a message, and errno ESRCH if the task
 * is gone; then it has to be closed, too. */
int family_root_open(struct family_root *root, size_t at, const struct family_style *style,
                     struct family_rings *rings, struct err *err);
void family_root_enable(const struct family_root *root, const struct family_style *style);
void family_root_close(struct family_root *root, const struct family_style *style);

/* The event on the CPU with that index that records births, names and ends. */
int family_root_tracker(const struct family_root *root, const struct family_style *style, size_t c);

size_t family_root_descriptors(const struct family_root *root, const struct family_style *style);

/* Reads what all its members have counted. Returns the number of records of births, names, ends and
 * counts that could not be written. */
uint64_t family_root_read(struct family_root *root, const struct family_style *style);

#endif
