/* The self-test: does the work of workloads, counts it as the program counts, and compares that
 * with what is known. */
#pragma once

#include "demo/workload.h"
#include "model/frame.h"
#include "system/caps.h"

extern const char *const verify_words[DEMO_VERDICTS]; /* "pass" ... "too noisy" */

/* How long single instructions take, ns. Without counters the time of an addition stands for that
 * of a cycle. */
struct verify_pace {
    double add, nop, mul;
};
/* Measures them with three workloads of the list; call it before threads are started. */
void verify_pace(const struct workload_list *list, struct verify_pace *pace);
/* Whether instructions take different times, as in a processor with a pipeline; in an emulator all
 * take the same. */
bool verify_has_pipeline(const struct verify_pace *pace);

/* Makes all checks of a workload and calls back with each result, whose texts are valid only during
 * the call. */
void verify_workload(const struct workload *workload, const struct caps *caps,
                     const struct verify_pace *pace,
                     void (*tell)(void *ctx, const struct demo_result *result), void *ctx);

/* Why the checks of a workload cannot be made here, by the first event of its first check; the
 * caller frees it. NULL: they can. */
char *verify_obstacle(const struct workload *workload, const struct caps *caps);

/* What the samples of a process say of the functions that a check is about. */

/* Fills in what the samples of a frame say about a check. counts[0] and counts[1] of the difference
 * become the weight of the check's function and that of all functions whose names have the same
 * beginning up to the '_'; of DEMO_DEPTH the number of frames, and 1. difference->samples becomes
 * the number of these samples. Waits at most `patience` seconds for names. NULL, or why it is not
 * known. */
const char *code_shares(const struct frame *frame, pid_t pid, const struct demo_check *check,
                        double patience, struct demo_difference *difference);
