#include "options.h"
#include "base/mem.h"
#include "base/str.h"
#include "system/cgroup.h"
#include "system/user.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct option_spec {
    char letter; /* '\0': only the long name */
    const char *name;
    const char *argument; /* NULL: takes none; "[WORD]": may be left out */
    const char *help;     /* NULL: a heading, which is the name */
    int (*set)(struct options *options, const struct option_spec *spec, const char *given,
               struct err *err);
    size_t field;             /* set_flag, set_text, set_word: which member of the options */
    const char *const *words; /* set_word: the values, in the order of the enum; NULL at the end */
    enum action action;       /* set_action */
};

/* Setters for many options. */

static int set_flag(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    (void)given, (void)err;
    *(bool *)((char *)options + spec->field) = true;
    return 0;
}

static int set_text(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    (void)err;
    *(const char **)((char *)options + spec->field) = given;
    return 0;
}

static int set_action(struct options *options, const struct option_spec *spec, const char *given,
                      struct err *err)
{
    (void)given, (void)err;
    options->action = spec->action;
    return 0;
}

static const char *nth_of(void *ctx, size_t i)
{
    return ((const char *const *)ctx)[i];
}

static int set_word(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    const char *const *words = spec->words;
    struct str all;
    str_init(&all);
    for (unsigned i = 0; words[i]; i++) {
        if (strcmp(words[i], given) == 0) {
            memcpy((char *)options + spec->field, &i, sizeof(i));
            str_release(&all);
            return 0;
        }
        str_printf(&all, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    }
    const char *near = str_nearest(given, nth_of, (void *)words);
    err_set(err, "unknown value '%.100s' for --%s: expected %s%s%s%s", given, spec->name, all.text,
            near ? "; nearest is '" : "", near ? near : "", near ? "'" : "");
    str_release(&all);
    return -1;
}

/* Setters for one. */

static int set_view(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    options->view_given = true;
    return set_word(options, spec, given, err);
}

static int set_pid(struct options *options, const struct option_spec *spec, const char *given,
                   struct err *err)
{
    (void)spec;
    return watch_add_processes(&options->watch, given, err);
}

static int set_tid(struct options *options, const struct option_spec *spec, const char *given,
                   struct err *err)
{
    (void)spec;
    return watch_add_threads(&options->watch, given, err);
}

static int set_user(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    (void)spec;
    uid_t uid;
    if (user_find(given, &uid, err) < 0)
        return -1;
    watch_add_user(&options->watch, uid);
    return 0;
}

static int set_cgroup(struct options *options, const struct option_spec *spec, const char *given,
                      struct err *err)
{
    (void)spec;
    free(options->watch.cgroup);
    options->watch.cgroup = cgroup_find(given, err);
    return options->watch.cgroup ? 0 : -1;
}

static int set_cpus(struct options *options, const struct option_spec *spec, const char *given,
                    struct err *err)
{
    (void)spec;
    cpulist_release(&options->cpus);
    if (cpulist_parse(&options->cpus, given, err) < 0)
        return -1;
    return options->cpus.count
               ? 0
               : err_set(err, "no list of CPUs '': expected numbers and ranges such as 0-3,8");
}

static int add_events(struct options *options, const struct option_spec *spec, const char *given,
                      struct err *err)
{
    (void)spec;
    (void)err;
    mem_grow(&options->events, &options->event_room, options->event_count + 1,
             sizeof(*options->events));
    options->events[options->event_count++] = (char *)given;
    return 0;
}

static int set_delay(struct options *options, const struct option_spec *spec, const char *given,
                     struct err *err)
{
    (void)spec;
    if (!str_to_double(given, &options->delay) || options->delay < DELAY_LEAST ||
        options->delay > DELAY_MOST)
        return err_set(err, "no delay '%.100s': expected seconds from 0.05 to 3600", given);
    options->delay_given = true;
    return 0;
}

static int set_iterations(struct options *options, const struct option_spec *spec,
                          const char *given, struct err *err)
{
    (void)spec;
    if (!str_to_u64(given, 1, ULLONG_MAX, &options->iterations))
        return err_set(err, "no number of refreshes '%.100s': expected a whole number from 1",
                       given);
    return 0;
}

/* given is NULL where the pattern was left out. */
static int list_events(struct options *options, const struct option_spec *spec, const char *given,
                       struct err *err)
{
    options->pattern = given;
    return set_action(options, spec, given, err);
}

static const char *const modes[] = {"all", "user", "kernel", NULL};
static const char *const engines[] = {"auto", "cpu", "task", NULL};
static const char *const views[] = {"tasks", "cpus", "users", "commands", "cgroups", NULL};
static const char *const amounts[] = {"rate", "interval", "total", NULL};
static const char *const formats[] = {"text", "json", NULL};

#define FIELD(member) .field = offsetof(struct options, member)

static const struct option_spec specs[] = {
    {.name = "What to watch"},
    {'p', "pid", "LIST", "processes, by pid or by name", .set = set_pid},
    {'t', "tid", "LIST", "single threads", .set = set_tid},
    {'u', "user", "USER", "processes of a user (name or uid)", .set = set_user},
    {'C', "cpu", "LIST", "only these CPUs (0-3,8)", .set = set_cpus},
    {'G', "cgroup", "PATH",
     "only this cgroup: its path or directory, a unit,\n"
     "a container by its short id",
     .set = set_cgroup},
    {.name = "What to count"},
    {'e', "event", "LIST",
     "add events: perf or libpfm4 names, modifiers\n"
     "(cycles:u), groups ('{cycles,instructions}');\n"
     "repeatable",
     .set = add_events},
    {'s', "screen", "NAME", "a set of events and columns", set_text, FIELD(screen)},
    {'W', "screens", "DIR",
     "read screens and metrics from DIR/*.ini, not from\n"
     "~/.config/countertop",
     set_text, FIELD(directory)},
    {0, "mode", "MODE", "all (default), user or kernel", set_word, FIELD(mode), modes},
    {0, "engine", "ENGINE",
     "auto (default), cpu (system-wide ledger) or\n"
     "task (descriptors per thread)",
     set_word, FIELD(engine), engines},
    {.name = "How to show it"},
    {'H', "threads", NULL, "threads instead of processes", set_flag, FIELD(threads)},
    {0, "view", "VIEW", "tasks (default), cpus, users, commands or cgroups", set_view, FIELD(view),
     views},
    {'i', "idle", NULL, "also what did not run in the interval", set_flag, FIELD(idle)},
    {'c', "cmdline", NULL, "command lines instead of names", set_flag, FIELD(cmdline)},
    {0, "show", "AMOUNT",
     "of counts: rate (default, a second), interval, or\n"
     "total (since the start)",
     set_word, FIELD(amount), amounts},
    {0, "exact", NULL, "counts with all their digits", set_flag, FIELD(exact)},
    {0, "sort", "COLUMN", "sort by a column, -COLUMN ascending", set_text, FIELD(sort)},
    {'f', "filter", "TEXT", "only rows whose name or command line contains TEXT", set_text,
     FIELD(filter)},
    {0, "theme", "NAME", "a theme's name, or a file when it contains '/'", set_text, FIELD(theme)},
    {0, "ascii", NULL, "only ASCII characters", set_flag, FIELD(ascii)},
    {0, "no-color", NULL, "no colours (so does the variable NO_COLOR)", set_flag, FIELD(no_color)},
    {'d', "delay", "SEC", "refresh interval, 0.05 to 3600, default 1", .set = set_delay},
    {'n', "iterations", "N", "stop after N refreshes", .set = set_iterations},
    {.name = "Without a terminal"},
    {'b', "batch", NULL, "write to standard output", set_flag, FIELD(batch)},
    {0, "format", "FORMAT", "text (default) or json (JSON Lines)", set_word, FIELD(format),
     formats},
    {'o', "output", "FILE", "write there instead", set_text, FIELD(output)},
    {.name = "What there is"},
    {0, "list-events", "[PATTERN]",
     "the events, and whether they count here; only\n"
     "those that contain the words of PATTERN",
     list_events, .action = ACTION_EVENTS},
    {0, "list-screens", NULL, "the screens, with what they count", set_action,
     .action = ACTION_SCREENS},
    {0, "list-columns", NULL, "the columns, with what they mean", set_action,
     .action = ACTION_COLUMNS},
    {0, "list-themes", NULL, "the themes", set_action, .action = ACTION_THEMES},
    {0, "check", NULL,
     "what can be counted here, what cannot, why, and\n"
     "how to change it; --format json too",
     set_action, .action = ACTION_CHECK},
    {'h', "help", NULL, "this help", set_action, .action = ACTION_HELP},
    {'V', "version", NULL, "the version", set_action, .action = ACTION_VERSION},
};

enum { SPEC_COUNT = sizeof(specs) / sizeof(specs[0]), LONG_ONLY = 256 };

static const char *nth_option(void *ctx, size_t i)
{
    (void)ctx;
    size_t found = 0;
    for (size_t s = 0; s < SPEC_COUNT; s++)
        if (specs[s].help && found++ == i)
            return specs[s].name;
    return NULL;
}

static int refuse(int result, char **argv, struct err *err)
{
    const char *word = argv[optind - 1];
    bool letter = optopt > 0 && optopt < 0x80;
    if (result == ':' && letter)
        return err_set(err, "missing value for '-%c': see --help", optopt);
    if (result == ':')
        return err_set(err, "missing value for '%.100s': see --help", word);
    if (letter)
        return err_set(err, "unknown option '-%c': see --help", optopt);
    /* A byte of a character beyond ASCII: getopt(3) may still be in its word. */
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

/* What follows the options. marked: it does after '--'. */
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
    const char *cgroup = options->watch.cgroup;
    char own[CGROUP_PATH_SIZE];
    if (!options->command || !cgroup || cgroup_has(cgroup, getpid()))
        return 0;
    cgroup_of(getpid(), own, sizeof(own));
    return err_set(err,
                   "'%.100s' would not be in cgroup '%.100s': it is started in that of countertop, "
                   "'%.100s'; start countertop there",
                   *options->command, cgroup, own);
}

static bool is_optional(const struct option_spec *spec)
{
    return spec->argument && *spec->argument == '[';
}

int options_parse(struct options *options, int argc, char **argv, struct err *err)
{
    *options = (struct options){.delay = 1};
    watch_init(&options->watch);
    struct option longs[SPEC_COUNT + 1] = {0};
    char shorts[2 * SPEC_COUNT + 3] = "+:"; /* stop at the first word that is no option */
    size_t at = 2, count = 0;
    for (size_t s = 0; s < SPEC_COUNT; s++) {
        if (!specs[s].help)
            continue;
        int argument = specs[s].argument ? required_argument : no_argument;
        if (is_optional(&specs[s]))
            argument = optional_argument;
        longs[count++] = (struct option){specs[s].name, argument, NULL, LONG_ONLY + (int)s};
        if (!specs[s].letter)
            continue;
        shorts[at++] = specs[s].letter;
        if (specs[s].argument)
            shorts[at++] = ':';
    }
    opterr = 0;
    optind = 1;
    int result, before;
    while (before = optind, (result = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (result == '?' || result == ':')
            return refuse(result, argv, err);
        size_t s = result >= LONG_ONLY ? (size_t)result - LONG_ONLY : 0;
        for (; result < LONG_ONLY && specs[s].letter != result; s++)
            ;
        if (is_optional(&specs[s]) && !optarg && optind < argc && *argv[optind] != '-')
            optarg = argv[optind++]; /* getopt(3) knows it only behind a '=' */
        if (specs[s].set(options, &specs[s], optarg, err) < 0)
            return -1;
    }
    /* At a word that is no option it stays, the end of the options it passes by. */
    if (set_command(options, argc, argv, optind > before, err) < 0)
        return -1;
    if (options->format != FORMAT_TEXT && !options->batch && options->action != ACTION_CHECK)
        return err_set(err, "--format goes with -b (--batch): see --help");
    if (options->output && !options->batch)
        return err_set(err, "-o (--output) goes with -b (--batch): see --help");
    return 0;
}

void options_release(struct options *options)
{
    watch_release(&options->watch);
    cpulist_release(&options->cpus);
    free(options->events);
}

bool options_single(const struct options *options)
{
    return options->command && options->batch && !options->delay_given && !options->iterations;
}

void options_help(FILE *out)
{
    fputs("countertop: a top for performance counters\n"
          "usage: countertop [options] [-- command [arguments]]\n",
          out);
    for (size_t s = 0; s < SPEC_COUNT; s++) {
        const struct option_spec *spec = &specs[s];
        if (!spec->help) {
            fprintf(out, "\n%s\n", spec->name);
            continue;
        }
        char left[64], letter[8] = "    ";
        if (spec->letter)
            snprintf(letter, sizeof(letter), "-%c, ", spec->letter);
        snprintf(left, sizeof(left), "%s--%s%s%s", letter, spec->name, spec->argument ? " " : "",
                 spec->argument ? spec->argument : "");
        const char *text = spec->help;
        do {
            size_t length = strcspn(text, "\n");
            fprintf(out, "  %-25s %.*s\n", left, (int)length, text);
            text += length + (text[length] == '\n');
            left[0] = '\0';
        } while (*text);
    }
    fputs("\nA command after '--' is started and counted, with its descendants, from its\n"
          "first instruction on. With -b one refresh tells of its whole run, with -d each\n"
          "of an interval; after -n refreshes it is left to run on. The exit status is its\n"
          "own. In the terminal the totals stay when it has ended, and what it wrote is\n"
          "shown when countertop ends; q ends both.\n"
          "\nIn the terminal, h shows the keys.\n",
          out);
}
