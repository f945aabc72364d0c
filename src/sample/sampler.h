/* The sampler's thread: the only one that calls the source. It drains the rings in time and makes a
 * snapshot for each refresh. It never waits for a terminal or a disk: there is room for one
 * finished snapshot, and until that is taken no other one is made. Counting goes on meanwhile, and
 * the next interval is longer. */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "base/err.h"
#include "sample/profile.h"
#include "sample/source.h"

struct sampler;

/* Takes ownership of the source, whose events must be set, and of the profiler. A snapshot comes
 * after each delay (ns), with `soon` the first one after 0.2 s if that is less; 0: only those come
 * that are asked for. NULL with a message; both are closed then. */
struct sampler *sampler_start(struct source *source, struct profiler *profiler, uint64_t delay,
                              bool soon, struct err *err);
/* Ends the thread and closes source and profiler. NULL is fine. */
void sampler_stop(struct sampler *sampler);

int sampler_fd(const struct sampler *sampler);          /* readable when a snapshot is there */
struct snapshot *sampler_take(struct sampler *sampler); /* NULL if there is none */

/* These wait until the sampler's thread has made the call. */
int sampler_set_events(struct sampler *sampler, const struct event_list *events, struct err *err);
struct event_set *sampler_check(struct sampler *sampler, const struct event_list *events);
int sampler_set_watch(struct sampler *sampler, const struct watch *watch, struct err *err);
/* Snapshots have a profile from now on; NULL: none any more. -1 with a message: as profiler_ops. */
int sampler_set_sampling(struct sampler *sampler, const struct sampling *sampling, struct err *err);
void sampler_set_delay(struct sampler *sampler, uint64_t delay);
void sampler_set_idle(struct sampler *sampler, bool idle);
void sampler_set_threads(struct sampler *sampler, bool threads);
/* An extra one; those that sampler_take() returns after it are newer, and the first of these comes
 * as after the start. */
struct snapshot *sampler_look(struct sampler *sampler);
void sampler_refresh(struct sampler *sampler); /* a snapshot now; the timer is unchanged */

#endif
