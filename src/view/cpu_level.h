/* Rows of the CPUs view: CPUs, or cores, sockets and core types that add them up, and what all of
 * them did. */
#ifndef VIEW_CPU_LEVEL_H
#define VIEW_CPU_LEVEL_H

#include "view/view_context.h"

enum { HEAT_MAX = 1000 };

/* Of a row that adds up CPUs. */
struct level {
    struct view_place place; /* of its first CPU */
    size_t cpus;             /* how many */
    int heat; /* its part of what CPUs are compared by: 0 to HEAT_MAX, -1: not known */
};

struct cpu_level {
    size_t count, room, level_room; /* 0 where the frame knows no CPUs */
    struct row *rows;               /* the first is that of all CPUs, the frame's total */
    struct level *levels;           /* one for each row */
    size_t *row_of;                 /* of each CPU of the frame: its row */
    size_t cpu_room;
    size_t owned; /* rows from here on have counts of their own */
};

void cpu_level_release(struct cpu_level *levels);

/* Makes the rows of a frame at the level of the settings. Each CPU belongs to exactly one row but
 * that of all. What was made before is no longer valid. A row that adds up has the number of its
 * first CPU, which is its id, too. A shared event is counted on one of its
 * CPUs (event.shared). It is shown only where every row contains such a CPU; otherwise one row
 * would be charged for its neighbours. */
void cpu_level_make(struct cpu_level *levels, const struct view_context *context);

const struct level *cpu_level_of(const struct cpu_level *levels, const struct row *row);
bool cpu_level_is_total(const struct cpu_level *levels, const struct row *row);
/* The CPUs of a row: "0-3,8"; what has no room is cut off at a comma, with "+" for it. */
void cpu_level_list(const struct cpu_level *levels, const struct frame *frame,
                    const struct row *row, char *text, size_t size);

/* The i-th of the facts that tell the rows of a level from each other; NULL after the last. */
const char *cpu_level_naming(enum view_level level, size_t i);

#endif
