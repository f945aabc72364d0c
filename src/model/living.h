/* The rows of all tasks that live, and of their processes: for frames that have them all although
 * most are asleep, and then in no snapshot (snapshot.whole). */
#ifndef MODEL_LIVING_H
#define MODEL_LIVING_H

#include "base/map.h"
#include "model/frame.h"

struct living_task {
    struct row row; /* as it is in a frame in which the task is asleep, without counts */
    size_t *place;  /* where its owner keeps its index, + 1; NULL: it has ended */
};

struct living {
    size_t task_count, task_room;
    struct living_task *tasks; /* in the order in which they came */
    size_t process_count, process_room;
    struct row *processes; /* likewise; threads: those that live */
    struct map owners;     /* process id to index in processes, + 1 */
};

/* Forgets all tasks. */
void living_release(struct living *living);

/* Makes them the rows of a frame without any, with the counts of frame->asleep; there is room. The
 * indices of tasks may change. */
void living_fill(struct living *living, struct frame *frame);

/* Keeps the facts of a task's row. *place is 0 for a new task, and gets the index, + 1; it must not
 * move. */
void living_keep(struct living *living, const struct row *row, size_t *place);
/* Removes a task, if there is one in *place, which gets 0. */
void living_remove(struct living *living, size_t *place);

/* The index of a process in `processes` and in a frame that was just filled; SIZE_MAX: none. */
size_t living_process(const struct living *living, uint64_t id);
/* Keeps the facts of a process' row, if any of its tasks lives. */
void living_keep_process(struct living *living, const struct row *row);

#endif
