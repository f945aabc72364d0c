/* The command line: one table gives its parsing and its help. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/err.h"
#include "sample/source.h"
#include "view/view.h"

#include <stdio.h>

enum engine_choice { ENGINE_AUTO, ENGINE_CPU, ENGINE_TASK };
enum format { FORMAT_TEXT, FORMAT_JSON };
enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_EVENTS,
    ACTION_SCREENS,
    ACTION_COLUMNS,
    ACTION_THEMES,
    ACTION_CHECK,
};

/* Bounds of the refresh interval, seconds. */
#define DELAY_LEAST 0.05
#define DELAY_MOST 3600

struct options {
    enum action action;
    struct watch watch;
    struct cpulist cpus; /* empty: all */
    char **events;       /* the lists given with -e */
    size_t event_count, event_room;
    const char *pattern;   /* of --list-events; NULL: all */
    const char *screen;    /* NULL: the first that fits */
    const char *directory; /* of files with metrics and screens; NULL: the user's own */
    enum count_mode mode;
    enum engine_choice engine;
    bool threads, idle, cmdline, exact;
    enum view_amount amount;
    enum view_kind view;
    bool view_given;
    const char *sort; /* NULL: the screen's; a leading '-' asks for ascending order */
    const char *filter;
    const char *theme; /* NULL: the default */
    bool ascii, no_color;
    double delay; /* seconds */
    bool delay_given;
    unsigned long long iterations; /* 0: no end */
    bool batch;
    enum format format;
    const char *output; /* NULL: standard output */
    char **command;     /* words after '--', NULL at the end; NULL: none */
};

/* Fills options (released with options_release) from the command line; texts point into argv. -1
 * with a message fit for "wrong usage". */
int options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_release(struct options *options);

/* Whether a command is to be told of in one refresh, which is its whole run: without a terminal,
 * and unless refreshes are asked for with -d or -n. */
bool options_single(const struct options *options);

void options_help(FILE *out);

#endif
