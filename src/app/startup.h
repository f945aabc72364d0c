/* What is decided once, before counting begins: the engine, the screen, the events. */
#ifndef APP_STARTUP_H
#define APP_STARTUP_H

#include "cli/options.h"
#include "event/event.h"
#include "sample/session.h"

struct startup {
    struct source *source;    /* open, its events set and its tasks found */
    struct event_list events; /* to be counted: those of the screen, and: */
    struct event_list own;    /* asked for with -e or later */
    struct event_set *set;    /* their states: first by trial, then as counted */
    const struct screen *screen;
    struct session session;
    char *missing;     /* why a better screen could not be chosen, NULL */
    char *restricted;  /* why only user mode is counted, NULL */
    char *tasks;       /* why some tasks are not counted, NULL */
    const char *blind; /* why no tasks can be seen at all, NULL */
    char *trouble;     /* what went wrong while it ran, NULL */
};

/* Exit codes of the contract. */
enum { EXIT_RUNNING = 1, EXIT_USAGE = 2 };

/* 0, or the exit code with a message; setup is to be released in both cases. The caller takes
 * setup->source. */
int startup_make(struct startup *setup, const struct options *options,
                 const struct screen_list *screens, struct err *err);
void startup_release(struct startup *setup);

/* What is to be counted for a screen in that mode, and setup->own. -1 with a message and nothing to
 * release. */
int startup_list_events(const struct startup *setup, struct event_list *list,
                        const struct screen *screen, enum count_mode mode, struct err *err);

/* Whether the processes and threads that are watched by number exist. -1 with a message. */
int startup_check_watch(const struct watch *watch, struct err *err);

/* Something went wrong that does not end the program: the notice says so from now on. */
void startup_trouble(struct startup *setup, const char *text);

/* Brings the notice of the session up to date with what is counted now. tasks: why some are not, a
 * snapshot's note; NULL. */
void startup_note(struct startup *setup, struct event_set *events, const char *tasks);

#endif
