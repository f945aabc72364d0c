/* The meters of the header: bars of how busy the machine is, or each of its CPUs, or of a metric of
 * the screen, and the line of how that went on. */
#ifndef FRONT_TUI_METERS_H
#define FRONT_TUI_METERS_H

#include "front/host.h"
#include "front/tui/layout.h"
#include "view/bars.h"
#include "view/trend.h"

struct ui;

struct meters {
    enum front_bars bars;
    char *metric;         /* what they are of; NULL: bars of the time that CPUs are busy, and the
                             history of IPC where that is counted, else of the same */
    double seen;          /* the largest number of a bar since that was chosen */
    struct trend *trend;  /* of the metrics of the screen, and of what is busy */
    struct trend *rewind; /* the same up to what is on show, while that is of before; else NULL */
    struct series series; /* of the history, as it is on show */
    struct value now;     /* its last value */
};

void meters_init(struct meters *meters);
void meters_release(struct meters *meters);

/* Of the frame of an interval, once it is the view's; `held`: what is on show stays. */
void meters_learn(struct ui *ui, const struct frame *frame, bool held);
/* The same for intervals of before: their history is on show from meters_turn(true) on, which
 * begins it anew, until meters_turn(false). */
void meters_turn(struct ui *ui, bool rewind);
void meters_recall(struct ui *ui, const struct frame *frame, bool held);

/* What keys do: the machine, each CPU, none, and around; and each metric of the screen. */
void meters_next_bars(struct ui *ui);
void meters_next_metric(struct ui *ui);

/* CPUs that a frame is of. */
size_t meters_cpus(const struct ui *ui, const struct frame *frame);

/* Lines that there is something for, at most a third of the height. */
int meters_lines(const struct ui *ui, int width, int height);
/* Whether what a metric (NULL: busy) comes to for the machine is on show in them, as laid out. */
bool meters_tell(const struct ui *ui, const struct layout *layout, const struct metric *metric);
void meters_draw(const struct ui *ui, const struct band *band, int width);

#endif
