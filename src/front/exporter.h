/* What Prometheus is told, as it stands after the last interval: counters of CPUs and of named
 * groups of tasks since the beginning (view/tally.h), and the state of countertop itself. */
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
    uint64_t refreshes, lost, throttled; /* since the beginning */
    uint64_t denied, starved;            /* now */
    double wall, interval;               /* of the last frame */
};

/* `view` becomes its own, with the kind of groups that are told apart: commands where it shows
 * tasks or CPUs. names: how many at a time, 0: no limit. lookup outlives it. */
struct exporter *exporter_new(struct view *view, const struct view_lookup *lookup, size_t names);
void exporter_free(struct exporter *metrics); /* NULL is fine */

/* Adds the counts of one interval; each frame once. */
void exporter_take(struct exporter *metrics, const struct session *session,
                   const struct frame *frame);

/* Adds a label (`key="value"`) behind those in the text, made visible and escaped: the escapes of
 * both forms of the text are the same. */
void exporter_add_label(struct str *text, const char *key, const char *value);

#endif
