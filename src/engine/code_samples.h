/* Adds up the records of events that sample code into a profile. Part of the code profiler, which
 * owns it and calls it from one thread.
 *
 * Two kinds of samples are added later than they are read. A sample with a copy of its stack is
 * held until the stack is unwound, or until the interval ends: then its callers are those that
 * frame pointers give. A sample of a switch stands for the time that its thread is off the CPU:
 * what has passed of it when an interval ends belongs to that interval. */
#pragma once

#include "code/unwinder.h"
#include "engine/decode_code.h"

enum {
    CODE_STACKS_RATE = 199, /* samples a second and CPU, at most */
    CODE_STACKS_MAX = 400,  /* copies a second that are unwound */
};

struct code_stacks { /* zeroed: nothing is unwound */
    struct unwinder *unwinder;
    struct held_sample *first, **end;
    uint64_t numbers;
    uint64_t second; /* since when copies are counted, ns */
    uint64_t count;  /* of them */
    uint64_t time;   /* of the unwinder, when an interval began */
};

struct code_samples {
    /* Set by the owner, before code_samples_begin(). */
    struct code_book *book;
    bool whole;            /* groups are of CPUs, not of tasks */
    bool clock;            /* the sampled event is a clock */
    bool reads;            /* samples have the values of their group: */
    size_t events;         /* ... of the sampled event and as many more */
    enum stacks stacks;    /* how samples have callers */
    uint64_t scheduler[2]; /* of switches: the bounds of the kernel's scheduler; 0: not known */
    bool switches;         /* samples are switches: how long threads are off the CPU is added up */
    uint64_t together; /* by elapsed time: a thread runs for so many ns after a sample; 0: else */
    size_t depth_most; /* addresses of a chain at which the kernel stops */

    struct profile_sum sum;
    struct map before;  /* values at the last sample, by CPU and thread */
    uint64_t *deltas;   /* scratch, one for each of the events, or zeros for waits */
    struct map running; /* by pid: threads that were sampled last */
    struct map waits;   /* of threads off their CPU, by tid */
    struct code_stacks held;
};

/* Prepares for records; call code_samples_into() before the first one. */
void code_samples_begin(struct code_samples *samples);
/* Adds to this empty profile from now on, which samples->sum then owns; the profile before belongs
 * to the caller. */
void code_samples_into(struct code_samples *samples, struct profile *profile);
/* Notes that a thread is on no CPU when sampling begins: where and why it left is not known until
 * it runs. */
void code_samples_asleep(struct code_samples *samples, pid_t pid, pid_t tid);
/* Adds one record to the profile, or tells the code book what it says of mappings. */
void code_samples_take(struct code_samples *samples, const struct code_record *record);
/* Adds the held samples whose stacks have been unwound meanwhile. Does not wait. */
void code_samples_settle(struct code_samples *samples);
/* Ends the profile's interval at that time (monotonic, ns): adds all held samples, and of each wait
 * what has passed. Waits up to 80 ms for the unwinder. */
void code_samples_cut(struct code_samples *samples, uint64_t time);
/* The number of threads noted by code_samples_asleep() that have not run yet. */
size_t code_samples_unknown(const struct code_samples *samples);
/* Drops the profile and frees everything; a zeroed one is fine. */
void code_samples_end(struct code_samples *samples);
