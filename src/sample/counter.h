/* The counting thread: it alone calls the source, empties the rings in time, and makes a snapshot
 * for each refresh. It never waits for a terminal or a disk: a snapshot is handed over in one
 * place, and while the one before has not been taken no other is made; counting goes on, and the
 * next interval is as much longer. */
#ifndef SAMPLE_COUNTER_H
#define SAMPLE_COUNTER_H

#include "base/err.h"
#include "sample/source.h"

struct counter;

/* Takes over the source, whose events must have been set. delay in ns. The first snapshot comes
 * early, after FIRST_INTERVAL or the delay, whichever is less. NULL with a message; the source is
 * closed then. */
struct counter *counter_start(struct source *source, uint64_t delay, struct err *err);
void counter_stop(
    struct counter *counter); /* ends the thread and closes the source; NULL is fine */

int counter_fd(const struct counter *counter);          /* readable when a snapshot is there */
struct snapshot *counter_take(struct counter *counter); /* NULL when there is none */

/* These wait until the counting thread has done it. */
int counter_set_events(struct counter *counter, const struct event_list *events, struct err *err);
struct event_set *counter_check(struct counter *counter, const struct event_list *events);
int counter_set_watch(struct counter *counter, const struct watch *watch, struct err *err);
void counter_set_delay(struct counter *counter, uint64_t delay);
void counter_set_idle(struct counter *counter, bool idle);
void counter_set_threads(struct counter *counter, bool threads);
struct snapshot *counter_look(struct counter *counter); /* one beside those that are due */
void counter_refresh(struct counter *counter); /* a snapshot now; the timer goes on as it was */

#endif
