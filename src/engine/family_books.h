/* Which row has what was counted for the tasks of a command, for engine/family.c alone. The books
 * open nothing and read nothing.
 *
 * A root is a task for which events were opened, once on each CPU; its members are the root itself
 * and all tasks that inherited these events (perf_event_open(2), inherit). What all members of a
 * root have counted together can be read at any time. What one member has counted is reported by
 * samples while it lives, and by each event when it ends. Counts that are not reported for a member
 * yet stay unassigned: they are in no row until only one member can own them.
 *
 * Invariant: a row never decreases, and the rows of a root never have more than its members counted
 * together. */
#pragma once

#include "engine/task_table.h"

struct book_amount {
    uint64_t value;
    uint64_t running; /* ns */
};

/* A slot is one event on one CPU. */
struct book_slot {
    size_t group; /* of the event set */
    int event;    /* of the event set; -1: none */
    bool leads;   /* the group's time running is the leader's */
    bool clock;   /* its time running is that of the task on the CPU */
};

struct book_root {
    struct book_amount *whole;  /* by slot: what all members counted; set by the caller */
    struct book_amount *booked; /* by slot: what of it is in rows */
    size_t open;                /* members that have not reported all that they counted */
    size_t living;              /* members that have not ended */
};

struct book_member {
    struct task *task;
    struct book_root *root;
    size_t reported;  /* slots that were reported at its end */
    bool over;        /* a record says that it has ended */
    bool bare;        /* it has executed a program of which no code is mapped yet */
    bool closed;      /* it has reported all slots */
    uint64_t clock;   /* ns on CPUs, by the clocks in its row */
    uint64_t enabled; /* ns on CPUs at its last sample */
    uint64_t ran;     /* ... of these in this row */
    struct book_amount
        *last; /* by slot, what its row has; NULL: only the report at its end adds to it */
};

struct family_books {
    const struct event_set *set;
    size_t count;
    struct book_slot *slots;
    struct map members; /* by the task's id */
    uint64_t oncpu;     /* ns, of all rows */
};

/* Prepares empty books with that many zeroed slots, which the caller fills. Borrows the set. */
void books_init(struct family_books *books, const struct event_set *set, size_t slots);
void books_release(struct family_books *books);

void book_root_init(struct book_root *root, const struct family_books *books);
void book_root_release(struct book_root *root);

/* The member of a task; if it has none, a new one of this root. The books own it. */
struct book_member *books_member(struct family_books *books, struct book_root *root,
                                 struct task *task);

/* Notes that a member has ended. What it counted comes by books_report(), before or after this. */
void books_end(struct book_member *member);

/* Adds to a member's row what an event counted for it in all, as reported at its end. Call it once
 * for each slot; after the last one the member is closed. */
void books_report(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now);

/* Raise a living member's row to what a sample reports: an event's count so far, and the ns on CPUs
 * so far. A value that is lower than the row's changes nothing. */
void books_sample(struct family_books *books, struct book_member *member, size_t slot,
                  struct book_amount now);
void books_sample_time(struct family_books *books, struct book_member *member, uint64_t enabled);

/* Raises a task's time on CPUs to at least that many ns. */
void books_ran(struct family_books *books, struct task *task, uint64_t oncpu);

/* Raises the time in which a multiplexed group was enabled to the member's time on CPUs, so that
 * its row shows the coverage while it lives. */
void books_cover(struct book_member *member, size_t group);

/* Gives `task` the member of the thread that executed a program: the kernel gave that thread the
 * number of its process's first one (task_table_comm()). Does nothing if `task` has a member, or no
 * living one is found. */
void books_take_over(struct family_books *books, struct task *task);

/* The only member that can own the root's unassigned counts; NULL: there are several, or none. */
struct book_member *books_sole(const struct family_books *books, const struct book_root *root);

/* Picks the member that gets the unassigned counts where they have to be in one row now. That is
 * the root's own task `first` unless it is closed, since the kernel writes no report for the task
 * with which the events end; else a member that has ended and not reported; else a living one; else
 * `first`. NULL: none of the root is left. */
struct book_member *books_holder(const struct family_books *books, const struct book_root *root,
                                 const struct task *first);

/* Adds the root's unassigned counts to a member's row. What the member reports later adds only what
 * exceeds that. */
void books_settle(struct family_books *books, struct book_member *member);

/* Frees the member of a task that the table is about to free. */
void books_forget(struct family_books *books, const struct task *task);
