/* Metrics: named expressions over the events and times of a row, from INI text. */
#ifndef METRIC_CATALOG_H
#define METRIC_CATALOG_H

#include "base/err.h"
#include "metric/eval.h"

struct metric {
    char *name;   /* "ipc": for --sort and JSON */
    char *title;  /* column heading */
    char *text;   /* the expression as written */
    char *unit;   /* "", "%", "GHz" ... */
    char *help;
    int width;
    int decimals;
    bool has_good, has_bad;
    double good, bad;      /* limits for colour: which side is meant follows from their order */
    struct expr *expr;
};

struct catalog {
    struct metric *metrics; /* in the order of the text */
    size_t count, room;
};

void catalog_init(struct catalog *catalog);
void catalog_release(struct catalog *catalog);

/* Adds the [metric NAME] sections of an INI text; `origin` names it in messages, an error in an
 * expression points at its column. A name given again replaces the metric. On -1 the catalog is
 * as it was. */
int catalog_load(struct catalog *catalog, const char *text, const char *origin, struct err *err);

const struct metric *catalog_find(const struct catalog *catalog, const char *name);

#endif
