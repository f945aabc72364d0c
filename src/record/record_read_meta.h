/* What seldom changes in a recording, as it is read: how it was counted, which events. Part of
 * record/reader. */
#ifndef RECORD_RECORD_READ_META_H
#define RECORD_RECORD_READ_META_H

#include "record/record_write_meta.h"

struct record_read_meta {
    struct db *db;
    int64_t session_id; /* 0: none yet */
    int64_t run;
    struct session session;
    struct run_facts facts;
    char *version, *known_as; /* of the facts */
    int64_t set, generation;  /* of the events */
    struct event_set *events; /* NULL: none yet */
    struct event_set *known;  /* those of known_generation; NULL: of none */
    int64_t known_generation;
};

void record_read_meta_init(struct record_read_meta *recall, struct db *db);
void record_read_meta_release(struct record_read_meta *recall);

/* Fill session, run and facts; set and events. -1 where that is not in the recording, or makes no
 * sense. */
int record_read_meta_session(struct record_read_meta *recall, int64_t session);
int record_read_meta_events(struct record_read_meta *recall, int64_t set, int64_t generation);

/* The events of a generation, which come as this very set; NULL: of none. */
void record_read_meta_know(struct record_read_meta *recall, struct event_set *events,
                           int64_t generation);

/* A text of a statement, harmless on a terminal: '?' for control characters and what is no UTF-8.
 * The caller frees it; NULL where there is none. */
char *record_read_meta_text(sqlite3_stmt *statement, int column);

#endif
