/* The data that front ends see and may change (front/host.h): events, view, and position in
 * time. */
#pragma once

#include "app/startup.h"
#include "cli/config.h"
#include "engine/group.h"
#include "event/event_index.h"
#include "front/host.h"
#include "model/totals.h"
#include "record/reader.h"
#include "record/writer.h"
#include "system/cgroup.h"

/* The kept intervals of a recording (--replay) or of the last minutes (--rewind), and the one
 * shown. Changed by playback.c and host.c. */
struct playback {
    struct reader *reader;    /* NULL: no intervals are kept */
    bool replay;              /* a recording is shown; nothing is counted */
    int64_t at;               /* the interval shown; 0: live */
    double time;              /* its end; seconds since 1970 */
    struct event_set *events; /* its events; NULL: live */
    double speed;             /* replay: 1 is as recorded, 0: paused */
    int timer;                /* replay: readable when the next interval is due; else -1 */
    bool watched;             /* replay: the user chose which rows are shown */
    bool again;               /* replay: the next turn of the loop shows the same interval */
    struct totals *totals;    /* from the first interval of the generation to totals_at */
    int64_t totals_at;
};

struct host {
    /* Owned by the caller. */
    const struct options *options;
    const struct config *config;
    struct definitions *definitions;

    struct proc_lookup *lookup;
    struct view *view;
    struct startup setup;
    struct debug_fetch *fetch; /* who asks servers for debug files; NULL: nobody */
    struct sampler *sampler;   /* NULL: counting has ended or never began */
    enum count_mode mode;      /* in which events are counted, as far as that is permitted */
    const char *screen;        /* that the user chose, for the settings; NULL: none */
    struct sampling_style style;
    struct totals *totals; /* NULL: totals are not wanted */
    struct writer *memory; /* the recorder's writer of the last minutes; NULL: they are not kept */
    struct alarm *alarm;   /* of --when */
    struct playback playback;
    struct demonstration *demonstration; /* NULL: none */
    bool samples;                        /* for functions */
    struct baselines *baselines;         /* of the recording of --baseline; NULL: none */
    struct wakers *wakers;               /* of the task whose details are shown; NULL: none */
    struct availability *availability; /* made at the first question; host_forget_events frees it */
};

/* The name in the list of an event that has this name, or is the same; NULL: it is not listed. */
const char *host_lists(const struct event_list *events, const char *name);

/* Starts what --sample or the view of functions ask for. -1 with a message; a terminal shows itself
 * why there are no functions: then 0. */
int profiling_begin(struct host *host, struct err *err);

/* baseline.c: the recording that rows are compared with (--baseline), with a baseline for each kind
 * of rows with names. */

/* Reads the recording in a process of its own, which has no rights left (as --replay): its maker
 * need not be trusted. Call it before counters are opened and threads are started. NULL with a
 * message. */
struct baselines *baselines_read(const struct host *host, struct err *err);
void baselines_free(struct baselines *baselines); /* NULL is fine */

/* Call it before a frame is shown: after a change of the view the baseline is of its rows again,
 * where the recording has them. */
void baselines_follow(struct host *host);

/* demonstration.c: --demo NAME: a workload that runs while it is shown like any other process, and
 * what its counts should be. */

/* Starts the workload of the options: the view shows it alone, and its events are asked for. To be
 * called before there are threads. NULL with a message. */
struct demonstration *demonstration_start(struct host *host, struct err *err);
void demonstration_stop(struct demonstration *demonstration); /* NULL is fine */

/* Compares an interval, which ended at that time (monotonic, ns), with what was done in it. */
void demonstration_take(struct demonstration *demonstration, const struct frame *frame,
                        uint64_t time);

/* cgroup_watch.c: what the kernel keeps of cgroups, read for each interval while a view shows it.
 */

struct cgroup_watch { /* zeroed at first */
    struct cgroup_places places;
    struct machine_load last;   /* cgroups when they were read last */
    struct machine_load limits; /* likewise those above them, only what their limits did */
};

void cgroup_watch_release(struct cgroup_watch *watch);
/* Adds to the interval the cgroups of its tasks, and those of earlier intervals that still exist:
 * of each what has passed since it was read last, so a cgroup is known from its second interval on.
 */
void cgroup_watch_take(struct cgroup_watch *watch, const struct view_lookup *lookup,
                       struct frame *interval);

/* Answers the view's questions about tasks from /proc and the user database. */

struct proc_lookup;

struct proc_lookup *proc_lookup_new(void);
void proc_lookup_free(struct proc_lookup *lookup);
/* Answers for peers of unix sockets from now on, and if they are wanted for delays, where the
 * kernel lets this process ask. Before the sandbox, which lets nobody open a netlink socket. */
void proc_lookup_open(struct proc_lookup *lookup, bool delays);
/* As writer_lookup.wait; ctx is a struct proc_lookup. */
bool proc_lookup_next_wait(void *ctx, size_t *at, struct task_wait *wait);
/* Answers from the interval that this reader read last; NULL: from /proc. */
void proc_lookup_use(struct proc_lookup *lookup, struct reader *reader);
const struct view_lookup *
proc_lookup_view(struct proc_lookup *lookup); /* valid as long as the lookup */

/* event_availability.c: whether events of the index can be counted on this machine, by trial at the
 * first question, and what counting another event would change. */

struct availability {
    struct event_index *index;
    struct event_index_search search;
    enum count_mode mode; /* of trials */
    struct group_target target;
    struct caps caps;
    struct map tried; /* obstacles, "": none, by hashes of events, or of tracepoints' subsystems */
    bool tracepoints; /* one that is like most could be counted */
    bool counters_known;
    size_t counters; /* of the core PMU; 0: none, or core types differ */
};

/* Trials use this mode, on a CPU for the engine 'cpu', else on a task. Builds the index. */
struct availability *availability_new(enum count_mode mode, bool system_wide);
void availability_free(struct availability *availability); /* NULL is fine */

/* Why the entry cannot be counted; NULL if it can, or is a spelling other than those of
 * breakpoints. To open and to close a tracepoint the kernel changes its code and waits for all
 * CPUs. So one tracepoint of each subsystem is tried for all of them: permissions are the same. */
const char *availability_obstacle(struct availability *availability, size_t entry);

/* Says whether the last event of `after` fits on the counters beside those of `before`, or is
 * multiplexed: "fits: 3 of 6 counters used". The caller frees it. */
char *availability_fit(struct availability *availability, const struct event_set *before,
                       const struct event_set *after);

/* playback.c: moving in the kept intervals. What front ends may do is in front/host.h. */

/* Closes the reader, before its database is closed. A second call does nothing. */
void playback_close(struct playback *playback);

/* Replay: moves to an interval and returns its frame. NULL with a message. */
struct frame *playback_show(struct host *host, int64_t interval, struct err *err);
/* Of the intervals from `first` to `last` that which contains the time, or the nearest: the first
 * that ended then or later. If the clock was set back, several may match; any is returned. */
int64_t playback_find(const struct playback *playback, int64_t first, int64_t last, double time);
/* Replay: the next turn of loop_run() shows the same interval again, also while it is paused. */
void playback_refresh(struct playback *playback);
/* Replay: sets the timer for the next interval. */
void playback_await(struct playback *playback);
/* The total from the beginning of the generation to the interval shown; NULL if a part was
 * dropped. */
struct frame *playback_total(struct host *host);

/* Shows a recording instead of this machine (--replay). The terminal plays it, or stays at the
 * interval of its alarm until a key plays or moves; batch mode writes all intervals. */

/* Opens a recording and reads its first interval. Metrics and screens are chosen for the recorded
 * machine, if `machine` is not NULL: call it before they are loaded. NULL with a message. */
struct reader *replay_read(const char *path, struct machine *machine, struct err *err);

/* An interval of a recording, without idle tasks. NULL with a message. */
struct frame *replay_frame(struct reader *reader, int64_t interval, struct err *err);

/* Replaces startup_make(): sets session, events and screen from the first interval. 0, or the exit
 * code with a message. */
int replay_setup(struct host *host, struct err *err);
