/* The state of the terminal front end, and its drawing. Commands, prompts and pages change it; it
 * is drawn as a whole. */
#ifndef FRONT_TUI_UI_H
#define FRONT_TUI_UI_H

#include "front/host.h"
#include "front/term/term.h"
#include "front/tui/amount.h"
#include "front/tui/errors.h"
#include "front/tui/keymap.h"
#include "front/tui/meters.h"
#include "front/tui/mouse.h"
#include "front/tui/page.h"
#include "front/tui/pane.h"
#include "front/tui/prompt.h"
#include "front/tui/rewind.h"
#include "front/tui/setup_events.h"
#include "front/tui/table.h"

struct dialog;      /* dialog.h */
struct kill;        /* kill.h */
struct menu;        /* menu.h */
struct setup_state; /* setup.h */

struct ui {
    struct view *view;
    struct host *host;
    const struct metric_set *metric_set; /* may be NULL */
    const struct session *session;       /* NULL: nothing is known yet */
    struct frame *frame;                 /* on show: one of the next two; NULL before the first */
    struct frame *recent;                /* of the last interval, the front's own */
    struct frame *total; /* of the whole time, where it is needed; the front's own */
    struct terminal *term;
    struct keymap keymap;
    struct table table;
    struct amounts amounts;
    struct meters meters;
    struct rewind rewind;
    struct errors errors;
    struct pointer pointer;

    uint64_t seen; /* clock_boot() when the interval on show ended: its tasks were there then */
    int key;       /* the one that is being answered */
    uint64_t number, digit_at; /* the number that digits make, and when the last one was typed */

    bool paused;
    bool step; /* show one frame although paused */
    bool quit;
    bool added; /* an event was: its column is to be in sight once it is there */

    struct err message; /* shown until the next key */
    enum role message_role;

    const struct pane *panes[PANES_OPEN]; /* open, one over another: the first is the table */
    size_t depth;

    const struct dialog *dialog; /* the prompt that is open; NULL: none */
    struct prompt prompt;
    struct table before; /* search: where the cursor was when the prompt opened */
    char *filter_before; /* filter: what it was when the prompt opened */
    char *searched;      /* the last text searched for */

    struct menu *menu;         /* the catalogue of events; NULL: it is not open */
    struct setup_state *setup; /* NULL: it is not open */
    struct setup_events setup_events;
    char *theme;       /* the name of the one in use; NULL: the default */
    bool ascii;        /* only ASCII was asked for */
    struct kill *kill; /* the list of signals; NULL: it is not open */

    size_t details_top;                   /* the first screen line of the details on show */
    size_t details_lines, details_height; /* as drawn last */

    struct page page;
    void (*fill)(struct ui *ui);                /* writes it */
    void (*choose)(struct ui *ui, size_t line); /* what its choice does */
    struct page help;
};

void ui_init(struct ui *ui, struct view *view, struct host *host);
void ui_release(struct ui *ui);

/* A line for the user, until the next key. With ROLE_ERROR the page of errors keeps it. */
void ui_say(struct ui *ui, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the frame and shows it, unless paused: then it is freed. */
void ui_take(struct ui *ui, const struct session *session, struct frame *frame);
/* Shows a frame, and takes it, whether paused or not: one of before (past.h). */
void ui_put(struct ui *ui, struct frame *frame);
/* The page of details tells of that row of the view from now on. */
void ui_follow(struct ui *ui, size_t row);
/* The page of details tells of that row anew: its history is another one. */
void ui_retell(struct ui *ui);
/* After a change of what is on show of counts. */
void ui_show(struct ui *ui);
/* After a change of the view's other settings. */
void ui_apply(struct ui *ui);
/* After a change of what view_needs_idle() hangs on. */
void ui_show_idle(struct ui *ui);
/* After another screen was chosen: says which. */
void ui_new_screen(struct ui *ui);

void ui_key(struct ui *ui, int key);
void ui_draw(struct ui *ui);
void ui_draw_table(struct ui *ui, const struct band *band, int width); /* its rows */

#endif
