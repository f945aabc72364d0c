/* The targets of intervals: the front end in the options, and the counters for Prometheus, which
 * --format openmetrics writes and --listen serves. */
#ifndef APP_OUTPUTS_H
#define APP_OUTPUTS_H

#include "app/host.h"
#include "app/server.h"

struct outputs {
    struct front *front;
    struct exporter *exporter; /* NULL: no counters wanted */
    struct server *server;     /* NULL: none; who opens the outputs has started it */
};

/* Opens what the options of the host ask for; the host outlives it. -1 with a message. */
int outputs_open(struct outputs *outputs, struct host *host, struct err *err);
void outputs_close(struct outputs *outputs);

/* Adds an interval to the counters. Call it once per interval, before the front end gets a frame,
 * which may be of another time. Only needed if there is an exporter. */
void outputs_count(struct outputs *outputs, const struct session *session,
                   const struct frame *frame);

#endif
