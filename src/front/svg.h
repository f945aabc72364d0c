/* A flame graph: the stacks of the samples as a picture that needs nothing but a browser. */
#ifndef FRONT_SVG_H
#define FRONT_SVG_H

#include "front/batch.h"

/* A row of the table of formats. Each function is a box over its caller, as wide as its part of the
 * sampled event; boxes too narrow to be seen are left out, which the title says. A click on a box
 * zooms, '/' searches. */
int svg_write(struct batch *batch, const struct session *session, struct err *err);

#endif
