/* Looking back, and moving in a recording: the keys that ask the program for another interval
 * (front/host.h), and what is to be told of the past while it is on show. */
#ifndef FRONT_TUI_REWIND_H
#define FRONT_TUI_REWIND_H

#include "front/host.h"

struct command; /* command.h */
struct line;    /* line.h */
struct ui;      /* ui.h */

struct rewind {
    struct front_moment moment; /* as it was told last */
    bool told;
    double speed;             /* that a recording is played with */
    const char *screen;       /* the name of the one on show when now was left; only compared */
    uint64_t traced;          /* number of the frame that the histories go up to; 0: of none */
    bool rows;                /* those of rows, too: of the details */
    struct event_set *events; /* of that frame */
};

void rewind_init(struct rewind *rewind);
void rewind_release(struct rewind *rewind);

/* Whether an interval of before is on show while counting goes on: present() then brings frames
 * that are not to be shown. */
bool rewind_shown(const struct ui *ui);
/* The same, or whether a recording is on show: what is on show is not of now. */
bool rewind_over(const struct ui *ui);

void rewind_take(struct ui *ui);  /* a frame has come: from the beginning of present() on */
void rewind_end(struct ui *ui);   /* the last frame has come: it is to be shown */
void rewind_stale(struct ui *ui); /* histories have to be made anew: other columns are on show */
/* Makes the histories those up to what is on show; before that is drawn. */
void rewind_catch_up(struct ui *ui);
/* The interval on show is wanted once more, with other tasks; nothing where it is that of now. */
void rewind_again(struct ui *ui);

/* What keys do. */
void rewind_back(struct ui *ui);
void rewind_forth(struct ui *ui);
void rewind_page_back(struct ui *ui); /* ten intervals */
void rewind_page_forth(struct ui *ui);
void rewind_first(struct ui *ui);
void rewind_last(struct ui *ui); /* the end of a recording; else what is counted now */
void rewind_seek(struct ui *ui); /* asks for a time */
void rewind_speed(struct ui *ui);
bool rewind_pause(
    struct ui *ui); /* plays and stops a recording, comes back to now; false: neither */

/* The label of a command in the line of keys, where that is another one in the past. */
const char *rewind_label(const struct ui *ui, const struct command *command);

/* Adds what has to be known of the past on show: when it was, and where that is. */
void rewind_mark(const struct ui *ui, struct line *line);

#endif
