/* The functions of two commands' runs, or of two recordings, as subjects of a comparison: how much
 * of the sampled event each took in each run.
 * Functions are those of other builds, too (model/functions.h); those without a name are one
 * row for each object. Where a name is in one object of the first side only, and in one other of
 * the second side only, both are the same function that has moved: the row's object is "a -> b". */
#pragma once

#include "model/comparison.h"
#include "model/functions.h"
#include "model/stack_tree.h"

struct function_runs { /* zeroed, but for the comparison: no functions */
    struct comparison *comparison;
    struct map found;          /* index + 1 of subjects, by name and object */
    struct stack_tree *stacks; /* takes the stacks, too: of the first side as those before; NULL */
};
void function_runs_release(struct function_runs *runs);

/* Adds what the frame's profile has of the wanted tasks to the run of that side which
 * comparison_end_run() ends; several frames add up. False: it has no profile, or names are still
 * being read (then nothing is added): wait for the book of the profile. */
bool function_runs_add(struct function_runs *runs, size_t side, const struct frame *frame,
                       functions_wanted *wanted, void *ctx);
/* Adds the stacks of a frame whose names are read, below nodes for names of processes; comm: of
 * all; NULL: each has its own. False: names of callers are still being read (nothing is added). */
bool function_runs_stacks(struct function_runs *runs, size_t side, const struct frame *frame,
                          const char *comm, functions_wanted *wanted, void *ctx);
/* Call it before comparison_finish(): matches functions that have moved. */
void function_runs_match(struct function_runs *runs);
