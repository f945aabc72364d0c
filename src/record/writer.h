/* Writes a recording (record/schema.h), an interval in each transaction: what a program leaves that
 * is killed opens, and has all intervals that were written.
 *
 * The file is in WAL mode while it is written, with synchronous = NORMAL (sqlite.org/wal.html): an
 * interval is appended to FILE-wal without waiting for the disk, and copied into the file, with
 * fsync(2), every few MiB. So the file can be read meanwhile, a crash of the machine costs the last
 * intervals and not the file, and the disk is seldom waited for. At the end FILE-wal is gone. */
#ifndef RECORD_WRITER_H
#define RECORD_WRITER_H

#include "record/record_write_meta.h"
#include "record/record_write_tasks.h"

struct writer;

struct writer_options {
    const char *path; /* NULL: in memory, to be read through writer_db() */
    bool force;       /* replace a file that exists, whatever it is */
    struct record_write_tasks_facts facts;
};

/* Begins a recording, or goes on with one that is in the file. A file that is anything else is left
 * alone, and so is one that is written by another program. A new one is readable for its owner only
 * (mode 0600), since it tells command lines. NULL with a message. */
struct writer *writer_open(const struct writer_options *options, struct err *err);

/* Adds an interval: a snapshot whose counts are of that interval alone, which began at `started`.
 * Of tasks those are written that are watched, or may be, and did something; of those that did not
 * it is only known that they were there. -1 with a message when it could not be written: then it is
 * not in the recording, nor is any that follows. */
int writer_take(struct writer *writer, const struct session *session, const struct run_facts *run,
                const struct snapshot *interval, struct err *err);

uint64_t writer_intervals(const struct writer *writer); /* written by this one */

/* Lets go of the oldest intervals until it takes so many bytes at most; the newest always stays.
 * For recordings in memory. -1 with a message. */
int writer_trim(struct writer *writer, uint64_t bytes, struct err *err);
uint64_t writer_bytes(const struct writer *writer); /* what it takes, without FILE-wal */

struct db *writer_db(struct writer *writer); /* the writer's own */

/* The events of the interval written last, the writer's own, and the generation of them in the
 * recording; NULL before the first. */
struct event_set *writer_events(const struct writer *writer, int64_t *generation);

void writer_close(struct writer *writer); /* NULL is fine */

#endif
