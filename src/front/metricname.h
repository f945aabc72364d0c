/* Names of events in Prometheus: small letters, digits and _, with the base unit at the end
 * (https://prometheus.io/docs/practices/naming/). */
#ifndef FRONT_METRICNAME_H
#define FRONT_METRICNAME_H

#include "view/view.h"

struct metric_name {
    char *text;       /* "cycles", "cpu_clock_seconds"; unique in a set */
    const char *unit; /* "seconds", also at the end of text; NULL for plain counts */
    double factor;    /* a count times this is in that unit */
};

/* One for each event of the set; the caller frees them (metric_names_free). Names that countertop
 * uses itself (self_..., tasks_..., busy_seconds ...) become event_self_... */
struct metric_name *metric_names_new(const struct event_set *set);
void metric_names_free(struct metric_name *names, const struct event_set *set); /* NULL is fine */

#endif
