/* The self-test: does the work of workloads, counts it as the program counts, and compares that
 * with what is known. */
#ifndef DEMO_VERIFY_H
#define DEMO_VERIFY_H

#include "demo/workload.h"
#include "model/frame.h"
#include "sample/profile.h"
#include "system/caps.h"

const char *verify_word(enum demo_verdict verdict); /* "pass" ... "too noisy" */

/* How long single instructions take, ns: without counters, the time of one addition is taken as
 * that of a cycle. */
struct verify_pace {
    double add, nop, mul;
};
/* To be called before there are threads. */
void verify_pace(struct verify_pace *pace);
/* Whether instructions take the time that a processor's pipeline makes of them; in an emulator each
 * takes the same. */
bool verify_has_pipeline(const struct verify_pace *pace);

/* Makes all checks of a workload and calls back with each result, whose texts are valid only during
 * the call. */
void verify_workload(const struct workload *workload, const struct caps *caps,
                     const struct verify_pace *pace,
                     void (*tell)(void *ctx, const struct demo_result *result), void *ctx);

/* Why its checks cannot be made here: the reason of its first event. NULL: they can. The caller
 * frees it. */
char *verify_obstacle(const struct workload *workload, const struct caps *caps);

/* What the samples of a process say of the functions that a check is about. */

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
