/* Writes the parts of a recording that rarely change: the run, sessions and events. Part of
 * record/writer. */
#ifndef RECORD_RECORD_WRITE_META_H
#define RECORD_RECORD_WRITE_META_H

#include "record/schema.h"
#include "sample/session.h"

/* The program, and the machine that metrics are chosen for (metric/machine.h). */
struct run_facts {
    const char *version;  /* of the program */
    const char *known_as; /* names of the machine, one per line */
    double ghz_nominal;   /* 0: not known */
};

struct known_set {
    int64_t id;
    struct event_set *events;
};

struct record_write_meta {
    int64_t run, session, set, generation; /* ids for the next interval; 0 before the first */
    char *session_values;                  /* of the session's row, as SQL */
    struct event_set *events;              /* of the last interval */
    struct known_set *sets;                /* all sets of this run */
    size_t set_count, set_room;
};

void record_write_meta_init(struct record_write_meta *meta);
void record_write_meta_release(struct record_write_meta *meta);

/* Sets run, session, set and generation for an interval with this session and these events; writes
 * rows for new ones. *views is set if the views lack some events. */
int record_write_meta_write(struct record_write_meta *meta, struct db *db,
                            const struct session *session, const struct run_facts *facts,
                            struct event_set *events, bool *views, struct err *err);

#endif
