/* The descriptors that count one task of a command and all tasks that it creates from then on: each
 * CPU has the events once (perf_event_open(2), inherit). */
#ifndef ENGINE_FAMILY_ROOT_H
#define ENGINE_FAMILY_ROOT_H

#include "base/cpulist.h"
#include "engine/family_books.h"
#include "engine/group.h"
#include "engine/ring.h"

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
