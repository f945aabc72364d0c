/* What of counts is on show: rates, counts of an interval, or totals; and the words for it. */
#ifndef FRONT_TUI_AMOUNT_H
#define FRONT_TUI_AMOUNT_H

#include "view/view.h"

struct line;
struct ui;

/* Once for what is on show now, once for what was there to see when a command had ended. */
struct amounts {
    enum view_amount usual; /* as asked for */
    enum view_amount final; /* of its run */
};

void amount_init(struct ui *ui);
/* The next of them. */
void amount_step(struct ui *ui);
/* Lets the view show the one that is due: before it gets a frame, where time has moved. */
void amount_choose(struct ui *ui);
/* Whether the frame of the whole time is to be on show. */
bool amount_is_whole(const struct ui *ui);

/* The header's words. */
void amount_add(const struct ui *ui, struct line *line);
/* How a command ended, what of it is on show, and the notice; the caller frees it. */
char *amount_notice(const struct ui *ui);

#endif
