/* Metrics: named expressions over the events and times of a row, from INI text. */
#pragma once

#include "metric/eval.h"

/* The units of metrics: counts, ratios, percent, seconds, bytes, Hz, joules, with optional SI
 * prefixes and `/s`. Events are counts without a dimension, so the only dimension that can be
 * checked for an expression is time. */

enum unit_kind {
    UNIT_COUNT,
    UNIT_RATIO,
    UNIT_PERCENT,
    UNIT_SECONDS,
    UNIT_BYTES,
    UNIT_HERTZ,
    UNIT_JOULES,
};

struct unit {
    enum unit_kind kind;
    char text[8]; /* "", "%", "s", "us", "B/s", "GHz", "1/s" ... */
    int time;     /* power of seconds: 1 for s, -1 for Hz and everything per second */
    bool prefixed;
};

/* "", count, ratio, percent or %, seconds or s, bytes or B, Hz, J; W is J/s. The short ones can
 * have a prefix: n u m k M G T. `/s` can follow; `1/s` and `M/s` are counts per second. -1 with a
 * message. */
int unit_parse(struct unit *unit, const char *text, struct err *err);

/* Values of `decimals` for numbers with SI suffixes (1.23k) and for durations (4.56ms). */
enum { METRIC_SI = -1, METRIC_DURATION = -2 };

struct metric {
    char *name;  /* "ipc": for --sort and JSON */
    char *title; /* column heading; default: the name */
    char *text;  /* the expression as written */
    struct unit unit;
    char *help;   /* one sentence, or "" */
    int width;    /* default: enough for the title */
    int decimals; /* 0 to 6; default: 1 for percent, 2 for a ratio, METRIC_DURATION for seconds,
                     else METRIC_SI */
    bool has_good, has_bad; /* both or none */
    double good, bad;       /* limits for colour; more is better if good > bad */
    struct expr *expr;
    bool all_modes; /* only of what is counted in user and kernel mode */
    char *whole; /* metrics of a text with the same word here are parts of 100 %; NULL: of none */
    char *cpus;  /* the CPUs that it is for, as for machine_matches(); NULL: all */
    int line;    /* of its first mention in the text */
    bool elsewhere;        /* for other CPUs: a later section of the same name takes keys from it */
    bool own;              /* set while the program runs: metric_set_set() */
    struct metric *before; /* the metric that it replaced then; NULL: none */
};

struct metric_set {         /* zeroed: empty */
    struct metric *metrics; /* in the order of the text */
    size_t count, room;
    const struct machine *machine; /* for which metrics are chosen; NULL: not known */
    bool embedded; /* texts come with the program: metrics for other CPUs are not parsed */
};

void metric_set_release(struct metric_set *metric_set);

/* Adds the [metric NAME] and [metric NAME@SET] sections of an INI text (metric/machine.h): keys
 * expr (required), title, unit, help, width, decimals, good, bad, mode, whole, cpus. Of several
 * with one name the first for this machine is used, and replaces the metric of an earlier text;
 * others are only checked. `origin` names the text in messages; an error in an expression has its
 * column. On -1 the set is unchanged. Earlier pointers to metrics become invalid. */
int metric_set_load(struct metric_set *metric_set, const char *text, const char *origin,
                    struct err *err);

/* INI text with a metric for each figure of each kind of spans (span_kinds, span_figures), as
 * wait_p50_us; the caller frees it. wakeup_max_us is not in it. */
char *metric_spans_text(void);

/* Adds a metric of a file that is no INI text. -1 with a message: the name is bad or taken, the
 * expression has a mistake, the unit is unknown or does not fit. Invalidates pointers. */
int metric_set_define(struct metric_set *metric_set, const char *name, const char *expr,
                      const char *unit, const char *help, struct err *err);

/* Makes a metric of an expression that is typed while the program runs, for metric_set_take().
 * Title, unit, help, width, decimals and limits are those of the set's metric with that name, if
 * there is one. If a unit is given (not NULL), decimals get their default. -1 with a message: a bad
 * name, a mistake in the expression with its column, an unknown unit or one that does not fit, too
 * long for a line of INI text. Call metric_release() after a failure, or if the set does not take
 * it. */
int metric_set_draft(const struct metric_set *metric_set, const char *name, const char *expr,
                     const char *unit, struct metric *metric, struct err *err);
void metric_release(struct metric *metric);
/* Takes ownership of it, in place of the one with its name. Invalidates pointers. */
void metric_set_take(struct metric_set *metric_set, struct metric *metric);
/* Returns what metric_set_draft() would return, and makes nothing. */
int metric_set_check(const struct metric_set *metric_set, const char *name, const char *expr,
                     const char *unit, struct err *err);
/* Undoes all metric_set_take() of a metric: restores the original, or removes it. -1 with a message
 * for a metric that was not set. Invalidates pointers. */
int metric_set_unset(struct metric_set *metric_set, const char *name, struct err *err);

struct metric *metric_set_find(const struct metric_set *metric_set, const char *name);
/* The same by a word that ignores case, and may lack the unit of its name: wait_p99 is wait_p99_us.
 */
const struct metric *metric_set_named(const struct metric_set *metric_set, const char *word);

/* Whether an event of its expression can serve a metric: it is counted in the modes that this
 * needs. */
static inline bool metric_takes(const struct metric *metric, const struct event_info *event)
{
    return !metric->all_modes || !event->halved;
}

/* Whether a set has all events of a metric, in any state and in the modes that it needs, so that it
 * is worth printing. */
bool metric_applies(const struct metric *metric, const struct event_set *set);

/* 1 for a number at or beyond the metric's good limit, -1 at or beyond the bad one, else 0. */
int metric_judge(const struct metric *metric, double number);
/* Whether it is a rate of events, which are whole in each interval. */
bool metric_counts_events(const struct metric *metric);
