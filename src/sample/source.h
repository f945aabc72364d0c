/* The interface of the sources of snapshots: the system-wide ledger (engine/cpu_engine) and the
 * counters on single tasks (engine/task_engine). One thread at a time calls them. */
#pragma once

#include "sample/snapshot.h"

struct event_list; /* event/event.h: events to request from the kernel */

struct source {
    const struct source_ops *ops;
    /* Set by the source: for how many ns after they were readable its descriptors need not be
     * polled again. */
    uint64_t rest;
    /* Set by the source, monotonic ns: drain() has work from then on; 0: only where poll says. */
    uint64_t drain_at;
    /* Set by the source's caller. */
    bool all;      /* snapshots are whole: of all tasks, also those that did not run */
    bool families; /* before set_events: the processes of watch.command have rows of their own */
    bool only_end; /* ... when they have ended: until then their counts may be in no row */
    uint64_t waits_over; /* ns: longer waits are wanted one by one; 0: none */
    bool cgroups;        /* the cgroups of tasks are wanted (snapshot.cgroups) */
};

struct source_ops {
    const char *name; /* "cpu", "task": the engine's name in options and output */
    /* Starts counting these events at 0 (a new generation). An event that cannot be counted gets a
     * state and a reason in the event set of the next snapshots; -1 only if nothing at all can be
     * counted, not even software events. Copies the list. */
    int (*set_events)(struct source *source, const struct event_list *events, struct err *err);

    /* The states, reasons and groups that these events would get, found by opening them while
     * counting goes on undisturbed. The caller drops the reference. */
    struct event_set *(*check)(struct source *source, const struct event_list *events);

    /* Restricts what is counted (task engine); tasks that stay watched keep their counts. The work
     * of watch.command before it executes the command is not counted as the command's. */
    int (*set_watch)(struct source *source, const struct watch *watch, struct err *err);

    /* Call it after `cgroups` has changed: if it makes a difference, a new generation begins. NULL:
     * it never does. -1 with a message: nothing is counted. */
    int (*set_cgroups)(struct source *source, struct err *err);

    /* The refresh interval, ns: bounds the age of a running thread's counts in a snapshot. NULL:
     * snapshots read the counts. */
    void (*set_delay)(struct source *source, uint64_t delay);

    /* Whether threads are listed, or only processes. If the source counts the two differently, a
     * new generation begins. NULL: each thread is known anyway. */
    void (*set_threads)(struct source *source, bool threads);

    /* Descriptors that are readable when drain() has work: fills at most room, returns their
     * number. They may change with every call to the source. NULL: there are never any. */
    size_t (*poll_fds)(struct source *source, struct pollfd *fds, size_t room);

    /* Reads the records that are ready; cheap if there are none. */
    void (*drain)(struct source *source);

    /* A snapshot of the present. Never NULL. The caller sets load, and self except descriptors. */
    struct snapshot *(*snapshot)(struct source *source);

    void (*close)(struct source *source); /* frees it */
};

/* Facts that do not change at each refresh: the machine and how it is counted. */

/* Why a recording of an alarm was made (app/alarm.c). */
struct session_alarm {
    char *condition; /* NULL: there was no alarm */
    double time;     /* end of the interval, seconds since 1970 */
    double value;    /* of the first number in the condition; NAN: none */
    pid_t pid, tid;  /* of the row; 0: of another row than a task's, or of the machine */
    bool armed;      /* live: --when has a condition */
    uint64_t count;  /* live: alarms so far */
};

struct session {
    char *host;
    char *kernel;        /* release, as uname -r */
    char *cpu_model;     /* "" if not known */
    struct cpulist cpus; /* online at the start */
    char *engine;        /* "cpu", "task" */
    char *engine_reason; /* why this engine was chosen; "": the user chose it */
    char *notice;        /* what is missing and the remedy, one line; "": nothing */
    char *faults;        /* the same in full, one line each; "": nothing */
    size_t counters;     /* hardware events that a core counts at a time; 0: none, not looked up, or
                            different between cores */
    enum count_mode mode;
    char *screen; /* that is shown; NULL: not known */
    double delay; /* seconds; 0: one interval, the whole run of the command */
    struct watch watch;
    char *command; /* the command that was started, with its arguments; NULL: none */
    char *end;     /* how it ended, one line, set with the last frame; NULL: it runs */
    /* After its end: how long it ran, its CPU time in user and kernel mode with that of the
     * children that it waited for, all in seconds, and its exit status, 128 + N if signal N ended
     * it. */
    double run, run_user, run_kernel;
    int status;
    struct session_alarm alarm; /* of the recording; live: the last one */
};

const char *session_mode(const struct session *session); /* "all", "user" or "kernel" */
void session_release(struct session *session);
void session_copy(struct session *to, const struct session *from); /* `to` is initialised by it */
