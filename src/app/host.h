/* The data that front ends see and may change (front/host.h): events, view, and position in
 * time. */
#ifndef APP_HOST_H
#define APP_HOST_H

#include "app/event_availability.h"
#include "app/proc_lookup.h"
#include "app/startup.h"
#include "cli/config.h"
#include "cli/definitions.h"
#include "front/host.h"
#include "model/totals.h"
#include "record/writer.h"
#include "sample/sampler.h"

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
    enum stacks stacks;        /* how callers are found */
    struct totals *totals;     /* NULL: totals are not wanted */
    struct writer *memory; /* the recorder's writer of the last minutes; NULL: they are not kept */
    struct playback playback;
    struct demonstration *demonstration; /* NULL: none */
    struct sampling *sampling;           /* for functions; NULL: nothing is sampled */
    struct baselines *baselines;         /* of the recording of --baseline; NULL: none */
    struct wakers *wakers;               /* of the task whose details are shown; NULL: none */
    struct availability *availability; /* made at the first question; host_forget_events frees it */
};

/* Starts what --sample or the view of functions ask for. -1 with a message; a terminal shows itself
 * why there are no functions: then 0. */
int profiling_begin(struct host *host, struct err *err);

#endif
