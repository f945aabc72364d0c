/* The self-test: does the work of workloads, counts it as the program counts, and compares that
 * with what is known. */
#ifndef DEMO_VERIFY_H
#define DEMO_VERIFY_H

#include "demo/workload.h"
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

#endif
