/* The state that panes of the terminal share. What only one needs is in its file: ui_own(). */
#pragma once

#include "front/host.h"
#include "front/tui/widget/curve.h"
#include "front/tui/widget/page.h"
#include "front/tui/widget/table.h"
#include "view/bars.h"

struct dialog; /* pane/panes.h */
struct keymap; /* keymap.h */
struct key_command;
struct pane;

enum { PANES_MAX = 8 }; /* open at the same time */

/* errors.c: the list of errors since the start: each once, with its cause and remedy, the number of
 * times, and the first and last time. Beyond ERRORS_MAX the least recently seen one is dropped. */

enum { ERRORS_MAX = 100 };

struct error {
    char *text;
    uint64_t amount;    /* number of records, tasks ... in the text; 0: the text has none */
    uint64_t times;     /* number of starts, whatever the duration */
    double first, last; /* seconds since 1970 */
    uint64_t seq;       /* frame in which this last held; 0 for one-off messages */
};

/* {0} is an empty list. */
struct errors {
    struct error *list; /* the newest is last */
    size_t count, room;
    uint64_t forgotten;
    uint64_t seq; /* of the last frame taken */
};

void errors_release(struct errors *errors);

/* Adds a message: a request of the user failed. */
void errors_say(struct errors *errors, const char *text, double wall);

/* Adds what the session and a frame report: events and tasks not counted, lost records ... A
 * problem that holds in successive frames counts as one start. */
void errors_take(struct errors *errors, const struct session *session, const struct frame *frame);

struct ui {
    /* Borrowed from the program; outlive the front end. */
    struct view *view;
    struct host *host;
    const struct keymap *keymap;
    const struct metric_set *metric_set;
    const struct session *session;
    struct terminal *term;
    char *theme; /* the name of the one in use, owned; NULL: the default */

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
/* Defines the function `name` that returns it, a `type *`; then .initial and .end of struct own. */
#define UI_OWN(type, name, ...)                                                                    \
    type *name(const struct ui *ui)                                                                \
    {                                                                                              \
        static const struct own own = {.size = sizeof(type), __VA_ARGS__};                         \
        return ui_own(ui, &own);                                                                   \
    }                                                                                              \
    struct own /* for the semicolon */
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

/* pane.c: panes. A pane owns a part of the screen and its keys. The table is the first pane; others
 * open on top of it as a stack, closing one returns to the pane below. */

/* A command of a key, whose help is in keys.conf. Tables of these end with a row without a name. */
struct key_command {
    const char *name;  /* for key bindings of the user */
    const char *keys;  /* default keys, separated by spaces; the line of keys shows the first */
    const char *label; /* in the line of keys; NULL: not shown there */
    int rank;          /* in the line of keys: if it is too narrow, the lowest is left out first */
    void (*run)(struct ui *ui);
    int how;                     /* argument of .run: direction or distance */
    const struct dialog *dialog; /* of dialog_ask() */
    const struct pane *pane;     /* of pane_show() */
    const char *option;          /* the option that it changes; NULL: none, or it cannot be saved */
    const char *hides; /* the common command that loses some of these keys here; NULL: none */
};

/* The part of the screen that a pane covers: the table; its left side, with the table live beside
 * it unless the screen is narrow; the lower half of the screen, with the table live above it,
 * unless the screen is low or ui->enlarged is set; all but messages and the line of keys; or one
 * line at the bottom, with the pane below visible. */
enum cover { COVER_TABLE, COVER_SIDE, COVER_LOWER, COVER_ALL, COVER_LINE };

/* What a pane needs to know of rows while it is open: nothing; their histories, for the past, too;
 * also totals, and who the row is that is followed. */
enum need { NEED_NOTHING, NEED_HISTORY, NEED_TOTALS };

struct pane {
    const char *name;  /* in lists of key bindings: "catalogue" */
    const char *title; /* above its keys in the help: "In the catalogue of events" */
    const struct key_command *commands; /* its own; they take precedence over common commands */
    enum cover cover;
    bool types;        /* characters are text, not commands */
    const char *typed; /* label of the words that are typed above a list; NULL: none are */
    enum need need;

    /* Called when it has been put on top; false: it closes again. NULL: nothing is to do. */
    bool (*open)(struct ui *ui);

    /* Makes the pane a list: writes its lines before each drawing (unless fixed). Moving, drawing
     * and clicks work as in a list unless functions below replace them. A double press on a line
     * runs the first command. */
    void (*fill)(struct ui *ui, struct page *list);
    bool reads; /* text to read, without a cursor */
    bool fixed; /* lines change only when words are typed */
    /* Called after the cursor moved, or that of the table above; may be NULL. */
    void (*moved)(struct ui *ui);

    void (*draw)(struct ui *ui, const struct band *band, int width); /* NULL: only lists */
    void (*step)(struct ui *ui, enum step step);                     /* NULL: only lists move */
    void (*key)(struct ui *ui, int key); /* a key without a command; NULL: ignored */
    /* A press of the mouse on a line of the pane, `twice`: a double press; and on a column of the
     * titles above it. NULL: ignored. */
    void (*press)(struct ui *ui, int line, bool twice);
    void (*titles)(struct ui *ui, int x);
    void (*close)(struct ui *ui); /* frees the pane's data; may be NULL */
    /* The label of a command in the line of keys, NULL: none; else its own. */
    const char *(*label)(const struct ui *ui, const struct key_command *command);
};

/* On top of the others. The cursor of a list is on what is in use, else at its beginning. */
void pane_open(struct ui *ui, const struct pane *pane);
void pane_show(struct ui *ui);                     /* a key: opens the pane of its command */
void pane_close(struct ui *ui);                    /* the topmost; never the table */
const struct pane *pane_now(const struct ui *ui);  /* the topmost */
const struct pane *pane_main(const struct ui *ui); /* the topmost of more than a line */
bool pane_is_open(const struct ui *ui, const struct pane *pane); /* perhaps below others */
const struct pane *pane_below(const struct ui *ui, const struct pane *pane); /* an open one */
enum need pane_need(const struct ui *ui);                        /* the most of any open pane */
void pane_run(struct ui *ui, const struct key_command *command); /* sets ui->command */

struct page *pane_list(struct ui *ui);      /* the list of the main pane */
void pane_refill(struct ui *ui);            /* writes the list again; the cursor stays */
void pane_point(struct ui *ui, bool twice); /* handles a press of the mouse on the list */
void pane_type(struct ui *ui, int key);     /* edits ui->words and writes the list again */
/* A letter: to the line that begins with those typed so far; `first`: or that begins with it. */
bool pane_jump(struct ui *ui, bool first);
void pane_step(struct ui *ui, enum step step);
void pane_move(struct ui *ui); /* a key: a step, as ui->command->how says */
void pane_press(struct ui *ui, int line, bool twice);
void pane_draw(struct ui *ui, const struct band *band, int width); /* draws the main pane */

/* frames.c: the frames on the screen: the last interval, and the totals if needed. */

/* ranks: rows of tasks become commands when the command has ended. */
void frames_begin(struct ui *ui, bool ranks);
/* Takes the frame of the last interval and shows it. While the screen is paused or shows the past,
 * the frame only updates histories and is freed. */
void frames_take(struct ui *ui, struct frame *frame);
/* Takes a frame and always shows it. learn: it is a new interval of the present. */
void frames_put(struct ui *ui, struct frame *frame, bool learn);

/* Computes the details again, for another row or a changed history. */
void frames_retell(struct ui *ui);

/* Asks the view for other settings, other than the amount. */
void frames_change(struct ui *ui, const struct view_settings *next);
/* Chooses columns and rows again: other names are known, or other tasks watched. */
void frames_apply(struct ui *ui);
/* Call after another screen was chosen; shows its name. */
void frames_new_screen(struct ui *ui);

/* Key: next of rates, counts of the interval, totals. The end of a command has its own amount. */
void frames_next_amount(struct ui *ui);
/* Whether the command has ended and its last frame is shown. */
bool frames_at_end(const struct ui *ui);
/* What is shown while counting runs. */
void frames_usual(const struct ui *ui, enum view_amount *amount, enum view_kind *kind);

/* meters.c: the meters of the header: busy time of the machine or of each CPU, or a metric of the
 * screen, with its history. gauges.c draws them. */

enum { METERS_WINDOW = 60 };
#define METERS_KERNEL "busy in the kernel" /* the part of busy time that is the kernel's */

struct meters {
    enum front_bars bars;
    char *metric;         /* NULL: busy time */
    size_t window;        /* intervals that curves show at least, see axis_make() */
    double seen;          /* maximum of the bars since the metric was chosen */
    struct meters_graph { /* the history as it was drawn last */
        struct box at;
        int lines; /* from at.y on; 0: it was not drawn */
        struct axis axis;
        size_t all; /* values, of all that is kept; 0: it is of the present */
    } graph;
    struct meters_past { /* histories of the screen's columns and of busy time */
        struct history *history;
        double end;    /* of the last interval, seconds since 1970 */
    } present, rewind; /* rewind: up to the past interval that is shown; without history: none is */
};

struct meters *meters_of(const struct ui *ui);
void meters_open(struct ui *ui, enum front_bars bars); /* before the first frame */

/* Adds the frame of an interval, which the view has already, to the histories; `held`: the meters
 * and histories do not change on the screen. `past`: adds to the histories of the past, which
 * meters_turn(true) starts and shows, until meters_turn(false). */
void meters_learn(struct ui *ui, const struct frame *frame, bool past, bool held);
void meters_turn(struct ui *ui, bool rewind);

/* The value of a column over everything counted, or of busy time (name NULL); NAN: it has none. */
double meters_value(const struct ui *ui, const struct frame *frame, const char *name, bool *scaled);
/* The history that is shown of a column over everything counted, by its name, or of busy time (name
 * NULL): a value for each interval, in the column's unit a second; valid until the next frame is
 * taken. False if there is none. The next one: when its values were. */
bool meters_series(const struct ui *ui, const char *name, struct series *series);
void meters_intervals(const struct ui *ui, struct intervals *intervals);

/* "60 s": the time that a number of intervals takes. */
void meters_span(const struct ui *ui, size_t intervals, char text[FORMAT_SIZE]);

/* Key: the next longer (+1) or shorter (-1) window of curves: 60, 120 or 300 intervals. */
void meters_zoom(struct ui *ui);
/* Keys: bars of the machine, of each CPU, none; busy time and each metric of the screen. Both wrap
 * around. */
void meters_next_bars(struct ui *ui);
void meters_next_metric(struct ui *ui);

bool meters_show_cpus(const struct ui *ui);
/* The metric of bars and history; NULL: busy time. */
const struct metric *meters_bars_metric(const struct ui *ui, const struct frame *frame);

/* time_spec.c: reads and writes the time of an interval, in local time. */

struct time_spec {
    uint64_t number; /* of an interval, from 1; 0: use the time */
    double time;     /* seconds since 1970 */
};

/* Accepts "14:03" or "14:03:07": the time nearest to the interval shown; "2026-11-20 14:03": on
 * that day; "-5m", "+1m30s", "-90", also "90" and "5m" for before: relative to the interval shown
 * (s, m, h, d, or these words); "5 min ago": before the last interval; "#120": the 120th interval.
 * -1 with a message: other text, or a time not kept. */
int time_spec_read(const char *text, const struct front_moment *moment, struct time_spec *when,
                   struct err *err);

enum { TIME_SPEC_SIZE = 48 };

/* "14:03:07", after the date if that differs from the date of `today`. */
void time_spec_write(char text[TIME_SPEC_SIZE], double time, double today);

/* How long ago: "12 s", "0.5 s", "12m34s". */
void time_spec_ago(char text[FORMAT_SIZE], double seconds);
