/* Serves the counters to Prometheus over HTTP: GET and HEAD of /metrics, and of
 * /healthz, which says whether intervals still end in time; nothing else. It has no counters, but
 * asks for pages, so that it can run in a process of its own (app/server.h). The number of
 * connections is limited, each request has a deadline, and the slowest connection is closed for a
 * new one (front/crowd.h). So memory and descriptors do not grow with the number of clients, and
 * every client is served. Bodies of requests are not read: after one the connection ends. Over an
 * address that only this machine has, a foreign name in the header Host is refused. */
#ifndef FRONT_LISTEN_H
#define FRONT_LISTEN_H

#include "front/exporter.h"

#include <stdbool.h>
#include <stdint.h>

struct listener;

/* Where the pages of an interval come from. */
struct page_source {
    /* Is called when a page is requested that is not there, and calls listener_give(); where it
     * does not, the client gets 503. */
    void (*ask)(void *ctx, enum metrics_form form);
    void *ctx;
};

/* door: a socket that listens and does not block, which stays the caller's. delay: ns from one
 * interval to the next. */
struct listener *listener_new(int door, const struct page_source *source, uint64_t delay);
void listener_free(struct listener *listener);

/* The text of a page until listener_renew(); takes ownership of it. */
void listener_give(struct listener *listener, enum metrics_form form, char *text, size_t length);

/* Call it when an interval has ended. */
void listener_renew(struct listener *listener);

/* Waits until a client sends something, takes an answer or is late, or until the descriptor `other`
 * is readable (-1: does not wait); answers what clients ask, and sends those away who take too
 * long. Returns whether `other` was readable. */
bool listener_run(struct listener *listener, int other);

/* What app/server.h and countertop-http say over a socket that keeps messages apart. */

/* To the server, first. */
struct serving_order {
    uint64_t delay; /* ns from one interval to the next */
    bool sandbox;   /* enter it */
};

/* The answer is a uint32_t: whether it is in the sandbox. */

/* Files that it has: the socket that listens, and one in memory for the last page of each form.
 * That is written when the page is asked for, and read before it is asked for again. */
enum { SERVING_DOOR, SERVING_PAGES, SERVING_FILES = SERVING_PAGES + METRICS_FORMS };

/* From the server: the number of the form that it wants. To the server: that form, and the length
 * of its page, 0 if there is none; or SERVING_RENEW. */
enum { SERVING_RENEW = METRICS_FORMS };
struct serving_note {
    uint32_t what;
    uint32_t length;
};

#endif
