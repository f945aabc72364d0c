/* Reads the profiles of a recording. Part of record/reader. */
#ifndef RECORD_READ_PROFILE_H
#define RECORD_READ_PROFILE_H

#include "base/map.h"
#include "record/schema.h"

struct read_profile {
    struct db *db;
    struct code_book *book; /* the recording's functions; NULL: none read yet */
    struct map functions;   /* their places, by the keys of their rows */
    struct map codes;       /* not NULL: the code of that function is in the book, with lines */
    struct map sources;     /* bytes of source files in the book, by their paths' hashes */
    bool has_code;          /* the recording has some */
    sqlite3_stmt *find_profile, *find_rows, *find_function, *find_stack, *find_code, *find_any,
        *find_source;
};

int read_profile_init(struct read_profile *profiles, struct db *db, struct err *err);
void read_profile_release(struct read_profile *profiles);

/* The profile of an interval; NULL if it has none. False if it is invalid. */
bool read_profile_read(struct read_profile *profiles, int64_t interval, struct profile **profile);

#endif
