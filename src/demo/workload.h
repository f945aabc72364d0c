/* Workloads whose counts are known: what a run of a workload needs, and what is checked about its
 * counts. Texts, numbers and checks are read from workloads.conf, which is compiled in. */
#pragma once

#include "base/base.h"

#include <pthread.h>
#include <sched.h>

enum { WORK_PARTS = 3 };

/* What a worker says after it has done a number of turns (demo/worker.h). */
struct work_report {
    uint64_t least;             /* ns that the turns took, of the quickest repetition */
    uint64_t cpu;               /* ns of CPU time of all its threads since it began */
    uint64_t faults;            /* page faults since it began, from getrusage(2) */
    uint64_t involuntary;       /* context switches that others caused, since then */
    pid_t tids[2];              /* its threads; 0: none */
    uint64_t parts[WORK_PARTS]; /* ns since it began, by its own clock */
};

/* A workload in the process that does its work. */
struct work {
    const struct workload *workload;
    size_t value; /* of what can be changed (struct workload_knob) */
    int cpus[2];  /* it runs on the first; the second is -1 where there is only one CPU */
    cpu_set_t usable;
    size_t page; /* bytes */
    void *memory;
    size_t size;       /* of memory, bytes */
    void *at;          /* where in it the work goes on */
    pthread_t partner; /* the second thread, if there is one */
    pid_t tids[2];
    int pipes[2][2]; /* pipes[i] carries what thread i sends */
    uint64_t parts[WORK_PARTS];
    uint64_t turns, turn; /* all of a run, and the one at which it is; for the partner */
};

/* The difference between 2 N and N turns. What cannot be excluded is [0] of the run of N turns,
 * which the difference lacks, and [1] of that of 2 N turns. */
struct demo_difference {
    uint64_t turns;        /* N */
    size_t value;          /* of what can be changed */
    double counts[2];      /* of the first two events of the check */
    double coverage;       /* of the first one, 1: counted all of the time */
    uint64_t samples;      /* of which the counts are */
    double share;          /* of the check's part, by the work's own clock; NAN: not known */
    double explained;      /* the time that the samples stand for, of that which they should */
    const char *empty;     /* why no sample says anything; NULL: some do */
    uint64_t lost;         /* records */
    uint64_t unattributed; /* of the first event: the ledger could not tell whose they are */
    uint64_t faults[2];    /* page faults of the process in each run, by the kernel's own account */
    uint64_t cpu;          /* ns of CPU time, by the kernel's own account */
    uint64_t disturbed[2]; /* interrupts and page faults, at most */
    uint64_t involuntary[2]; /* context switches that others caused */
};

enum demo_verdict { DEMO_PASS, DEMO_FAIL, DEMO_NOT_MEASURABLE, DEMO_TOO_NOISY, DEMO_VERDICTS };

/* What a check found. Numbers that are not known are NAN. */
struct demo_result {
    const char *name; /* of the workload */
    char *what;       /* owned, as cause */
    double expected, low, high, measured;
    unsigned tries; /* that were made */
    double first;   /* what the first of them measured */
    enum demo_verdict verdict;
    char *cause;      /* why it is not measurable or too noisy; the known causes of a deviation */
    double from_time; /* where cycles cannot be counted: by the time of one addition */
};

/* What counts: the engine 'task', the engine 'cpu' (the ledger of all CPUs). */
enum { DEMO_TASK = 1, DEMO_LEDGER = 2, DEMO_BOTH = 3 };

struct demo_check {
    const char *what;   /* NULL: after the last check */
    const char *events; /* as -e takes them */
    unsigned engines;   /* one check by each */
    size_t thread;      /* 1, 2: of that thread alone; 0: of all */
    /* The event is sampled: it is about the share of a function, or of an inlined one, of its time
     * off the CPU, or about the functions of a stack, whose names begin so. */
    enum demo_code { DEMO_COUNTS, DEMO_SHARES, DEMO_INLINED, DEMO_WAITS, DEMO_DEPTH } code;
    const char *function;
    size_t part;       /* of work->parts, that says the share, from 1; 0: none */
    bool scaled;       /* the events must take turns */
    bool books;        /* the counts are the sums over all tasks, and over all CPUs */
    bool machine;      /* the count is that of all its events, of the whole machine */
    double expected;   /* per operation, or per turn */
    double low, high;  /* bounds of that */
    size_t operations; /* in a turn; 0: counts as such */
    size_t tries;      /* one within the bounds is enough, if others come between; 0: one. More
                          where records were lost, or counts are unattributed */
    enum demo_processor {
        DEMO_ANY,
        DEMO_PIPELINE, /* of a processor with a pipeline */
        DEMO_FIXED,    /* of one that takes the same time for each instruction, as emulators */
    } processor;
    /* How the bounds are found, and what `expected`, `low` and `high` are. */
    enum demo_judge {
        JUDGE_RATIO,        /* the first event an operation, or by the second event: the bounds */
        JUDGE_BRANCHES,     /* ... misses: half of the random ones; `low` less, `high` more */
        JUDGE_CACHE_MISSES, /* ... of the first level: 0 where the chain fits, else 1 - C/WS to 1 */
        JUDGE_FRONT_END, /* ... to `high` where code is larger than its caches; else below `low` */
        JUDGE_SHARE,     /* this share of the samples */
        JUDGE_CLOCK,     /* the CPU time, by the kernel's own account, to 1 % */
        JUDGE_HUGE_FAULTS, /* one for each huge page; less than half of the pages */
        JUDGE_EXACT,       /* `expected` a turn */
        JUDGE_FAULTS,      /* ... and as many as the process had more, by the kernel's account */
        /* ... and one for each interrupt and page fault: most processors count these among retired
         * instructions (Weaver, Terpstra, Moore: Non-determinism and overcount on modern hardware
         * performance counter implementations, ISPASS 2013). */
        JUDGE_INTERRUPTED,
        JUDGE_SWITCHES,    /* ... and one for each switch that others caused */
        JUDGE_FIXED_CLOCK, /* the same cycles for each instruction, whatever that number is */
        JUDGE_BOOKS,       /* the sum over tasks is that over CPUs */
        JUDGE_FRAMES,      /* `expected` frames */
    } judge;
    const char *causes; /* known causes of a deviation; NULL: none */
    bool excused;       /* they make the check too noisy, if more than `high` was measured */
};

/* What can be changed while a workload runs. */
struct workload_knob {
    const char *what; /* NULL: nothing */
    const char *unit; /* of its value: "%", "B" ... "" for none */
    size_t start;     /* its value in the self-test, and at first */
    size_t least, most;
    size_t step; /* 0: it is doubled and halved */
};

struct workload {
    const char *name;
    const char *teaches;
    const char *does;
    const char *formula;
    const char *next; /* what to try */
    size_t turns;     /* N; 0: as many of two cycles as take this time */
    size_t milliseconds;
    size_t together;  /* turns are done in multiples of this; 0: 1 */
    size_t parameter; /* of its functions */
    enum workload_needs {
        NEEDS_NOTHING,
        NEEDS_ASSEMBLER, /* its loop is written for the processor: loops_exact */
        NEEDS_CACHES,    /* the size of a cache, by which its knob starts; memory */
        NEEDS_ARRAYS,    /* both */
        NEEDS_HUGE_PAGES,
        NEEDS_TWO_CPUS,
        NEEDS_LINES, /* debug information of this program */
    } needs;
    struct workload_knob knob;
    bool threads; /* several can do it, each for itself */
    /* In the process that does the work, and again for another value; may be NULL. */
    void (*prepare)(struct work *work);
    void (*run)(struct work *work, uint64_t turns); /* calls `loop`, if it has that */
    void (*loop)(uint64_t turns);
    struct demo_check checks[6];
};

/* The first value of its knob; 0: the size of a cache, by which it goes, is not known. */
size_t workload_start(const struct workload *workload);
/* Why it cannot run here, which the caller frees; NULL: it can. */
char *workload_obstacle(const struct workload *workload);

struct workload_list {
    struct workload *workloads; /* in the order of --demo list; after the last one without a name */
    struct names texts;         /* of them */
};

struct workload_list *workload_list_new(void);
void workload_list_free(struct workload_list *list); /* NULL is fine */

/* Sets measured, expected, low and high. */
void workload_judge(const struct demo_check *check, const struct demo_difference *difference,
                    struct demo_result *result);

/* The name of the i-th, for str_nearest(); ctx: the list. NULL after the last. */
const char *workload_name(void *ctx, size_t i);
/* The workload of that name; NULL if there is none. */
const struct workload *workload_find(const struct workload_list *list, const char *name);
