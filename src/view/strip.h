/* Columns that are drawn, not written: `trend` has the last values of a row, the newest at the
 * right. In a table there are two in a cell, as high as they are beside the largest of that row; in
 * the view of heat a fixed number of them over all cells, with one scale. They are of the column
 * that sorts, or if that has no measured numbers of the screen's own (struct order, heat).
 * `topdown` is a stacked bar of the row's top-down metrics. */
#pragma once

#include "view/cell.h"

struct view;

struct strip_cell {
    char text[4]; /* UTF-8, one cell: its height is the value; " " is not known */
    enum role role;
    double part;   /* of the full value; below 0: not known; not in a stack */
    double kernel; /* the part of it that is time in the kernel; 0: not known */
};

/* The scale of all strips of a refresh. */
struct strip {
    size_t measure;    /* index in the histories; SIZE_MAX: there are no values */
    const char *title; /* of that column; NULL: none */
    double full;    /* the value of a full cell: at least 100 for percentages, of each CPU for CPU
                     * time; else the largest of all rows in that time */
    double sum;     /* that of a row of all CPUs, if it is another; 0 */
    size_t kernel;  /* the measure of time in the kernel, as percentage; SIZE_MAX: none */
    size_t count;   /* intervals, at most HISTORY_LENGTH */
    size_t cells;   /* that they fill */
    bool pairs;     /* two intervals in a cell, and each row has a height of its own */
    size_t phase;   /* of the newest interval, so that the next one moves all cells alike */
    double seconds; /* length of these intervals */
};

/* window: intervals to show, at most HISTORY_LENGTH; 0: two for each cell. */
void view_strip_begin(const struct view *view, size_t cells, size_t window, struct strip *strip);
/* Writes `count` cells of a row that is shown: its top-down metrics (retiring, bad speculation,
 * front end, back end) as a bar. All cells are 100 %, or the sum of the metrics if that is more;
 * cells beyond the sum are blank. All are blank if one metric has no value. */
void view_stack(const struct view *view, size_t row, size_t count, struct strip_cell *cells);
/* Writes strip->cells cells of a row that is shown; of several values in a cell the largest. */
void view_strip(const struct view *view, const struct strip *strip, size_t row,
                struct strip_cell *cells);

/* A process of the frame, and what it has of the column that strips are of. */
struct strip_task {
    const struct row *row;
    size_t measure; /* index in the histories of tasks */
    double sum;     /* of the intervals of the strip */
};
/* Finds the processes with most of it, at most `most`, the largest sum first; returns how many.
 * None while the past is shown, whose intervals have no histories of tasks. Sets `full`, if there
 * are any, to the value of a full cell of theirs: their largest, for percentages at least 100. */
size_t view_strip_tasks(const struct view *view, const struct strip *strip, size_t most,
                        struct strip_task *tasks, double *full);
/* Writes strip->cells cells of one of them, of which a full one is the value `full` (not
 * strip->full), and `now`: its cell in the column that strips are of, in the frame shown. */
void view_strip_task(const struct view *view, const struct strip *strip,
                     const struct strip_task *task, double full, struct strip_cell *cells,
                     struct cell *now);
