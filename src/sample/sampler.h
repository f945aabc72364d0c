/* The thread that counts: it drains the rings of the source and the profiler in time, and makes a
 * snapshot for each refresh; while it rests, the main thread may call them, too. It never waits for
 * a terminal or a disk: it keeps one finished snapshot, and makes no other one until that is taken;
 * meanwhile counting goes on, and the next interval is longer. All functions here are for one other
 * thread, the main one. */
#pragma once

#include "sample/source.h"

struct sampler;

/* Takes ownership of the source, whose events must be set, and of the profiler. A snapshot comes
 * after each delay (ns), with `soon` the first one after 0.05 s if that is less; 0: only those come
 * that are asked for. NULL with a message; both are closed then. */
struct sampler *sampler_start(struct source *source, struct profiler *profiler, uint64_t delay,
                              bool soon, struct err *err);
/* Ends the thread and closes source and profiler. NULL is fine. */
void sampler_stop(struct sampler *sampler);

/* A descriptor that is readable when a snapshot is finished; the sampler's. */
int sampler_fd(const struct sampler *sampler);
/* The finished snapshot, which the caller frees; NULL if there is none. */
struct snapshot *sampler_take(struct sampler *sampler);

/* Call the source's method of the same name (struct source_ops) while the sampler's thread rests.
 */
int sampler_set_events(struct sampler *sampler, const struct event_list *events, struct err *err);
struct event_set *sampler_check(struct sampler *sampler, const struct event_list *events);
/* Replaces the source, which gets the settings of the one before, by one that counts these events
 * of these tasks; closes the one before, or with -1 and a message the new one. */
int sampler_set_source(struct sampler *sampler, struct source *source,
                       const struct event_list *events, const struct watch *watch, struct err *err);
int sampler_set_watch(struct sampler *sampler, const struct watch *watch, struct err *err);
/* Starts sampling, so that the next snapshots have a profile; NULL stops it. -1 with a message as
 * from `start` of struct profiler_ops. */
int sampler_set_sampling(struct sampler *sampler, const struct sampling *sampling, struct err *err);
/* Sets the time between two snapshots, ns. */
void sampler_set_delay(struct sampler *sampler, uint64_t delay);
/* Whether snapshots list all tasks (source.all), also those that did not run. */
void sampler_set_idle(struct sampler *sampler, bool idle);
/* Which waits are listed one by one (source.waits_over). */
void sampler_set_waits_over(struct sampler *sampler, uint64_t ns);
/* Whether threads are listed, or only processes. */
void sampler_set_threads(struct sampler *sampler, bool threads);
/* Whether the cgroups of tasks are wanted (source.cgroups). */
int sampler_set_cgroups(struct sampler *sampler, bool wanted, struct err *err);
/* Makes a snapshot now and returns it, which the caller frees. sampler_take() returns only newer
 * ones after it, and the first of them comes as soon as after sampler_start(). */
struct snapshot *sampler_look(struct sampler *sampler);
/* Makes a snapshot now, for sampler_take(); the timer goes on unchanged. */
void sampler_refresh(struct sampler *sampler);
