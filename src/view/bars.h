/* The numbers behind the bars of the header: what a metric comes to for the machine, and for each
 * CPU or a few neighbours together, with what a full bar stands for. Without a metric they tell how
 * busy CPUs are: the share of their time, in per cent. */
#ifndef VIEW_BARS_H
#define VIEW_BARS_H

#include "metric/metric_set.h"
#include "view/format.h"
#include "view/role.h"

/* Room for the text of a bar. */
enum { BARS_TEXT = FORMAT_SIZE + 2 };

struct bar {
    int first, last; /* the CPUs it is of; -1: the machine */
    struct value value;
};

/* Of all that is counted; how busy the machine is, whoever is counted. metric may be NULL, here and
 * below. */
void bars_machine(const struct frame *frame, const struct metric *metric, struct bar *bar);
/* One for each `per` CPUs, the last for those that are left: ratios are those of their sums, rates
 * the mean of one CPU. bars has room for all; returns how many there are, 0 where the source knows
 * no CPUs. */
size_t bars_cpus(const struct frame *frame, const struct metric *metric, size_t per,
                 struct bar *bars);

/* What fills a bar: 100 of percentages, of others the largest number seen, and where more is better
 * at least the metric's good limit. */
double bars_full(const struct metric *metric, double seen);
/* The part of a bar that is filled, from 0 to 1; 0 without a value. */
double bars_share(const struct value *value, double full);
enum role bars_role(const struct metric *metric, const struct value *value);
/* "12.3%", or the metric's number as its cells have it: "0.50~", "n/a", "-". */
void bars_text(char text[BARS_TEXT], const struct metric *metric, const struct value *value);

#endif
