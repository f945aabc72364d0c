/* Batch output as JSON Lines: one object per refresh, exact integers, null for unknown values; an
 * object with the machine and the events before the first, and when the events change. */
#ifndef FRONT_JSON_H
#define FRONT_JSON_H

#include "front/batch.h"

int json_write(struct batch *batch, const struct session *session, struct err *err);

#endif
