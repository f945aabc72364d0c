#include "cli/manual.h"
#include "system/cgroup.h"

#include <getopt.h>

enum { LONG_ONLY = 256 }; /* numbers of long options start above letters */

static int cmdline_refuse(int result, char **argv, struct err *err)
{
    const char *word = argv[optind - 1];
    bool letter = optopt > 0 && optopt < 0x80;
    size_t s = optopt >= LONG_ONLY ? (size_t)optopt - LONG_ONLY : 0;
    while (letter && option_specs[s].name && option_specs[s].letter != optopt)
        s++;
    if (result == ':')
        return err_set(err, "missing value for '%s%.100s': expected %s; see --help all",
                       letter ? "-" : "", letter ? (char[]){(char)optopt, '\0'} : word,
                       option_specs[s].argument);
    if (letter)
        return err_set(err, "unknown option '-%c': see --help all", optopt);
    /* A byte of a non-ASCII character: getopt(3) may be in the middle of its word. */
    if (optopt && optopt < LONG_ONLY)
        return err_set(err, "unknown option '%.100s': see --help all",
                       argv[optind] && strchr(argv[optind], optopt) ? argv[optind] : word);
    AUTO_FREE char *name = mem_strndup(word + 2, strcspn(word + 2, "="));
    const char *near = STR_NEAREST(option_specs, SIZE_MAX, name, name);
    if (optopt >= LONG_ONLY)
        return err_set(err, "option '%.100s' takes no value: see --help all", word);
    return err_set(err, "unknown option '%.100s': %s%s%s", word,
                   near ? "nearest is '--" : "see --help all", near ? near : "", near ? "'" : "");
}

/* Takes the words after the options as the command. marked: after '--'. */
static int set_command(struct options *options, int argc, char **argv, bool marked, struct err *err)
{
    if (optind >= argc && marked)
        return err_set(err, "no command after '--': expected '-- command [arguments]'");
    if (optind < argc && !marked)
        return err_set(err,
                       "unexpected argument '%.100s': to start a command write '-- %.100s'; "
                       "see --help all",
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

/* Values of options that do not go together. */
static int check_values(const struct options *options, struct err *err)
{
    const struct format *chosen = options_format(options);
    bool check = options->action == ACTION_CHECK || options->action == ACTION_DEMO;
    if (check && chosen->check == CHECK_NONE) {
        AUTO_STR struct str names = str_new();
        for (const struct format *format = formats; format->name; format++)
            if (format->check != CHECK_NONE)
                str_printf(&names, "%s%s", names.length ? " and " : "", format->name);
        return err_set(err, "--%s has the formats %s: see --help all",
                       options->action == ACTION_DEMO ? "demo" : "check", names.text);
    }
    if (options->action != ACTION_RUN)
        return 0;
    if (chosen->document && !options->output && options->iterations > 1)
        return err_set(err, "--format %s is one document: -n 1, or -o FILE: see --help all",
                       chosen->name);
    if (options->demo && strcmp(options->demo, "all") == 0)
        return err_set(err, "--demo all needs --verify; one is shown with --demo NAME");
    if (options->compare && options->compared_count < 2)
        return err_set(err, "--compare needs two commands, each as one word, or two recordings: "
                            "--compare 'a' 'b'");
    bool viewed = options_given(options, "view");
    if (options_experiment(options) && (viewed || options_given(options, "sample")) &&
        !(options->compare && options->compared_count == 2 && viewed &&
          options->view.kind == VIEW_FUNCTIONS))
        return err_set(err, "repeated runs have no view, but the functions of two commands or "
                            "recordings: --compare --view functions 'a' 'b'");
    if (options_experiment(options) &&
        (!chosen->compare || (chosen->stacks && !options_compare_functions(options))))
        return err_set(err, "--format %s cannot show %s: use text, csv%s or json", chosen->name,
                       options->recordings ? "a comparison" : "repeated runs",
                       options_compare_functions(options) ? ", svg" : "");
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
    file_close(file);
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

/* With --compare, words that are not options are commands. False if there is none. */
static bool take_compared(struct options *options, int argc, char **argv, bool marked)
{
    if (!options->compare || marked || optind >= argc)
        return false;
    *MEM_ADD(options->compared, options->compared_count, options->compared_room) = argv[optind++];
    return true;
}

static bool asks(enum action action)
{
    return action == ACTION_HELP || action == ACTION_VERSION;
}

int cmdline_parse(struct options *options, int argc, char **argv, struct err *err)
{
    /* The table for getopt_long(3). */
    struct option longs[OPTIONS_MAX + 1], *next_long = longs;
    char shorts[2 * OPTIONS_MAX + 3] = "+:", *next = shorts + 2; /* +: only options before words */
    const struct option_spec *spec, *acts = NULL;
    int result, before;
    for (spec = option_specs; spec->name; spec++) {
        int argument = spec->argument ? required_argument : no_argument;
        if (option_is_optional(spec) || option_takes_answer(spec))
            argument = optional_argument;
        *next_long++ =
            (struct option){spec->name, argument, NULL, LONG_ONLY + (int)(spec - option_specs)};
        if (spec->letter)
            *next++ = spec->letter;
        if (spec->letter && spec->argument && !option_is_optional(spec))
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
        spec = option_specs + (result >= LONG_ONLY ? result - LONG_ONLY : 0);
        while (result < LONG_ONLY && spec->letter != result)
            spec++;
        if (option_is_optional(spec) && !optarg && optind < argc && *argv[optind] != '-')
            optarg = argv[optind++]; /* getopt(3) only takes it after '=' */
        if (spec->set && spec->set(options, spec, optarg, err) < 0)
            return -1;
        if (spec->action != ACTION_RUN && !asks(spec->action)) {
            if (acts && acts->action != spec->action && options->action == acts->action)
                return err_set(err, "--%s cannot be used with --%s: see --help all", acts->name,
                               spec->name);
            acts = spec;
        }
        if (spec->action != ACTION_RUN)
            options->action = spec->action;
        options->given[spec - option_specs] = true;
    }
    /* getopt(3) skips '--', but stops at another word that is not an option. */
    if (set_command(options, argc, argv, optind > before, err) < 0)
        return -1;
    /* A workload that is not checked is shown as any other process. */
    if (options->action == ACTION_DEMO && !options->verify && strcmp(options->demo, "list") != 0)
        options->action = ACTION_RUN;
    options_settle(options);
    if (!asks(options->action) && options_check_uses(options, true, err) < 0)
        return -1;
    if (options->action == ACTION_RUN &&
        (find_recordings(options, err) < 0 || options_check_uses(options, false, err) < 0))
        return -1;
    if (check_values(options, err) < 0)
        return -1;
    return check_cgroup(options, err);
}

void cmdline_say_unused(const struct options *options, FILE *out)
{
    const struct format *format = options_format(options);
    bool level = options_given(options, "level") && !options_given(options, "view");
    const char *view = view_types[level ? VIEW_CPUS : options->view.kind].word;
    for (const struct option_spec *spec = option_specs; spec->name && options->batch; spec++) {
        if (!options->given[spec - option_specs])
            continue;
        if (spec->views && !strstr(spec->views, view))
            fprintf(out, "countertop: --%s changes nothing in the rows of --view %s\n", spec->name,
                    view);
        else if (options->replay && strcmp(spec->name, "delay") == 0)
            fputs("countertop: --delay changes nothing with --replay -b: the intervals are "
                  "recorded\n",
                  out);
        else if (spec->as_shown && !format->as_shown)
            fprintf(out,
                    "countertop: --%s changes nothing with --format %s: each row is there once\n",
                    spec->name, format->name);
    }
}

static void write_option(FILE *out, const struct option_spec *spec, const char *text)
{
    enum { LEFT = 25, WIDTH = 52 }; /* columns of the option, and of its help */
    char left[64], letter[8] = "    ";
    if (spec->letter)
        snprintf(letter, sizeof(letter), "-%c, ", spec->letter);
    snprintf(left, sizeof(left), "%s--%s%s%s", letter, spec->name, spec->argument ? " " : "",
             spec->argument ? spec->argument : "");
    if (strlen(left) > LEFT) {
        fprintf(out, "  %s\n", left);
        left[0] = '\0';
    }
    do {
        size_t length = cells_line(text, WIDTH);
        fprintf(out, "  %-*s %.*s\n", LEFT, left, (int)length, text);
        text += length + strspn(text + length, " ");
        left[0] = '\0';
    } while (*text);
}

static void write_brief(FILE *out)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        AUTO_FREE char *brief = option_text(spec, "brief");
        if (*brief)
            write_option(out, spec, brief);
    }
}

static void write_all(FILE *out)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        AUTO_FREE char *help = option_help(spec);
        if (spec->heading)
            fprintf(out, "\n%s\n", spec->heading);
        write_option(out, spec, help);
    }
}

void cmdline_help(const struct options *options, FILE *out)
{
    const struct man_template_part brief[] = {{"@OPTIONS@", write_brief}, {0}};
    const struct man_template_part all[] = {{"@OPTIONS@", write_all}, {0}};
    man_template_write(out, options->help ? "help-all.in" : "help.in", options->help ? all : brief);
}
