/* Rows that are sums of others: a process of its threads, a user of processes, the machine of its
 * CPUs. */
#ifndef MODEL_ROW_SUM_H
#define MODEL_ROW_SUM_H

#include "model/frame.h"

/* An empty row in which nothing is known. counts and times are one allocation: free counts. */
struct row row_sum_new(const struct event_set *set);
/* The same with counts and times in a place of that many bytes. */
struct row row_sum_in(void *place, const struct event_set *set);
size_t row_sum_size(const struct event_set *set);

/* Adds a part, which is complete: what it counted (row_sum_raw()), times, seconds, threads, `ran`.
 * If the part could not be counted, the sum is not counted either: without the part it would be
 * wrong.
 */
void row_sum_add(struct row *sum, const struct row *part, const struct frame *frame);

/* What a complete row of the frame counted of an event: its value before it was scaled. */
uint64_t row_sum_raw(const struct row *row, const struct frame *frame, size_t event);
/* What was counted of a group's event in these times, scaled to all of the time: not where CPUs
 * counted it all the time (frame_is_whole()). 0 if it was never counted. */
uint64_t row_sum_scaled(uint64_t raw, const struct frame *frame, int group, struct group_time time);

/* Whether the event is known in a row with this time of the event's group. A shared event is known
 * only in rows in which it was counted. */
bool row_sum_tells(const struct event_info *event, struct group_time time);

/* Call after the last part: sets the coverage of counts from the summed times, and scales them by
 * these. Estimates of the parts would leave out each part that was never counted. */
void row_sum_complete(struct row *sum, const struct frame *frame);

/* The coverage of an event in a row with these times of the groups; 0 if it is not known. Below a
 * hundredth it is too low to estimate from: then 0. */
double row_sum_coverage(const struct event_info *event, const struct group_time *times);

#endif
