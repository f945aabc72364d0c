/* The contract of every source of snapshots: the system-wide ledger (engine/cpu_engine), the
 * descriptors per thread (engine/task_engine), later a recording. All calls but source_free are
 * made from one thread, the counting one. */
#ifndef SAMPLE_SOURCE_H
#define SAMPLE_SOURCE_H

#include "base/err.h"
#include "sample/snapshot.h"
#include "sample/watch.h"

#include <poll.h>

struct event_list; /* event/event.h: events as they are asked of the kernel */

struct source {
    const struct source_ops *ops;
};

struct source_ops {
    const char *name; /* "cpu", "task": the contract's word for the engine */

    /* Begins to count these events anew (a new generation). An event that cannot be counted gets
     * a state and a reason in the event set of the next snapshots; -1 only when nothing at all can
     * be counted, not even software events. The list is copied. */
    int (*set_events)(struct source *source, const struct event_list *events, struct err *err);

    /* What would become of these events: their states, reasons and groups, found by trial, while
     * what is counted goes on undisturbed. The caller drops the reference. */
    struct event_set *(*check)(struct source *source, const struct event_list *events);

    /* Restricts what is counted (task engine); what was watched before keeps its counts. What
     * watch.command does before it executes the command is not counted for it. */
    int (*set_watch)(struct source *source, const struct watch *watch, struct err *err);

    /* The refresh interval in ns: how fresh a snapshot's counts of a running thread must be. */
    void (*set_delay)(struct source *source, uint64_t delay);

    /* Whether snapshots list also the tasks that did not run. */
    void (*set_idle)(struct source *source, bool idle);

    /* Whether single threads are wanted, or only processes. Where the source counts differently for
     * the two, a new generation begins. */
    void (*set_threads)(struct source *source, bool threads);

    /* Descriptors whose readability means that drain() has work; at most room, returns how many
     * there are. May change after every call to the source. */
    size_t (*poll_fds)(struct source *source, struct pollfd *fds, size_t room);

    /* Takes in what the kernel has ready; cheap when there is nothing. */
    void (*drain)(struct source *source);

    /* The state of things now. Never NULL. self is left to the caller but for descriptors, and
     * so is load. */
    struct snapshot *(*snapshot)(struct source *source);

    void (*close)(struct source *source); /* frees it */
};

#endif
