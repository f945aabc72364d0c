/* The HTTP server library, libmicrohttpd. It is loaded only when a server is wanted: with its
 * dependencies (TLS) it would add 2.6 MB and a millisecond to each start, for a rare option. */
#ifndef FRONT_HTTP_H
#define FRONT_HTTP_H

#include "base/err.h"

#include <microhttpd.h>
#include <stdbool.h>

/* Its functions, named without MHD_. */
struct http {
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_run) *run;
    __typeof__(MHD_add_connection) *add_connection;
    __typeof__(MHD_get_connection_info) *get_connection_info;
    __typeof__(MHD_get_timeout) *get_timeout;
    __typeof__(MHD_get_daemon_info) *get_daemon_info;
    __typeof__(MHD_create_response_from_buffer) *create_response_from_buffer;
    __typeof__(MHD_add_response_header) *add_response_header;
    __typeof__(MHD_destroy_response) *destroy_response;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_lookup_connection_value) *lookup_connection_value;
    __typeof__(MHD_get_connection_values) *get_connection_values;
    __typeof__(MHD_http_unescape) *http_unescape;
};

/* -1 with a message if it is not installed. It stays loaded until the program ends. */
int http_load(struct http *http, struct err *err);

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
