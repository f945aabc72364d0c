/* Finds out what can be counted, by opening and closing events. */
#pragma once

#include "engine/group.h"

/* caps_read(), and the fields about perf_event_open(2). */
void probe_open_caps(struct caps *caps);

/* Why the event cannot be counted in that mode for that target: one sentence, which the caller
 * frees. NULL if it can. */
char *probe_open_reason(const char *event, enum count_mode mode, struct group_target target,
                        const struct caps *caps);

/* The same for breakpoints, tried on countertop's own memory. */
char *probe_open_breakpoint(enum count_mode mode, struct group_target target,
                            const struct caps *caps);

/* How many hardware events a core PMU counts at the same time. */
struct probe_open_counters {
    size_t all;  /* largest group that the kernel accepts */
    size_t free; /* largest group that counts: the NMI watchdog and other profilers use the rest */
};

/* pmu: a core PMU, or NULL if there is only one. The calling thread counts itself, on a CPU with
 * this PMU. */
struct probe_open_counters probe_open_counters(const char *pmu, const struct caps *caps);
/* `all` of the core PMU; 0 if there is none or core types have different PMUs. */
size_t probe_open_core_counters(const struct caps *caps);

/* How the engines know what threads do on no CPU (event/event_set.h). */

/* Whether a list has an event that perf does not count, and that can be known as yet. */
bool wakeups_wanted(const struct event_list *list);

/* The number of the tracepoint of wake-ups, if it can be counted on that CPU and its records have
 * the form that engine/decode.h expects; else 0 and *why: state and reason of an event that needs
 * it. The caller frees the reason. */
uint64_t wakeups_tracepoint(int cpu, const struct caps *caps, struct event *why);

/* The form of records of migrations, if there can be any on that CPU; else its tracepoint is 0. */
void migrations_find(int cpu, struct decode_migration *form);

/* Of the events of a list that are kept, not counted by perf: mark those that cannot be known, with
 * state and reason. wakeups_judge_records(): where records of all CPUs are read; `tracepoint` and
 * `why` are from wakeups_tracepoint(). wakeups_judge_proc(): where there is only /proc, which does
 * not tell wake-ups, and perhaps no waiting. */
void wakeups_judge_records(struct event_list *list, uint64_t tracepoint, const struct event *why);
void wakeups_judge_proc(struct event_list *list);
