/* What front ends may ask of the program; it is implemented in app. All calls return at once, or
 * after the counting thread has answered. Each -1 comes with a message fit for a status line. */
#ifndef FRONT_HOST_H
#define FRONT_HOST_H

#include "front/front.h"

struct host; /* app/host.h */

/* Events. Numbers are those of the entries of the index of events, whose texts live until it is
 * forgotten. */

/* An entry of the index. */
struct front_event {
    const char *name;  /* as it is added; of a spelling with capitals for what is to be replaced */
    const char *text;  /* one line, or "" */
    const char *group; /* the title it stands under with its neighbours */
    bool spelling;     /* how to write events, not an event */
    bool listed;       /* it is to be counted */
    bool counted;      /* and it is, as far as is known */
};

/* Checks an event, counts it, and gives it a column. */
int host_add_event(struct host *host, const char *text, struct err *err);
int host_remove_event(struct host *host, const char *name, struct err *err);
/* False: after the last. */
bool host_event(struct host *host, size_t number, struct front_event *event);
/* The numbers of the entries that contain all the words, in *found until the next call. */
size_t host_find_events(struct host *host, const char *words, const size_t **found);
/* Why it cannot be counted, which is tried at the first call; NULL where it can. */
const char *host_event_obstacle(struct host *host, size_t number);
/* Whether it fits beside what is counted, one line that the caller frees; NULL: it is counted. */
char *host_event_fit(struct host *host, const char *name);
/* Calls tell with each further detail: "encoding", "unit masks" ... */
void host_explain_event(struct host *host, size_t number,
                        void (*tell)(void *to, const char *what, const char *text), void *to);
/* Makes the index and all trials again when they are next asked for. */
void host_forget_events(struct host *host);

/* Screens. What somebody asked to count stays counted on each of them. The front applies its view
 * after a change. */

struct front_screen {
    const char *name, *description;
    bool shown;
};

/* False: after the last. */
bool host_screen(struct host *host, size_t number, struct front_screen *screen);
/* Why it cannot be counted here, which is tried; NULL where it can. The caller frees it. */
char *host_screen_obstacle(struct host *host, size_t number);
/* Counts what it names, unless that is counted already, and shows its columns; one of CPUs in their
 * view. -1: there is none of that name, or it cannot be counted. */
int host_show_screen(struct host *host, const char *name, struct err *err);
/* The next (+1) or previous (-1) one that can be counted; wraps around. */
int host_step_screen(struct host *host, int step, struct err *err);
/* Writes what is shown as a screen of that name; *path is the file, which the front frees. */
int host_save_screen(struct host *host, const char *name, char **path, struct err *err);

/* Metrics; view_candidate() lists them. The front applies its view after a change. */

/* Sets the expression of a metric, a new one's too, counts the events that it needs, and shows it:
 * a new column is the last one before the name. unit: NULL keeps the one that it has. */
int host_set_metric(struct host *host, const char *name, const char *expr, const char *unit,
                    struct err *err);
int host_remove_metric(struct host *host, const char *name, struct err *err); /* only one set so */
int host_count_metric(struct host *host, const char *name, struct err *err);  /* its events */

/* Signals to processes. What is held is a number of the program's for one process: another one that
 * gets its pid later is never meant. */

/* The process that had the pid `seen` nanoseconds after the start of the machine (clock_boot). */
int host_hold_process(struct host *host, pid_t pid, uint64_t seen, struct err *err);
int host_signal_process(struct host *host, int held, pid_t pid, int signal, struct err *err);
void host_drop_process(struct host *host, int held);

/* Time: a recording, or the last minutes, which are kept in memory while counting goes on. A frame
 * that is returned is the one to show from now on, with the session's texts; the front frees it.
 * Meanwhile present() still brings each new frame of what is counted: a front that shows the past
 * only learns from it. In a recording present() brings the next frame when time passes, or the same
 * again after host_refresh(). */

struct front_moment {
    uint64_t at, count; /* the interval shown is the at-th of so many, from 1; 0: it is not kept,
                           or no longer */
    double first, last; /* when the first and the last of them ended, seconds since 1970 */
    double time;        /* and the one shown */
    bool past;          /* it is not what is counted now, and never is in a recording */
    bool replay;        /* a recording is shown, nothing is counted */
    const char *name;   /* of its file; NULL: what is counted is kept in memory */
    double speed;       /* of which time passes: 1 is as it was; 0: it stands still */
};

void host_moment(struct host *host, struct front_moment *moment);
/* So many intervals on, or back; stops at the end, NULL with a message where it is there already.
 * Forward to the newest is back to what is counted now. */
struct frame *host_step(struct host *host, int64_t intervals, struct err *err);
struct frame *host_seek(struct host *host, double time, struct err *err); /* seconds since 1970 */
void host_go_live(struct host *host); /* back to what is counted now: the next frame that comes */
/* Calls take with the frames of up to so many intervals before the past one shown that were counted
 * alike, the oldest first, which it does not keep; tasks: with their rows. */
void host_retrace(struct host *host, size_t most, bool tasks,
                  void (*take)(void *to, struct frame *frame), void *to);
/* Plays a recording with that speed, 0 stops it. */
int host_play(struct host *host, double speed, struct err *err);

/* What is watched: more processes, by pid or name; fewer, "" for none in particular; those of one
 * user, "" for all. The front applies its view after. */
int host_attach(struct host *host, const char *list, struct err *err);
int host_let_go(struct host *host, const char *list, struct err *err);
int host_set_user(struct host *host, const char *user, struct err *err);

int host_set_delay(struct host *host, double seconds, struct err *err);
/* All counts begin again. */
int host_set_mode(struct host *host, enum count_mode mode, struct err *err);
void host_set_idle(struct host *host, bool idle);
void host_set_threads(struct host *host, bool threads); /* single threads are shown */

/* The frame from the beginning of counting to the last one given, NULL before the first; where the
 * past is shown, to there, NULL where not all before it is kept. The front frees it. */
struct frame *host_total(struct host *host);
void host_refresh(struct host *host); /* a frame now, ahead of the timer */

/* How a front end looks, as far as it decides that itself. */
struct front_look {
    enum front_bars bars;
    const char *theme;       /* NULL: the default */
    bool ascii;              /* asked for; where the locale has nothing else it is no choice */
    enum view_amount amount; /* while there is something to count */
};

/* The current value of an option, as settings have it; the caller frees it. */
char *host_setting(struct host *host, const struct front_look *look, const char *option);
/* Keeps how things are shown now as settings of the user; *path is the file, which the front
 * frees. */
int host_save_settings(struct host *host, const struct front_look *look, char **path,
                       struct err *err);

#endif
