/* Details of one row, which is followed from interval to interval: each event and each metric of
 * the screen, as it is now, in all, and as it was. */
#ifndef VIEW_DETAIL_H
#define VIEW_DETAIL_H

#include "model/history.h"
#include "view/cell.h"

struct column;
struct event_set;
struct frame;
struct view;

/* Wide enough for all digits of the counts of some hours. */
enum { DETAIL_WIDTH = 7, DETAIL_WIDTH_EXACT = 16 };

struct detail_line {
    const char *title; /* of the event or metric */
    bool event;
    struct cell now, run, least, mean, most; /* a second, in per cent, a second ... */
    struct cell total;                       /* since the start, when last updated */
    const char *note;     /* encoding, or why it is not counted, or what it means */
    struct series series; /* up to now, a second */
};

struct detail {
    struct history *history;
    bool recent; /* least, mean and most are those of the series shown, not since the row was first
                    seen */
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

struct detail *detail_new(bool recent);
void detail_free(struct detail *detail);

/* Call it when what its columns point to becomes invalid: columns and history begin with the next
 * interval. */
void detail_forget(struct detail *detail);

/* Adds a frame of one interval to the history of its rows, whatever frame is shown; `held`: do not
 * update the lines of the followed row. */
void view_record(struct view *view, const struct frame *frame, bool held);
/* While an interval of the past is shown, the past has a history of its own: view_turn(true) begins
 * it, view_recall() adds to it, and view_detail() is of it until view_turn(false). */
void view_turn(struct view *view, bool past);
void view_recall(struct view *view, const struct frame *frame, bool held);
/* Follows a row of the frame that is shown, by its id, until another one is followed. */
void view_follow(struct view *view, size_t row);
/* Updates the lines of that row from the frame that was recorded last. */
void view_tell(struct view *view, const struct frame *frame);
/* The totals of that row, from a frame of the whole time. */
void view_record_total(struct view *view, const struct frame *frame);
const struct detail *view_detail(const struct view *view);

#endif
