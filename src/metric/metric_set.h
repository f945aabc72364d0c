/* Metrics: named expressions over the events and times of a row, from INI text. */
#ifndef METRIC_METRIC_SET_H
#define METRIC_METRIC_SET_H

#include "base/err.h"
#include "metric/eval.h"
#include "metric/unit.h"

/* Decimals of a metric that is shown in another way: with SI suffixes (1.23k), or as a duration
 * (4.56ms). */
enum { METRIC_SI = -1, METRIC_DURATION = -2 };

struct metric {
    char *name;  /* "ipc": for --sort and JSON */
    char *title; /* column heading; the name where none is given */
    char *text;  /* the expression as written */
    struct unit unit;
    char *help;   /* one sentence, or "" */
    int width;    /* where none is given, enough for the title */
    int decimals; /* 0 to 6; where none are given 1 for percent, 2 for a ratio, METRIC_DURATION for
                     seconds, else METRIC_SI */
    bool has_good, has_bad; /* both or none */
    double good, bad;       /* limits for colour: which side is meant follows from their order */
    struct expr *expr;
    char *cpus;            /* which CPUs it is for, as for machine_matches(); NULL: all */
    int line;              /* where its text names it first */
    bool own;              /* set while the program runs: metric_set_set() */
    struct metric *before; /* what it took the place of then; NULL: nothing */
};

struct machine;

struct metric_set {
    struct metric *metrics; /* in the order of the text */
    size_t count, room;
    const struct machine *machine; /* what metrics are chosen for; NULL: not known */
};

void metric_set_init(struct metric_set *metric_set);
void metric_set_release(struct metric_set *metric_set);

/* Adds the [metric NAME] and [metric NAME@SET] sections of an INI text (metric/machine.h): keys
 * expr (required), title, unit, help, width, decimals, good, bad, cpus. Of several for one name the
 * first that is for this machine is taken, and replaces the metric of an earlier text; others are
 * checked and dropped. `origin` names the text in messages, an error in an expression points at its
 * column. On -1 the catalog is as it was. Metrics move: pointers from before the call are no longer
 * valid. */
int metric_set_load(struct metric_set *metric_set, const char *text, const char *origin,
                    struct err *err);

/* Sets the expression of a metric while the program runs. As with sections of INI text, one that is
 * there is replaced; here it hands on its title, unit, help, width, decimals and limits. With a
 * unit that is given (not NULL) decimals are the usual ones. -1 with a message (no such name, a
 * mistake in the expression with its place, no such unit, one that does not fit it, longer than a
 * line of INI text) and the catalog as it was. Metrics move. */
int metric_set_set(struct metric_set *metric_set, const char *name, const char *expr,
                   const char *unit, struct err *err);
/* Whether that would do. */
int metric_set_check(const struct metric_set *metric_set, const char *name, const char *expr,
                     const char *unit, struct err *err);
/* Takes that back: what was there before any setting is there again, or nothing. -1 with a message
 * for a metric that was not set so. Metrics move. */
int metric_set_unset(struct metric_set *metric_set, const char *name, struct err *err);

const struct metric *metric_set_find(const struct metric_set *metric_set, const char *name);

/* Whether a set has all events of a metric, whatever their state: whether it is worth printing. */
bool metric_applies(const struct metric *metric, const struct event_set *set);

/* 1 where a number is at or beyond the metric's good limit, -1 at or beyond the bad one, else 0. */
int metric_judge(const struct metric *metric, double number);

#endif
