/* The options of the program, from the command line (cmdline.c) and the user's files (config.h),
 * and the table of options: the command line, the help, configuration files, the manual page and
 * shell completion are made from it. */
#pragma once

#include "front/address.h"
#include "front/batch.h"

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
    ACTION_DEMO,
    ACTION_KEYS,
    ACTION_DASHBOARD,
    ACTION_RULES,
    ACTION_MANUAL,
    ACTION_COMPLETION,
};
enum shell { SHELL_BASH, SHELL_FISH, SHELL_ZSH }; /* of --completion */

enum { REWIND_MAX = 1 << 20 }; /* MiB */
enum { OPTIONS_MAX = 128 };    /* rows of the table of options */

/* Bounds of the refresh interval, seconds. */
#define DELAY_MIN 0.05
#define DELAY_MAX 3600

struct options {
    enum action action;
    struct view_settings view; /* what is shown and watched at the start */
    struct cpulist cpus;       /* empty: all */
    char **events;             /* the lists given with -e */
    size_t event_count, event_room;
    const char *pattern;   /* for --list-events; NULL: all */
    const char *help;      /* for --help: NULL or "all" */
    const char *screen;    /* NULL: the first that fits */
    const char *directory; /* of the user's files; NULL: the default */
    bool no_config;        /* ignore the user's files */
    bool no_sandbox;       /* forbid the running program no system calls */
    enum shell shell;
    enum count_mode mode;
    enum engine_choice engine;
    const char *sample;   /* EVENT[/RATE] for functions; NULL: not given */
    const char *annotate; /* name of a function; NULL: not given */
    enum stacks stacks;
    double waits_over;       /* ms: longer waits are listed; 0: none */
    unsigned by_wall;        /* samples weigh by elapsed time: 1, or by time on CPUs: 0 */
    bool debuginfod;         /* ask servers for debug files */
    unsigned long long copy; /* bytes of a stack, for STACKS_DWARF */
    const char *sort;        /* NULL: the screen's; a leading '-' means ascending */
    const char *theme;       /* NULL: the default */
    enum front_bars bars;
    bool no_color, no_mouse;
    double delay;                  /* seconds */
    unsigned long long iterations; /* 0: no end */
    bool batch;
    unsigned format; /* index in the table of formats */
    struct format_options format_options;
    const char *output;        /* NULL: standard output */
    bool listens;              /* serve OpenMetrics */
    struct address listen;     /* at this address */
    const char *record;        /* the file to write; NULL: none */
    bool force;                /* replace that file */
    const char *replay;        /* the file to show; NULL: none */
    double play;               /* ... in a terminal, at this speed; 0: it stands still */
    const char *when;          /* the condition of an alarm; NULL: none */
    const char *test_when;     /* ... that is looked for in a recording; NULL: none */
    double before, after;      /* seconds of an alarm's recording */
    const char *record_dir;    /* for those; NULL: here */
    unsigned long long keep;   /* the number of them, at most; 0: all */
    unsigned long long mb;     /* ... their size, 1e6 bytes */
    const char *exec;          /* the command for each; NULL: none */
    double exec_time;          /* seconds that it may take */
    const char *baseline;      /* the recording that rows are compared with; NULL: none */
    const char *debug;         /* the file of base/log.h; NULL: none */
    unsigned long long rewind; /* MiB of memory for the last minutes; 0: none */
    const char *demo;          /* name of a workload, "list", "all" or "tour" */
    bool verify;               /* check its counts */
    char **command;            /* words after '--', NULL at the end; NULL: none */
    unsigned long long repeat; /* runs of a command; 0: not given */
    unsigned long long warmup; /* runs before, which are not measured */
    double time;               /* seconds for all runs of a command; 0: not given */
    bool ignore_failure;       /* of a run */
    bool compare;              /* what is in `compared`: */
    bool recordings;           /* ... recordings, not commands */
    char **compared;
    size_t compared_count, compared_room;
    bool given[OPTIONS_MAX]; /* on the command line, by row of the table */
};

void options_init(struct options *options); /* the defaults */
void options_release(struct options *options);

/* Whether the command line has the option of that name (without dashes); files are ignored. */
bool options_given(const struct options *options, const char *name);

/* Whether there is one refresh for the whole run of a command: without a terminal, unless -d or -n
 * ask for refreshes. */
bool options_single(const struct options *options);

/* Whether functions of commands or recordings are compared. */
bool options_compare_functions(const struct options *options);

/* Whether commands are run several times, or compared (app/experiment.c). */
bool options_experiment(const struct options *options);

/* The words of the command with spaces between them, which the caller frees; NULL: no command. */
char *options_command_text(const struct options *options);

const struct format *options_format(const struct options *options);

/* Whether batch output covers the whole time since the start, not intervals. */
bool options_totals(const struct options *options);

/* Call after the last option: sets values that depend on several options. */
void options_settle(struct options *options);

/* --- The table --- */

/* Values that completion offers; VALUES_ARGUMENT: depends on the argument's name
 * (option_values). */
enum option_values {
    VALUES_ARGUMENT,
    VALUES_WORDS,
    VALUES_SCREENS,
    VALUES_COLUMNS,
    VALUES_THEMES,
    VALUES_DEMOS,
    VALUES_EVENTS, /* separated by commas */
    VALUES_PIDS,   /* separated by commas, or names */
    VALUES_USERS,
    VALUES_FILES,
    VALUES_DIRECTORIES,
    VALUES_FREE, /* nothing to offer */
};

/* A row of the table. What is said of an option is in options.conf. */
struct option_spec {
    char letter; /* '\0': no letter */
    const char *name;
    const char *argument; /* NULL: no argument; "[WORD]": optional */
    const char *heading;  /* of this option and those after it; NULL: that of the row before */
    /* Sets the value, NULL if none is given; texts are not copied. NULL: there is only an action.
     */
    int (*set)(struct options *options, const struct option_spec *spec, const char *given,
               struct err *err);
    size_t field;         /* of setters for many options: offset of the member */
    double least, most;   /* set_number, set_real: bounds; most 0: none */
    const char *unit;     /* ... "s" or "ms": it is a length of time, which may have a unit */
    const char *expected; /* ... what the value must be, for the message */
    /* set_word: the values in the order of the enum: a table whose rows begin with the word and end
     * with NULL, and the size of a row. */
    const void *words;
    size_t word_size;
    void (*describe)(struct str *text); /* adds the help that another table has */
    enum action action;                 /* ACTION_RUN: another option says what to do */
    enum option_values values;          /* for completion */
    bool setting;                       /* files may set it, too (config.h) */
    /* What the command line must have, too: one of these; and what it must not have: all of these.
     * Names of options as in the table; "format=NAME": batch output in this format; "--": a
     * command; "recordings" and "commands": --compare has such words. NULL after the last. */
    const char *needs[4], *excludes[7];
    const char *views; /* words of the views in which it changes something; NULL: all */
    bool as_shown;     /* changes something only in formats with that ability (front/batch.h) */
};

extern const struct option_spec option_specs[]; /* ends with a row without a name */
const char *option_word(const struct option_spec *spec, size_t i); /* NULL after the last */
/* What options.conf has for a key, "" if nothing; and its help in one line, with what it needs. The
 * caller frees them. */
char *option_text(const struct option_spec *spec, const char *key);
char *option_help(const struct option_spec *spec);
/* Adds one of its needs or exclusions as the user would write it. */
void option_add_use(struct str *text, const char *use);
const struct option_spec *option_find(const char *name); /* without dashes; NULL if there is none */
bool option_is_optional(const struct option_spec *spec); /* its value is optional */
bool option_takes_answer(const struct option_spec *spec); /* a flag that takes '=yes' and '=no' */
enum option_values option_values(const struct option_spec *spec); /* never VALUES_ARGUMENT */

/* Refuses an option without what it needs, or beside what it excludes: -1 with a message. */
int options_check_uses(const struct options *options, bool needs, struct err *err);

/* Its value as text for the option; false if it has none, or none that can be written. */
bool option_value(const struct option_spec *spec, const struct options *options, struct str *value);

/* Parses the command line by the table of options (options.h), and writes its help. */

/* Fills options (release with options_release, also after a failure); texts point into argv. -1
 * with a message fit for "wrong usage". */
int cmdline_parse(struct options *options, int argc, char **argv, struct err *err);

void cmdline_help(const struct options *options, FILE *out);

/* Writes a line for each option on the command line that changes nothing in the rows of the chosen
 * view. Not for the terminal, where the views are a key apart. */
void cmdline_say_unused(const struct options *options, FILE *out);
