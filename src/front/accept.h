/* What a client of HTTP asks for in its header Accept (RFC 9110, 12.5.1). */
#ifndef FRONT_ACCEPT_H
#define FRONT_ACCEPT_H

#include <stdbool.h>

/* Whether it would rather have OpenMetrics 1.0 than plain text. It has to name it: who takes
 * anything gets plain text. accept NULL: it did not say. */
bool accept_openmetrics(const char *accept);

#endif
