/* Columns: the text and the sort key of a row. They are builtin (pid, user, command ...), metrics
 * of the set of metrics, or plain events. */
#pragma once

#include "metric/metric_set.h"
#include "view/cell.h"
#include "view/format.h"
#include "view/view_context.h"
#include "view/screen.h"

struct column {
    struct view_column shown; /* strings belong to this column, the set of metrics, or constants */
    enum column_kind { COLUMN_FACT, COLUMN_METRIC, COLUMN_EVENT } kind;
    const struct builtin_column *builtin; /* of a fact, else NULL */
    const struct metric *metric;          /* of a metric, else NULL */
    struct binding binding;               /* the metric's events in the set */
    int event;                            /* index in the set, -1: not in the set */
    bool clock;                           /* that event counts nanoseconds */
    const char *unit;                     /* of that event, if it is measured in one */
    double scale;                         /* of that event: count times scale is in its unit */
    int spare;     /* cells that the last column must keep where it is shown; 0: it always is */
    bool sized;    /* the user chose its width */
    bool excused;  /* its help says why it has no numbers */
    bool modeless; /* has an event that the mode does not apply to */
    bool measured; /* has a unit, is not a number of occurrences */
    bool rate;     /* per second: rate times interval is an amount */
    bool share;    /* its value is the row's part of the sum over all groups, in percent */
    double factor; /* for all digits of a metric with a prefix: 1e6 for Mcycle/s */
    struct standing standing;  /* of its values, in views that show it */
    char *name, *title, *help; /* that it owns; NULL: none */
};

/* Looks the name up as a builtin column, then a metric, else a plain event, which need not be in
 * the set. With set NULL only builtin columns have values. */
void column_init(struct column *column, const char *name, const struct metric_set *metric_set,
                 const struct event_set *set);
void column_release(struct column *column);

bool column_is_fact(const char *name);
/* Whether rows of the view have it: those of functions only numbers that samples have. */
bool column_fits(const struct column *column, const struct event_set *set,
                 const struct view_settings *settings);
/* Whether rows of that view can have a metric, whatever is counted. */
bool column_fits_metric(const struct metric *metric, enum view_kind kind);
/* Whether it shows that event, directly or in an expression. */
bool column_uses(const struct column *column, const char *event);

/* Whether it sorts as text, else as numbers. */
bool column_is_text(const struct column *column);
/* Whether its numbers are measured in each interval, so that they have a history. */
bool column_is_measured(const struct column *column);
/* Whether rows of a frame that are asleep all have the same value in it. */
bool column_is_same_asleep(const struct column *column);
/* The value of a row in the amount of the settings; undefined for texts. */
struct value column_value(const struct column *column, const struct view_context *context,
                          const struct row *row);
/* The value per second of a column, not a fact, over everything counted; of the column so named. */
struct value column_value_of(const struct column *column, const struct frame *frame);
struct value column_total(const char *name, const struct metric_set *metric_set,
                          const struct frame *frame);
/* The sort key of a row; false if it has no value. Texts are cut to size. */
bool column_number(const struct column *column, const struct view_context *context,
                   const struct row *row, double *number);
/* What one in the last decimal of a cell is; 0: cells have as many decimals as fit. */
double column_step(const struct column *column);
bool column_text(const struct column *column, const struct view_context *context,
                 const struct row *row, char *text, size_t size);

/* Writes a number in the form of the column's cells. */
void column_write(const struct column *column, const struct view_settings *settings, double number,
                  int width, char text[FORMAT_SIZE]);
/* Writes a metric's number in its unit with its decimals. */
void column_format(char text[FORMAT_SIZE], const struct metric *metric, double number, int width);

void column_cell(const struct column *column, const struct view_context *context,
                 const struct row *row, struct cell *cell);
/* Why the row's cell is "-"; NULL: it is not. Valid as long as the frame. */
const char *column_missing(const struct column *column, const struct view_context *context,
                           const struct row *row);

/* Chooses the columns: those of a screen, and of events that no column of it uses. */

struct column_list { /* {0} is an empty list */
    struct column *columns;
    size_t count, room;
};

void column_list_release(struct column_list *list);
const struct column *column_list_find(const struct column_list *list, const char *name);

/* Replaces the list by the columns of a table, from left to right: those that the kind of view
 * begins with, those of the screen, counted events that none of them uses, coverage_pct if events
 * are multiplexed, and the naming column (all of it: view_columns() in view/view.h). What the rows
 * of the view cannot have is left out. screen NULL: pid and command; set NULL: events are not known
 * yet. Columns point into metric_set, which must not change while they are used. */
void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings);

/* Whether every column of the screen is builtin, a metric, or one of its events. */
int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err);

/* ---- Names of columns as typed by users ---- */

/* The names that a word is looked up in. */
struct column_name_scope {
    const struct metric_set *metric_set; /* NULL: no metrics */
    const struct event_set *events;      /* counted events; NULL: not known yet */
    const struct column_list *columns;   /* shown columns; NULL: none */
    const struct view_lookup *lookup;    /* NULL: nobody to ask */
};

/* The name for column_init() of the builtin column, metric or counted event with that name or
 * title; shown columns come first, and case is ignored if there is no exact match. `cpu` means the
 * metric cpu_pct, `processor` the number of the CPU, `comm` the command. NULL: none. */
const char *column_name_find(const struct column_name_scope *scope, const char *word);

/* Like column_name_find(), but only exact names; `cpu` is the number of the CPU. */
const char *column_name_exact(const struct column_name_scope *scope, const char *name);

/* The i-th name, NULL after the last: candidates for str_nearest(). */
const char *column_name_at(void *scope, size_t i);

/* Fills in what is known of the i-th name: its title and help, the expression of a metric, the
 * events that it lacks, and whether a view of that kind can have it. False after the last name. */
bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry);
