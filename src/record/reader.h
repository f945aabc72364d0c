/* Reads a recording (record/schema.sql), intervals in any order. The file is not trusted: it is
 * opened only for reading, nothing in it is executed (no views, triggers or computed columns), and
 * invalid contents are an error of the interval that they belong to. */
#pragma once

#include "record/schema.h"
#include "sample/source.h"

struct reader;

/* NULL with a message: another format, a newer version, no recording, or one without intervals. */
struct reader *reader_open(const char *path, struct err *err);
/* The same for an open database; takes ownership, also on failure. */
struct reader *reader_take(struct db *db, struct err *err);
/* Reads a recording that this program is writing; the database must outlive the reader. */
struct reader *reader_of(struct db *db);
/* Snapshots of that generation get `events` as their event set, which must be equal to the recorded
 * one (writer_events()): so those of now and of the past share it. NULL: none do. */
void reader_know(struct reader *reader, struct event_set *events, int64_t generation);
void reader_close(struct reader *reader); /* NULL is fine */

/* The numbers of the first and last interval now; all between exist too, except in a damaged file.
 * Without intervals, first > last. -1 with a message, and first > last, if the file cannot be read.
 */
int reader_span(struct reader *reader, int64_t *first, int64_t *last, struct err *err);

/* When an interval ended, in seconds since 1970; false if that cannot be read. */
bool reader_time(struct reader *reader, int64_t interval, double *time);

/* The first interval of the same generation (sample/snapshot.h); 0 if that cannot be read. */
int64_t reader_begin(struct reader *reader, int64_t interval);

/* Which tasks are read: for sums over all tasks none where rows of CPUs have all counts; those that
 * did something; also known ones that did nothing. */
enum reader_tasks { READ_TOTALS, READ_ACTIVE, READ_ALL };
/* An interval as a snapshot that began at 0: its counts are the interval's. Ids are the same in all
 * intervals. While neither the events nor the generation change, the set of events is the same
 * object. The caller frees it. NULL with a message. */
struct snapshot *reader_read(struct reader *reader, int64_t interval, enum reader_tasks tasks,
                             struct err *err);

/* Of the interval read last; valid until the next is read. The session has no running command. */
const struct session *reader_session(const struct reader *reader);
const struct run_facts *reader_run(const struct reader *reader);

/* Facts about processes and cgroups of the interval read last, as in struct view_lookup; command
 * lines belong to the reader. */
const char *reader_user(struct reader *reader, uid_t uid);
const char *reader_cmdline(struct reader *reader, pid_t pid);
bool reader_cgroup(struct reader *reader, pid_t pid, char *path, size_t size);
const char *reader_container(struct reader *reader, const char *path);
/* What a thread waited for at its end; its texts are valid until the next interval is read. False:
 * it is not recorded. */
bool reader_wait(struct reader *reader, pid_t tid, struct task_wait *wait);
