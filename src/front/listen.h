/* Serves the counters to Prometheus over HTTP: GET and HEAD of /metrics, and of
 * /healthz, which says whether intervals still end in time; nothing else. It has no counters, but
 * asks for pages, so that it can run in a process of its own (app/program.h). The number of
 * connections is limited, each request has a deadline, and the slowest connection is closed for a
 * new one (struct crowd). So memory and descriptors do not grow with the number of clients, and
 * every client is served. Bodies of requests are not read: after one the connection ends. Over an
 * address that only this machine has, a foreign name in the header Host is refused. */
#pragma once

#include "front/exporter.h"

#include <sys/socket.h>

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

/* What app/server.c and countertop-http say over a socket that keeps messages apart. */

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

/* Limits a server's connections, and chooses which one is closed for a new one. Slow clients, with
 * any number of connections, keep out no client that sends a request. Times are monotonic ns. */

/* Prometheus uses fewer connections. */
enum { CROWD_MAX = 32 };

/* Total seconds, not only silence: from the connection or the previous answer to a complete request
 * header; then until the answer is sent. */
enum { CROWD_ASK_SECONDS = 10, CROWD_ANSWER_SECONDS = 30 };

struct guest {
    unsigned char address[16]; /* of the client, see crowd_add() */
    int fd;
    bool loopback;  /* it came to an address that only this machine has */
    bool asked;     /* its request has arrived */
    uint64_t since; /* time of connection, request, or last answer */
};

struct crowd {
    struct guest *guests[CROWD_MAX]; /* borrowed */
    size_t count;
};

/* Adds a guest whose fd and since are set. IPv6 addresses with the same first 64 bits count as one
 * client (RFC 6177), and all of a socket's path. False if CROWD_MAX is reached. */
bool crowd_add(struct crowd *crowd, struct guest *guest, const struct sockaddr *from);
void crowd_remove(struct crowd *crowd, const struct guest *guest);

/* The connection to close for a new one: of the address with the most connections the oldest
 * without a request, else the oldest. NULL: there is none. */
struct guest *crowd_victim(const struct crowd *crowd);

/* The guest with the earliest deadline; NULL: there is none, and *deadline is UINT64_MAX. */
struct guest *crowd_first(const struct crowd *crowd, uint64_t *deadline);

/* Requests of HTTP/1.1 (RFC 9112): whole headers of them, without a connection. */

struct http_request {
    const char *method;
    const char *path;   /* decoded, without a query */
    const char *host;   /* of the target, else of the header Host; NULL: there is none */
    const char *accept; /* of the header; NULL: there is none */
    bool last;          /* the client sends no other request after this one, or a body before it */
};

/* Splits a header, which loses its last empty line and becomes the texts of the request. False if
 * it could mean different things to a proxy and to this server: without exactly one header Host
 * (only HTTP/1.0 may lack it), with two lengths of a body, with control characters, with a zero
 * byte in the path, or with names that are no tokens. */
bool http_request_read(struct http_request *request, char *header, size_t length);

/* The header Accept of an HTTP request (RFC 9110, 12.5.1). */

/* Whether the client prefers OpenMetrics 1.0 to plain text. Wildcards select plain text:
 * OpenMetrics must be named. accept NULL: the request has no such header. */
bool accept_openmetrics(const char *accept);

/* The header Host of an HTTP request (RFC 9110, 7.2). */

/* Whether it names the machine that is asked, with or without a port: a numeric address,
 * `localhost`, or `name`, the machine's own; case does not matter. A web page that had its name
 * resolved to this machine (DNS rebinding) cannot make a browser send any of these. host NULL: the
 * request has no such header, so it is not a browser's: true. */
bool authority_is_own(const char *host, const char *name);
