/* Writes a recording (record/schema.sql), one interval per transaction: a file left by a killed
 * writer opens, with every committed interval.
 *
 * While it is written the file is in WAL mode with synchronous = NORMAL (sqlite.org/wal.html): an
 * interval is appended to FILE-wal without waiting for the disk, and copied into the file, with
 * fsync(2), every few MiB. So the file can be read meanwhile, a crash of the machine costs the last
 * intervals but not the file, and waiting for the disk is rare. Closing removes FILE-wal. A file of
 * another user is written without it, and waits for the disk at each interval. */
#pragma once

#include "record/schema.h"
#include "sample/source.h"

struct writer;

/* Begins a recording, or continues the one in the file. Refuses any other kind of file, and a
 * recording that another program is writing. A new file has mode 0600, since it contains command
 * lines. NULL with a message. */
struct writer *writer_open(const struct writer_options *options, struct err *err);

/* Adds an interval: a snapshot whose counts are of that interval only, which began at `started`.
 * Writes the counts of tasks that are or may be watched and did something; of the others only that
 * they existed. 1 with a message if another program has locked the file: nothing was written, and
 * the call may be made again. -1 with a message if it could not be written: then neither this nor
 * any later interval is in the recording. */
int writer_take(struct writer *writer, const struct session *session,
                const struct snapshot *interval, struct err *err);

/* Commits the last interval if that had to wait for readers of the file. 1 with a message if it
 * still has to, -1 with a message if it failed. */
int writer_commit(struct writer *writer, struct err *err);

/* How long writing waits for a lock, ms; at first it does not. */
void writer_wait(struct writer *writer, int ms);

/* Whether the file is still where it was: -1 with a message if it was removed, replaced or moved;
 * then nothing more is recorded, and one that was moved is complete, without files beside it. */
int writer_check(struct writer *writer, struct err *err);

/* How many intervals this writer has written; 0 if writer_check() found that the file was removed.
 */
uint64_t writer_intervals(const struct writer *writer);
/* Deletes the oldest intervals until it takes at most that many bytes; the newest always stays. For
 * recordings in memory. -1 with a message. */
int writer_trim(struct writer *writer, uint64_t bytes, struct err *err);
uint64_t writer_bytes(const struct writer *writer); /* its size without FILE-wal */

/* Deletes, now and then, the intervals that were over before the last `seconds`. */
void writer_keep(struct writer *writer, double seconds);

/* Copies the last `seconds` of a recording in memory into a new file, and returns a writer that
 * goes on with the same run there; the recording in memory goes on, too. The file appears complete
 * or not at all. NULL with a message. */
struct writer *writer_copy(struct writer *from, const struct writer_options *options,
                           double seconds, struct err *err);
/* Notes that it is the recording of an alarm. */
void writer_alarm(struct writer *writer, const struct session_alarm *alarm);
double writer_seconds(struct writer *writer); /* of all its intervals */
bool writer_trimmed(struct writer *writer);   /* it lacks the first interval */

struct db *writer_db(struct writer *writer); /* the writer's own */

/* The events of the interval written last, owned by the writer, and their generation in the
 * recording; NULL before the first. */
struct event_set *writer_events(const struct writer *writer, int64_t *generation);

/* Ends the recording. Removes its file if the writer made it and no interval was written. NULL is
 * fine. */
void writer_close(struct writer *writer);
