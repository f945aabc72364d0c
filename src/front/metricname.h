/* What events are called in Prometheus: small letters, digits and _, the base unit at the end
 * (https://prometheus.io/docs/practices/naming/). */
#ifndef FRONT_METRICNAME_H
#define FRONT_METRICNAME_H

#include "view/view.h"

struct metric_name {
    char *text;       /* "cycles", "cpu_clock_seconds"; no two events of a set have the same */
    const char *unit; /* "seconds": it is at the end of the text too; NULL where it counts */
    double factor;    /* a count times this is in that unit */
};

/* One for each event of the set; the caller frees them (metric_names_free). Those that countertop
 * has for itself (self_..., tasks_..., busy_seconds ...) become event_self_... */
struct metric_name *metric_names_new(const struct event_set *set);
void metric_names_free(struct metric_name *names, const struct event_set *set); /* NULL is fine */

#endif
