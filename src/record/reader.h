/* Reads a recording (record/schema.h), any interval at any time. The file can come from anyone: it
 * is opened only to read, nothing in it is executed (no views, triggers or computed columns), and
 * what makes no sense is an error of the interval that it belongs to. */
#ifndef RECORD_READER_H
#define RECORD_READER_H

#include "record/record_write_meta.h"

struct reader;

/* NULL with a message: another format, a newer version, no recording at all, one without an
 * interval. */
struct reader *reader_open(const char *path, struct err *err);
/* The same for a database that is open, which it takes over, and closes when it is refused. */
struct reader *reader_take(struct db *db, struct err *err);
/* Of a recording that is being written by this program; the database outlives the reader. */
struct reader *reader_of(struct db *db, struct err *err);
/* Intervals of that generation in the recording come with this very set of events, which is the
 * same as theirs (writer_events); NULL: none does. */
void reader_know(struct reader *reader, struct event_set *events, int64_t generation);
void reader_close(struct reader *reader); /* NULL is fine */

/* The numbers of the first and last interval that are there now; all between are too, but in a file
 * that is damaged. first > last: none is. */
void reader_span(struct reader *reader, int64_t *first, int64_t *last);

/* When an interval ended, in seconds since 1970; false where that cannot be read. */
bool reader_time(struct reader *reader, int64_t interval, double *time);

/* The first interval of the same generation (sample/snapshot.h): 0 where that cannot be read. */
int64_t reader_begin(struct reader *reader, int64_t interval);

/* An interval as a snapshot of its own, that began at 0: its counts are those of the interval, and
 * ids are the same in all intervals. idle: also the tasks that did nothing, of those that are
 * known. The caller frees it. NULL with a message. Sets of events are the same object as long as
 * neither they nor the generation changes. */
struct snapshot *reader_read(struct reader *reader, int64_t interval, bool idle, struct err *err);

/* The same without tasks, where CPUs tell of all that was counted; else with them. */
struct snapshot *reader_read_totals(struct reader *reader, int64_t interval, struct err *err);

/* Of the interval read last, until the next is read. The session has no command that runs. */
const struct session *reader_session(const struct reader *reader);
const struct run_facts *reader_run(const struct reader *reader);

/* Who was in the interval read last: as in struct view_lookup. */
const char *reader_user(struct reader *reader, uid_t uid);
bool reader_cmdline(struct reader *reader, pid_t pid, char *buffer, size_t size);
bool reader_cgroup(struct reader *reader, pid_t pid, char *path, size_t size);

#endif
