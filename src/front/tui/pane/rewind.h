/* Looking back, and moving in a recording: keys ask the program for another interval
 * (front/host.h), and the screen says which one is shown. */
#ifndef FRONT_TUI_PANE_REWIND_H
#define FRONT_TUI_PANE_REWIND_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"
#include "front/tui/widget/line.h"

struct rewind {
    bool told;                /* ui->moment is set */
    double speed;             /* to play a recording with */
    const char *screen;       /* the name of the one shown when now was left; only compared */
    uint64_t traced;          /* number of the frame that the histories go up to; 0: of none */
    bool rows;                /* those of rows, too: for the details */
    struct event_set *events; /* of that frame */
};

void rewind_open(struct ui *ui);
void rewind_close(struct ui *ui);

/* A frame has come, and perhaps is the last: updates ui->moment, before the frame is taken. */
void rewind_take(struct ui *ui);
/* Extends the histories to the interval that is shown; before it is drawn. */
void rewind_catch_up(struct ui *ui);
/* Gets the past interval that is shown once more, with other tasks. */
void rewind_again(struct ui *ui);

enum { REWIND_PAGE = 10, REWIND_ALL = 1 << 30 };

/* Keys. */
void rewind_move(struct ui *ui);  /* `how` intervals; REWIND_ALL: to the end, or back to now */
void rewind_seek(struct ui *ui);  /* asks for a time */
void rewind_speed(struct ui *ui); /* plays a recording, faster each time */
bool rewind_pause(
    struct ui *ui); /* plays or stops a recording, or comes back to now; false: neither */

/* The label of a command in the line of keys, which may be another one in the past. */
const char *rewind_label(const struct ui *ui, const struct key_command *command);

/* Adds when the past interval was, and where that is in a recording. */
void rewind_mark(const struct ui *ui, struct line *line);

#endif
