/* Writes the tasks of an interval, as packs (record/task_pack.h). Part of record/writer. */
#ifndef RECORD_WRITE_TASKS_H
#define RECORD_WRITE_TASKS_H

#include "record/task_pack.h"
#include "record/write_meta.h"

/* Tasks of a kind are in a pack of their own. */
enum task_kind {
    TASK_KNOWN, /* they have a row in `tasks` */
    TASK_BRIEF, /* they have none, but their process has one in `processes` */
    TASK_ALONE, /* each began and ended in the interval, and was its process's only task */
    TASK_KINDS
};

struct write_tasks {
    struct write_meta *meta;
    sqlite3_stmt *add_pack;
    int64_t pack;                  /* id of the one written last */
    struct process_use *processes; /* of the snapshot */
    size_t process_room;
    struct pack packs[TASK_KINDS]; /* not yet written */
};

/* meta is the recording's, and outlives it. */
void write_tasks_init(struct write_tasks *tasks, struct write_meta *meta);
void write_tasks_release(struct write_tasks *tasks); /* a zeroed one, too */

/* Call it before intervals with another number of events or groups. -1 with a message. */
int write_tasks_prepare(struct write_tasks *tasks, const struct event_set *set, struct err *err);

/* Writes those that are or may be watched and did something; of the others only that they existed.
 * number: of the interval. False if that failed. */
bool write_tasks_take(struct write_tasks *tasks, const struct snapshot *interval,
                      const struct watch *watch, int64_t number);

#endif
