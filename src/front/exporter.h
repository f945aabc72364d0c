/* What Prometheus reads, as of the last interval: counters of CPUs and of named groups of tasks
 * since the start (view/cumulative.h), and the state of countertop itself. */
#ifndef FRONT_EXPORTER_H
#define FRONT_EXPORTER_H

#include "base/str.h"
#include "front/metricname.h"
#include "view/cumulative.h"
#include "view/view.h"

struct exporter {
    struct view *view;
    const struct view_lookup *lookup;
    struct cumulative cpus;    /* by number; where no CPUs are known one place, "", for all tasks */
    struct cumulative tasks;   /* by name of their group */
    struct cumulative books;   /* "idle" and "unattributed" */
    struct event_set *set;     /* of the last frame, NULL before the first */
    struct metric_name *names; /* of its events */
    struct str info;           /* labels of the session */
    struct self {
        double seconds;
        size_t descriptors;
        uint64_t rss;
    } self;
    uint64_t refreshes, lost, throttled; /* since the start */
    uint64_t denied, starved;            /* now */
    double wall, interval;               /* of the last frame */
};

/* Takes over `view`, whose kind says by what tasks are grouped; a view of tasks or CPUs becomes one
 * of commands. names: how many groups at a time, 0: no limit. lookup outlives it. */
struct exporter *exporter_new(struct view *view, const struct view_lookup *lookup, size_t names);
void exporter_free(struct exporter *metrics); /* NULL is fine */

/* Adds the counts of one interval; each frame once. */
void exporter_take(struct exporter *metrics, const struct session *session,
                   const struct frame *frame);

/* Appends a label (`key="value"`) to those in the text, made visible and escaped; both forms of the
 * text have the same escapes. */
void exporter_add_label(struct str *text, const char *key, const char *value);

#endif
