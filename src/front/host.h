/* Requests of front ends to the program; implemented in app. All calls return at once, or after the
 * counting thread has answered. Each -1 comes with a message fit for a status line. */
#pragma once

#include "front/front.h"

struct host; /* app/host.h */

/* Events, by their numbers in the index of events; texts are valid until host_forget_events(). */

/* An entry of the index. */
struct front_event {
    const char *name;  /* text to add it with; in a spelling, capitals are to be replaced */
    const char *text;  /* one line, or "" */
    const char *group; /* title of its group */
    bool spelling;     /* a way to write events, not an event */
    bool listed;       /* in the list of events to count */
    bool counted;      /* and counted, as far as known */
};

/* -1 with a message unless counting runs and the present is shown. */
int host_check_counting(const struct host *host, struct err *err);
/* Checks an event, counts it, and adds a column for it. */
int host_add_event(struct host *host, const char *text, struct err *err);
int host_remove_event(struct host *host, const char *name, struct err *err);
/* False after the last. */
bool host_event(struct host *host, size_t number, struct front_event *event);
/* Finds the entries that contain all the words. *found is valid until the next call. */
size_t host_find_events(struct host *host, const char *words, const size_t **found);
/* Why the event cannot be counted; NULL if it can. The first call tries it. */
const char *host_event_obstacle(struct host *host, size_t number);
/* Why one of the events in a list like "cycles, branches" cannot be counted here; NULL: all can. */
const char *host_events_obstacle(struct host *host, const char *names);
/* A line that says whether that event would fit on the counters beside those counted now, or share
 * them by turns; the caller frees it. NULL: it is one of those. */
char *host_event_fit(struct host *host, const char *name);
/* Calls tell with each fact about it: "encoding", "unit masks" ... */
void host_explain_event(struct host *host, size_t number,
                        void (*tell)(void *to, const char *what, const char *text), void *to);
/* Drops the index and the results of all trials; they are made again when needed. */
void host_forget_events(struct host *host);

/* Screens, by their places in view_screens(). Events of the user stay counted on each. The front
 * applies its view after a change. */

/* Why it cannot be counted here, by trial; NULL if it can. The caller frees it. */
char *host_screen_obstacle(struct host *host, size_t number);
/* Counts the screen's events that are not counted yet and shows its columns; a screen of CPUs in
 * their view. -1: there is no such screen, or it cannot be counted. */
int host_show_screen(struct host *host, const char *name, struct err *err);
/* Shows the next (+1) or previous (-1) screen that can be counted; wraps around. */
int host_step_screen(struct host *host, int step, struct err *err);
/* The name of that screen; NULL if there is no other. The caller frees it. */
char *host_near_screen(struct host *host, int step);
/* Saves the shown columns as a screen, and shows it; *path is the file, which the front frees. */
int host_save_screen(struct host *host, const char *name, char **path, struct err *err);

/* Metrics; view_candidate() lists them. The front applies its view after a change. */

/* Sets the expression of an old or new metric, counts its events, and shows it: a new column is
 * placed before the name column. unit NULL: keep the old one. */
int host_set_metric(struct host *host, const char *name, const char *expr, const char *unit,
                    struct err *err);
int host_remove_metric(struct host *host, const char *name, struct err *err); /* reverts that */
int host_count_metric(struct host *host, const char *name, struct err *err);  /* its events */

/* Signals to processes. Who holds a process has a handle of it, so that no later process with its
 * pid gets the signal. */

/* Holds the process that had the pid at `seen` (clock_boot). Returns the handle, for
 * host_drop_process(); -1 with a message. */
int host_hold_process(struct host *host, pid_t pid, uint64_t seen, struct err *err);
int host_signal_process(struct host *host, int held, pid_t pid, int signal, struct err *err);
void host_drop_process(struct host *host, int held); /* gives the handle back */

/* Time: intervals of a recording, or of the last minutes while counting runs, which are kept in
 * memory. A returned frame is the one to show now, with the texts of the session; the front frees
 * it. Meanwhile present() still brings each new live frame: a front that shows the past only adds
 * it to its histories. In a recording present() brings the next frame when it is due, or the same
 * frame after host_refresh(). */

struct front_moment {
    uint64_t at, count; /* the interval shown is number `at` of `count`, from 1; 0: not kept */
    double first, last; /* end times of the first and last of them, seconds since 1970 */
    double time;        /* end time of the one shown */
    bool past;          /* not the live interval; never set in a recording */
    bool replay;        /* a recording is shown, nothing is counted */
    const char *name;   /* of its file; NULL: intervals are kept in memory */
    double speed;       /* playback speed: 1 is as recorded; 0: stopped */
};

void host_moment(struct host *host, struct front_moment *moment);
/* Moves by that many intervals and stops at either end; NULL with a message if it is there already.
 * Forward to the newest interval returns to live display. */
struct frame *host_step(struct host *host, int64_t intervals, struct err *err);
struct frame *host_seek(struct host *host, double time, struct err *err); /* seconds since 1970 */
void host_go_live(struct host *host); /* returns to live display with the next frame */
/* Calls take with the frames of up to `most` intervals before the past interval shown, the oldest
 * first, from the same set of events. take does not own the frame. tasks: with rows of tasks. */
void host_retrace(struct host *host, size_t most, bool tasks,
                  void (*take)(void *to, struct frame *frame), void *to);
/* While an interval of the past or a recording is shown: calls take with the totals of the kept
 * intervals from number `from` on, until it returns false. take does not own the frame. tasks: with
 * rows of tasks, too. */
void host_survey(struct host *host, uint64_t from, bool tasks,
                 bool (*take)(void *to, struct frame *frame), void *to);
int host_check_alarm(const struct host *host, struct err *err); /* -1: host_when() can do nothing */
/* Sets the condition of --when, "": none; a recording that is written is completed. */
int host_when(struct host *host, const char *text, struct err *err);
/* In the recording of an alarm: what the first number of its condition was in each of its *count
 * intervals, 0 where it had no value. The first *known are known: each call but the first reads
 * some more. NULL: in another recording, and where nothing is known. */
const double *host_alarm(struct host *host, size_t *count, size_t *known);
/* Plays a recording at that speed; 0 stops it. */
int host_play(struct host *host, double speed, struct err *err);

/* Compares the rows of the view with those in the recording of --baseline, else with themselves as
 * they are now (view/baseline.h). */
int host_take_baseline(struct host *host, struct err *err);

/* Who has woken up a task, or with tid 0 a process, since the first call for it: one line, which
 * the caller frees, or why that is not known. */
char *host_wakers(struct host *host, pid_t pid, pid_t tid);
void host_forget_wakers(struct host *host);

/* What is watched: add processes by pid or name; remove some, or all with ""; select one user, ""
 * for all. The front applies its view afterwards. */
int host_check_watching(const struct host *host, struct err *err); /* -1: neither is possible now */
int host_attach(struct host *host, const char *list, struct err *err);
/* The names in such a list that no process has now, separated by commas: they are watched as soon
 * as one is called so. NULL: none, or a recording is shown. The caller frees it. */
char *host_absent_names(struct host *host, const char *list);
/* Adds the names of the processes that run now; in a recording none. */
void host_running_names(struct host *host, struct names *names);
int host_let_go(struct host *host, const char *list, struct err *err);
int host_set_user(struct host *host, const char *user, struct err *err);

/* Samples an event for the view of functions, until it is stopped: each frame has a profile. event
 * NULL: that of --sample, or cycles or else cpu-clock. scope NULL: the tasks that are watched;
 * its cgroup may be a path as for -G. cpu -1: all CPUs. Does nothing in the past and in a
 * recording, whose frames have their profiles already. */
int host_sample(struct host *host, const char *event, const struct watch *scope, int cpu,
                struct err *err);
void host_stop_sampling(struct host *host);
/* How the next host_sample() is to sample; may be changed. */
struct sampling_style *host_style(struct host *host);

/* From now on frames list waits over so many ms, or over what --waits-over says. Returns which. */
double host_list_waits(struct host *host, double ms);
int host_set_delay(struct host *host, double seconds, struct err *err);
/* All counts restart. */
int host_set_mode(struct host *host, enum count_mode mode, struct err *err);
/* Counts by the engine 'cpu' from now on, which knows all CPUs; counts restart. -1: all tasks may
 * not be counted, a recording is written, or --when may write one. */
int host_count_cpus(struct host *host, struct err *err);
void host_set_idle(struct host *host, bool idle);
void host_set_threads(struct host *host, bool threads); /* shows single threads */

/* The frame from the beginning of counting to the last frame, NULL before the first; while the past
 * is shown, up to that interval, or NULL if an earlier one is not kept. The front frees it. */
struct frame *host_total(struct host *host);
void host_refresh(struct host *host); /* a frame now, ahead of the timer */

/* A workload of --demo, which runs until the program ends. */

enum { FRONT_DEMO_COUNTS = 4, FRONT_DEMO_KNOBS = 2 };

struct front_demo {
    bool tour; /* a tour, on this workload and others */
    const char *name, *teaches, *does, *formula, *next;
    /* Of the last interval; NAN: not known. */
    struct front_demo_count {
        const char *what;
        double expected, low, high, measured;
        bool scaled;      /* measured is an estimate */
        char reason[256]; /* why it is not measured; "" */
    } counts[FRONT_DEMO_COUNTS];
    size_t count;
    const char *pending; /* why nothing is known of the interval; NULL: it is */
    double turn;         /* ns that a turn takes, the least of the last second */
    double cycles;       /* the same in cycles, by the time of an addition */
    struct front_demo_knob {
        const char *what, *unit; /* what NULL: there is nothing to change */
        size_t value;
    } knobs[FRONT_DEMO_KNOBS];
};

/* False: no workload was asked for. */
bool host_demo(struct host *host, struct front_demo *demo);
/* Changes it by a step, up (1) or down (-1). -1: it is at the end, or nothing can be changed. */
int host_turn_demo(struct host *host, size_t knob, int step, struct err *err);

/* Display settings that the front end owns. */
struct front_look {
    enum front_bars bars;
    const char *theme;       /* NULL: the default */
    bool ascii;              /* the user's choice; not set only because the locale requires it */
    enum view_amount amount; /* shown while counting runs */
    enum view_kind kind;     /* likewise */
};

/* The current value of an option in the form of the settings file; the caller frees it. */
char *host_setting(struct host *host, const struct front_look *look, const char *option);
/* Saves the current display as the user's settings; returns the file, which the front frees, NULL
 * with a message. */
char *host_save_settings(struct host *host, const struct front_look *look, struct err *err);
/* Saves this one alone. */
char *host_keep_setting(struct host *host, const char *option, const char *value, struct err *err);
/* False with --no-config: the user's files are written, and a start like this one reads none. */
bool host_reads_saved(const struct host *host);
