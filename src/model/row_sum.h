/* Rows that are sums of others: a process of its threads, a user of processes, the machine of its
 * CPUs. */
#ifndef MODEL_ROW_SUM_H
#define MODEL_ROW_SUM_H

#include "model/frame.h"

/* A sum without parts, for row_sum_release(). */
struct row row_sum_new(const struct event_set *set);
void row_sum_release(struct row *sum);
/* The same with counts and times in the row_sum_size() bytes at `place`, which stay the caller's.
 */
struct row row_sum_in(void *place, const struct event_set *set);
size_t row_sum_size(const struct event_set *set);

/* Adds a finished row of the frame: what it counted before scaling, its times, seconds, threads and
 * `ran`, and its facts of waits. If the part could not be counted, the sum gets that state: without
 * the part it would be wrong. */
void row_sum_add(struct row *sum, const struct row *part, const struct frame *frame);

/* The count of an event in a finished row of the frame, before it was scaled. */
uint64_t row_sum_raw(const struct row *row, const struct frame *frame, size_t event);
/* A raw count of a group, scaled to the time in which the group was enabled; unscaled where the
 * CPUs counted the group all of the time (frame_is_whole()); 0 if the group never ran. */
uint64_t row_sum_scaled(uint64_t raw, const struct frame *frame, int group, struct group_time time);

/* Whether an event has a value in a row whose time of the event's group is this: a shared event has
 * one only in rows in which it was counted. */
bool row_sum_tells(const struct event_info *event, struct group_time time);

/* Finishes a sum after its last part: scales its counts, and sets their coverage, by the summed
 * times. (A sum of scaled parts would leave out each part that was never counted.) */
void row_sum_complete(struct row *sum, const struct frame *frame);

/* The coverage of an event in a row with these times of the groups, 0 to 1; 0 if it is not known,
 * or below 1 %, which is too little to estimate from. */
double row_sum_coverage(const struct event_info *event, const struct group_time *times);

#endif
