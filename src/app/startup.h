/* Decisions before counting begins: engine, screen, events. */
#pragma once

#include "cli/definitions.h"
#include "cli/options.h"
#include "sample/sampler.h"

struct startup {
    struct source *source; /* open, with events set and tasks found */
    struct profiler *profiler;
    struct event_list events; /* to count: those of the screen, and `own` */
    struct event_list own;    /* requested with -e or later */
    struct event_set *set;    /* states of events: first from trials, then from counting */
    const char
        *sample; /* EVENT[/RATE] that functions are of; NULL: cycles, else the time on CPUs */
    const struct screen *screen;
    struct session session;
    bool cgroups;        /* the source is to tell the cgroups of tasks */
    char *missing;       /* why a better screen cannot be shown; NULL */
    bool user_only;      /* only user mode may be counted */
    char *restricted;    /* why only that, or only a part of all tasks, is counted; NULL */
    char *remedy;        /* the one command for that; NULL */
    char *tasks;         /* why some tasks are not counted; NULL */
    const char *blind;   /* why no tasks are visible; NULL */
    char *trouble;       /* a problem at run time; NULL */
    char *absent;        /* which of what is watched is not there yet; NULL: all is */
    uint64_t look_again; /* monotonic, ns: for that */
};

/* Exit codes of the contract. */
enum { EXIT_RUNNING = 1, EXIT_USAGE = 2 };

/* Takes the events of the options. -1 with a message for an unknown one. */
int startup_ask(struct startup *setup, const struct options *options, struct err *err);
/* Decides how to count what is shown, with the events that are asked for. 0, or the exit
 * code with a message; release setup in both cases. */
int startup_make(struct startup *setup, const struct options *options,
                 const struct view_settings *shown, const struct definitions *definitions,
                 struct err *err);
/* Replaces the sampler's engine by 'cpu', whose counts begin at 0. -1 with a message, and nothing
 * has changed: this is a container, or all tasks may not be counted. */
int startup_count_cpus(struct startup *setup, const struct options *options,
                       struct sampler *sampler, struct err *err);
/* Begins to count, in a thread that takes setup->source and setup->profiler. NULL with a message.
 */
struct sampler *startup_count(struct startup *setup, const struct options *options,
                              struct err *err);
void startup_release(struct startup *setup);

/* Lists the events for a screen in that mode, and setup->own. -1 with a message and nothing to
 * release. */
int startup_list_events(const struct startup *setup, struct event_list *list,
                        const struct screen *screen, enum count_mode mode, struct err *err);

/* sampling.c: adds the event of EVENT[/RATE] to the events to count, unless it is a clock: the time
 * on CPUs is known anyway. -1 with a message for a text that is no event. */
int sampling_count(struct event_list *list, const char *text, enum count_mode mode,
                   struct err *err);
/* Finds out what to sample: EVENT[/RATE], NULL: what the options or the machine say. Whom to
 * sample, and how to find callers, is left to the caller, who releases it. -1 with a message and
 * nothing to release. */
int sampling_make(struct sampling *sampling, const struct startup *setup, const char *text,
                  enum count_mode mode, struct err *err);

/* -1 with a message if a process or thread that is watched by number does not exist. */
int startup_check_watch(const struct watch *watch, struct err *err);

/* The watched names that no process has now, separated by commas, which the caller frees; NULL:
 * none is absent. */
char *startup_absent_names(const struct watch *watch);
/* Updates `absent` and the session's notice. It reads all of /proc if names or users are watched.
 */
void startup_look_for_absent(struct startup *setup);

/* Reports a problem that does not end the program: the notice keeps it. */
void startup_trouble(struct startup *setup, const char *text);

/* Updates the session's notice. tasks: why some are not counted, a snapshot's note; NULL. */
void startup_note(struct startup *setup, struct event_set *events, const char *tasks);

/* engine_choice.c: which engine costs less where both can count what is watched: by how often tasks
 * switch. */

/* Context switches a second. */
struct switch_rates {
    double machine;
    double watched; /* of these; only measured where it matters, else 0 */
};

/* Whether the machine switches so often that the ledger would be felt by those who are not watched:
 * the table in the manual, "ENGINES". */
bool engine_choice_disturbs(const struct switch_rates *rates, size_t cpus);
/* Whether the ledger suits single tasks: they pay less for it at each switch than for counters of
 * their own, and others are not disturbed, or pay less than the watched save. */
bool engine_choice_ledger(const struct switch_rates *rates, size_t cpus);

/* Measures the rates, in some 10 ms. False if they are not known. */
bool engine_choice_measure(const struct watch *watch, size_t cpus, struct switch_rates *rates);
