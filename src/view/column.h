/* Columns: what each shows of a row, as text and as a key to sort by. There are facts of a task
 * (pid, user, command ...), metrics of the catalog, and plain events. */
#ifndef VIEW_COLUMN_H
#define VIEW_COLUMN_H

#include "metric/metric_set.h"
#include "view/cell.h"
#include "view/format.h"
#include "view/view_context.h"

struct builtin_column;

struct column {
    struct view_column shown; /* strings point into this column's own, the catalog, or constants */
    enum column_kind { COLUMN_FACT, COLUMN_METRIC, COLUMN_EVENT } kind;
    const struct builtin_column *builtin;
    const struct metric *metric;
    struct binding binding; /* of the metric's events in the set */
    int event;              /* index in the set, -1: not in it */
    bool clock;             /* that event counts nanoseconds */
    double scale;           /* of that event: a count times this is in its unit */
    bool sized;             /* its width was chosen */
    bool excused;           /* its help says why there are no numbers */
    bool measured;          /* it has a unit, and is no number of occurrences */
    bool rate;              /* so many a second: times the interval it is an amount */
    double factor;          /* to show all digits of a metric that has a prefix: 1e6 for Mcycle/s */
    char *owned[5];
};

/* The column of that name: a fact, else a metric, else a plain event, which need not be in the set.
 * set may be NULL: then all but facts are without values. */
void column_init(struct column *column, const char *name, const struct metric_set *metric_set,
                 const struct event_set *set);
/* Fits title, help and width to what of counts the settings show; without it rates are. */
void column_settle(struct column *column, const struct view_settings *settings);
void column_release(struct column *column);

bool column_is_fact(const char *name);
bool column_fits(const struct column *column, enum view_kind kind);
/* Whether it shows something of that event, by itself or in an expression. */
bool column_uses(const struct column *column, const char *event);

/* Whether it sorts as text; else as numbers. */
bool column_is_text(const struct column *column);
/* What it has to tell of a row, in what the settings show; undefined for facts. */
struct value column_value(const struct column *column, const struct view_context *context,
                          const struct row *row);
/* The key of a row to sort by; false when it has no value. Texts are cut to size. */
bool column_number(const struct column *column, const struct view_context *context,
                   const struct row *row, double *number);
bool column_text(const struct column *column, const struct view_context *context,
                 const struct row *row, char *text, size_t size);

/* A number that the column has, as its cells show it. */
void column_write(const struct column *column, const struct view_settings *settings, double number,
                  int width, char text[FORMAT_SIZE]);
/* A metric's number in its unit, with its decimals. */
void column_format(char text[FORMAT_SIZE], const struct metric *metric, double number, int width);

void column_cell(const struct column *column, const struct view_context *context,
                 const struct row *row, struct cell *cell);

#endif
