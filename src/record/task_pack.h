/* Tasks of an interval, packed as the numbers of a few rows in one blob (table task_packs of
 * record/schema.h). A row has the fields of its pack's kind, then the counts of all events, then,
 * with `timed`, the nanoseconds in which each perf group was enabled and running. A pack needs no
 * other one.
 *
 * All fields but PACK_FLAGS and PACK_ONCPU are written as differences to the row before, in the
 * first row to 0. Times, and counts of the events with a bit in `near`, are written as differences
 * to the row's PACK_ONCPU. Differences n are signed: written as 2n, or -2n - 1 below 0.
 *
 * In columns, as they are written now, some are differences to what is nearer: PACK_PROCESS_IDENT
 * and PACK_PROCESS_COMM are first reduced by PACK_IDENT and PACK_COMM; a count in `near` and the
 * time in which a group was enabled, to the last count in `near` before it if there is one; that in
 * which it was running, to that in which it was enabled. The first byte is the number of rows, and
 * the columns follow as bits, the lowest of a byte and of a number first:
 *     7 bits: the least length of the column's numbers in bits, 0 for a 0
 *     3 bits: w, the width of lengths; they are written as what they are more than the least one
 *     if w > 0: the usual length in w bits; a bit for each row, 1 if its number has another length;
 *         the lengths of these in w bits each
 *     each number without its leading 1
 * So a column of zeros takes ten bits.
 *
 * In rows, as recordings of format 2 have them, each number is in base 128, the lowest seven bits
 * first, with 128 added to each byte but its last one. */
#ifndef RECORD_TASK_PACK_H
#define RECORD_TASK_PACK_H

#include "base/str.h"
#include "sample/snapshot.h"

enum pack_kind {
    PACK_KNOWN, /* tasks with a row in `tasks` */
    PACK_BRIEF, /* those without, of a process with a row */
    PACK_ALONE, /* those that began and ended in the interval, and their processes with them */
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

enum { PACK_ROWS = 40, PACK_NEAR_MAX = 62 };

/* What is beside the rows of a pack. */
struct pack_style {
    enum pack_kind kind;
    bool columns; /* else in rows */
    bool timed;
    int64_t near; /* bit e: counts of event e, below PACK_NEAR_MAX, are differences */
};

struct pack_row {
    int64_t field[PACK_FIELDS];
    struct counts counts; /* of the snapshot it is in */
};

/* Writes up to PACK_ROWS rows of style->kind, in columns, with times if style->timed, and chooses
 * style->near; the text gets the bytes. */
void pack_write(struct str *bytes, struct pack_style *style, const struct pack_row *rows,
                size_t count, const struct event_set *set);

/* A pack that was read; zeroed before the first. */
struct pack {
    struct pack_style style;
    size_t rows, width; /* numbers of a row */
    uint64_t *numbers;
    size_t room; /* of `numbers` */
};

/* Reads a pack; bytes may be any. False if they are no such pack. */
bool pack_read(struct pack *pack, const struct pack_style *style, const void *bytes, size_t size,
               const struct event_set *set);
void pack_release(struct pack *pack);

/* The fields of a row, and its counts; without `timed`, times are those on the CPU. */
const int64_t *pack_row_fields(const struct pack *pack, size_t row);
void pack_row_counts(const struct pack *pack, size_t row, const struct event_set *set,
                     struct counts *counts);

/* Number of fields of a kind. */
size_t pack_fields(enum pack_kind kind);

#endif
