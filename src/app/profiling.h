/* The calls of front/host.h about sampling, and what the options ask for at the start. */
#ifndef APP_PROFILING_H
#define APP_PROFILING_H

#include "app/host.h"

/* Starts what --sample or the view of functions ask for. -1 with a message; a terminal shows itself
 * why there are no functions: then 0. */
int profiling_begin(struct host *host, struct err *err);

#endif
