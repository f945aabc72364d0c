/* What is said between app/server.h and countertop-http, over a socket that keeps messages apart.
 */
#ifndef FRONT_SERVING_H
#define FRONT_SERVING_H

#include "front/openmetrics.h"

#include <stdbool.h>
#include <stdint.h>

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
