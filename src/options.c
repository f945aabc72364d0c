#include "options.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

struct option_spec {
    char letter; /* '\0': only the long name */
    const char *name;
    const char *argument; /* NULL: takes none */
    const char *help;     /* NULL: a heading, which is the name */
    int (*set)(struct options *options, const char *argument, struct err *err);
};

static int one_of(const char *option, const char *given, const char *const *names, struct err *err);

static int set_pid(struct options *o, const char *arg, struct err *err)
{
    return watch_add_processes(&o->watch, arg, err);
}

static int set_tid(struct options *o, const char *arg, struct err *err)
{
    return watch_add_threads(&o->watch, arg, err);
}

static const char *nth_of(void *ctx, size_t i)
{
    return ((const char *const *)ctx)[i];
}

/* The names are copied: getpwent(3) has room for one. */
static int refuse_user(const char *given, struct err *err)
{
    char **names = NULL;
    size_t count = 0, room = 0;
    setpwent();
    for (struct passwd *user; (user = getpwent());) {
        mem_grow(&names, &room, count + 2, sizeof(*names));
        names[count++] = mem_strdup(user->pw_name);
        names[count] = NULL;
    }
    endpwent();
    const char *near = names ? str_nearest(given, nth_of, names) : NULL;
    err_set(err, "unknown user '%.100s': expected a user's name or uid%s%s%s", given,
            near ? "; nearest is '" : "", near ? near : "", near ? "'" : "");
    while (count > 0)
        free(names[--count]);
    free(names);
    return -1;
}

static int set_user(struct options *o, const char *arg, struct err *err)
{
    unsigned long long uid;
    struct passwd *user = getpwnam(arg);
    if (user) {
        watch_add_user(&o->watch, user->pw_uid);
        return 0;
    }
    if (str_to_u64(arg, 0, UINT_MAX - 1, &uid)) {
        watch_add_user(&o->watch, (uid_t)uid);
        return 0;
    }
    return refuse_user(arg, err);
}

static int add_events(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    mem_grow(&o->events, &o->event_room, o->event_count + 1, sizeof(*o->events));
    o->events[o->event_count++] = (char *)arg;
    return 0;
}

static int set_screen(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    o->screen = arg;
    return 0;
}

static int set_mode(struct options *o, const char *arg, struct err *err)
{
    static const char *const names[] = {"all", "user", "kernel", NULL};
    int i = one_of("--mode", arg, names, err);
    o->mode = (enum count_mode)i;
    return i < 0 ? -1 : 0;
}

static int set_engine(struct options *o, const char *arg, struct err *err)
{
    static const char *const names[] = {"auto", "cpu", "task", NULL};
    int i = one_of("--engine", arg, names, err);
    o->engine = (enum engine_choice)i;
    return i < 0 ? -1 : 0;
}

static int set_threads(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->threads = true;
    return 0;
}

static int set_view(struct options *o, const char *arg, struct err *err)
{
    static const char *const names[] = {"tasks", "cpus", NULL};
    int i = one_of("--view", arg, names, err);
    o->view = (enum view_kind)i;
    return i < 0 ? -1 : 0;
}

static int set_idle(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->idle = true;
    return 0;
}

static int set_cmdline(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->cmdline = true;
    return 0;
}

static int set_sort(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    o->sort = arg;
    return 0;
}

static int set_filter(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    o->filter = arg;
    return 0;
}

static int set_theme(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    o->theme = arg;
    return 0;
}

static int set_ascii(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->ascii = true;
    return 0;
}

static int set_no_color(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->no_color = true;
    return 0;
}

static int set_delay(struct options *o, const char *arg, struct err *err)
{
    if (!str_to_double(arg, &o->delay) || o->delay < DELAY_LEAST || o->delay > DELAY_MOST)
        return err_set(err, "no delay '%.100s': expected seconds from 0.05 to 3600", arg);
    return 0;
}

static int set_iterations(struct options *o, const char *arg, struct err *err)
{
    if (!str_to_u64(arg, 1, ULLONG_MAX, &o->iterations))
        return err_set(err, "no number of refreshes '%.100s': expected a whole number from 1", arg);
    return 0;
}

static int set_batch(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->batch = true;
    return 0;
}

static int set_format(struct options *o, const char *arg, struct err *err)
{
    static const char *const names[] = {"text", "json", NULL};
    int i = one_of("--format", arg, names, err);
    o->format = (enum format)i;
    o->format_given = true;
    return i < 0 ? -1 : 0;
}

static int set_output(struct options *o, const char *arg, struct err *err)
{
    (void)err;
    o->output = arg;
    return 0;
}

static int list_screens(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->action = ACTION_SCREENS;
    return 0;
}

static int list_columns(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->action = ACTION_COLUMNS;
    return 0;
}

static int list_themes(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->action = ACTION_THEMES;
    return 0;
}

static int ask_help(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->action = ACTION_HELP;
    return 0;
}

static int ask_version(struct options *o, const char *arg, struct err *err)
{
    (void)arg, (void)err;
    o->action = ACTION_VERSION;
    return 0;
}

static const struct option_spec specs[] = {
    {0, "What to watch", NULL, NULL, NULL},
    {'p', "pid", "LIST", "processes, by pid or by name", set_pid},
    {'t', "tid", "LIST", "single threads", set_tid},
    {'u', "user", "USER", "processes of a user (name or uid)", set_user},
    {0, "What to count", NULL, NULL, NULL},
    {'e', "event", "LIST",
     "add events: perf or libpfm4 names, modifiers\n"
     "(cycles:u), groups ('{cycles,instructions}');\n"
     "repeatable",
     add_events},
    {'s', "screen", "NAME", "a set of events and columns", set_screen},
    {0, "mode", "MODE", "all (default), user or kernel", set_mode},
    {0, "engine", "ENGINE",
     "auto (default), cpu (system-wide ledger) or\n"
     "task (descriptors per thread)",
     set_engine},
    {0, "How to show it", NULL, NULL, NULL},
    {'H', "threads", NULL, "threads instead of processes", set_threads},
    {0, "view", "VIEW", "tasks (default) or cpus", set_view},
    {'i', "idle", NULL, "also what did not run in the interval", set_idle},
    {'c', "cmdline", NULL, "command lines instead of names", set_cmdline},
    {0, "sort", "COLUMN", "sort by a column, -COLUMN ascending", set_sort},
    {'f', "filter", "TEXT", "only rows whose name or command line contains TEXT", set_filter},
    {0, "theme", "NAME", "a theme's name, or a file when it contains '/'", set_theme},
    {0, "ascii", NULL, "only ASCII characters", set_ascii},
    {0, "no-color", NULL, "no colours (so does the variable NO_COLOR)", set_no_color},
    {'d', "delay", "SEC", "refresh interval, 0.05 to 3600, default 1", set_delay},
    {'n', "iterations", "N", "stop after N refreshes", set_iterations},
    {0, "Without a terminal", NULL, NULL, NULL},
    {'b', "batch", NULL, "write to standard output", set_batch},
    {0, "format", "FORMAT", "text (default) or json (JSON Lines)", set_format},
    {'o', "output", "FILE", "write there instead", set_output},
    {0, "What there is", NULL, NULL, NULL},
    {0, "list-screens", NULL, "the screens, with what they count", list_screens},
    {0, "list-columns", NULL, "the columns, with what they mean", list_columns},
    {0, "list-themes", NULL, "the themes", list_themes},
    {'h', "help", NULL, "this help", ask_help},
    {'V', "version", NULL, "the version", ask_version},
};

enum { SPEC_COUNT = sizeof(specs) / sizeof(specs[0]), LONG_ONLY = 256 };

/* The index of what was given among names (NULL-terminated), -1 with a message. */
static int one_of(const char *option, const char *given, const char *const *names, struct err *err)
{
    struct str all;
    str_init(&all);
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], given) == 0) {
            str_release(&all);
            return i;
        }
        str_printf(&all, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    }
    const char *near = str_nearest(given, nth_of, (void *)names);
    err_set(err, "unknown value '%.100s' for %s: expected %s%s%s%s", given, option, all.text,
            near ? "; nearest is '" : "", near ? near : "", near ? "'" : "");
    str_release(&all);
    return -1;
}

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
        longs[count++] = (struct option){specs[s].name, argument, NULL, LONG_ONLY + (int)s};
        if (!specs[s].letter)
            continue;
        shorts[at++] = specs[s].letter;
        if (specs[s].argument)
            shorts[at++] = ':';
    }
    opterr = 0;
    optind = 1;
    int result;
    while ((result = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (result == '?' || result == ':')
            return refuse(result, argv, err);
        size_t s = result >= LONG_ONLY ? (size_t)result - LONG_ONLY : 0;
        for (; result < LONG_ONLY && specs[s].letter != result; s++)
            ;
        if (specs[s].set(options, optarg, err) < 0)
            return -1;
    }
    if (optind < argc)
        return err_set(err, "unexpected argument '%.100s': see --help", argv[optind]);
    if (options->format_given && !options->batch)
        return err_set(err, "--format goes with -b (--batch): see --help");
    if (options->output && !options->batch)
        return err_set(err, "-o (--output) goes with -b (--batch): see --help");
    return 0;
}

void options_release(struct options *options)
{
    watch_release(&options->watch);
    free(options->events);
}

void options_help(FILE *out)
{
    fputs("countertop: a top for performance counters\n"
          "usage: countertop [options]\n",
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
    fputs("\nIn the terminal, h shows the keys.\n", out);
}
