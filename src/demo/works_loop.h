/* Loops in user mode, in the process that works: `prepare` and `run` of struct workload, and why
 * some cannot run here. */
#ifndef DEMO_WORKS_LOOP_H
#define DEMO_WORKS_LOOP_H

#include "demo/workload.h"

/* The parameter of work_loop is one of these. */
enum work_loop_kind {
    WORK_COUNT,
    WORK_ADD,
    WORK_NOP,
    WORK_MUL,
    WORK_DIV,
    WORK_FORWARD,
    WORK_FORWARD_SPLIT,
};
void work_loop(struct work *work, uint64_t turns);
char *work_needs_assembler(const struct workload *workload);

/* Branches on random bytes (parameter 1) or on zeros (0). */
void work_prepare_branches(struct work *work);
void work_branches(struct work *work, uint64_t turns);
enum { WORK_BRANCH_BYTES = 1 << 20 };

/* A chain of pointers through all lines of a part of the caches, in random order: half of a level
 * (parameter 1 to 3), or twice the last one (WORK_MEMORY). */
enum { WORK_MEMORY = 4 };
void work_prepare_chase(struct work *work);
void work_chase(struct work *work, uint64_t turns);
char *work_needs_caches(const struct workload *workload);
size_t work_cache(size_t level);      /* bytes of the first CPU's data cache; 0: not known */
size_t work_chase_size(size_t level); /* bytes of the chain; 0: not known */

/* A chain with one pointer in each of WORK_PAGES pages; huge ones with parameter 1. */
enum { WORK_PAGES = 1 << 15 };
void work_prepare_pages(struct work *work);

/* Two threads on two CPUs add to one number, or with parameter 1 to two in different lines. */
void work_prepare_sharing(struct work *work);
void work_share(struct work *work, uint64_t turns);

#endif
