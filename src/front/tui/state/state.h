/* The state of the terminal front end: what its panes share. A part that keeps more than that has a
 * pointer here, and the struct in its own header. */
#ifndef FRONT_TUI_STATE_STATE_H
#define FRONT_TUI_STATE_STATE_H

#include "front/host.h"
#include "front/term/term.h"
#include "front/tui/state/errors.h"
#include "front/tui/widget/page.h"
#include "front/tui/widget/prompt.h"
#include "front/tui/widget/table.h"

struct keymap;      /* keymap.h */
struct key_command; /* pane.h */
struct pane;        /* pane.h */
struct dialog;      /* dialog.h */
struct meters;      /* meters.h */
struct rewind;      /* rewind.h */
struct menu;        /* menu.h */
struct kill;        /* kill.h */
struct setup;       /* setup.h */

enum { PANES_MAX = 8 }; /* open at a time */

struct ui {
    /* Of the program, which outlives them. */
    struct view *view;
    struct host *host;
    const struct keymap *keymap;
    const struct metric_set *metric_set; /* may be NULL */
    const struct session *session;       /* NULL: not known yet */
    struct terminal *term;

    /* What is shown: frames.h. */
    struct frame *frame;  /* one of the next two; NULL before the first */
    struct frame *recent; /* of the last interval, owned */
    struct frame *total;  /* of the whole time, where it is needed; owned */
    uint64_t seen;        /* clock_boot() when the interval shown ended: its tasks existed then */
    struct front_moment moment; /* where that is in time: rewind.h */
    enum view_amount usual;     /* amount to show while counting goes on */
    enum view_amount final;     /* and once the command has ended */
    bool paused;
    bool step;  /* show one frame although paused */
    bool added; /* an event was added: scroll to its column once there is one */
    bool stale; /* columns have changed: histories of the past have to be rebuilt */

    /* The screen and its keys. */
    struct table table;
    const struct pane *panes[PANES_MAX]; /* open, one over another: the first is the table */
    struct page lists[PANES_MAX];        /* the lines of those that are lists */
    struct prompt words;                 /* typed in such a pane; one is open at a time */
    size_t depth;
    const struct key_command *command; /* that runs */
    int key;                           /* being answered */
    uint64_t keys;                     /* answered so far */
    bool quit;
    struct err message; /* shown until the next key */
    enum role message_role;
    struct errors errors;
    char *theme; /* the name of the one in use; NULL: the default */
    bool ascii;  /* only ASCII was asked for */

    /* Of single parts. */
    struct meters *meters;
    struct rewind *rewind;
    struct menu *menu;   /* NULL: closed */
    struct kill *kill;   /* NULL: closed */
    struct setup *setup; /* NULL: closed */
    char **setup_events; /* counted only for metrics added in the setup */
    size_t setup_event_count, setup_event_room;

    const struct dialog *dialog; /* the prompt that is, or was, open */
    struct prompt prompt;        /* its text */
    struct table before;         /* search: where the cursor was when the prompt opened */
    char *filter_before;         /* filter: what it was when the prompt opened */
    char *searched;              /* the last text searched for */

    uint64_t number, digit_at,
        digit_key; /* jump: the number typed; time and count of its last digit */

    size_t details_top;                   /* the first screen line of the details that is visible */
    size_t details_lines, details_height; /* as drawn last */
};

/* A line for the user, until the next key. With ROLE_ERROR the page of errors keeps it. */
void ui_say(struct ui *ui, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The message of a call that failed; returns the call's result. */
int ui_say_failure(struct ui *ui, int result, const struct err *err);

bool ui_is_live(const struct ui *ui);    /* what is shown is of now: neither past nor recording */
bool ui_looks_back(const struct ui *ui); /* shows the past while counting goes on */

#endif
