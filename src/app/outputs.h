/* Where intervals go: the front end that the options ask for, and besides it, for Prometheus, the
 * counters that sum them up, which --format openmetrics writes and --listen serves. */
#ifndef APP_OUTPUTS_H
#define APP_OUTPUTS_H

#include "app/program.h"

/* Makes them; the view and the host are there. -1 with a message. */
int outputs_open(struct program *program, struct err *err);

/* Whether an interval's frame is wanted even where another one is shown. */
bool outputs_counts(const struct program *program);
/* Takes in the frame of an interval, each once, before the front end gets it. */
void outputs_count(struct program *program, const struct frame *frame);

void outputs_close(struct program *program);

/* For the loop (loop.h), -1 without a server. */
int outputs_fd(const struct program *program);
enum loop_next outputs_serve(void *ctx);

#endif
