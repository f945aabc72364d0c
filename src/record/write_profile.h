/* Writes the profiles of a recording: functions with their names, so that a replay needs no
 * programs. Part of record/writer. */
#ifndef RECORD_WRITE_PROFILE_H
#define RECORD_WRITE_PROFILE_H

#include "base/map.h"
#include "record/schema.h"

struct write_profile {
    struct db *db;
    struct code_book *book;                /* whose numbers are in the maps; NULL: none yet */
    struct map objects, functions, stacks; /* keys of rows, by hashes */
    struct map codes;  /* by function's key: how much of its code is written, see write_code() */
    bool code_pending; /* ... and more is being read */
    size_t pending_count, pending_room;
    struct unnamed_function *pending;     /* written before their names were known */
    int64_t object, function, stack, row; /* ids of the rows written last */
    sqlite3_stmt *add_object, *add_function, *name_function, *place_rows, *add_stack, *add_row,
        *add_profile, *add_code, *add_source;
};

int write_profile_init(struct write_profile *profiles, struct db *db, struct err *err);
void write_profile_release(struct write_profile *profiles); /* a zeroed one, too */

/* Adds an interval's profile. Names that were still looked up for earlier ones are added, and the
 * code of functions that were looked at. False if it could not be written. */
bool write_profile_take(struct write_profile *profiles, int64_t interval,
                        const struct profile *profile);

/* Adds names and code that are found soon; call before other events are recorded. `last`: no more
 * follow; names are waited for as code_book_await() does. */
void write_profile_finish(struct write_profile *profiles, bool last);

/* Call after rows were deleted: everything is written again when it reappears. */
void write_profile_forget(struct write_profile *profiles);

#endif
