/* Writes the tasks of an interval, as packs (record/task_pack.h). Part of record/writer. */
#ifndef RECORD_WRITE_TASKS_H
#define RECORD_WRITE_TASKS_H

#include "record/task_pack.h"
#include "record/write_meta.h"

struct write_tasks {
    struct write_meta *meta;
    sqlite3_stmt *add_pack;
    int64_t pack;                  /* id of the one written last */
    bool timed;                    /* its packs have the times of groups */
    struct process_use *processes; /* of the snapshot */
    size_t process_room;
    struct pack_row rows[PACK_KINDS][PACK_ROWS]; /* not yet written */
    size_t counts[PACK_KINDS];
    struct str bytes;
};

/* meta is the recording's, and outlives it. */
int write_tasks_init(struct write_tasks *tasks, struct write_meta *meta, struct err *err);
void write_tasks_release(struct write_tasks *tasks); /* a zeroed one, too */

/* Writes those that are or may be watched and did something; of the others only that they existed.
 * number: of the interval. False if that failed. */
bool write_tasks_take(struct write_tasks *tasks, const struct snapshot *interval,
                      const struct watch *watch, int64_t number);

#endif
