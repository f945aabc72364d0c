/* What a client of HTTP asks for in its header Accept (RFC 9110, 12.5.1). */
#ifndef FRONT_ACCEPT_H
#define FRONT_ACCEPT_H

#include <stdbool.h>

/* Whether the client prefers OpenMetrics 1.0 to plain text. It must name it: for wildcards plain
 * text is sent. accept NULL: there is no such header. */
bool accept_openmetrics(const char *accept);

#endif
