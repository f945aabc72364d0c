/* Where an event happened in the code: the samples of an interval, added up by thread, instruction
 * and callers. Immutable and shared by reference once it is in a snapshot. */
#pragma once

#include "code/code_book.h"
#include "event/event.h"
#include "sample/watch.h"

#include <poll.h>

/* How callers are found: by frame pointers; from a copy of the stack, by call frame information; by
 * the processor's record of calls. */
enum stacks { STACKS_FP, STACKS_DWARF, STACKS_LBR, STACKS_NONE };
extern const char *const stacks_words[]; /* as users write them; ends with NULL */

/* How samples are taken, and what they mean. */
struct sampling_style {
    enum stacks stacks;
    bool wall; /* a sample weighs one over the number of its process's threads that run then */
};

/* What is to be sampled. */
struct sampling {
    struct event event;       /* owned */
    uint64_t rate;            /* samples a second and CPU at which the kernel aims; 0: each event */
    struct event_list beside; /* read with each sample, as far as one group holds them; owned */
    struct watch watch;       /* of these tasks only; owned */
    struct cpulist cpus;      /* on these CPUs only; empty: all; owned */
    struct sampling_style style;
    uint32_t copy;             /* STACKS_DWARF: bytes of the stack */
    struct debug_fetch *fetch; /* as code_book_fetch(); not owned */
};
void sampling_copy(struct sampling *to, const struct sampling *from); /* initialises `to` */
void sampling_release(struct sampling *sampling);

/* The callers of an instruction, by return addresses. */
struct profile_chain {
    size_t depth;
    struct code_place *frames; /* the innermost first */
};

/* Where each switch is sampled, the values of a site are the time off the CPU that began there, in
 * ns, by why the thread left it. */
enum { PROFILE_BLOCKED, PROFILE_PREEMPTED, PROFILE_WAITS };
extern const char *const profile_wait_names[PROFILE_WAITS]; /* "blocked", "preempted" */

struct profile_site {
    pid_t pid, tid;
    struct code_place place;
    uint32_t chain; /* index into chains; chains[0] has no frames: none, or not kept */
    uint64_t samples;
    uint64_t weight; /* sum of periods: the estimated count of the event */
};

struct profile {
    int references; /* atomic */
    struct code_book *book;
    uint64_t start;     /* which start of sampling it is of; 0: of a recording */
    uint64_t duration;  /* ns of sampling; less than the interval where it began meanwhile */
    char *event;        /* its name */
    char *unit;         /* of the weights: "", "ns" */
    uint64_t rate;      /* as asked for */
    bool whole;         /* all tasks of the CPUs are sampled, those that were not asked for, too */
    struct watch watch; /* as asked for */
    struct cpulist cpus;
    uint64_t samples, weight; /* sums over all sites */
    /* Weights are those by elapsed time (struct sampling). Then `ran` has the sum of them by time
     * on CPUs, and `alone` the part of these that ran while no other thread of the process did. */
    bool wall;
    uint64_t ran, alone;
    uint64_t lost;         /* records that did not fit into the rings */
    uint64_t throttled;    /* times when the kernel stopped sampling for a tick */
    uint64_t exact;        /* samples whose address is exact (PERF_RECORD_MISC_EXACT_IP) */
    enum stacks stacks;    /* as asked for */
    uint64_t short_stacks; /* cut off, in user mode without a caller, or the last is no code */
    /* Of STACKS_DWARF: */
    uint64_t unwound;   /* stacks that were copied and unwound */
    uint64_t late;      /* ... that were not: too many, or not in time; by frame pointers instead */
    uint64_t copied;    /* bytes */
    uint64_t unwinding; /* CPU time that it took, ns */
    bool user_only;     /* kernel mode is not sampled */
    char *note;         /* what is not sampled, and the remedy, one line; NULL: nothing */
    size_t site_count, site_room;
    struct profile_site *sites;
    /* Counts of other events between the samples: site_count times `events` numbers, by site. */
    size_t events, value_room;
    char **names; /* of these events */
    uint64_t *values;
    size_t chain_count, chain_room, frame_count;
    struct profile_chain *chains;
};

struct profile *profile_new(struct code_book *book); /* shares the book */
void profile_drop(struct profile *profile);          /* NULL is fine */
/* Its note, or that PROFILE_PLACES_MAX was too little; NULL: nothing is to be told. */
const char *profile_note(const struct profile *profile);
/* Which of a site's values is the count of the event of that name; -1: none. */
int profile_value(const struct profile *profile, const char *name);
/* Which of a site's values is the first of the PROFILE_WAITS times off the CPU; -1: none is. */
int profile_waits(const struct profile *profile);
/* Adds a zeroed site, whose values are the last `events` numbers; earlier pointers become invalid.
 * Set `events` before the first. */
struct profile_site *profile_add_site(struct profile *profile);

/* Adds a copy of the chain, and returns its index. */
uint32_t profile_add_chain(struct profile *profile, const struct profile_chain *chain);

/* Takes samples. Is called by one thread at a time. */
struct profiler {
    const struct profiler_ops *ops;
};
struct profiler_ops {
    /* Starts; replaces what was sampled before, which stops in any case. Copies. -1 with a message:
     * the reason, and what can be sampled instead. */
    int (*start)(struct profiler *profiler, const struct sampling *sampling, struct err *err);
    void (*stop)(struct profiler *profiler); /* closes every descriptor */
    /* As in struct source_ops. */
    size_t (*poll_fds)(struct profiler *profiler, struct pollfd *fds, size_t room);
    void (*drain)(struct profiler *profiler);
    /* The samples from the end of the last call's up to that time (monotonic, ns), when the counts
     * beside them were read; NULL while stopped. The caller drops it. */
    struct profile *(*take)(struct profiler *profiler, uint64_t until);
    size_t (*descriptors)(const struct profiler *profiler);
    void (*close)(struct profiler *profiler); /* frees it */
};

/* --- A profile while samples are added: equal sites and equal chains of callers are kept once ---
 */

/* Bounds of memory: beyond PROFILE_PLACES_MAX sites samples are added up by thread and object,
 * beyond PROFILE_SITES_MAX by object alone (pid and tid 0). Beyond PROFILE_CHAINS_MAX chains, or
 * PROFILE_FRAMES_MAX frames in them, a sample has no callers. */
enum {
    PROFILE_SITES_MAX = 1 << 16,
    PROFILE_PLACES_MAX = PROFILE_SITES_MAX / 4 * 3,
    PROFILE_CHAINS_MAX = 1 << 14,
    PROFILE_FRAMES_MAX = 1 << 18,
};

struct profile_sum {
    struct profile *profile; /* NULL: none; set and filled by the owner, but for sites and chains */
    struct map sites, chains; /* index + 1, by hashes */
};

void profile_sum_release(struct profile_sum *sum); /* drops the profile; a zeroed one is empty */

/* Adds the samples of a site to the profile: site->chain is from profile_sum_chain(), `values` has
 * one for each of the profile's events. */
void profile_sum_add(struct profile_sum *sum, const struct profile_site *site,
                     const uint64_t *values);
/* The index of a chain of callers in the profile; if it has no equal one, a copy is added. 0 (no
 * callers) if the profile is full: PROFILE_CHAINS_MAX, PROFILE_FRAMES_MAX. */
uint32_t profile_sum_chain(struct profile_sum *sum, const struct profile_chain *chain);

/* Adds a whole profile. If the sum has none, or one of another start of sampling, that one is
 * replaced by an empty one like it first. */
void profile_sum_take(struct profile_sum *sum, const struct profile *profile);
