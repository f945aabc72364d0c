/* What the samples of a process say of the functions that a check is about. */
#ifndef DEMO_CODE_SHARES_H
#define DEMO_CODE_SHARES_H

#include "demo/workload.h"
#include "model/frame.h"
#include "sample/profile.h"

/* What to sample for the check: of that process, its event. -1 with a message and nothing to
 * release. */
int code_sampling(struct sampling *sampling, const struct demo_check *check, enum count_mode mode,
                  pid_t pid, struct err *err);

/* Sets counts[0] and counts[1] of the difference: the weight of the check's function, and of all
 * whose names begin as its own does until '_'; or its frames, and 1. And `samples`, of all these.
 * NULL, or why it is not known; names are waited for at most `patience` seconds. */
const char *code_shares(const struct frame *frame, pid_t pid, const struct demo_check *check,
                        double patience, struct demo_difference *difference);

#endif
