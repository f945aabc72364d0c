/* Rows that add up others: a process its threads, a user its processes, the machine its CPUs. */
#ifndef MODEL_ROW_SUM_H
#define MODEL_ROW_SUM_H

#include "model/frame.h"

/* A row without counts yet, of nothing known; counts and times are one piece of the heap, freed
 * with its counts. */
struct row row_sum_new(const struct event_set *set);

/* Adds a part: counts, times, seconds, threads, whether it ran. A sum without one of its parts
 * would be wrong: where nothing could be counted for the part, so it is for the sum. */
void row_sum_add(struct row *sum, const struct row *part, const struct event_set *set);

/* Whether the row, with such a time of the event's group, tells anything of the event: what a
 * socket did is known where it was counted, and of nobody else. */
bool row_sum_tells(const struct event_info *event, struct group_time time);

/* When all parts are in: the coverage of its counts is that of their times together. */
void row_sum_complete(struct row *sum, const struct event_set *set);

/* What is shown as coverage of such a time: of less than a hundredth of it nothing is concluded, so
 * that is none. */
double row_sum_coverage(struct group_time time);

#endif
