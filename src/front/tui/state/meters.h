/* The meters of the header: busy time of the machine or of each CPU, or a metric of the screen,
 * with its history. gauges.c draws them. */
#ifndef FRONT_TUI_STATE_METERS_H
#define FRONT_TUI_STATE_METERS_H

#include "front/tui/state/state.h"
#include "front/tui/widget/curve.h"
#include "view/bars.h"
#include "view/trend.h"

enum { METERS_WINDOW = 60 };

struct meters {
    enum front_bars bars;
    char *metric;         /* NULL: busy time */
    size_t window;        /* intervals that curves show at least, see axis_make() */
    double seen;          /* maximum of the bars since the metric was chosen */
    struct trend *trend;  /* histories of the screen's columns and of busy time */
    struct meters_graph { /* the history as it was drawn last */
        struct box at;
        int lines; /* from at.y on; 0: it was not drawn */
        struct axis axis;
        size_t all; /* values, of all that is kept; 0: it is of the present */
    } graph;
    struct trend *rewind; /* the same, up to the past interval that is shown; NULL: now is shown */
};

struct meters *meters_of(const struct ui *ui);

/* Adds the frame of an interval, which the view has already, to the histories; `held`: the meters
 * and histories do not change on the screen. `past`: adds to the histories of the past, which
 * meters_turn(true) starts and shows, until meters_turn(false). */
void meters_learn(struct ui *ui, const struct frame *frame, bool past, bool held);
void meters_turn(struct ui *ui, bool rewind);

/* The value of a column over everything counted, or of busy time (name NULL); NAN: it has none. */
double meters_value(const struct ui *ui, const struct frame *frame, const char *name, bool *scaled);
/* The history that is shown of a column over everything counted, by its name, or of busy time (name
 * NULL); false if there is none. And when its values were. */
bool meters_series(const struct ui *ui, const char *name, struct series *series);
void meters_intervals(const struct ui *ui, struct intervals *intervals);

/* "60 s": the time that a number of intervals takes. */
void meters_span(const struct ui *ui, size_t intervals, char text[FORMAT_SIZE]);

/* Key: the next longer (+1) or shorter (-1) window of curves: 60, 120 or 300 intervals. */
#define METERS_ZOOM_HELP "show a shorter or longer time: at one second 1, 2 or 5 minutes"
void meters_zoom(struct ui *ui);
/* Keys: bars of the machine, of each CPU, none; busy time and each metric of the screen. Both wrap
 * around. */
void meters_next_bars(struct ui *ui);
void meters_next_metric(struct ui *ui);

bool meters_show_cpus(const struct ui *ui);
/* The metric of bars and history; NULL: busy time. */
const struct metric *meters_bars_metric(const struct ui *ui, const struct frame *frame);

#endif
