#include "cli/cmdline.h"
#include "base/mem.h"
#include "base/str.h"
#include "system/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONG_ONLY = 256 }; /* numbers of long options start above letters */

static const char *nth_option(void *ctx, size_t i)
{
    (void)ctx;
    const struct option_spec *spec;
    for (size_t s = 0; (spec = option_at(s)); s++)
        if (spec->help && i-- == 0)
            return spec->name;
    return NULL;
}

static int cmdline_refuse(int result, char **argv, struct err *err)
{
    const char *word = argv[optind - 1];
    bool letter = optopt > 0 && optopt < 0x80;
    if (result == ':' && letter)
        return err_set(err, "missing value for '-%c': see --help", optopt);
    if (result == ':')
        return err_set(err, "missing value for '%.100s': see --help", word);
    if (letter)
        return err_set(err, "unknown option '-%c': see --help", optopt);
    /* A byte of a non-ASCII character: getopt(3) may be in the middle of its word. */
    if (optopt && optopt < LONG_ONLY)
        return err_set(err, "unknown option '%.100s': see --help",
                       argv[optind] && strchr(argv[optind], optopt) ? argv[optind] : word);
    char *name = mem_strndup(word + 2, strcspn(word + 2, "="));
    const char *near = str_nearest(name, nth_option, NULL);
    free(name);
    if (optopt >= LONG_ONLY)
        return err_set(err, "option '%.100s' takes no value: see --help", word);
    return err_set(err, "unknown option '%.100s': %s%s%s", word,
                   near ? "nearest is '--" : "see --help", near ? near : "", near ? "'" : "");
}

/* Takes the words after the options as the command. marked: after '--'. */
static int set_command(struct options *options, int argc, char **argv, bool marked, struct err *err)
{
    if (optind >= argc && marked)
        return err_set(err, "no command after '--': expected '-- command [arguments]'");
    if (optind < argc && !marked)
        return err_set(err,
                       "unexpected argument '%.100s': to start a command write '-- %.100s'; "
                       "see --help",
                       argv[optind], argv[optind]);
    options->command = optind < argc ? argv + optind : NULL;
    return 0;
}

/* A command is counted only where it can be. */
static int check_cgroup(const struct options *options, struct err *err)
{
    const char *cgroup = options->view.watch.cgroup;
    const char *command = options->command          ? *options->command
                          : options->compared_count ? *options->compared
                                                    : NULL;
    char own[CGROUP_PATH_SIZE];
    if (!command || !cgroup || cgroup_has(cgroup, getpid()))
        return 0;
    cgroup_of(getpid(), own, sizeof(own));
    return err_set(err,
                   "'%.100s' would not be in cgroup '%.100s': it is started in that of countertop, "
                   "'%.100s'; start countertop there",
                   command, cgroup, own);
}

/* Options that need another option; those of a format require that format, those of counters may go
 * with a server instead. */
static int check_together(const struct options *options, struct err *err)
{
    const struct format *chosen = options_format(options), *format;
    const struct option_spec *spec;
    bool check = options->action == ACTION_CHECK || options->action == ACTION_DEMO;
    bool run = options->action == ACTION_RUN;
    if (options->format && !options->batch && !check)
        return err_set(err, "--format goes with -b (--batch): see --help");
    if (options->output && !options->batch)
        return err_set(err, "-o (--output) goes with -b (--batch): see --help");
    if (run && chosen->document && !options->output && options->iterations > 1)
        return err_set(err, "--format %s is one document: -n 1, or -o FILE: see --help",
                       chosen->name);
    if (options->verify && !options->demo)
        return err_set(err, "--verify goes with --demo NAME: see --help");
    if (run && options->force && !options->record)
        return err_set(err, "--force goes with --record: see --help");
    if (check && chosen->check == CHECK_NONE) {
        struct str names;
        str_init(&names);
        for (format = formats; format->name; format++)
            if (format->check != CHECK_NONE)
                str_printf(&names, "%s%s", names.length ? " and " : "", format->name);
        err_set(err, "--%s has the formats %s: see --help",
                options->action == ACTION_DEMO ? "demo" : "check", names.text);
        str_release(&names);
        return -1;
    }
    for (size_t s = 0; run && (spec = option_at(s)); s++) {
        if (!spec->format || !options->given[s])
            continue;
        for (format = formats; strcmp(format->name, spec->format) != 0;)
            format++;
        if (!(options->batch && format == chosen) && !(format->counters && options->listens))
            return err_set(err, "--%s goes with %s%s: see --help", spec->name,
                           format == formats  ? "-b (--batch) and "
                           : format->counters ? "--listen or --format "
                                              : "--format ",
                           format->name);
    }
    return 0;
}

/* A word of --compare is a recording if it names a file that is an SQLite database, else a
 * command: no such file can be executed. */
static bool names_recording(const char *word)
{
    static const char magic[] = "SQLite format 3"; /* sqlite.org/fileformat.html, 1.3.1 */
    char begin[sizeof(magic)] = "";
    int file = open(word, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    bool regular = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    bool result = regular && read(file, begin, sizeof(begin)) == sizeof(begin) &&
                  memcmp(begin, magic, sizeof(magic)) == 0;
    if (file >= 0)
        close(file);
    return result;
}

/* Finds out whether recordings are compared: all are, or none is. */
static int find_recordings(struct options *options, struct err *err)
{
    const char *recording = NULL, *command = NULL;
    for (size_t c = 0; c < options->compared_count; c++)
        if (names_recording(options->compared[c]))
            recording = options->compared[c];
        else
            command = options->compared[c];
    options->recordings = recording && !command;
    if (!recording || !command)
        return 0;
    bool absent = access(command, F_OK) < 0 && errno == ENOENT;
    return err_set(err,
                   "cannot compare a recording with a command: '%.100s' is a recording, "
                   "'%.100s' is not%s",
                   recording, command, absent ? ": there is no such file" : "");
}

/* The first of the options that is on the command line; NULL. */
static const char *first_given(const struct options *options, const char *const *names)
{
    for (; *names; names++)
        if (options_given(options, *names))
            return *names;
    return NULL;
}

/* A workload that is shown is what is watched. */
static int check_demo(const struct options *options, struct err *err)
{
    static const char *const never[] = {"pid",    "tid",    "user",    "cpu",  "cgroup",
                                        "replay", "repeat", "compare", "time", NULL};
    const char *name = first_given(options, never);
    if (!options->demo || options->action != ACTION_RUN)
        return 0;
    if (strcmp(options->demo, "all") == 0)
        return err_set(err, "--demo all goes with --verify; one is shown with --demo NAME");
    if (name)
        return err_set(err, "--%s cannot be used with --demo: see --help", name);
    return options->command ? err_set(err, "--demo has no command: see --help") : 0;
}

/* Changes are cells of the terminal. */
static int check_baseline(const struct options *options, struct err *err)
{
    if (!options->baseline || options->action != ACTION_RUN || !options->batch)
        return 0;
    return err_set(err, "--baseline is for the terminal: without one, --compare compares two "
                        "recordings");
}

/* Options that belong to experiments, and those that have no meaning there: what watches others
 * than the commands, and what is of rows and refreshes. */
static int check_experiment(struct options *options, struct err *err)
{
    static const char *const only[] = {"warmup", "ignore-failure", NULL};
    static const char *const never[] = {
        "pid",     "tid",     "user",    "delay",      "iterations", "record",
        "replay",  "listen",  "sample",  "call-graph", "annotate",   "debuginfod",
        "source",  "view",    "threads", "tree",       "level",      "filter",
        "cpu-min", "idle",    "sticky",  "watch",      "sort",       "show",
        "exact",   "cmdline", "epoch",   "timestamp",  NULL};
    static const char *const counting[] = {"repeat", "time",   "warmup", "ignore-failure",
                                           "engine", "mode",   "cpu",    "cgroup",
                                           "event",  "screen", "force",  NULL};
    bool experiment = options_experiment(options);
    const char *name = first_given(options, only);
    if (options->action != ACTION_RUN)
        return 0;
    if (!experiment && name)
        return err_set(err, "--%s goes with --repeat, --time or --compare: see --help", name);
    if (!experiment)
        return 0;
    if (options->compare && options->command)
        return err_set(err, "--compare takes each command as one word: --compare 'a' 'b', "
                            "without '--'");
    if (options->compare && options->compared_count < 2)
        return err_set(err, "--compare needs two commands, each as one word, or two recordings: "
                            "--compare 'a' 'b'");
    if (!options->compare && !options->command)
        return err_set(err, "--%s goes with a command: '-- command [arguments]'",
                       options->repeat ? "repeat" : "time");
    if (find_recordings(options, err) < 0)
        return -1;
    name = first_given(options, never);
    if (!name && !options->recordings && options_given(options, "rows"))
        name = "rows"; /* of recordings one for each command */
    if (name)
        return err_set(err, "--%s cannot be used with --%s: see --help", name,
                       options->compare  ? "compare"
                       : options->repeat ? "repeat"
                                         : "time");
    if (options->recordings && (name = first_given(options, counting)))
        return err_set(err, "--%s cannot be used with recordings: nothing is counted", name);
    if (!options_format(options)->compare)
        return err_set(err, "--format %s cannot show %s: use text, csv or json",
                       options_format(options)->name,
                       options->recordings ? "a comparison" : "repeated runs");
    return 0;
}

/* With --compare, words that are not options are commands. False if there is none. */
static bool take_compared(struct options *options, int argc, char **argv, bool marked)
{
    if (!options->compare || marked || optind >= argc)
        return false;
    mem_grow(&options->compared, &options->compared_room, options->compared_count + 1,
             sizeof(*options->compared));
    options->compared[options->compared_count++] = argv[optind++];
    return true;
}

int cmdline_parse(struct options *options, int argc, char **argv, struct err *err)
{
    /* The table for getopt_long(3). */
    struct option longs[OPTIONS_MAX + 1], *next_long = longs;
    char shorts[2 * OPTIONS_MAX + 3] = "+:", *next = shorts + 2; /* +: only options before words */
    const struct option_spec *spec;
    int result, before;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        if (!spec->help)
            continue;
        int argument = spec->argument ? required_argument : no_argument;
        if (option_is_optional(spec) || option_takes_answer(spec))
            argument = optional_argument;
        *next_long++ = (struct option){spec->name, argument, NULL, LONG_ONLY + (int)s};
        if (spec->letter)
            *next++ = spec->letter;
        if (spec->letter && spec->argument)
            *next++ = ':';
    }
    *next_long = (struct option){0};
    *next = '\0';
    options_init(options);
    opterr = 0;
    optind = 1;
    while (before = optind, (result = getopt_long(argc, argv, shorts, longs, NULL)) != -1 ||
                                take_compared(options, argc, argv, optind > before)) {
        if (result == -1)
            continue;
        if (result == '?' || result == ':')
            return cmdline_refuse(result, argv, err);
        size_t s = result >= LONG_ONLY ? (size_t)result - LONG_ONLY : 0;
        while (result < LONG_ONLY && option_at(s)->letter != result)
            s++;
        spec = option_at(s);
        if (option_is_optional(spec) && !optarg && optind < argc && *argv[optind] != '-')
            optarg = argv[optind++]; /* getopt(3) only takes it after '=' */
        if (spec->set && spec->set(options, spec, optarg, err) < 0)
            return -1;
        if (spec->action != ACTION_RUN)
            options->action = spec->action;
        options->given[s] = true;
    }
    /* getopt(3) skips '--', but stops at another word that is not an option. */
    if (set_command(options, argc, argv, optind > before, err) < 0)
        return -1;
    /* A workload that is not checked is shown as any other process. */
    if (options->action == ACTION_DEMO && !options->verify && strcmp(options->demo, "list") != 0)
        options->action = ACTION_RUN;
    options_settle(options);
    if (check_baseline(options, err) < 0)
        return -1;
    if (check_demo(options, err) < 0)
        return -1;
    if (check_experiment(options, err) < 0 || check_cgroup(options, err) < 0)
        return -1;
    return check_together(options, err);
}

void cmdline_say_unused(const struct options *options, FILE *out)
{
    static const struct {
        const char *option, *views;
        bool as_shown; /* only for formats that show rows like the terminal */
    } uses[] = {
        {"tree", "tasks", true},
        {"sticky", "tasks", true},
        {"level", "cpus", false},
        {"threads", "tasks functions instructions", false},
        {"cpu-min", "tasks users commands cgroups", false},
        {"source", "instructions", true},
    };
    const struct format *format = options_format(options);
    bool level = options_given(options, "level") && !options_given(options, "view");
    const char *view = view_types[level ? VIEW_CPUS : options->view.kind].word;
    for (size_t i = 0; options->batch && i < sizeof(uses) / sizeof(*uses); i++) {
        if (!options_given(options, uses[i].option))
            continue;
        if (!strstr(uses[i].views, view))
            fprintf(out, "countertop: --%s changes nothing in the rows of --view %s\n",
                    uses[i].option, view);
        else if (uses[i].as_shown && !format->as_shown)
            fprintf(out,
                    "countertop: --%s changes nothing with --format %s: each row is there once\n",
                    uses[i].option, format->name);
    }
}

void cmdline_help(FILE *out)
{
    fputs("countertop: a top for performance counters\n"
          "usage: countertop [options] [-- command [arguments]]\n",
          out);
    const struct option_spec *spec;
    for (size_t s = 0; (spec = option_at(s)); s++) {
        if (!spec->help) {
            fprintf(out, "\n%s\n", spec->name);
            continue;
        }
        char left[64], letter[8] = "    ";
        if (spec->letter)
            snprintf(letter, sizeof(letter), "-%c, ", spec->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, spec->name, spec->argument ? " " : "",
                 spec->argument ? spec->argument : "");
        char *help = option_help(spec);
        const char *text = help;
        if (strlen(left) > 25) {
            fprintf(out, "  %s\n", left);
            left[0] = '\0';
        }
        do {
            size_t length = strcspn(text, "\n");
            fprintf(out, "  %-25s %.*s\n", left, (int)length, text);
            text += length + (text[length] == '\n');
            left[0] = '\0';
        } while (*text);
        free(help);
    }
    fputs("\nA command after '--' is started and counted, with its descendants, from its\n"
          "first instruction. With -b one refresh has the totals of the whole run, with\n"
          "all digits; text has a row per command name unless --view, -H, --tree, -c, -i or\n"
          "--sort is given. With -d each refresh has the rates of an interval; after -n\n"
          "refreshes the command runs on uncounted. In the terminal the totals stay after\n"
          "its end, by command name unless you chose other rows; o switches to rates. Its\n"
          "output is shown when countertop ends; q ends both.\n"
          "With -r and --compare its output is dropped, unless -o FILE is given.\n"
          "\nExit status: 0 success, 1 a failure, or a failed check of --verify, 2 wrong\n"
          "usage. With -b and a command its own, 128 + N when signal N ended it.\n"
          "Without -b too: 127 when the command is not found, 126 when it cannot be\n"
          "executed. --check: 0 when hardware events count here, 3 when only software\n"
          "events do, 1 when nothing does.\n"
          "\nIn the terminal, h shows the keys. Files in ~/.config/countertop hold keys and\n"
          "permanent settings: see the manual page (--manual). A flag that they set is\n"
          "undone with =no: --idle=no.\n",
          out);
}
