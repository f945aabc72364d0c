/* What seldom changes in a recording, as it is written: the run, how it is counted, which events.
 * Part of record/writer. */
#ifndef RECORD_TERMS_H
#define RECORD_TERMS_H

#include "record/schema.h"
#include "sample/session.h"

/* The machine as metrics are chosen for it (metric/machine.h). */
struct run_facts {
    const char *version;  /* of the program */
    const char *known_as; /* names of the machine, a line each */
    double ghz_nominal;   /* 0: not known */
};

struct term_set {
    int64_t id;
    struct event_set *events;
};

struct terms {
    int64_t run, session, set, generation; /* of the intervals now; 0 before the first */
    char *session_values;                  /* what the session was made of */
    struct event_set *events;              /* of the last interval */
    struct term_set *sets;                 /* all of this run */
    size_t set_count, set_room;
};

void terms_init(struct terms *terms);
void terms_release(struct terms *terms);

/* Writes what is new, so that run, session, set and generation are those of an interval of that
 * session and these events. *views: there are events that the views do not know. */
int terms_write(struct terms *terms, struct db *db, const struct session *session,
                const struct run_facts *facts, struct event_set *events, bool *views,
                struct err *err);

#endif
