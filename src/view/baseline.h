/* A baseline: what each row did, as the mean of the last intervals or of a recording, to which its
 * cells are compared until it is dropped. It is of the rows of one view. Of functions all that they
 * take since then is compared, as --compare --view functions does (model/comparison.h). */
#pragma once

#include "base/base.h"

struct cell;
struct column;
struct row;
struct view;

enum { BASELINE_INTERVALS = 10 };

struct baseline;

void baseline_free(struct baseline *baseline); /* NULL is fine */

/* Takes the rows as they are. -1 with a message: rows of this view have no history, or none yet. */
int view_take_baseline(struct view *view, struct err *err);
/* Writes the view's rows, in all of its history, or that they have none, to a stream socket for
 * baseline_receive(). Waits for the receiver; of one that is gone nothing is said. */
void view_send_baseline(const struct view *view, int to);
/* Receives what that sent, under a name. NULL: none, or not valid (senders are not trusted). */
struct baseline *baseline_receive(int from, const char *name);
/* Compares with it, which must outlive that, if it is of the rows of the view: else false. */
bool view_lend_baseline(struct view *view, struct baseline *baseline);
void view_drop_baseline(struct view *view);

/* It is of the rows of another view, so nothing is compared. */
bool view_baseline_is_elsewhere(const struct view *view);

/* What there is to say of it. */
struct baseline_facts {
    double time;      /* seconds since 1970: the end of its last interval */
    size_t intervals; /* of which it is the mean */
    const char *name; /* of what it was read from; NULL: it is of the view's own rows */
    bool elsewhere;   /* it is of the rows of another view, so nothing is compared */
    size_t fresh;     /* rows of the table that did something now, but not then */
    size_t gone;      /* rows that the table had then and has not now */
};
/* False if there is none. */
bool view_baseline(const struct view *view, struct baseline_facts *facts);

/* Replaces the number of a cell by its change, if the row and the column can be compared: "+12%";
 * "+3.4k" where it was 0; "new" if the row did nothing then. A change that is no larger than those
 * between the intervals of the baseline is dim; others have the role of good or bad where the
 * metric says which is better. Of a function the number of samples is replaced. */
void baseline_cell(const struct view *view, const struct column *column, const struct row *row,
                   struct cell *cell);
