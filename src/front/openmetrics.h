/* Counters for Prometheus: counts of CPUs and tasks since the start, as text. Ratios are left to
 * queries (PromQL divides rates).
 *
 *   countertop_EVENT_total{cpu="0"}   counts of a CPU, such as countertop_cycles_total
 *   countertop_tasks_EVENT_total{kind,command}
 *       the same counts by task. kind is "task" with the command's name, "other" for commands
 *       beyond the limit of names and hidden tasks, "idle", or "unattributed". With a view of users
 *       or cgroups the label is user or cgroup. All increases add up to those of the CPUs.
 *   countertop_retired_total{event}   counts of commands whose names were dropped for busier
 *       ones, in the unit of the event's metric; sums of tasks with it are those of the CPUs
 *   countertop_coverage_ratio{event,cpu}   of events on hardware counters: below 1 the counts of
 *       the last interval are estimates; no sample: nothing was counted in it
 *   countertop_info, countertop_event_info   the machine; each event with its state and its metric
 *   countertop_busy_seconds_total{cpu}, countertop_tasks_busy_seconds_total   time on a CPU
 *   countertop_cpu_..._seconds_total{cpu}, countertop_cgroup_..._seconds_total{cgroup}   what the
 *       kernel keeps (system/kernel_times.h)
 *   countertop_pressure_seconds_total{resource,kind}   of the machine; kind is some or full
 *   countertop_refreshes_total, countertop_interval_seconds,
 *   countertop_last_refresh_timestamp_seconds, countertop_lost_records_total,
 *   countertop_throttled_total, countertop_denied_tasks, countertop_starved_tasks   the state of
 *       counting
 *   countertop_self_...   the cost of countertop itself
 *
 * Names are those of events in small letters, digits and _ (Prometheus' naming conventions); values
 * with a unit are converted to the base unit, which ends the name (cpu_clock_seconds). */
#ifndef FRONT_OPENMETRICS_H
#define FRONT_OPENMETRICS_H

#include "front/batch.h"

/* METRICS_TEXT is read by promtool, the textfile collector of node_exporter and Prometheus: the
 * text format 0.0.4, ended by "# EOF". METRICS_1_0 is OpenMetrics 1.0: descriptions of counters
 * lack the suffix _total, and it has more types. */
enum metrics_form { METRICS_TEXT, METRICS_1_0 };
enum { METRICS_FORMS = METRICS_1_0 + 1 };

/* Appends all counters to the text. */
void metrics_write(const struct exporter *exporter, enum metrics_form form, struct str *text);

/* Batch output: writes all counters after each interval. */
int openmetrics_write(struct batch *batch, const struct session *session, struct err *err);

#endif
