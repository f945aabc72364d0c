/* User or kernel mode, or both, changed while counting: all events begin anew. */
#ifndef APP_MODE_H
#define APP_MODE_H

#include "app/startup.h"
#include "sample/sampler.h"

/* Counts setup's events in that mode; those with modifiers of their own stay as they are. -1 with a
 * message, and everything as it was, where none of them may be counted so. */
int mode_set(struct startup *setup, struct sampler *sampler, enum count_mode mode, struct err *err);

#endif
