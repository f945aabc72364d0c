/* What is told of a task besides what it did: whose it is, its state, its threads. Asked of /proc
 * through the view's lookup, so never of a task that ended: its pid may be another's by now. */
#ifndef FRONT_TOLD_H
#define FRONT_TOLD_H

#include "view/view.h"

struct told {
    char state[2];  /* a letter; "" where it is not known */
    size_t threads; /* 0: not known */
};

/* thread: the row is one of a thread, else of a process. */
void told_task(struct told *told, const struct view_lookup *lookup, const struct row *row,
               bool thread);

enum { TOLD_NUMBER_SIZE = 16 };

/* A user's name, or the number (written to `number`) where there is none; NULL: not known. Valid
 * until the lookup is asked again. */
const char *told_user(const struct view_lookup *lookup, uid_t uid, char number[TOLD_NUMBER_SIZE]);

#endif
