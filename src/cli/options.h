/* What is asked of the program: by the command line (cmdline.h), and by files of the user
 * (config.h). */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"
#include "front/address.h"
#include "front/front.h"
#include "sample/source.h"
#include "view/view.h"

#include <stdbool.h>

enum engine_choice { ENGINE_AUTO, ENGINE_CPU, ENGINE_TASK };
enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_OPENMETRICS };
enum action {
    ACTION_RUN,
    ACTION_HELP,
    ACTION_VERSION,
    ACTION_EVENTS,
    ACTION_SCREENS,
    ACTION_COLUMNS,
    ACTION_THEMES,
    ACTION_CHECK,
    ACTION_KEYS,
    ACTION_MANUAL,
    ACTION_COMPLETION,
};
enum shell { SHELL_BASH, SHELL_ZSH }; /* of --completion */

enum { REWIND_MOST = 1 << 20 }; /* MiB */
enum { OPTIONS_MOST = 128 };    /* rows of the table of options */

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
    const char *directory; /* of the user's files; NULL: his own */
    bool no_config;        /* none of these */
    enum shell shell;
    enum count_mode mode;
    enum engine_choice engine;
    bool threads, idle, cmdline, exact;
    enum view_amount amount;
    enum view_kind view;
    enum view_level level;
    bool tree, sticky;
    double least_cpu;       /* per cent */
    struct watch highlight; /* rows that are marked */
    const char *sort;       /* NULL: the screen's; a leading '-' asks for ascending order */
    const char *filter;
    const char *theme; /* NULL: the default */
    enum front_bars bars;
    bool ascii, no_color, no_mouse;
    double delay;                  /* seconds */
    unsigned long long iterations; /* 0: no end */
    bool batch;
    enum format format;
    const char *output;            /* NULL: standard output */
    bool csv_safe;                 /* CSV: nothing in it is a formula to a spreadsheet */
    bool epoch, timestamp;         /* text: with the time in front of each row */
    unsigned long long rows;       /* text: at most so many a refresh, 0: all */
    unsigned long long label_sets; /* OpenMetrics: at most so many names, 0: all */
    bool listens;                  /* serves OpenMetrics */
    struct address listen;         /* there */
    const char *record;            /* the file to record to, NULL: none */
    bool force;                    /* replace it */
    const char *replay;            /* the recording to show, NULL: none */
    const char *debug;             /* the file of log.h, NULL: none */
    unsigned long long rewind;     /* MiB of memory for the last minutes; 0: they are not kept */
    char **command;                /* words after '--', NULL at the end; NULL: none */
    bool given[OPTIONS_MOST];      /* on the command line, by row of the table (option.h) */
};

void options_init(struct options *options); /* the defaults */
void options_release(struct options *options);

/* Whether the command line has the option of that name (without dashes): what a file sets is none
 * of these. */
bool options_given(const struct options *options, const char *name);

/* Whether a command is to be told of in one refresh, which is its whole run: without a terminal,
 * and unless refreshes are asked for with -d or -n. */
bool options_single(const struct options *options);

/* After the last option: what was not asked for, and is not the same for all that can be. */
void options_settle(struct options *options);

#endif
