/* The header Accept of an HTTP request (RFC 9110, 12.5.1). */
#ifndef FRONT_ACCEPT_H
#define FRONT_ACCEPT_H

#include <stdbool.h>

/* Whether the client prefers OpenMetrics 1.0 to plain text. Wildcards select plain text:
 * OpenMetrics must be named. accept NULL: the request has no such header. */
bool accept_openmetrics(const char *accept);

#endif
