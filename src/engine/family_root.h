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
    size_t slots; /* events of one CPU, by family_slots() */
};

struct family_root {
    struct book_root book;
    pid_t pid, tid;
    struct task *task; /* in the task table; NULL: it was freed */
    uint64_t before;   /* ns on CPUs that are not counted, since they were before */
    int *fds;          /* by slot: those of a CPU are consecutive, its tracker comes first */
    int *tickers;      /* by CPU and shape; -1: none */
};

/* A ring on each CPU, for the records of all roots. */
struct family_ring {
    struct ring ring;
    int fd;               /* the tracker that it is mapped on; -1: none yet */
    struct record record; /* the next one, if `more` */
    const struct perf_event_header *raw;
    bool more;
};

/* Whether this kernel writes what a task counted when it ends: 6.18 does, 6.1 does not
 * (kernel/events/core.c, sync_child_event(): the task is TASK_TOMBSTONE by then). Found out with
 * two processes that end at once; to be called before threads are started. */
bool family_reads_exits(void);

size_t family_slots(const struct group_plan *plan);

/* Fills the slots of all CPUs. */
void family_root_describe(const struct family_style *style, struct book_slot *slots);

/* Opens root->tid on each CPU. -1 with a message, and errno ESRCH if the task is gone; then it has
 * to be closed, too. */
int family_root_open(struct family_root *root, const struct family_style *style,
                     struct family_ring *rings, struct err *err);
void family_root_enable(const struct family_root *root, const struct family_style *style);
void family_root_close(struct family_root *root, const struct family_style *style);

size_t family_root_descriptors(const struct family_root *root, const struct family_style *style);

/* Reads what all its members have counted. */
void family_root_read(struct family_root *root, const struct family_style *style);

#endif
