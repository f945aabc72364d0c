/* The functions of two commands' runs, or of two recordings, as subjects of a comparison: how much
 * of the sampled event each took in each run.
 *
 * Functions are matched by name and object as they are without what differs between builds of the
 * same source:
 * - of a name: what compilers append (.constprop.0, .isra.0, .part.0, .cold, .llvm.1, [clone ...]),
 *   hashes of Rust, defaults of templates (std::allocator, std::less ...), the inline namespace
 *   std::__cxx11, and the mark of V8 for how far a function is optimized;
 * - of an object: the versions of a library ("libx-2.1.so.3" is "libx.so").
 * Functions without a name are one row for each object. Where a name is in one object of the first
 * side only, and in one other of the second side only, both are the same function that has moved:
 * the row's object is "a -> b". */
#ifndef MODEL_FUNCTION_RUNS_H
#define MODEL_FUNCTION_RUNS_H

#include "model/comparison.h"
#include "model/frame.h"

/* What functions are matched by, which the caller frees. */
char *function_runs_name(const char *name);
char *function_runs_object(const char *object);

struct function_runs { /* zeroed, but for the comparison: no functions */
    struct comparison *comparison;
    struct map found; /* index + 1 of subjects, by name and object */
};
void function_runs_release(struct function_runs *runs);

/* Adds what the frame's profile has of the wanted tasks to the run of that side which
 * comparison_end_run() ends; several frames add up. False: it has no profile, or names are still
 * being read (then nothing is added): wait for the book of the profile. */
bool function_runs_add(struct function_runs *runs, size_t side, const struct frame *frame,
                       bool (*wanted)(void *ctx, pid_t pid, pid_t tid), void *ctx);
/* Call it before comparison_finish(): matches functions that have moved. */
void function_runs_match(struct function_runs *runs);

#endif
