/* The recording that rows are compared with (--baseline). */
#ifndef APP_BASELINE_H
#define APP_BASELINE_H

#include "app/host.h"

/* Call it before a frame is shown: after a change of the view the baseline is of its rows again,
 * where the recording has them. */
void baseline_follow(struct host *host);

#endif
