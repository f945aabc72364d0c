/* The events that are counted, changed while they are: what the terminal's prompts and its
 * catalogue ask for (struct front_events). */
#ifndef APP_APP_EVENTS_H
#define APP_APP_EVENTS_H

#include "app/event_availability.h"
#include "app/playback.h"
#include "app/startup.h"
#include "front/front.h"
#include "sample/sampler.h"

struct app_events {
    struct sampler *const *sampler; /* NULL there: nothing is counted any more */
    struct startup *setup;          /* its events are the ones counted */
    enum count_mode mode;
    const struct playback *playback;   /* what is in the past stays as it was */
    struct availability *availability; /* NULL: not asked for yet */
    struct event_index_search search;
};

/* 0 as long as something is counted, and on show; else -1 with a message. */
int app_events_check(const struct app_events *selection, struct err *err);

/* The calls for a front end; the selection outlives them. */
struct front_events app_events_calls(struct app_events *selection);
void app_events_release(struct app_events *selection);

#endif
