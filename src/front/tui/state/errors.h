/* The list of errors since the start: each once, with its cause and remedy, the number of times,
 * and the first and last time. Beyond ERRORS_MAX the least recently seen one is dropped. */
#ifndef FRONT_TUI_STATE_ERRORS_H
#define FRONT_TUI_STATE_ERRORS_H

#include "view/view.h"

enum { ERRORS_MAX = 100 };

struct error {
    char *text;
    uint64_t amount;    /* number of records, tasks ... in the text; 0: the text has none */
    uint64_t times;     /* number of starts, whatever the duration */
    double first, last; /* seconds since 1970 */
    uint64_t seq;       /* frame in which this last held; 0 for one-off messages */
};

/* {0} is an empty list. */
struct errors {
    struct error *list; /* the newest is last */
    size_t count, room;
    uint64_t forgotten;
    uint64_t seq; /* of the last frame taken */
};

void errors_release(struct errors *errors);

/* Adds a message: a request of the user failed. */
void errors_say(struct errors *errors, const char *text, double wall);

/* Adds what the session and a frame report: events and tasks not counted, lost records ... A
 * problem that holds in successive frames counts as one start. session may be NULL. */
void errors_take(struct errors *errors, const struct session *session, const struct frame *frame);

#endif
