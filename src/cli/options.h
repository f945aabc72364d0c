/* What is asked of the program, by the command line (cmdline.h) and by files of the user
 * (config.h), and the table of options: what the command line, the help, the settings of
 * configuration files, the manual page and the completion of shells are made of. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "base/err.h"
#include "base/str.h"
#include "front/address.h"
#include "front/formats.h"
#include "sample/source.h"
#include "view/settings.h"

#include <stdbool.h>

enum engine_choice { ENGINE_AUTO, ENGINE_CPU, ENGINE_TASK };
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

enum { REWIND_MAX = 1 << 20 }; /* MiB */
enum { OPTIONS_MAX = 128 };    /* rows of the table of options */

/* Bounds of the refresh interval, seconds. */
#define DELAY_MIN 0.05
#define DELAY_MAX 3600

struct options {
    enum action action;
    struct view_settings view; /* what to show at the start, and what to watch */
    struct cpulist cpus;       /* empty: all */
    char **events;             /* the lists given with -e */
    size_t event_count, event_room;
    const char *pattern;   /* of --list-events; NULL: all */
    const char *screen;    /* NULL: the first that fits */
    const char *directory; /* of the user's files; NULL: his own */
    bool no_config;        /* none of these */
    enum shell shell;
    enum count_mode mode;
    enum engine_choice engine;
    const char *sort;  /* NULL: the screen's; a leading '-' asks for ascending order */
    const char *theme; /* NULL: the default */
    enum front_bars bars;
    bool no_color, no_mouse;
    double delay;                  /* seconds */
    unsigned long long iterations; /* 0: no end */
    bool batch;
    unsigned format; /* row of the table of formats */
    struct format_options format_options;
    const char *output;        /* NULL: standard output */
    bool listens;              /* serves OpenMetrics */
    struct address listen;     /* there */
    const char *record;        /* the file to record to, NULL: none */
    bool force;                /* replace it */
    const char *replay;        /* the recording to show, NULL: none */
    const char *debug;         /* the file of log.h, NULL: none */
    unsigned long long rewind; /* MiB of memory for the last minutes; 0: they are not kept */
    char **command;            /* words after '--', NULL at the end; NULL: none */
    bool given[OPTIONS_MAX];   /* on the command line, by row of the table */
};

void options_init(struct options *options); /* the defaults */
void options_release(struct options *options);

/* Whether the command line has the option of that name (without dashes); files do not count. */
bool options_given(const struct options *options, const char *name);

/* Whether a command is to be told of in one refresh, which is its whole run: without a terminal,
 * and unless refreshes are asked for with -d or -n. */
bool options_single(const struct options *options);

const struct format *options_format(const struct options *options);

/* Whether batch output is of the whole time since the start, not of intervals. */
bool options_totals(const struct options *options);

/* To be called after the last option: sets what depends on several options. */
void options_settle(struct options *options);

/* --- The table --- */

/* What completion offers as a value; VALUES_ARGUMENT: what the argument's name says
 * (option_values). */
enum option_values {
    VALUES_ARGUMENT,
    VALUES_WORDS,
    VALUES_SCREENS,
    VALUES_COLUMNS,
    VALUES_THEMES,
    VALUES_EVENTS, /* separated by commas */
    VALUES_PIDS,   /* separated by commas, or names */
    VALUES_USERS,
    VALUES_FILES,
    VALUES_DIRECTORIES,
    VALUES_FREE, /* nothing to offer */
};

/* A row of the table: an option, or a heading. */
struct option_spec {
    char letter; /* '\0': only the long name */
    const char *name;
    const char *argument; /* NULL: takes none; "[WORD]": may be left out */
    const char *help;     /* NULL: a heading, which is the name; "": `describe` writes it */
    /* Takes the value, NULL where none is given; texts are not copied. */
    int (*set)(struct options *options, const struct option_spec *spec, const char *given,
               struct err *err);
    size_t field; /* set_flag, set_text, set_word: which member of the options */
    /* set_word: the values, in the order of the enum: a table whose rows begin with the word, NULL
     * at the end, and the size of a row. */
    const void *words;
    size_t word_size;
    void (*describe)(struct str *text); /* the help, in lines, where a table makes it */
    enum action action;                 /* set_action */
    enum option_values values;          /* what completion offers */
    bool setting;                       /* a lasting choice: files may make it too (config.h) */
    const char *format; /* of --format: the option goes with this one alone; NULL: with any */
};

const struct option_spec *option_at(size_t i);                     /* NULL after the last */
const char *option_word(const struct option_spec *spec, size_t i); /* NULL after the last */
char *option_help(const struct option_spec *spec);        /* in lines; the caller frees it */
const struct option_spec *option_find(const char *name);  /* without dashes; NULL: there is none */
bool option_is_optional(const struct option_spec *spec);  /* its value may be left out */
bool option_takes_answer(const struct option_spec *spec); /* a flag that takes '=yes' and '=no' */
enum option_values option_values(const struct option_spec *spec); /* never VALUES_ARGUMENT */

/* Its value as text that sets it to that; false where it has none, or none that can be written. */
bool option_value(const struct option_spec *spec, const struct options *options, struct str *value);

#endif
