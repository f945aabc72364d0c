/* The line at the top: where one is (view, screen), what is chosen, and what is wrong. The meters
 * follow it. */
#ifndef FRONT_TUI_PANE_HEADER_H
#define FRONT_TUI_PANE_HEADER_H

#include "front/tui/state/state.h"
#include "front/tui/widget/layout.h"
#include "front/tui/widget/line.h"

/* What a press on a piece of the line does; 0: nothing. */
enum header_place {
    HEADER_SCREEN_BEFORE = 1,
    HEADER_SCREEN_AFTER,
    HEADER_NOTICE,
    HEADER_VIEW, /* and the views after the first */
};

struct header {
    struct line line;            /* as drawn */
    const struct screen *screen; /* whose neighbours are known; only compared */
    const struct session *session;
    enum count_mode mode;
    char *before, *after; /* their names; NULL: none */
    uint64_t lost;        /* records lost lately; 0: none */
    uint64_t lost_at;     /* clock_monotonic() then */
    double lost_wall;
    uint64_t lost_seq; /* of the frame that said so */
    char *notice;      /* the last one */
    uint64_t since;    /* clock_monotonic() when it came */
    bool folded;       /* it has given its line back */
};

void header_open(struct ui *ui);
void header_close(struct ui *ui);

void header_draw(const struct ui *ui, const struct layout *layout); /* and the meters */
/* How the command ended, which of its counts are shown, and the session's notice; what has been
 * said for ten seconds is "". The caller frees it. */
char *header_notice(struct ui *ui);

void header_press(struct ui *ui, int x);
/* Shows the next (+1) or previous (-1) screen that can be counted. */
void header_step_screen(struct ui *ui, int step);

#endif
