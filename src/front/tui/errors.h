/* What went wrong since the start: each thing once, with its cause and remedy, how often, and when
 * first and last. Bounded: beyond ERRORS_MOST, what was seen last the longest ago is forgotten. */
#ifndef FRONT_TUI_ERRORS_H
#define FRONT_TUI_ERRORS_H

#include "view/view.h"

enum { ERRORS_MOST = 100 };

struct error {
    char *text;
    uint64_t amount;    /* of what the text tells: records ...; 0: there is nothing to add up */
    uint64_t times;     /* it came up, however long it then lasted */
    double first, last; /* seconds since 1970 */
    uint64_t seq;       /* it was so in this frame; 0: it is nothing that lasts */
};

struct errors {
    struct error *list; /* the newest last */
    size_t count, room;
    uint64_t forgotten;
    uint64_t seq; /* of the last frame taken */
};

void errors_init(struct errors *errors);
void errors_release(struct errors *errors);

/* A message: what the user asked for could not be done. */
void errors_say(struct errors *errors, const char *text, double wall);

/* What the session and a frame tell: events and tasks that are not counted, records that were
 * lost ... What is so for many frames came up once. session may be NULL. */
void errors_take(struct errors *errors, const struct session *session, const struct frame *frame);

#endif
