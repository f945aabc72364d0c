/* Metrics: named expressions over the events and times of a row, from INI text. */
#ifndef METRIC_CATALOG_H
#define METRIC_CATALOG_H

#include "base/err.h"
#include "metric/eval.h"

enum { METRIC_SI = -1 }; /* decimals of a metric that is shown with SI suffixes: 1.23k */

struct metric {
    char *name;   /* "ipc": for --sort and JSON */
    char *title;  /* column heading; the name where none is given */
    char *text;   /* the expression as written */
    char *unit;   /* "", "%", "GHz" ... */
    char *help;   /* one sentence, or "" */
    int width;    /* where none is given, enough for the title */
    int decimals; /* 0 to 6, or METRIC_SI where none are given */
    bool has_good, has_bad; /* both or none */
    double good, bad;      /* limits for colour: which side is meant follows from their order */
    struct expr *expr;
    int line;     /* where its text names it first */
};

struct catalog {
    struct metric *metrics; /* in the order of the text */
    size_t count, room;
};

void catalog_init(struct catalog *catalog);
void catalog_release(struct catalog *catalog);

/* Adds the [metric NAME] sections of an INI text: keys expr (required), title, unit, help, width,
 * decimals, good, bad. `origin` names it in messages, an error in an expression points at its
 * column. A name given again replaces the metric. On -1 the catalog is as it was. Metrics move:
 * pointers from before the call are no longer valid. */
int catalog_load(struct catalog *catalog, const char *text, const char *origin, struct err *err);

const struct metric *catalog_find(const struct catalog *catalog, const char *name);

/* Whether a set has all events of a metric, whatever their state: whether it is worth printing. */
bool metric_applies(const struct metric *metric, const struct event_set *set);

/* 1 where a number is at or beyond the metric's good limit, -1 at or beyond the bad one, else 0. */
int metric_judge(const struct metric *metric, double number);

#endif
