/* --demo NAME: a workload that runs while it is shown like any other process, and what its counts
 * should be. */
#ifndef APP_DEMONSTRATION_H
#define APP_DEMONSTRATION_H

#include "app/host.h"

struct demonstration;

/* Starts the workload of the options: the view shows it alone, and its events are asked for. To be
 * called before there are threads. NULL with a message. */
struct demonstration *demonstration_start(struct host *host, struct err *err);
void demonstration_stop(struct demonstration *demonstration); /* NULL is fine */

/* Compares an interval, which ended at that time (monotonic, ns), with what was done in it. */
void demonstration_take(struct demonstration *demonstration, const struct frame *frame,
                        uint64_t time);

#endif
