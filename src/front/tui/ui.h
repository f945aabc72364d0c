/* The state of the terminal front end, and its drawing. Commands, prompts and pages change it; it
 * is drawn as a whole. */
#ifndef FRONT_TUI_UI_H
#define FRONT_TUI_UI_H

#include "front/front.h"
#include "front/tui/keymap.h"
#include "front/tui/page.h"
#include "front/tui/prompt.h"
#include "front/tui/table.h"
#include "front/tui/term.h"

struct dialog; /* dialog.h */

struct ui {
    struct view *view;
    const struct front_host *host;
    const struct catalog *catalog; /* may be NULL */
    const struct session *session; /* NULL: nothing is known yet */
    struct frame *frame;           /* on show, the front's own; NULL before the first */
    struct terminal *term;
    struct keymap keymap;
    struct table table;

    bool paused;
    bool step; /* show one frame although paused */
    bool quit;
    bool added; /* an event was: its column is to be in sight once it is there */

    struct err message; /* shown until the next key */
    enum role message_role;

    const struct dialog *dialog; /* the prompt that is open; NULL: none */
    struct prompt prompt;
    struct table before; /* search: where the cursor was when the prompt opened */
    char *filter_before; /* filter: what it was when the prompt opened */
    char *searched;      /* the last text searched for */

    struct page page;
    void (*fill)(struct ui *ui);                /* writes the page on show; NULL: none is */
    void (*choose)(struct ui *ui, size_t line); /* what its choice does */
};

void ui_init(struct ui *ui, struct view *view, const struct front_host *host);
void ui_release(struct ui *ui);

/* A line for the user, until the next key. */
void ui_say(struct ui *ui, enum role role, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes the frame and shows it, unless paused: then it is freed. */
void ui_take(struct ui *ui, const struct session *session, struct frame *frame);
/* After a change of the view's settings. */
void ui_apply(struct ui *ui);

void ui_key(struct ui *ui, int key);
void ui_draw(struct ui *ui);

#endif
