/* The metrics of event files (event/event_table.h) as metrics of this program. */
#ifndef CLI_FILE_METRICS_H
#define CLI_FILE_METRICS_H

#include "metric/metric_set.h"

struct unusable_metric {
    char *name, *reason;
};

struct unusable_metrics { /* zeroed: empty */
    struct unusable_metric *items;
    size_t count, room;
};

/* Adds those that can be computed here; a metric that is in the set already, or has the name of
 * another column, is not replaced. Others are added to `unusable`, each with one sentence why. */
void file_metrics_add(struct metric_set *set, struct unusable_metrics *unusable);
void unusable_metrics_release(struct unusable_metrics *unusable);

#endif
