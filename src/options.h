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
    ACTION_SCREENS,
    ACTION_COLUMNS,
    ACTION_THEMES,
};

/* Bounds of the refresh interval, seconds. */
#define DELAY_LEAST 0.05
#define DELAY_MOST 3600

struct options {
    enum action action;
    struct watch watch;
    struct cpulist cpus; /* empty: all */
    char **events;     /* the lists given with -e */
    size_t event_count, event_room;
    const char *screen; /* NULL: the first that fits */
    enum count_mode mode;
    enum engine_choice engine;
    bool threads, idle, cmdline;
    enum view_kind view;
    const char *sort;  /* NULL: the screen's; a leading '-' asks for ascending order */
    const char *filter;
    const char *theme; /* NULL: the default */
    bool ascii, no_color;
    double delay;      /* seconds */
    unsigned long long iterations; /* 0: no end */
    bool batch;
    enum format format;
    const char *output; /* NULL: standard output */
};

/* Fills options (released with options_release) from the command line; texts point into argv. -1
 * with a message fit for "wrong usage". */
int options_parse(struct options *options, int argc, char **argv, struct err *err);
void options_release(struct options *options);

void options_help(FILE *out);

#endif
