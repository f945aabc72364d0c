/* Adds up the records of events that sample code. */
#ifndef ENGINE_CODE_SAMPLES_H
#define ENGINE_CODE_SAMPLES_H

#include "engine/code_stacks.h"
#include "engine/code_waits.h"
#include "engine/decode_code.h"
#include "sample/profile_sum.h"

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
    size_t depth_most;     /* addresses of a chain at which the kernel stops */

    struct profile_sum sum;
    struct map before; /* values at the last sample, by CPU and thread */
    uint64_t *deltas;  /* scratch, one for each of the events, or zeros for waits */
    struct code_waits waits;
    struct code_stacks held;
};

void code_samples_begin(struct code_samples *samples);
/* From now on adds to this profile, which is empty; the one before belongs to the caller. */
void code_samples_into(struct code_samples *samples, struct profile *profile);
/* Adds what has become known of samples before. */
void code_samples_settle(struct code_samples *samples);
/* The profile's interval ends at that time. */
void code_samples_cut(struct code_samples *samples, uint64_t time);
/* Takes a record; ctx: a struct code_samples. */
void code_samples_take(void *ctx, const struct code_record *record);
void code_samples_end(struct code_samples *samples); /* drops the profile */

#endif
