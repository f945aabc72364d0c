/* The values of the header's bars: a metric of the machine, and of each CPU or a few neighbours
 * together, and of a full bar. Without a metric: the busy share in per cent. */
#pragma once

#include "metric/metric_set.h"
#include "view/format.h"
#include "view/cell.h"

/* Size of a bar's text. */
enum { BARS_TEXT = FORMAT_SIZE + 2 };

struct bar {
    int first, last; /* its CPUs; -1: the machine */
    struct value value;
    double kernel; /* of a busy share: per cent of the time in the kernel; -1: not known */
};

/* The metric over everything counted, or for NULL, also below, the busy share of the machine. */
void bars_machine(const struct frame *frame, const struct metric *metric, struct bar *bar);
/* One bar for each `per` CPUs, the last for the remaining ones: ratios are computed from sums,
 * rates are the mean per CPU. bars must have room for all. Returns their number, 0: no CPUs. */
size_t bars_cpus(const struct frame *frame, const struct metric *metric, size_t per,
                 struct bar *bars);

/* The value of a full bar: 100 for percentages; otherwise the largest number seen, and if more is
 * better, at least the metric's good limit. */
double bars_full(const struct metric *metric, double seen);
/* The filled part of a bar, from 0 to 1; 0 without a value. */
double bars_share(const struct value *value, double full);
/* ROLE_BAD beyond the bad limit of the metric (which may be NULL), else ROLE_VALUE. */
enum role bars_role(const struct metric *metric, const struct value *value);
/* "12.3%", or the metric's number as in cells: "0.50~", "n/a", "-". */
void bars_text(char text[BARS_TEXT], const struct metric *metric, const struct value *value);
