/* Which tasks of a frame are on show whatever their text: those that are watched, and ran. Part of
 * view/view. */
#ifndef VIEW_ACTIVE_H
#define VIEW_ACTIVE_H

#include "base/map.h"
#include "view/sticky.h"

/* What is looked up by pid while the rows of one frame are gone through. Keeps its room. */
struct active {
    const struct scene *scene;
    bool all;             /* nothing is watched in particular */
    struct map processes; /* rows by pid: threads are watched by the name of their process */
    struct map chosen;    /* pids of processes with a thread that is watched */
};

void active_init(struct active *active);
void active_release(struct active *active);

/* Before a frame's rows are gone through, and after any change of settings. */
void active_begin(struct active *active, const struct scene *scene);

/* Whether a row of the frame is watched; thread: of frame->threads. */
bool active_watches(const struct active *active, const struct row *row, bool thread);
/* Whether it is, and on show in this interval. */
bool active_has(const struct active *active, const struct row *row, bool thread);
/* Whether one that ended before was. */
bool active_watched(const struct active *active, const struct ended *ended, bool thread);

/* Whether it takes at least the %CPU that the settings ask for; what could not be counted does. */
bool active_is_busy(const struct scene *scene, const struct row *row);

/* The process' row, or NULL; only of the frame that was begun with, and where something is watched
 * or highlighted. */
const struct row *active_process(const struct active *active, pid_t pid);

#endif
