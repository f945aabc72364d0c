/* The recording that rows are compared with (--baseline). */
#ifndef APP_BASELINE_H
#define APP_BASELINE_H

#include "app/host.h"

/* The baselines of a recording: one for each kind of rows with names. */
struct baselines;

/* Reads the recording in a process of its own, which has no rights left (as --replay): its maker
 * need not be trusted. Call it before counters are opened and threads are started. NULL with a
 * message. */
struct baselines *baselines_read(const struct host *host, struct err *err);
void baselines_free(struct baselines *baselines); /* NULL is fine */

/* Call it before a frame is shown: after a change of the view the baseline is of its rows again,
 * where the recording has them. */
void baselines_follow(struct host *host);

#endif
