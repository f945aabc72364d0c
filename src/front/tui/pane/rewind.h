/* Looking back and moving in a recording: keys request another interval from the program
 * (front/host.h), and the header says which one is shown. */
#ifndef FRONT_TUI_PANE_REWIND_H
#define FRONT_TUI_PANE_REWIND_H

#include "front/tui/state/pane.h"
#include "front/tui/state/state.h"
#include "front/tui/widget/line.h"

struct rewind {
    bool told;                /* ui->moment is set */
    double speed;             /* playback speed of a recording */
    const char *screen;       /* screen when live display ended; only compared */
    uint64_t traced;          /* last frame in the histories; 0: none */
    size_t rows;              /* intervals in the histories of rows, for details and strips */
    struct event_set *events; /* the events of that frame */
};

void rewind_open(struct ui *ui);
void rewind_close(struct ui *ui);

/* Call when a frame has arrived, before it is taken: updates ui->moment. */
void rewind_take(struct ui *ui);
/* Extends the histories to the interval shown; call before drawing. */
void rewind_catch_up(struct ui *ui);
/* Reads the past interval that is shown again, after the choice of tasks changed. */
void rewind_again(struct ui *ui);

enum { REWIND_PAGE = 10, REWIND_ALL = 1 << 30 };

/* Keys. */
void rewind_move(struct ui *ui);  /* `how` intervals; REWIND_ALL: to the end, or back to now */
void rewind_seek(struct ui *ui);  /* asks for a time */
void rewind_speed(struct ui *ui); /* plays a recording, faster each time */
bool rewind_pause(struct ui *ui); /* plays, stops, or goes live; false: neither */

/* The label of a command in the line of keys; some differ in the past. */
const char *rewind_label(const struct ui *ui, const struct key_command *command);

/* Adds that the screen is paused; of the past interval its time, and its position in a recording.
 */
void rewind_mark(const struct ui *ui, struct line *line);

#endif
