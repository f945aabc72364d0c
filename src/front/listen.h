/* Serves the counters to Prometheus over HTTP: GET and HEAD of /metrics, nothing else. It has no
 * thread of its own: the loop that shows waits for its descriptor too. Connections are few and do
 * not stay idle for long, so neither memory nor descriptors grow with those who ask. */
#ifndef FRONT_LISTEN_H
#define FRONT_LISTEN_H

#include "front/address.h"
#include "front/openmetrics.h"

struct listener;

/* metrics outlives it. NULL with a message, as where the address is in use. */
struct listener *listener_new(const struct address *address, const struct metrics *metrics,
                              struct err *err);
void listener_free(struct listener *listener); /* NULL is fine */

/* Where it can be asked: "http://127.0.0.1:9464/metrics". */
const char *listener_url(const struct listener *listener);

/* There is another interval in the metrics. */
void listener_renew(struct listener *listener);

/* For the loop: run it when the descriptor is readable, or after so many milliseconds (-1: no need
 * to). */
int listener_fd(const struct listener *listener);
int listener_wait(const struct listener *listener);
void listener_run(struct listener *listener);

#endif
