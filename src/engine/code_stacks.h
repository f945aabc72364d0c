/* Samples whose stacks were copied, until they are unwound or the interval ends. */
#ifndef ENGINE_CODE_STACKS_H
#define ENGINE_CODE_STACKS_H

#include "code/unwinder.h"
#include "engine/code_waits.h"
#include "engine/decode_code.h"
#include "sample/profile_sum.h"

/* Whether the kernel and the processor can give callers as they are asked for. -1 with a message.
 */
int code_stacks_check(const struct sampling *sampling, bool user_only, struct err *err);

enum {
    CODE_STACKS_RATE = 199, /* samples a second and CPU, at most */
    CODE_STACKS_MAX = 400,  /* copies a second that are unwound */
};

struct code_stacks {          /* zeroed: nothing is unwound */
    struct code_waits *waits; /* of switches; NULL: samples are none */
    struct unwinder *unwinder;
    struct held_sample *first, **end;
    uint64_t numbers;
    uint64_t second; /* since when copies are counted, ns */
    uint64_t count;  /* of them */
    uint64_t time;   /* of the unwinder, when an interval began */
};

void code_stacks_begin(struct code_stacks *stacks, struct code_book *book,
                       struct code_waits *waits);
void code_stacks_end(struct code_stacks *stacks); /* forgets all; zeroed is fine */

/* Keeps a sample with its values and the stack of its record; `chain`: its callers by frame
 * pointers, of which the first `kernel` are in kernel mode. Returns the values that it keeps, until
 * code_waits_settle() is told of them; NULL: it is not kept, as there are too many, and was counted
 * as late. */
uint64_t *code_stacks_hold(struct code_stacks *stacks, struct profile_sum *sum,
                           const struct code_record *record, const struct profile_site *site,
                           const uint64_t *values, const struct profile_chain *chain, size_t kernel,
                           bool complete);
/* Adds those that were unwound to the profile. */
void code_stacks_collect(struct code_stacks *stacks, struct profile_sum *sum,
                         struct code_book *book);
/* The interval ends: after a short time the others are added with their callers by frame pointers.
 */
void code_stacks_cut(struct code_stacks *stacks, struct profile_sum *sum, struct code_book *book);

#endif
