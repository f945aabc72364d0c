/* Stacks, one a line, for programs that draw flame graphs: "comm;main;read_all;read 123". */
#ifndef FRONT_FOLDED_H
#define FRONT_FOLDED_H

#include "front/batch.h"

/* A row of the table of formats. The number is the estimated count of the sampled event, of a clock
 * in microseconds. Equal stacks of a refresh are one line. */
int folded_write(struct batch *batch, const struct session *session, struct err *err);

#endif
