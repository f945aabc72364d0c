/* All that is told of one row: each event and each metric of the screen, as it is now, in all, and
 * as it was. Part of view/view. */
#ifndef VIEW_DETAIL_H
#define VIEW_DETAIL_H

#include "model/history.h"
#include "view/column_set.h"
#include "view/groups.h"

/* Wide enough for all digits of the counts of some hours. */
enum { DETAIL_WIDTH = 7, DETAIL_WIDTH_EXACT = 16 };

struct detail_line {
    const char *title; /* of the event or metric */
    bool event;
    struct cell now, run, least, mean, most; /* a second, in per cent, a second ... */
    struct cell total;                       /* since the start, as told last */
    const char *note;     /* encoding, or why it is not counted, or what it means */
    struct series series; /* up to now, a second */
};

struct detail {
    struct history *history;
    bool recent; /* least, mean and most are those of the history on show, not since it began */
    struct event_set *events; /* what the measures are of; NULL: none yet */
    char *signature;          /* of the columns and rows that the history is of */
    struct column *measures;  /* events, then metrics */
    size_t count;
    double *values; /* room for one of each */
    bool following; /* a row: its id, and the rest as it was when it was listed last */
    uint64_t id;
    bool ended, listed; /* listed: it is in the interval */
    char *title;        /* its facts: "make  PID 1234  USER root ..." */
    struct detail_line *lines;
};

void detail_init(struct detail *detail);
void detail_release(struct detail *detail);

/* What its columns point to is no longer valid: they are made anew with the next interval, whose
 * history begins then. */
void detail_forget(struct detail *detail);

/* Rows of an interval's frame, where they are one behind the other. Fills the history; the lines,
 * too, unless `held`. */
void detail_record(struct detail *detail, const struct scene *scene,
                   const struct column_list *columns, const struct metric_set *metric_set,
                   const struct row *rows, size_t count, bool held);

/* Tells of that row from now on; the lines are filled by the next call of detail_tell. */
void detail_follow(struct detail *detail, const struct scene *scene,
                   const struct column_list *columns, const struct metric_set *metric_set,
                   const struct row *row);

/* Tells of the row that the other one tells of, or of none. */
void detail_turn(struct detail *detail, const struct detail *from);

/* Fills the lines anew, from rows of the interval that was recorded last. */
void detail_tell(struct detail *detail, const struct scene *scene,
                 const struct column_list *columns, const struct row *rows, size_t count);

/* The totals of the row that is followed, from rows of a frame of the whole time. */
void detail_total(struct detail *detail, const struct scene *scene, const struct row *rows,
                  size_t count);

#endif
