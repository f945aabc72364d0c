/* Serves the counters to Prometheus over HTTP: GET and HEAD of /metrics, nothing else. It has no
 * thread of its own: the loop that shows waits for its descriptor too. Connections are few, each
 * request has a deadline, and where there is no place who takes his time gives way (front/crowd.h):
 * neither memory nor descriptors grow with those who ask, and nobody is kept out. */
#ifndef FRONT_LISTEN_H
#define FRONT_LISTEN_H

#include "front/address.h"
#include "front/openmetrics.h"

struct listener;

/* metrics outlives it. NULL with a message, as where the address is in use. */
struct listener *listener_new(const struct address *address, const struct exporter *metrics,
                              struct err *err);
void listener_free(struct listener *listener); /* NULL is fine */

/* Where it can be asked: "http://127.0.0.1:9464/metrics". */
const char *listener_url(const struct listener *listener);

/* There is another interval in the metrics. */
void listener_renew(struct listener *listener);

/* For the loop: run it when the descriptor is readable. */
int listener_fd(const struct listener *listener);
void listener_run(struct listener *listener);

#endif
