/* Rows of the CPUs view: the row of all CPUs, then CPUs, or the cores, sockets or core types that
 * add them up. */
#ifndef VIEW_CPU_LEVEL_H
#define VIEW_CPU_LEVEL_H

#include "view/view_context.h"

enum { HEAT_MAX = 1000 };

/* Facts of a row of CPUs. */
struct level {
    struct view_place place;          /* of its first CPU */
    size_t cpus;                      /* number of CPUs */
    struct kernel_times kernel_times; /* of a sum: what its row points to */
    int heat;                         /* share in the heat column: 0 to HEAT_MAX, -1: not known */
};

struct cpu_level {
    size_t count, room, level_room; /* 0 if the frame knows no CPUs */
    struct row *rows;               /* the first is the row of all CPUs, the frame's total */
    struct level *levels;           /* by row */
    size_t *row_of;                 /* the row's index, by CPU of the frame */
    size_t cpu_room;
    size_t owned; /* rows from this index on own their counts */
};

void cpu_level_release(struct cpu_level *levels);

/* Makes the rows of a frame for the level in the settings; invalidates earlier rows. Each CPU
 * belongs to exactly one row besides the row of all. A sum has the number of its first CPU, and an
 * id made from it. A shared event is counted on one of its CPUs (event.shared). It is shown only if
 * every row contains such a CPU; otherwise one row would be charged for its neighbours. */
void cpu_level_make(struct cpu_level *levels, const struct view_context *context);

const struct level *cpu_level_of(const struct cpu_level *levels, const struct row *row);
bool cpu_level_is_total(const struct cpu_level *levels, const struct row *row);
/* Writes the CPUs of a row: "0-3,8"; a list that is too long is cut at a comma and ends in "+". */
void cpu_level_list(const struct cpu_level *levels, const struct frame *frame,
                    const struct row *row, char *text, size_t size);

/* The i-th builtin column that identifies rows of a level; NULL after the last. */
const char *cpu_level_naming(enum view_level level, size_t i);

#endif
