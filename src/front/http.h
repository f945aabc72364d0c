/* Requests of HTTP/1.1 (RFC 9112): whole headers of them, without a connection. */
#ifndef FRONT_HTTP_H
#define FRONT_HTTP_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
