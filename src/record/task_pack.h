/* Tasks of an interval, packed as the numbers of a few rows in one blob (table task_packs of
 * record/schema.h). Each number is written in base 128, the lowest seven bits first, with 128 added
 * to each byte but its last one. Signed numbers n are written as 2n, or -2n - 1 below 0.
 *
 * A row has the fields of its pack's kind, then the counts of all events, then, with `timed`, the
 * nanoseconds in which each perf group was enabled and running. All fields but PACK_FLAGS and
 * PACK_ONCPU are signed differences to the row before, in the first row to 0. Times, and counts of
 * the columns with a bit in `near`, are signed differences to the row's PACK_ONCPU. So a pack needs
 * no other one, and tasks that are alike take a byte for most of their fields. */
#ifndef RECORD_TASK_PACK_H
#define RECORD_TASK_PACK_H

#include "base/str.h"
#include "sample/snapshot.h"

enum pack_kind {
    PACK_KNOWN, /* tasks with a row in `tasks` */
    PACK_BRIEF, /* those that began and ended in the interval, of a process with a row */
    PACK_ALONE, /* the same, and their process has no row either: it began and ended with them */
    PACK_KINDS
};

enum pack_field {
    PACK_FLAGS, /* as in task_rows */
    PACK_CPU,
    PACK_ONCPU,
    PACK_TASK,              /* key in `tasks`: the last one of PACK_KNOWN */
    PACK_IDENT = PACK_TASK, /* of the others: as in `tasks` */
    PACK_TID,
    PACK_COMM,                         /* key in `texts` */
    PACK_PROCESS,                      /* key in `processes`: the last one of PACK_BRIEF */
    PACK_PROCESS_IDENT = PACK_PROCESS, /* of PACK_ALONE: as in `processes`; its pid is the tid */
    PACK_PPID,
    PACK_UID,  /* + 1; 0: not known */
    PACK_USER, /* key in `texts`; 0: not known */
    PACK_PROCESS_COMM,
    PACK_COMMAND,
    PACK_FIELDS
};

enum { PACK_ROWS = 24, PACK_NEAR_MAX = 62 };

/* Number of fields of a kind. */
size_t pack_fields(enum pack_kind kind);

struct pack_row {
    int64_t field[PACK_FIELDS];
    struct counts counts; /* of the snapshot it is in */
};

/* What is beside the rows of a pack. */
struct pack_style {
    enum pack_kind kind;
    bool timed;
    int64_t near; /* bit e: counts of event e, below PACK_NEAR_MAX, are differences */
};

/* Writes up to PACK_ROWS rows of style->kind, with times if style->timed, and chooses style->near;
 * the text gets the bytes. */
void pack_write(struct str *bytes, struct pack_style *style, const struct pack_row *rows,
                size_t count, const struct event_set *set);

/* Reads the rows one by one; bytes may be any, the style is checked by the caller. */
struct pack_reader {
    const unsigned char *at, *end;
    size_t rows; /* read so far */
    int64_t field[PACK_FIELDS];
};
struct pack_reader pack_read(const void *bytes, size_t size);
/* Whether there is another row, or bytes that are none. */
bool pack_more(const struct pack_reader *reader);
/* The fields of the next row, and then its counts. Without `timed`, times are those on the CPU.
 * False if the bytes are no such row, or there are too many. */
bool pack_read_fields(struct pack_reader *reader, const struct pack_style *style);
bool pack_read_counts(struct pack_reader *reader, const struct pack_style *style,
                      const struct event_set *set, struct counts *counts);

#endif
