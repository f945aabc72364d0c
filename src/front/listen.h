/* Serves the counters to Prometheus over HTTP: GET and HEAD of /metrics, and of
 * /healthz, which says whether intervals still end in time; nothing else. It runs in
 * the showing thread's loop, which waits for its descriptor. The number of connections is limited,
 * each request has a deadline, and the slowest connection is closed for a new one (front/crowd.h).
 * So memory and descriptors do not grow with the number of clients, and every client is served.
 * Over an address that only this machine has, a foreign name in the header Host is refused. */
#ifndef FRONT_LISTEN_H
#define FRONT_LISTEN_H

#include "front/address.h"
#include "front/openmetrics.h"

struct listener;

/* delay: ns from one interval to the next. metrics outlives it. NULL with a message, for example if
 * the address is in use. */
struct listener *listener_new(const struct address *address, const struct exporter *metrics,
                              uint64_t delay, struct err *err);
void listener_free(struct listener *listener); /* NULL is fine */

/* Its address: "http://127.0.0.1:9464/metrics", "http://unix:/run/a.socket:/metrics". */
const char *listener_url(const struct listener *listener);

/* Call it when an interval has ended. */
void listener_renew(struct listener *listener);

/* For the loop: call listener_run when the descriptor is readable. */
int listener_fd(const struct listener *listener);
void listener_run(struct listener *listener);

#endif
