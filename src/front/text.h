/* Batch output for people: each refresh a summary line, column titles and all rows. */
#ifndef FRONT_TEXT_H
#define FRONT_TEXT_H

#include "front/batch.h"

int text_write(struct batch *batch, const struct session *session, struct err *err);

#endif
