/* What the meters of the header show: how busy the machine is, or each of its CPUs, or a metric of
 * the screen, and the history of that. gauges.h draws them. */
#ifndef FRONT_TUI_STATE_METERS_H
#define FRONT_TUI_STATE_METERS_H

#include "front/tui/state/state.h"
#include "view/bars.h"
#include "view/trend.h"

struct meters {
    enum front_bars bars;
    char *metric;         /* chosen for them; NULL: bars of the time that CPUs are busy, and the
                             history of IPC where that is counted, else of the same */
    double seen;          /* the largest number of a bar since that was chosen */
    struct trend *trend;  /* of the metrics of the screen, and of the busy time */
    struct trend *rewind; /* the same up to the past interval that is shown; NULL: it is now */
    struct series series; /* the history that is shown */
    struct value now;     /* its last value */
};

void meters_open(struct ui *ui);
void meters_close(struct ui *ui);

/* Adds the frame of an interval to the histories, once it is the view's; `held`: what is shown
 * stays. past: to those up to a past interval, which meters_turn(true) starts and shows, until
 * meters_turn(false). */
void meters_learn(struct ui *ui, const struct frame *frame, bool past, bool held);
void meters_turn(struct ui *ui, bool rewind);

/* Keys: the machine, each CPU, none, and around; busy and each metric of the screen, and around. */
void meters_next_bars(struct ui *ui);
void meters_next_metric(struct ui *ui);

bool meters_show_cpus(const struct ui *ui);
/* The metric of the bars, and of the history; NULL: busy. */
const struct metric *meters_bars_metric(const struct ui *ui, const struct frame *frame);
const struct metric *meters_history_metric(const struct ui *ui, const struct frame *frame);

#endif
