/* The state that all panes of the terminal front end share. A part with more state has a pointer
 * here and its struct in its own header. */
#ifndef FRONT_TUI_STATE_STATE_H
#define FRONT_TUI_STATE_STATE_H

#include "front/host.h"
#include "front/term/term.h"
#include "front/tui/state/errors.h"
#include "front/tui/widget/page.h"
#include "front/tui/widget/prompt.h"
#include "front/tui/widget/table.h"

struct keymap;          /* keymap.h */
struct key_command;     /* pane.h */
struct pane;            /* pane.h */
struct dialog;          /* dialog.h */
struct header;          /* header.c */
struct meters;          /* meters.h */
struct rewind;          /* rewind.c */
struct menu;            /* menu.c */
struct chart;           /* chart.c */
struct functions_scope; /* functions.c */
struct icicle;          /* icicle.c */
struct kill;            /* kill.c */
struct setup;           /* setup.h */

enum { PANES_MAX = 8 }; /* open at the same time */

struct ui {
    /* Borrowed from the program; outlive the front end. */
    struct view *view;
    struct host *host;
    const struct keymap *keymap;
    const struct metric_set *metric_set;
    const struct session *session; /* NULL before the first session */
    struct terminal *term;

    /* What is shown (frames.h). */
    struct frame *frame;        /* `recent` or `total`; NULL before the first */
    struct frame *recent;       /* the last interval, owned */
    struct frame *total;        /* the totals if needed, owned */
    uint64_t seen;              /* clock_boot() at the end of the interval shown */
    struct front_moment moment; /* position of the interval in time (rewind.c) */
    enum view_amount usual;     /* amount shown while counting runs */
    enum view_amount final;     /* amount shown after the command has ended */
    bool ranks;                 /* rows of tasks become commands when the command has ended */
    enum view_kind ranked;      /* what the rows became last; the user chose others: nothing more */
    bool paused;
    bool step;  /* show one frame although paused */
    bool added; /* an event was added: scroll to its column when it exists */
    bool stale; /* columns changed: rebuild the histories of the past */

    /* The screen and its keys. */
    struct table table;
    const struct pane *panes[PANES_MAX]; /* the stack of open panes; the first is the table */
    struct page lists[PANES_MAX];        /* lines of the panes that are lists */
    struct prompt words;                 /* typed; only one such pane is open */
    size_t depth;
    bool enlarged;                     /* a pane of the lower half covers all */
    const struct key_command *command; /* the running command */
    int key;                           /* the key being handled */
    uint64_t keys;                     /* number of keys handled */
    bool quit;
    struct err message; /* shown until the next key */
    enum role message_role;
    struct errors errors;
    char *theme; /* name of the current theme; NULL: the default */
    bool ascii;  /* the user asked for ASCII only */

    /* State of single parts. */
    struct header *header;
    struct meters *meters;
    struct rewind *rewind;
    struct chart *chart;               /* NULL: never opened */
    struct functions_scope *functions; /* NULL: never shown */
    struct instructions *instructions; /* NULL: never shown */
    struct icicle *icicle;             /* NULL: never opened */
    struct menu *menu;                 /* NULL: closed */
    struct kill *kill;                 /* NULL: closed */
    struct front_demo *demo;           /* NULL: no workload is shown */
    struct tour {
        size_t step;     /* from 0 */
        bool pressed;    /* its key was; it is done when the table has the keys again */
    } tour;              /* workload.c; of a demo that is one */
    struct setup *setup; /* NULL: closed */
    char **obstacles;    /* by screen: why it cannot be shown; "": it can; NULL: not tried */
    size_t obstacle_room;
    char **setup_events; /* events counted only for metrics added in the setup */
    size_t setup_event_count, setup_event_room;

    const struct dialog *dialog; /* the open prompt, or the last one */
    struct prompt prompt;        /* its text */
    struct table before;         /* search: the cursor when the prompt opened */
    char *filter_before;         /* filter: its text when the prompt opened */
    char *searched;              /* the last text searched for */

    uint64_t number, digit_at,
        digit_key; /* jump: the typed number; time and key count of its last digit */

    bool details_notes;                   /* encodings and meanings are shown */
    size_t details_top;                   /* first visible screen line of the details */
    size_t details_lines, details_height; /* as drawn last */
};

/* Shows a message until the next key. With ROLE_ERROR the list of errors keeps it. */
void ui_say(struct ui *ui, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Shows the message of a failed call; returns the call's result. */
int ui_say_failure(struct ui *ui, int result, const struct err *err);

/* Whether the row that the cursor follows is not in the table; says so. */
bool ui_row_is_away(struct ui *ui);

bool ui_is_live(const struct ui *ui);    /* shows the present: neither the past nor a recording */
bool ui_looks_back(const struct ui *ui); /* shows the past while counting goes on */

#endif
