/* Reads the parts of a recording that rarely change: sessions and events. Part of record/reader. */
#ifndef RECORD_RECORD_READ_META_H
#define RECORD_RECORD_READ_META_H

#include "record/write_meta.h"

struct record_read_meta {
    struct db *db;
    int64_t session_id; /* 0: none read yet */
    int64_t run;
    struct session session;
    struct run_facts facts;
    char *version, *known_as; /* owned texts of the facts */
    int64_t set, generation;  /* of events */
    struct event_set *events; /* NULL: none read yet */
    struct event_set *known;  /* the object for known_generation; NULL: none */
    int64_t known_generation;
};

void record_read_meta_init(struct record_read_meta *meta, struct db *db);
void record_read_meta_release(struct record_read_meta *meta);

/* The first sets session, run and facts, the second set and events. -1 if the recording lacks them
 * or they are invalid. */
int record_read_meta_session(struct record_read_meta *meta, int64_t session);
int record_read_meta_events(struct record_read_meta *meta, int64_t set, int64_t generation);

/* See reader_know(). */
void record_read_meta_know(struct record_read_meta *meta, struct event_set *events,
                           int64_t generation);

/* A text of a statement, made harmless on a terminal: '?' for control characters and invalid UTF-8.
 * The caller frees it; NULL if there is none. */
char *record_read_meta_text(sqlite3_stmt *statement, int column);

#endif
