/* The counters for Prometheus up to the last interval: CPUs and named groups of tasks since the
 * start (view/cumulative.h), and the state of countertop itself. */
#pragma once

#include "view/cumulative.h"
#include "view/view.h"

/* Names of events: small letters, digits, _, a base unit (prometheus.io/docs/practices/naming). */

struct metric_name {
    char *text;       /* "cycles", "cpu_clock_seconds"; unique in a set */
    const char *unit; /* "seconds", also at the end of text; NULL for plain counts */
    double factor;    /* a count times this is in that unit */
};

/* One for each event of the set; the caller frees them (metric_names_free). Names that countertop
 * uses itself (self_..., tasks_..., busy_seconds ...) become event_self_... */
struct metric_name *metric_names_new(const struct event_set *set);
void metric_names_free(struct metric_name *names, const struct event_set *set); /* NULL is fine */

struct exporter {
    struct view *view;
    struct cumulative cpus;    /* by number; if no CPUs are known one place, "", for all tasks */
    struct cumulative tasks;   /* by name of the group */
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
    uint64_t denied, starved;            /* current numbers */
    double wall, interval;               /* of the last frame */
    double alarms, last_alarm;           /* their number, and its time; NAN: none */
    struct machine_pressure pressure;    /* since the start */
    struct machine_load load;            /* of each CPU, since the start */
    struct machine_load cgroups;         /* of each cgroup */
    struct wait_facts *wait_facts;       /* of all tasks, since the start; NULL: none yet */
    size_t most;                         /* of these; 0: no limit */
    bool lists_waits;                    /* long waits are listed, so that they can be counted */
};

/* Takes ownership of `view`; its kind defines the groups, and tasks or CPUs become commands. names:
 * maximum number of groups at a time, 0: no limit. */
struct exporter *exporter_new(struct view *view, size_t names);
void exporter_free(struct exporter *exporter); /* NULL is fine */

/* Adds the counts of one interval. Call it once per frame. */
void exporter_take(struct exporter *exporter, const struct session *session,
                   const struct frame *frame);

/* Appends a label (`key="value"`), with unsafe characters escaped; the escapes are valid in both
 * forms of the text. */
void exporter_add_label(struct str *text, const char *key, const char *value);

/* Counters for Prometheus: counts of CPUs and tasks since the start, as text; the HELP of each says
 * what it is. Ratios are left to queries (PromQL divides rates).
 *
 * In countertop_tasks_EVENT_total{kind,command} kind is "task" with the command's name (with a view
 * of users or cgroups the label is user or cgroup), "other" for commands beyond the limit of names
 * and hidden tasks, "idle", or "unattributed". All increases, with those of names that were dropped
 * (countertop_retired_total{event}), add up to those of countertop_EVENT_total{cpu}.
 *
 * Names are those of events in small letters, digits and _ (Prometheus' naming conventions); values
 * with a unit are converted to the base unit, which ends the name (cpu_clock_seconds). */

/* METRICS_TEXT is read by promtool, the textfile collector of node_exporter and Prometheus: the
 * text format 0.0.4, ended by "# EOF". METRICS_1_0 is OpenMetrics 1.0: descriptions of counters
 * lack the suffix _total, and it has more types. */
enum metrics_form { METRICS_TEXT, METRICS_1_0 };
enum { METRICS_FORMS = METRICS_1_0 + 1 };

/* Appends all counters to the text. */
void metrics_write(const struct exporter *exporter, enum metrics_form form, struct str *text);

/* What formats say of tasks and groups besides their rows: from /proc, through the view's lookup.
 * It is not used for ended tasks: another task may have the pid now. */

struct task_info {
    char state[2];  /* a letter; "": not known */
    size_t threads; /* 0: not known */
};

/* The row is a thread's where the view shows threads, else a process'. */
void task_info_task(struct task_info *info, const struct view *view, const struct row *row);

/* The name of the container that has a cgroup; NULL: not known. Valid until the next lookup. */
const char *task_info_container(const struct view *view, const char *path);

/* A row of a view that shows groups. */
struct group_info {
    const struct row *row;
    const char *name; /* the common key of its processes, for a user the name; NULL: not known */
    const struct group *group;
    char number[USER_NUMBER]; /* buffer for a user's number */
};

/* Valid until the next lookup. */
void task_info_group(struct group_info *group, struct view *view, size_t index);
