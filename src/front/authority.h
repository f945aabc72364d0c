/* The header Host of an HTTP request (RFC 9110, 7.2). */
#ifndef FRONT_AUTHORITY_H
#define FRONT_AUTHORITY_H

#include <stdbool.h>

/* Whether it names the machine that is asked, with or without a port: a numeric address,
 * `localhost`, or `name`, the machine's own; case does not matter. A web page that had its name
 * resolved to this machine (DNS rebinding) cannot make a browser send any of these. host NULL: the
 * request has no such header, so it is not a browser's: true. */
bool authority_is_own(const char *host, const char *name);

#endif
