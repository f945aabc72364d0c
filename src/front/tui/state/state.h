/* The state that the panes of the terminal front end share. What only one of them needs is in its
 * file: ui_own(). */
#ifndef FRONT_TUI_STATE_STATE_H
#define FRONT_TUI_STATE_STATE_H

#include "base/names.h"
#include "front/host.h"
#include "front/term/term.h"
#include "front/tui/state/errors.h"
#include "front/tui/widget/page.h"
#include "front/tui/widget/prompt.h"
#include "front/tui/widget/table.h"

struct dialog;      /* dialog.h */
struct keymap;      /* keymap.h */
struct key_command; /* pane.h */
struct pane;        /* pane.h */

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
    struct frame *frame;        /* `recent`, or the totals; NULL before the first */
    struct frame *recent;       /* the last interval, owned */
    uint64_t seen;              /* clock_boot() at the end of the interval shown */
    struct front_moment moment; /* position of the interval in time (rewind.c) */
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
    bool beside;                       /* the row under the cursor is beside the table */
    bool enlarged;                     /* a pane of the lower half covers all */
    const struct key_command *command; /* the running command */
    int key;                           /* the key being handled */
    uint64_t keys;                     /* number of keys handled */
    bool quit;
    const struct dialog *dialog; /* the open prompt, or the last one */
    struct prompt prompt;        /* its text */
    struct err failure;          /* for ui_done() */
    struct err message;          /* shown until the next key */
    enum role message_role;
    struct errors errors;
    struct owned *owned; /* what single files keep for themselves: ui_own() */
};

/* What a file of panes keeps for itself, and no other file sees. */
struct own {
    size_t size;
    const void *initial;    /* NULL: all 0 */
    void (*end)(void *own); /* frees what it has; NULL: nothing */
};

/* That of this screen: made when it is first asked for, and there until ui_close(). */
void *ui_own(const struct ui *ui, const struct own *own);
void ui_close(struct ui *ui);
void own_names_end(void *own); /* releases a struct names */

/* Shows a message until the next key. With ROLE_ERROR the list of errors keeps it. */
void ui_say(struct ui *ui, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether a request succeeded, which was given &ui->failure; else shows its message. */
bool ui_done(struct ui *ui, int result);

/* Whether the row that the cursor follows is not in the table; says so. */
bool ui_row_is_away(struct ui *ui);

bool ui_is_live(const struct ui *ui);    /* shows the present: neither the past nor a recording */
bool ui_looks_back(const struct ui *ui); /* shows the past while counting goes on */

#endif
