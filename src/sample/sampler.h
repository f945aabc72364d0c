/* The counting thread: it alone calls the source, empties the rings in time, and makes a snapshot
 * for each refresh. It never waits for a terminal or a disk: a snapshot is handed over in one
 * place, and while the one before has not been taken no other is made; counting goes on, and the
 * next interval is as much longer. */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "base/err.h"
#include "sample/source.h"

struct sampler;

/* Takes over the source, whose events must have been set. delay in ns. The first snapshot comes
 * early, after FIRST_INTERVAL or the delay, whichever is less. NULL with a message; the source is
 * closed then. */
struct sampler *sampler_start(struct source *source, uint64_t delay, struct err *err);
void sampler_stop(
    struct sampler *sampler); /* ends the thread and closes the source; NULL is fine */

int sampler_fd(const struct sampler *sampler);          /* readable when a snapshot is there */
struct snapshot *sampler_take(struct sampler *sampler); /* NULL when there is none */

/* These wait until the counting thread has done it. */
int sampler_set_events(struct sampler *sampler, const struct event_list *events, struct err *err);
struct event_set *sampler_check(struct sampler *sampler, const struct event_list *events);
int sampler_set_watch(struct sampler *sampler, const struct watch *watch, struct err *err);
void sampler_set_delay(struct sampler *sampler, uint64_t delay);
void sampler_set_idle(struct sampler *sampler, bool idle);
void sampler_set_threads(struct sampler *sampler, bool threads);
struct snapshot *sampler_look(struct sampler *sampler); /* one beside those that are due */
void sampler_refresh(struct sampler *sampler); /* a snapshot now; the timer goes on as it was */

#endif
