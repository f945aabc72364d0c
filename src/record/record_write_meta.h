/* What seldom changes in a recording, as it is written: the run, how it is counted, which events.
 * Part of record/writer. */
#ifndef RECORD_RECORD_WRITE_META_H
#define RECORD_RECORD_WRITE_META_H

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

struct record_write_meta {
    int64_t run, session, set, generation; /* of the intervals now; 0 before the first */
    char *session_values;                  /* what the session was made of */
    struct event_set *events;              /* of the last interval */
    struct term_set *sets;                 /* all of this run */
    size_t set_count, set_room;
};

void record_write_meta_init(struct record_write_meta *terms);
void record_write_meta_release(struct record_write_meta *terms);

/* Writes what is new, so that run, session, set and generation are those of an interval of that
 * session and these events. *views: there are events that the views do not know. */
int record_write_meta_write(struct record_write_meta *terms, struct db *db,
                            const struct session *session, const struct run_facts *facts,
                            struct event_set *events, bool *views, struct err *err);

#endif
