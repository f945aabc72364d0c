/* Details of one row, which is followed from interval to interval: each event and each metric of
 * the screen with its current value, total, and history. */
#pragma once

#include "model/history.h"
#include "view/cell.h"
#include "view/view_context.h"

struct detail;

/* What there is to say of a row, a line each without control characters, in the order in which they
 * are shown. */
enum detail_text {
    TEXT_VERDICT,
    TEXT_LIFE,  /* "run 25 % ███ wait 14 % ▒▒ block 61 % ░░░░" */
    TEXT_TAKEN, /* who had the CPU that it waited for, or that nobody had */
    TEXT_TAKES, /* from whom it took the CPU */
    /* Who a task or a cgroup is, from /proc: identity_read() and identity_read_cgroup(). */
    TEXT_CGROUP,  /* "/a; at most 0.50 CPUs; memory 12.3 of 100.0 MiB" */
    TEXT_TASKS,   /* "make 4711 45 %, cc1 4712 30 %, and 3 more": processes that ran most */
    TEXT_COMMAND, /* the command line */
    TEXT_PARENTS, /* "make 120 < sh 99 < systemd 1" */
    TEXT_STATE,   /* "D in folio_wait_bit, 4 threads, nice 0, started 17:01:33, may run on 0-1,
                     cgroup /a" */
    TEXT_AWAITED, /* "4712 80 % of cpu-clock in fsync < write_page < main": most samples of this
                     interval of whom it waits for */
    TEXT_WAITED,  /* what it waited for in the last minute */
    DETAIL_TEXTS,
};

/* Reads what is known of a task; what is not known any more stays. now: its state, too, which says
 * nothing of the past. Nothing is read for an ended task: another one may have its ids. */
void identity_read(struct detail *detail, const struct view_context *context, const struct row *row,
                   bool now);
/* The same of a cgroup, by its path. */
void identity_read_cgroup(struct detail *detail, const struct view_context *context,
                          const char *path, bool now);
/* For qsort(3) of pointers to rows: the one with the most CPU time first. */
int rows_by_time(const void *a, const void *b);

/* A plain sentence about a row: what keeps it from running, what its cycles are spent on, and where
 * that data comes from. From a table of rules with limits; only what was counted is judged. */

struct metric_set;

/* "62 % of its slots wait for memory; 71 % of the lines it fetches come from memory". The caller
 * frees it. NULL: nothing is beyond its limit, or what would tell it is not counted. */
char *verdict_text(const struct view_context *context, const struct metric_set *metric_set,
                   const struct row *row);

/* What a sentence says, without its numbers: those of the next frame can stand in the same words.
 * Zeroed: nothing yet. */
enum verdict_place {
    VERDICT_PRESSURES, /* a part for each */
    VERDICT_SWITCHES = VERDICT_PRESSURES + PRESSURES,
    VERDICT_FAULTS,
    VERDICT_MIGRATIONS,
    VERDICT_WAITS,
    VERDICT_SLOTS,
    VERDICT_CYCLES,
    VERDICT_DATA,
    VERDICT_BUSY,
    VERDICT_PLACES,
};
struct verdict_wording {
    bool kept; /* set: the next sentence has the words of the last one */
    struct verdict_part {
        const void *reason; /* a static text or rule, or a metric, only compared; NULL: not said */
        char name[TASK_COMM_SIZE]; /* of who does most of it; "": nobody */
        int widths[2];             /* of its numbers */
    } parts[VERDICT_PLACES];
};

/* The same of the machine, from a frame of one interval: what tasks wait for, which cause most
 * events that cost much, what cycles are spent on. "": nothing stands out. The caller frees it. */
char *view_verdict(const struct view *view, const struct frame *frame,
                   struct verdict_wording *wording);

/* Widths of numbers; the second has room for all digits of the counts of some hours. */
enum { DETAIL_WIDTH = 7, DETAIL_WIDTH_EXACT = 16 };

struct detail_line {
    const char *title; /* of the event or metric */
    bool event;
    struct cell now, run, least, mean, most; /* per second; run: per cent */
    struct cell total;                       /* since the start, from the last update */
    bool counted;                            /* false: the note says why not */
    const char *note;     /* encoding, or why it is not counted, or the meaning */
    struct series series; /* up to now, per second */
};

/* What a task waited for when it was looked at: at its refreshes in the last minute, not more often
 * than once a second. Zeroed: never. */
enum { WAIT_LOOKS = 70 };
struct detail_waits {
    uint64_t id; /* of the row */
    struct wait_look {
        double at; /* seconds since 1970 */
        char text[80];
    } looks[WAIT_LOOKS];
    size_t count;
};

struct detail {
    struct history *history;
    bool recent; /* least, mean, most are of the visible series, not since the row was first seen */
    struct event_set *events; /* the set of the measures; NULL: none yet */
    uint64_t signature;       /* of the columns and rows in the history */
    uint64_t chosen;          /* of which changes of the view, and kind of rows, that is */
    double since; /* when that began, as other events or rows were chosen (seconds since 1970);
                     0: with the program */
    struct column *measures; /* events, then metrics */
    size_t count;            /* with a line */
    size_t all;              /* then metrics that are only an event per second */
    bool following;          /* a row: its id, and facts from when it was last listed */
    uint64_t id;
    bool ended, listed;        /* listed: it is in the interval */
    char *title;               /* its facts: "make  PID 1234  USER root ..." */
    char *texts[DETAIL_TEXTS]; /* NULL: not known, or none */
    pid_t pid, tid; /* of a task that lives now; tid 0: all of its process; pid 0: none */
    struct detail_waits waits;
    struct wait_facts *wait_facts; /* of the interval; NULL: none */
    struct detail_line *lines;
};

struct detail *detail_new(bool recent);
void detail_free(struct detail *detail);

/* Call it when data of its columns becomes invalid: they and the history begin anew. */
void detail_forget(struct detail *detail);

/* Adds a frame of one interval to the histories of its rows, whatever frame is shown. `held`: what
 * is shown, the lines of the followed row and strips, stays as it is. */
void view_record(struct view *view, const struct frame *frame, bool held);
/* While a past interval is shown, the past has a history of its own: view_turn(true) begins it
 * (again, too), and view_detail() uses it until view_turn(false). */
void view_turn(struct view *view, bool past);
/* Adds a frame to the history of the past; frames come in order of time. `held`: the lines of the
 * followed row stay as they are, for all frames but the one that is shown; strips do not stay. */
void view_recall(struct view *view, const struct frame *frame, bool held);
/* Follows a row of the frame shown, by its id, until another row is followed. */
void view_follow(struct view *view, size_t row);
/* Updates that row's lines from the last recorded frame. */
void view_tell(struct view *view, const struct frame *frame);
/* Reads who that row is, from /proc: while its details are open, for the last frame. */
void view_identify(struct view *view, const struct frame *frame);
/* Updates `total` in the lines of the row that is followed, from a frame with totals. They stay as
 * they are where the frame does not have that row. */
void view_record_total(struct view *view, const struct frame *frame);
const struct detail *view_detail(const struct view *view);
/* The index of an event or metric in detail->measures, valid while the same is measured; SIZE_MAX:
 * it is not there. */
size_t detail_measure(const struct detail *detail, const char *name);
/* The row's history of an event or metric, per second; false: none. And when its values were. */
bool view_series(const struct view *view, const char *name, struct series *series);
void view_intervals(const struct view *view, struct intervals *intervals);
/* The minimum and maximum of the last `count` values; false if none is known. */
bool series_range(const struct series *series, size_t count, double *least, double *most);
