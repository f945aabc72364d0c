/* Time off the CPU by the code that led there: from a thread's switch to its next one in, in ns.
 * What has passed until an interval ends belongs to that interval. */
#ifndef ENGINE_CODE_WAITS_H
#define ENGINE_CODE_WAITS_H

#include "sample/profile_sum.h"

struct code_waits { /* zeroed: empty */
    struct map threads;
};
void code_waits_release(struct code_waits *waits);

/* The thread is on no CPU when sampling begins: why and where is not known until it runs. */
void code_waits_asleep(struct code_waits *waits, pid_t pid, pid_t tid);
/* The number of these threads that have not run yet. */
size_t code_waits_unknown(const struct code_waits *waits);
/* A thread leaves its CPU at that time; the site says who and where. Copies. values: of the sample,
 * which is held until its callers are known: until code_waits_settle() they get the time instead of
 * the profile; NULL: it is not held. */
void code_waits_leave(struct code_waits *waits, const struct profile_site *site,
                      const struct profile_chain *chain, uint64_t time, uint64_t *values);
/* A sample with these values has got its callers. */
void code_waits_settle(struct code_waits *waits, pid_t tid, const uint64_t *values,
                       const struct profile_chain *chain);
/* The switch record that follows says why (PERF_RECORD_MISC_SWITCH_OUT_PREEMPT). */
void code_waits_preempted(struct code_waits *waits, pid_t tid);
/* It is back on a CPU: the profile, whose values are those of PROFILE_WAITS, gets its time. */
void code_waits_return(struct code_waits *waits, struct profile_sum *sum, pid_t tid, uint64_t time);
/* It has ended, and leaves its CPU once more. */
void code_waits_end(struct code_waits *waits, pid_t pid, pid_t tid, uint64_t time);
/* The interval ends: the profile gets what has passed of all waits. */
void code_waits_cut(struct code_waits *waits, struct profile_sum *sum, uint64_t time);

#endif
