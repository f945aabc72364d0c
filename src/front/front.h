/* A front end: where frames become visible. main.c gives it frames and input, and it asks for
 * changes of what is counted through its host. Runs in the showing thread. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H

#include "base/err.h"
#include "view/view.h"

/* An entry of the catalogue of events. */
struct front_event {
    const char *name;  /* as it is added; of a spelling with capitals for what is to be replaced */
    const char *text;  /* one line, or "" */
    const char *group; /* the title it stands under with its neighbours */
    bool spelling;     /* how to write events, not an event */
    bool listed;       /* it is to be counted */
    bool counted;      /* and it is, as far as is known */
};

/* The events there are, and those that are counted. Numbers are those of the catalogue's entries,
 * texts live until it is forgotten. */
struct front_events {
    void *ctx;
    int (*add)(void *ctx, const char *text, struct err *err); /* checks it, counts it, and gives it
                                                                 a column */
    int (*remove)(void *ctx, const char *name, struct err *err);
    void (*forget)(void *ctx); /* makes the catalogue anew, and all trials, when it is next asked */
    /* The numbers of the entries that contain all the words, in *found until the next call. */
    size_t (*find)(void *ctx, const char *words, const size_t **found);
    bool (*entry)(void *ctx, size_t number, struct front_event *event); /* false: behind the last */
    const char *(*obstacle)(void *ctx, size_t number); /* why it cannot be counted: tried at the
                                                          first call, NULL where it can */
    /* Whether it fits beside what is counted, one line that the caller frees; NULL: it is counted.
     */
    char *(*fit)(void *ctx, const char *name);
    /* Calls tell with all else there is to say: "encoding", "unit masks" ... */
    void (*explain)(void *ctx, size_t number,
                    void (*tell)(void *to, const char *what, const char *text), void *to);
};

/* A screen that can be chosen. */
struct front_screen {
    const char *name, *description;
    bool shown;
};

/* The screens there are. What somebody asked to count stays counted on each of them. The front
 * applies its view after. */
struct front_screens {
    void *ctx;
    /* False: behind the last. */
    bool (*entry)(void *ctx, size_t number, struct front_screen *screen);
    /* Why it cannot be counted here, which is tried; NULL where it can. The caller frees it. */
    char *(*obstacle)(void *ctx, size_t number);
    /* Counts what it names, unless that is counted already, and shows its columns; one of CPUs in
     * their view. -1: there is none of that name, or it cannot be counted. */
    int (*show)(void *ctx, const char *name, struct err *err);
    /* The next one behind (+1) or before (-1) that can be counted, and around. */
    int (*step)(void *ctx, int step, struct err *err);
};

/* Metrics, as they may be changed while they are on show; view_candidate() lists them. The front
 * applies its view after. */
struct front_metrics {
    void *ctx;
    /* Sets the expression of a metric, a new one's too, counts the events that it needs, and shows
     * it: where it is not on show, as the last column before the name. unit: NULL for the one that
     * it has, a new one none. */
    int (*set)(void *ctx, const char *name, const char *expr, const char *unit, struct err *err);
    int (*remove)(void *ctx, const char *name, struct err *err); /* only what was set so */
    int (*count)(void *ctx, const char *name, struct err *err);  /* the events that it needs */
};

/* Signals to processes. What is held is a number of the program's for one process: another one that
 * gets its pid later is never meant. */
struct front_processes {
    void *ctx;
    /* The process that had the pid `seen` nanoseconds after the start of the machine
     * (clock_boot). */
    int (*hold)(void *ctx, pid_t pid, uint64_t seen, struct err *err);
    int (*signal)(void *ctx, int held, pid_t pid, int signal, struct err *err);
    void (*drop)(void *ctx, int held);
};

/* Where one is among the intervals that are kept. */
struct front_moment {
    uint64_t at, count; /* the interval on show is the at-th of so many, from 1; 0: it is not kept,
                           or no longer */
    double first, last; /* when the first and the last of them ended, seconds since 1970 */
    double time;        /* and the one on show */
    bool past;          /* it is not what is counted now, and never is in a recording */
    bool replay;        /* a recording is on show, nothing is counted */
    const char *name;   /* of its file; NULL: what is counted is kept in memory */
    double speed;       /* of which time passes: 1 is as it was; 0: it stands still */
};

/* Moves in time: in a recording, or while counting goes on in the last minutes, which are kept in
 * memory. A frame that is returned is the one to be on show from now on, with the session's texts,
 * and the front frees it. Meanwhile present() still brings each new frame of what is counted: a
 * front that shows the past only learns from it. In a recording present() brings the next frame
 * when time passes, or the same again after refresh(). */
struct front_time {
    void *ctx;
    void (*tell)(void *ctx, struct front_moment *moment);
    /* So many intervals on, or back; at the end it goes no farther, NULL with a message where it is
     * there already. Forward to the newest is back to what is counted now. */
    struct frame *(*step)(void *ctx, int64_t intervals, struct err *err);
    struct frame *(*seek)(void *ctx, double time, struct err *err); /* seconds since 1970 */
    /* Calls take with the frames of up to so many intervals before the past one on show that were
     * counted alike, the oldest first, which it does not keep; tasks: with their rows. */
    void (*retrace)(void *ctx, size_t most, bool tasks, void (*take)(void *to, struct frame *frame),
                    void *to);
    /* Lets a recording go on with that speed, 0 stops it; -1 with a message. */
    int (*play)(void *ctx, double speed, struct err *err);
    void (*live)(void *ctx); /* back to what is counted now: the next frame that comes */
};

/* What the bars over the table are of, in the order of the words of --bars. */
enum front_bars { BARS_MACHINE, BARS_CPUS, BARS_OFF, BARS_LAST = BARS_OFF };

/* How a front end looks by its own doing. */
struct front_look {
    enum front_bars bars;
    const char *theme;       /* NULL: the default */
    bool ascii;              /* asked for; where the locale has nothing else it is no choice */
    enum view_amount amount; /* while there is something to count */
};

/* What a front end may ask of the program; all calls return at once or after the counting thread
 * has answered. Each -1 comes with a message fit for a status line. */
struct front_host {
    void *ctx;
    struct front_events events;
    struct front_processes processes;
    struct front_screens screens;
    struct front_metrics metrics;
    struct front_time time;
    /* What is watched: more processes, by pid or name; fewer, "" for none in particular; those of
     * one user, "" for all. The front applies its view after. */
    int (*attach)(void *ctx, const char *list, struct err *err);
    int (*let_go)(void *ctx, const char *list, struct err *err);
    int (*set_user)(void *ctx, const char *user, struct err *err);
    int (*set_delay)(void *ctx, double seconds, struct err *err);
    void (*set_idle)(void *ctx, bool idle);
    void (*set_threads)(void *ctx, bool threads); /* single threads are on show, or no longer */
    /* User or kernel mode, or both; all counts begin anew. */
    int (*set_mode)(void *ctx, enum count_mode mode, struct err *err);
    /* The frame from the beginning of counting to the last one given, NULL before the first; where
     * the past is on show, to there, NULL where not all before it is kept. The front frees it. */
    struct frame *(*total)(void *ctx);
    /* Writes what is on show as a screen of that name; tells the file, which the front frees. */
    int (*save)(void *ctx, const char *name, char **path, struct err *err);
    /* Keeps how things are shown now as settings of the user; tells the file, which the front
     * frees. */
    int (*save_settings)(void *ctx, const struct front_look *look, char **path, struct err *err);
    void (*refresh)(void *ctx); /* a frame now, ahead of the timer */
};

struct front {
    const struct front_ops *ops;
};

enum front_wish { FRONT_GO_ON, FRONT_QUIT };

struct front_ops {
    int (*start)(struct front *front, struct err *err); /* may be NULL */
    /* Shows a frame, and takes it: the front frees it (frame_free) when another one replaces it, or
     * at close. So a front that pauses can keep an old one. session stays valid until the next call
     * of present or close. Fronts that show a view give it the frame themselves. 1 when nobody is
     * there any more to show it to (a closed pipe): an end, not an error. */
    int (*present)(struct front *front, const struct session *session, struct frame *frame,
                   struct err *err);
    /* Standard input is readable (front ends without input have NULL here). */
    enum front_wish (*input)(struct front *front);
    /* The descriptor that what it has to write waits for, -1: nothing waits; and what is to be
     * called when it is writable. Both NULL for front ends that wait themselves. */
    int (*waits)(const struct front *front);
    void (*flush)(struct front *front);
    void (*resize)(struct front *front);  /* SIGWINCH; may be NULL */
    void (*suspend)(struct front *front); /* before SIGTSTP stops us: terminal as it was; NULL */
    void (*resume)(struct front *front);  /* after SIGCONT; NULL */
    void (*close)(struct front *front);   /* restores the terminal, frees it */
};

#endif
