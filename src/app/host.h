/* What front ends see and may change (front/host.h): what is counted, what is shown, and the moment
 * that is shown. */
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

/* The kept intervals, of a recording (--replay) or of the last minutes (--rewind), and the one that
 * is shown. Used by playback.c. */
struct playback {
    struct reader *reader;    /* NULL: no intervals are kept */
    bool replay;              /* they are a recording, and nothing is counted */
    int64_t at;               /* the interval shown; 0: what is counted now */
    double time;              /* when that ended; seconds since 1970 */
    struct event_set *events; /* its events; NULL: what is counted now is shown */
    double speed;             /* replay: 1 is as recorded, 0: paused */
    int timer;                /* replay: readable when the next interval is due; else -1 */
    bool watched;             /* replay: rows are chosen by what the user asked for */
    bool again;               /* replay: the next turn shows the same interval */
    struct totals *totals;    /* from the first of the generation up to totals_at */
    int64_t totals_at;
};

struct host {
    /* The caller's. */
    struct options *options;
    const struct config *config;
    struct definitions *definitions;

    struct proc_lookup *lookup;
    struct view *view;
    struct startup setup;
    struct sampler *sampler; /* NULL: nothing is counted, or no longer */
    enum count_mode mode;
    struct totals *totals; /* NULL: totals cannot be asked for */
    struct writer *memory; /* the last minutes, the recorder's; NULL: they are not kept */
    struct playback playback;
    struct availability *availability; /* NULL: not asked for yet; host_forget_events frees it */
};

/* Whether something is counted, and shown: else -1 with a message. */
int host_check_counting(const struct host *host, struct err *err);

#endif
