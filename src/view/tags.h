/* Tasks that the user tagged, by identity. */
#ifndef VIEW_TAGS_H
#define VIEW_TAGS_H

#include "base/map.h"
#include "model/frame.h"

struct view_tagged {
    uint64_t id;
    pid_t pid, tid; /* tid = pid: a process, or its first thread */
    char comm[TASK_COMM_SIZE];
    bool exited;
};

struct tags {
    struct view_tagged *items; /* in the order of tagging */
    size_t count, room;
    struct map by_id; /* index + 1 */
    uint64_t seq;     /* of the last frame taken */
};

void tags_release(struct tags *tags);

bool tags_has(const struct tags *tags, uint64_t id);
void tags_set(struct tags *tags, const struct row *row, bool tagged);
void tags_clear(struct tags *tags);

/* Marks tasks that ended in a frame; drops those that had ended before, unless they are `kept`. */
void tags_take(struct tags *tags, const struct frame *frame, bool kept);

#endif
