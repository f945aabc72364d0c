/* What went wrong since the start: each thing once, with its cause and remedy, how often, and when
 * first and last. Beyond ERRORS_MAX the least recently seen one is dropped. */
#ifndef FRONT_TUI_STATE_ERRORS_H
#define FRONT_TUI_STATE_ERRORS_H

#include "view/view.h"

enum { ERRORS_MAX = 100 };

struct error {
    char *text;
    uint64_t amount;    /* of records and the like, which the text is about; 0: it counts nothing */
    uint64_t times;     /* that it started, however long it then lasted */
    double first, last; /* seconds since 1970 */
    uint64_t seq;       /* frame in which this last held; 0: one-off messages */
};

/* Begins as {0}. */
struct errors {
    struct error *list; /* the newest last */
    size_t count, room;
    uint64_t forgotten;
    uint64_t seq; /* of the last frame taken */
};

void errors_release(struct errors *errors);

/* A message: something the user asked for failed. */
void errors_say(struct errors *errors, const char *text, double wall);

/* What the session and a frame report: events and tasks that are not counted, records that were
 * lost ... What holds in many frames in a row started once. session may be NULL. */
void errors_take(struct errors *errors, const struct session *session, const struct frame *frame);

#endif
