/* What is known of a task's single waits, slices and sleeps in an interval, of which its counts
 * have only the sums: how many were how long. Numbers of them are kept in buckets, eight for each
 * power of two of their length in ns, so that the middle of a bucket is at most 6 % from any length
 * in it. */
#pragma once

#include "base/base.h"

enum span_kind {
    SPAN_WAIT,   /* from when a thread could run to when it got a CPU */
    SPAN_WAKEUP, /* those after a wake-up */
    SPAN_SLICE,  /* on a CPU, from one switch to the next */
    SPAN_SLEEP,  /* from leaving a CPU to the wake-up */
    SPAN_KINDS,
};
/* What is told of the spans of a kind: metrics, expressions and histograms are of these tables. */
enum span_figure { SPAN_P50, SPAN_P95, SPAN_P99, SPAN_MAX, SPAN_FIGURES };
struct span_kind_text {
    const char *name, *title; /* "wakeup", and in titles of columns "wake" */
    const char *help, *many;  /* "a wait ...", "waits ..." */
};
struct span_figure_text {
    const char *name, *help; /* "p50", "half of them ..." */
    double part;             /* 0 to 1: see wait_facts_quantile() */
};
extern const struct span_kind_text span_kinds[SPAN_KINDS];
extern const struct span_figure_text span_figures[SPAN_FIGURES];

enum { SPAN_BUCKETS = 496 }; /* for all lengths of 64 bits */

/* The bucket of a length in ns, and the least length in a bucket. */
static inline size_t span_bucket(uint64_t ns)
{
    enum { FINE_BITS = 3 };
    if (ns < 1 << FINE_BITS)
        return (size_t)ns;
    unsigned shift = 63 - (unsigned)__builtin_clzll(ns) - FINE_BITS;
    return ((size_t)shift << FINE_BITS) + (size_t)(ns >> shift);
}
uint64_t span_least(size_t bucket);

/* The kernel's names have 15 bytes (TASK_COMM_LEN in include/linux/sched.h). A task that ended
 * before anybody read its name has a longer one, so that it is no other's. */
enum { TASK_COMM_SIZE = 20 };
extern const char task_unnamed[TASK_COMM_SIZE];
const char *task_known_name(const char *comm); /* NULL for that one */

/* Who had the CPU that a task waited for: its waiting time is the sum of all of these, in ns. */

/* Of a task in an interval; and of a sum, where fewer would depend on the order of its parts. */
enum { WAIT_TAKERS = 8, WAIT_TAKERS_SUM = 256 };

struct wait_taker {
    uint64_t id; /* of the process */
    pid_t pid;
    char comm[TASK_COMM_SIZE];
    uint64_t taken;
    uint64_t sure; /* the part that the task spent in the queue of that very CPU, certainly */
};

/* What is of no process that is told. */
enum no_taker {
    TAKEN_OTHERS,    /* processes that took less than the others, or are not known */
    TAKEN_NOBODY,    /* the CPU had no task: it woke up, or switched */
    TAKEN_THROTTLED, /* the same while the task could have gone on: cpu.max stopped it */
    /* Parts of what the others would have taken, by /proc/stat: see wait_takers_lose(). */
    TAKEN_STOLEN,     /* a hypervisor ran others */
    TAKEN_INTERRUPTS, /* with softirqs */
    NO_TAKERS,
};
extern const char *const no_taker_names[NO_TAKERS]; /* "others" and so on */

struct wait_takers {
    uint64_t none[NO_TAKERS];
    uint32_t count, room;     /* at most `most` of wait_takers_add() */
    struct wait_taker list[]; /* the largest first */
};

enum { SPAN_COUNT_BITS = 21, SPAN_COUNT_MASK = (1 << SPAN_COUNT_BITS) - 1 };

/* A task has these in each interval in which it switched: in 200 bytes there is room for 26 kinds
 * and buckets, or for 5 and a taker. */
struct wait_facts {
    uint64_t sum[SPAN_KINDS], most[SPAN_KINDS]; /* ns */
    struct wait_takers *takers;                 /* NULL: it did not wait */
    uint32_t listed : 31; /* in frames: how many of its waits are in the list of long ones */
    uint32_t wide : 1;    /* the upper parts of numbers follow, of each place in `spans` */
    uint16_t count, room;
    /* At most seven eighths of the room, by the hash of kind and bucket: these, and in the lower
     * SPAN_COUNT_BITS how many; 0: free. Those after a wake-up are of SPAN_WAKEUP alone here. */
    uint32_t spans[];
};

/* A single wait for a CPU that took long. */
struct long_wait_task {
    pid_t id; /* 0: none, or the idle task; -1: it is not known */
    char comm[TASK_COMM_SIZE];
};
struct long_wait {
    uint64_t end, length; /* monotonic, ns */
    double time;          /* of its end, seconds since 1970 */
    pid_t pid;
    struct long_wait_task task, taker,
        waker;      /* taker: the process that had the CPU for most of it */
    uint64_t taken; /* by that one, ns; of a wait in several intervals: in one of them */
    bool woken;     /* after a wake-up; else it was preempted */
    bool interrupt; /* an interrupt woke it */
};

/* The last ones of an interval. */
enum { LONG_WAITS_MAX = 1000 };
struct long_waits {
    size_t count; /* of all; the list has the last LONG_WAITS_MAX of them */
    size_t next;  /* the place after the newest in the list, which is a ring when it is full */
    struct long_wait list[LONG_WAITS_MAX];
};
/* Adds one; *waits NULL: the first. */
struct long_wait *long_waits_add(struct long_waits **waits);
/* Adds copies of later ones; *waits, which the caller frees, as above. more may be NULL. */
void long_waits_join(struct long_waits **waits, const struct long_waits *more);
/* The i-th of them from the oldest that the list has; NULL after the newest, and if waits is. */
const struct long_wait *long_waits_get(const struct long_waits *waits, size_t i);

/* What a sleeping task waits for. Texts are as other programs chose them, and valid until the next
 * frame; NULL: not known, or there is none. */
struct task_wait {
    const char *kind;     /* "mutex", "read" ... */
    const char *text;     /* "mutex 0x5581f0, held by 4712" */
    const char *address;  /* of a socket's peer, or in memory */
    const char *path;     /* of a file */
    const char *next;     /* followed: ", which waits for: fsync /a"; "" */
    const char *reason;   /* why it is not known */
    const char *deadlock; /* "deadlock: 3 threads wait for each other: 4711, 4712, 4713" */
    uint64_t seq;         /* number of the frame that asked last */
    pid_t tid;            /* of the task */
    pid_t pid;            /* of the thread or process that it waits for; 0: not known */
};

/* Adds one span; one of SPAN_WAKEUP is of SPAN_WAIT, too. *facts NULL: the first of the interval.
 */
static inline void wait_facts_span(struct wait_facts **facts, enum span_kind kind, uint64_t ns);
/* The takers of a task, none at first. */
struct wait_takers *wait_facts_takers(struct wait_facts **facts);
/* Adds what a process took; of more than `most` the smallest goes to `others`. */
void wait_takers_add(struct wait_takers **takers, const struct wait_taker *more, size_t most);
void wait_takers_cut(struct wait_takers *takers); /* the same for a whole sum: to WAIT_TAKERS */
/* Moves these shares (0 to 1) of the time that processes took to TAKEN_STOLEN and TAKEN_INTERRUPTS.
 * The sum stays the same, to the nanosecond. */
void wait_takers_lose(struct wait_takers *takers, double stolen, double interrupts);
/* How long the task waited, ns: the sum of all takers. Not for NULL. */
uint64_t wait_takers_sum(const struct wait_takers *takers);
/* Adds that many spans of about a length, but not to `sum` and `most`. Those of SPAN_WAKEUP are of
 * SPAN_WAIT, too; with `both` they have been added there. */
void wait_facts_put(struct wait_facts **facts, enum span_kind kind, uint64_t ns, uint64_t times,
                    bool both);
/* Adds all of `from`, which may be NULL. */
void wait_facts_add(struct wait_facts **to, const struct wait_facts *from);
void wait_facts_free(struct wait_facts *facts); /* NULL is fine */

/* The numbers of spans in each bucket; returns their sum. facts NULL: all 0. */
uint64_t wait_facts_buckets(const struct wait_facts *facts, enum span_kind kind,
                            uint64_t counts[SPAN_BUCKETS]);
/* The length, ns, that this part (0 to 1) of the spans does not exceed: at most 7 % off, the
 * longest (part 1) exactly. Below 0: there are no spans. */
double wait_facts_quantile(const struct wait_facts *facts, enum span_kind kind, double part);

/* Inline, since it is called for each context switch of the machine. */
static inline size_t wait_facts_place(const struct wait_facts *facts, uint32_t key)
{
    return ((uint32_t)key * 0x9e3779b1u >> 16) * facts->room >> 16;
}

static inline size_t wait_facts_find(const struct wait_facts *facts, uint32_t key)
{
    size_t at = wait_facts_place(facts, key);
    while (facts->spans[at] && facts->spans[at] >> SPAN_COUNT_BITS != key)
        at = at + 1U < facts->room ? at + 1 : 0;
    return at;
}

static inline uint32_t span_key(enum span_kind kind, uint64_t ns)
{
    return (uint32_t)(kind * SPAN_BUCKETS + span_bucket(ns)) + 1;
}

static inline void wait_facts_span(struct wait_facts **facts, enum span_kind kind, uint64_t ns)
{
    uint32_t *span = *facts ? &(*facts)->spans[wait_facts_find(*facts, span_key(kind, ns))] : NULL;
    if (span && *span && (*span & SPAN_COUNT_MASK) < SPAN_COUNT_MASK)
        ++*span;
    else
        wait_facts_put(facts, kind, ns, 1, false);
    for (enum span_kind k = kind == SPAN_WAKEUP ? SPAN_WAIT : kind; k <= kind; k++) {
        (*facts)->sum[k] += ns;
        if (ns > (*facts)->most[k])
            (*facts)->most[k] = ns;
    }
}
