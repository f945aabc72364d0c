/* Batch output as CSV (RFC 4180, lines end with a line feed): one header line, then for each
 * refresh a row per task, CPU, group, function or instruction, and rows idle, unattributed and
 * total.
 *
 * Columns, in this order; a field that does not apply, or is not known, is empty, never 0:
 *   kind         task, group (with a view of users, commands or cgroups), function or
 *                instruction (with a view of code), cpu, idle, unattributed, total
 *   seq time interval                of the refresh; seconds since 1970, seconds
 *   pid tid ppid threads comm user   of tasks; threads also of groups
 *   cpu          the number of a CPU; where a task ran last
 *   state exited                     of tasks; exited is 0 or 1
 *   name processes                   of groups; name also of functions
 *   oncpu        seconds on a CPU; of a CPU its busy seconds
 *   an event     each by its name: counts in the interval
 *   coverage:EVENT                   time_running / time_enabled; below 1 the count is an estimate
 *   a metric     each by its name; if an event has that name already, metric:NAME
 * and only in rows `total`:
 *   lost_records throttled denied_tasks starved_tasks
 *   self_cpu_seconds self_descriptors self_rss_bytes
 *   host kernel cpu_model engine mode delay command notice
 *   state:EVENT reason:EVENT         whether it is counted, in the words of JSON, and why not
 * and with a view of code, only in its rows:
 *   object samples share             share is from 0 to 1
 *   blocked preempted                seconds off the CPU, if switches are sampled
 *   address instruction file line inlined   of instructions
 *
 * Control characters in names are escaped as in \x1b, and those that change the direction of text
 * as in \u202e, so that each record is one line and its names are not misleading. */
#ifndef FRONT_CSV_H
#define FRONT_CSV_H

#include "front/batch.h"

/* With csv_safe no field is a formula for a spreadsheet: a character that may begin one (= + - @)
 * is preceded by ', at the beginning of a text and after characters that may separate fields
 * (OWASP, CSV Injection). */
int csv_write(struct batch *batch, const struct session *session, struct err *err);

#endif
