#include "cli/options.h"
#include "base/embed.h"
#include "base/ini.h"
#include "system/cgroup.h"
#include "system/procfs.h"

#include <float.h>

/* What option_spec.set points to. */
#define SETTER(name)                                                                               \
    static int name(struct options *options, const struct option_spec *spec UNUSED,                \
                    const char *given, struct err *err UNUSED)

/* Setters for many options. */

SETTER(set_flag)
{
    bool no = given && strcmp(given, "no") == 0;
    if (given && !no && strcmp(given, "yes") != 0)
        return err_set(err, "unknown value '%.100s' for --%s: expected yes or no", given,
                       spec->name);
    *(bool *)((char *)options + spec->field) = !no;
    return 0;
}

SETTER(options_set_text)
{
    *(const char **)((char *)options + spec->field) = given;
    return 0;
}

SETTER(set_word)
{
    const char *word;
    AUTO_STR struct str all = str_new();
    for (unsigned i = 0; (word = option_word(spec, i)); i++) {
        if (strcmp(word, given) == 0) {
            memcpy((char *)options + spec->field, &i, sizeof(i));
            return 0;
        }
        str_printf(&all, "%s%s", i == 0 ? "" : option_word(spec, i + 1) ? ", " : " or ", word);
    }
    err_set(err, "unknown value '%.100s' for --%s: expected %s", given, spec->name, all.text);
    return err_add_nearest(err,
                           str_nearest_member(spec->words, SIZE_MAX, spec->word_size, 0, given));
}

static int refuse_value(const struct option_spec *spec, const char *given, struct err *err)
{
    return err_set(err, "bad value '%.100s' for --%s: expected %s", given, spec->name,
                   spec->expected);
}

SETTER(set_number)
{
    unsigned long long number;
    if (!str_to_u64(given, (unsigned long long)spec->least,
                    spec->most > 0 ? (unsigned long long)spec->most : ULLONG_MAX, &number))
        return refuse_value(spec, given, err);
    memcpy((char *)options + spec->field, &number, sizeof(number));
    return 0;
}

SETTER(set_real)
{
    double number;
    bool read = str_to_double(given, &number);
    if (!read && spec->unit && str_to_seconds(given, &number)) {
        number /= str_unit_seconds(spec->unit);
        read = true;
    }
    if (!read || number < spec->least || (spec->most > 0 && number > spec->most))
        return refuse_value(spec, given, err);
    memcpy((char *)options + spec->field, &number, sizeof(number));
    return 0;
}

/* Setters for one option. */

SETTER(set_pids)
{
    return watch_add_processes((struct watch *)((char *)options + spec->field), given, err);
}

SETTER(set_tid)
{
    return watch_add_threads(&options->view.watch, given, err);
}

SETTER(options_set_user)
{
    uid_t uid;
    if (user_find(given, &uid, err) < 0)
        return -1;
    watch_add_user(&options->view.watch, uid);
    return 0;
}

SETTER(set_cgroup)
{
    mem_replace(&options->view.watch.cgroup, cgroup_find(given, err));
    return options->view.watch.cgroup ? 0 : -1;
}

SETTER(set_cpus)
{
    cpulist_release(&options->cpus);
    if (cpulist_parse(&options->cpus, given, err) < 0)
        return -1;
    return options->cpus.count
               ? 0
               : err_set(err, "no list of CPUs '': expected numbers and ranges such as 0-3,8");
}

SETTER(options_add_events)
{
    *MEM_ADD(options->events, options->event_count, options->event_room) = (char *)given;
    return 0;
}

SETTER(set_filter)
{
    mem_replace(&options->view.filter, mem_strdup(given));
    return 0;
}

SETTER(set_help)
{
    if (given && strcmp(given, "all") != 0)
        return err_set(err, "unknown '%.100s' for --%s: expected nothing or 'all'", given,
                       spec->name);
    options->help = given;
    return 0;
}

SETTER(set_waits_over)
{
    static char event[] = "wait-time,wakeup-latency-max"; /* whose reasons say why not, if so */
    return set_real(options, spec, given, err) < 0 ? -1
                                                   : options_add_events(options, spec, event, err);
}

SETTER(set_call_graph)
{
    enum { COPY_MIN = 512, COPY_MAX = 32768, WORD = 8 };
    static const char copies[] = "dwarf,";
    if (!str_starts(given, copies))
        return set_word(options, spec, given, err);
    if (!str_to_u64(given + strlen(copies), COPY_MIN, COPY_MAX, &options->copy))
        return err_set(err, "no size '%.100s' for --%s: expected %d to %d bytes",
                       given + strlen(copies), spec->name, COPY_MIN, COPY_MAX);
    options->copy -= options->copy % WORD;
    options->stacks = STACKS_DWARF;
    return 0;
}

SETTER(set_listen)
{
    options->listens = true;
    return address_parse(&options->listen, given, err);
}

static const char *const shells[] = {"bash", "fish", "zsh", NULL};
static const char *const modes[] = {"all", "user", "kernel", NULL};
static const char *const engines[] = {"auto", "cpu", "task", NULL};
static const char *const weights[] = {"cpu", "wall", NULL};
static const char *const source_words[] = {"both", "lines", "no", NULL};
static const char *const levels[] = {"cpu", "core", "socket", "type", NULL};
static const char *const amounts[] = {"rate", "interval", "total", NULL};
static const char *const bars[] = {"machine", "cpus", "off", NULL};

/* Other options, see struct option_spec. */
#define EXPERIMENTS "compare", "repeat", "time"
#define OF_RECORDINGS "replay", "recordings"
#define OF_EXPERIMENTS .excludes = {EXPERIMENTS}
/* A table whose rows begin with a word, NULL at the end. */
#define WORDS(table) .words = (table), .word_size = sizeof((table)[0])
#define FIELD(member) .field = offsetof(struct options, member)
#define TIME                                                                                       \
    .set = set_real, .unit = "s", .least = DBL_MIN, .expected = "seconds above 0, or 90s, 2min"
#define NUMBER .set = set_number, .expected = "a whole number"
#define NUMBER_FROM_1 .set = set_number, .least = 1, .expected = "a whole number from 1"

const struct option_spec option_specs[] = {
    {'p', "pid", "LIST", .heading = "What to watch", .set = set_pids, FIELD(view.watch),
     .values = VALUES_PIDS, .excludes = {"demo", EXPERIMENTS}},
    {'t', "tid", "LIST", .set = set_tid, .values = VALUES_FREE, .excludes = {"demo", EXPERIMENTS}},
    {'u', "user", "USER", .set = options_set_user, .values = VALUES_USERS,
     .excludes = {"demo", EXPERIMENTS}},
    {'C', "cpu", "LIST", .set = set_cpus, .excludes = {"demo", OF_RECORDINGS}},
    {'G', "cgroup", "PATH", .set = set_cgroup, .values = VALUES_FREE,
     .excludes = {"demo", OF_RECORDINGS}},
    {'e', "event", "LIST", .heading = "What to count", .set = options_add_events,
     .values = VALUES_EVENTS, .excludes = {"recordings"}},
    {'s', "screen", "NAME", .set = options_set_text, FIELD(screen), .values = VALUES_SCREENS,
     .setting = true, .excludes = {"recordings"}},
    {0, "mode", "MODE", .set = set_word, FIELD(mode), WORDS(modes), .setting = true,
     .excludes = {OF_RECORDINGS}},
    {0, "engine", "ENGINE", .set = set_word, FIELD(engine), WORDS(engines), .setting = true,
     .excludes = {OF_RECORDINGS}},
    {0, "sample", "EVENT", .set = options_set_text, FIELD(sample), .values = VALUES_EVENTS,
     .excludes = {OF_RECORDINGS}},
    {0, "call-graph", "HOW", .set = set_call_graph, FIELD(stacks), WORDS(stacks_words),
     .excludes = {EXPERIMENTS, "replay"}},
    {0, "waits-over", "MS", .set = set_waits_over, FIELD(waits_over), .least = DBL_MIN,
     .unit = "ms", .expected = "ms above 0, or 20ms, 1s", .excludes = {EXPERIMENTS, OF_RECORDINGS}},
    {0, "by", "TIME", .set = set_word, FIELD(by_wall), WORDS(weights), OF_EXPERIMENTS},
    {0, "annotate", "FUNCTION", .set = options_set_text, FIELD(annotate), OF_EXPERIMENTS},
    {0, "debuginfod", NULL, .set = set_flag, FIELD(debuginfod),
     .excludes = {EXPERIMENTS, "replay"}},
    {0, "view", "VIEW", .heading = "What to show", .set = set_word, FIELD(view.kind),
     WORDS(view_types), .describe = view_types_describe, .setting = true},
    {'H', "threads", NULL, .set = set_flag, FIELD(view.threads), .setting = true, OF_EXPERIMENTS,
     .views = "tasks functions instructions"},
    {0, "tree", NULL, .set = set_flag, FIELD(view.tree), .setting = true, OF_EXPERIMENTS,
     .views = "tasks cgroups", .as_shown = true},
    {0, "level", "LEVEL", .set = set_word, FIELD(view.level), WORDS(levels), .setting = true,
     OF_EXPERIMENTS, .views = "cpus"},
    {0, "source", "ROWS", .set = set_word, FIELD(view.source), WORDS(source_words), .setting = true,
     OF_EXPERIMENTS, .views = "instructions", .as_shown = true},
    {'f', "filter", "TEXT", .set = set_filter, OF_EXPERIMENTS},
    {0, "cpu-min", "PERCENT", .set = set_real, FIELD(view.least_cpu),
     .expected = "a number from 0, 100 is one CPU", .setting = true, OF_EXPERIMENTS,
     .views = "tasks users commands cgroups"},
    {'i', "idle", NULL, .set = set_flag, FIELD(view.idle), .setting = true, OF_EXPERIMENTS},
    {0, "sticky", NULL, .set = set_flag, FIELD(view.sticky), .setting = true, OF_EXPERIMENTS,
     .views = "tasks", .as_shown = true},
    {0, "watch", "LIST", .set = set_pids, FIELD(view.highlight), .values = VALUES_PIDS,
     OF_EXPERIMENTS},
    {0, "sort", "COLUMN", .set = options_set_text, FIELD(sort), .setting = true, OF_EXPERIMENTS},
    {'d', "delay", "SEC", .set = set_real, FIELD(delay), .least = DELAY_MIN, .most = DELAY_MAX,
     .unit = "s", .expected = "0.05 to 3600 seconds", .setting = true, OF_EXPERIMENTS},
    {'n', "iterations", "N", NUMBER_FROM_1, FIELD(iterations), OF_EXPERIMENTS},
    {0, "show", "AMOUNT", .heading = "How to show it", .set = set_word, FIELD(view.amount),
     WORDS(amounts), .setting = true, OF_EXPERIMENTS},
    {0, "exact", NULL, .set = set_flag, FIELD(view.exact), .setting = true, OF_EXPERIMENTS},
    {'c', "cmdline", NULL, .set = set_flag, FIELD(view.cmdline), .setting = true, OF_EXPERIMENTS},
    {0, "bars", "WHAT", .set = set_word, FIELD(bars), WORDS(bars), .setting = true},
    {0, "theme", "NAME", .set = options_set_text, FIELD(theme), .values = VALUES_THEMES,
     .setting = true},
    {0, "ascii", NULL, .set = set_flag, FIELD(view.ascii), .setting = true},
    {0, "no-color", NULL, .set = set_flag, FIELD(no_color), .setting = true},
    {0, "no-mouse", NULL, .set = set_flag, FIELD(no_mouse), .setting = true},
    {'b', "batch", NULL, .heading = "Without a terminal", .set = set_flag, FIELD(batch)},
    {0, "format", "FORMAT", .set = set_word, FIELD(format), WORDS(formats),
     .describe = formats_describe, .needs = {"batch", "check", "demo"}},
    {'o', "output", "FILE", .set = options_set_text, FIELD(output), .needs = {"batch"}},
    {0, "csv-safe", NULL, .set = set_flag, FIELD(format_options.csv_safe), .needs = {"format=csv"}},
    {0, "rows", "N", NUMBER, FIELD(format_options.rows), .needs = {"format=text"},
     .excludes = {"commands", "repeat", "time"}},
    {0, "epoch", NULL, .set = set_flag, FIELD(format_options.epoch), .needs = {"format=text"},
     OF_EXPERIMENTS},
    {0, "timestamp", NULL, .set = set_flag, FIELD(format_options.timestamp),
     .needs = {"format=text"}, OF_EXPERIMENTS},
    {'r', "repeat", "N", .heading = "Experiments with commands (-b is implied)", NUMBER_FROM_1,
     FIELD(repeat), .values = VALUES_FREE, .needs = {"compare", "--"},
     .excludes = {"demo", "recordings"}},
    {0, "compare", NULL, .set = set_flag, FIELD(compare), .excludes = {"demo", "--"}},
    {0, "time", "SEC", TIME, FIELD(time), .values = VALUES_FREE, .needs = {"compare", "--"},
     .excludes = {"demo", "recordings"}},
    {0, "warmup", "N", NUMBER, FIELD(warmup), .values = VALUES_FREE, .needs = {EXPERIMENTS},
     .excludes = {"recordings"}},
    {0, "ignore-failure", NULL, .set = set_flag, FIELD(ignore_failure), .needs = {EXPERIMENTS},
     .excludes = {"recordings"}},
    {0, "record", "FILE", .heading = "Recordings", .set = options_set_text, FIELD(record),
     .excludes = {"replay", EXPERIMENTS}},
    {0, "force", NULL, .set = set_flag, FIELD(force), .needs = {"record"}},
    {0, "replay", "FILE", .set = options_set_text, FIELD(replay),
     .excludes = {"demo", "--", EXPERIMENTS}},
    {0, "play", "SPEED", .set = set_real, .expected = "a speed, 0 to stand still", FIELD(play),
     .values = VALUES_FREE, .needs = {"replay"}, .excludes = {"batch"}},
    {0, "baseline", "FILE", .set = options_set_text, FIELD(baseline), .excludes = {"batch"}},
    {0, "rewind", "MIB", .set = set_number, FIELD(rewind), .most = REWIND_MAX,
     .expected = "MiB from 0 to 1048576", .values = VALUES_FREE, .setting = true},
    {0, "when", "CONDITION", .heading = "Alarms", .set = options_set_text, FIELD(when),
     .values = VALUES_FREE, .excludes = {"replay", EXPERIMENTS}},
    {0, "before", "SEC", TIME, FIELD(before), .values = VALUES_FREE, .needs = {"when"}},
    {0, "after", "SEC", TIME, FIELD(after), .values = VALUES_FREE, .needs = {"when", "test-when"}},
    {0, "record-dir", "DIR", .set = options_set_text, FIELD(record_dir), .needs = {"when"}},
    {0, "keep", "N", NUMBER, FIELD(keep), .values = VALUES_FREE, .needs = {"when"}},
    {0, "keep-mb", "N", NUMBER, FIELD(mb), .values = VALUES_FREE, .needs = {"when"}},
    {0, "exec", "COMMAND", .set = options_set_text, FIELD(exec), .values = VALUES_FREE,
     .needs = {"when"}},
    {0, "exec-time", "SEC", TIME, FIELD(exec_time), .values = VALUES_FREE, .needs = {"exec"}},
    {0, "test-when", "CONDITION", .set = options_set_text, FIELD(test_when), .values = VALUES_FREE,
     .needs = {"replay"}},
    {0, "listen", "ADDRESS", .heading = "For Prometheus", .set = set_listen, .values = VALUES_FREE,
     .excludes = {"replay", EXPERIMENTS}},
    {0, "label-sets", "N", NUMBER, FIELD(format_options.label_sets),
     .needs = {"listen", "format=openmetrics"}},
    {0, "dashboard", NULL, .action = ACTION_DASHBOARD},
    {0, "rules", NULL, .action = ACTION_RULES},
    {'W', "screens", "DIR", .heading = "Files of your own", .set = options_set_text,
     FIELD(directory)},
    {0, "no-config", NULL, .set = set_flag, FIELD(no_config)},
    {0, "list-events", "[PATTERN]", .heading = "Lists", .set = options_set_text, FIELD(pattern),
     .action = ACTION_EVENTS, .values = VALUES_FREE},
    {0, "list-screens", NULL, .action = ACTION_SCREENS},
    {0, "list-columns", NULL, .action = ACTION_COLUMNS},
    {0, "list-themes", NULL, .action = ACTION_THEMES},
    {0, "list-keys", NULL, .action = ACTION_KEYS},
    {0, "check", NULL, .action = ACTION_CHECK},
    {0, "demo", "NAME", .set = options_set_text, FIELD(demo), .action = ACTION_DEMO,
     .values = VALUES_DEMOS, .excludes = {"--"}},
    {0, "verify", NULL, .set = set_flag, FIELD(verify), .needs = {"demo"}},
    {0, "debug", "FILE", .set = options_set_text, FIELD(debug)},
    {0, "no-sandbox", NULL, .set = set_flag, FIELD(no_sandbox)},
    {0, "completion", "SHELL", .set = set_word, FIELD(shell), WORDS(shells),
     .action = ACTION_COMPLETION},
    {0, "manual", NULL, .action = ACTION_MANUAL},
    {'h', "help", "[all]", .set = set_help, .action = ACTION_HELP, .values = VALUES_FREE},
    {'V', "version", NULL, .action = ACTION_VERSION},
    {0},
};

_Static_assert(sizeof(option_specs) / sizeof(*option_specs) <= OPTIONS_MAX + 1,
               "room for what is given");

const char *option_word(const struct option_spec *spec, size_t i)
{
    return *(const char *const *)((const char *)spec->words + i * spec->word_size);
}

void option_add_use(struct str *text, const char *use)
{
    if (strcmp(use, "--") == 0)
        str_add(text, "a command after '--'");
    else if (strcmp(use, "recordings") == 0 || strcmp(use, "commands") == 0)
        str_printf(text, "--compare of %s", use);
    else if (str_starts(use, "format="))
        str_printf(text, "-b --format %s", use + strlen("format="));
    else
        str_printf(text, "--%s", use);
}

static void add_uses(struct str *text, const char *before, const char *const *uses,
                     const char *last)
{
    for (size_t i = 0; uses[i]; i++) {
        str_add(text, i == 0 ? before : uses[i + 1] ? ", " : last);
        option_add_use(text, uses[i]);
    }
}

/* A text of an option in options.conf. */
struct option_text {
    const char *option, *key;
    struct str text;
};

static int options_take_text(void *ctx, const char *option, const char *key, const char *value,
                             int line UNUSED, struct err *err UNUSED)
{
    struct option_text *wanted = ctx;
    if (strcmp(option, wanted->option) == 0 && strcmp(key, wanted->key) == 0)
        str_printf(&wanted->text, "%s%s", wanted->text.length ? " " : "", value);
    return 0;
}

char *option_text(const struct option_spec *spec, const char *key)
{
    struct option_text wanted = {spec->name, key, str_new()};
    const char *file = "options.conf";
    ini_read(embedded_text(file), file, "option", options_take_text, &wanted, NULL);
    return str_detach(&wanted.text);
}

char *option_help(const struct option_spec *spec)
{
    AUTO_FREE char *help = option_text(spec, "help");
    struct str text = str_new();
    str_add(&text, help);
    if (spec->describe)
        spec->describe(&text);
    add_uses(&text, "; needs ", spec->needs, " or ");
    return str_detach(&text);
}

const struct option_spec *option_find(const char *name)
{
    return STR_FIND_IN(option_specs, name, name);
}

bool option_is_optional(const struct option_spec *spec)
{
    return spec->argument && *spec->argument == '[';
}

bool option_takes_answer(const struct option_spec *spec)
{
    return spec->setting && spec->set == set_flag;
}

enum option_values option_values(const struct option_spec *spec)
{
    if (spec->values != VALUES_ARGUMENT)
        return spec->values;
    if (spec->words)
        return VALUES_WORDS;
    const char *argument = spec->argument ? spec->argument : "";
    if (strcmp(argument, "FILE") == 0)
        return VALUES_FILES;
    if (strcmp(argument, "DIR") == 0)
        return VALUES_DIRECTORIES;
    return strcmp(argument, "COLUMN") == 0 ? VALUES_COLUMNS : VALUES_FREE;
}

bool option_value(const struct option_spec *spec, const struct options *options, struct str *value)
{
    const char *member = (const char *)options + spec->field;
    str_clear(value);
    if (spec->set == set_flag) {
        str_add(value, *(const bool *)member ? "yes" : "no");
    } else if (spec->set == options_set_text) {
        const char *text = *(const char *const *)member;
        str_add(value, text ? text : "");
    } else if (spec->set == set_word) {
        unsigned i;
        memcpy(&i, member, sizeof(i));
        str_add(value, option_word(spec, i));
    } else if (spec->set == set_real) {
        double number;
        memcpy(&number, member, sizeof(number));
        str_printf(value, "%g", number);
    } else if (spec->set == set_number) {
        unsigned long long number;
        memcpy(&number, member, sizeof(number));
        str_printf(value, "%llu", number);
    }
    return value->length > 0;
}

void options_init(struct options *options)
{
    *options = (struct options){.delay = 1,
                                .format_options.label_sets = 100,
                                .rewind = 4,
                                .play = 1,
                                .copy = 8192,
                                .before = 60,
                                .after = 30,
                                .exec_time = 60};
}

void options_release(struct options *options)
{
    watch_release(&options->view.watch);
    watch_release(&options->view.highlight);
    free(options->view.filter);
    cpulist_release(&options->cpus);
    free(options->events);
    free(options->compared);
}

bool options_given(const struct options *options, const char *name)
{
    const struct option_spec *spec = option_find(name);
    return spec && options->given[spec - option_specs];
}

bool options_single(const struct options *options)
{
    return options->command && options->batch && !options_given(options, "delay") &&
           !options->iterations && !options->listens && !options->when;
}

bool options_compare_functions(const struct options *options)
{
    return options->compare && options_given(options, "view");
}

bool options_experiment(const struct options *options)
{
    return options->compare || options->repeat || options->time > 0;
}

static bool options_use(const struct options *options, const char *use)
{
    if (strcmp(use, "--") == 0)
        return options->command;
    if (strcmp(use, "batch") == 0)
        return options->batch;
    if (strcmp(use, "recordings") == 0 || strcmp(use, "commands") == 0)
        return options->compare && options->recordings == (*use == 'r');
    if (str_starts(use, "format="))
        return options->batch &&
               strcmp(options_format(options)->name, use + strlen("format=")) == 0;
    return options_given(options, use);
}

int options_check_uses(const struct options *options, bool needs, struct err *err)
{
    for (const struct option_spec *spec = option_specs; spec->name; spec++) {
        const char *const *uses = needs ? spec->needs : spec->excludes;
        bool given = options->given[spec - option_specs];
        size_t use = 0; /* the first of them that is there */
        while (given && uses[use] && !options_use(options, uses[use]))
            use++;
        if (!given || !*uses || needs == (uses[use] != NULL))
            continue;
        const char *const excluded[] = {uses[use], NULL};
        AUTO_STR struct str text = str_new();
        add_uses(&text, "", needs ? uses : excluded, " or ");
        return err_set(err, "--%s %s %s: see --help all", spec->name,
                       needs ? "needs" : "cannot be used with", text.text);
    }
    return 0;
}

char *options_command_text(const struct options *options)
{
    struct str text = str_new();
    for (size_t i = 0; options->command && options->command[i]; i++)
        str_printf(&text, "%s%s", i ? " " : "", options->command[i]);
    return options->command ? str_detach(&text) : NULL;
}

const struct format *options_format(const struct options *options)
{
    return &formats[options->format];
}

bool options_totals(const struct options *options)
{
    return options->batch && (options_single(options) || (options->view.amount == AMOUNT_TOTAL &&
                                                          options_format(options)->totals));
}

/* Whether rows are not only the default. */
static bool chooses_rows(const struct options *options)
{
    static const char *const names[] = {"view", "threads", "tree", "cmdline", "sort", "idle"};
    bool chosen = options->view.kind != VIEW_TASKS;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        chosen |= options_given(options, names[i]);
    return chosen;
}

/* By default the whole run of a command is shown as exact totals, as text ranked by command. A
 * format without totals shows the counts of intervals; a format that does not show rows like the
 * terminal has each row once, and only of the current interval. */
void options_settle(struct options *options)
{
    const struct format *format = options_format(options);
    options->batch |= options_experiment(options) || options->test_when;
    if (options->batch && format->stacks)
        options->view.kind = VIEW_FUNCTIONS;
    if (options->annotate)
        options->view.kind = VIEW_INSTRUCTIONS;
    if (options->batch && format->document && !options->output && !options->iterations &&
        !options_single(options))
        options->iterations = 1;
    bool single = options->format_options.run = options_single(options);
    if (single && !options_given(options, "show"))
        options->view.amount = AMOUNT_TOTAL;
    if (single && format->as_shown && !chooses_rows(options))
        options->view.kind = VIEW_COMMANDS;
    if (single && !options_given(options, "exact"))
        options->view.exact = true;
    if (options->batch && options->view.amount == AMOUNT_TOTAL && !options_totals(options))
        options->view.amount = AMOUNT_INTERVAL;
    if (options->batch && !format->as_shown) {
        options->view.tree = options->view.sticky = false;
        options->view.source = SOURCE_NONE; /* each instruction has its line */
    }
    if (view_types[options->view.kind].takers && !options->screen)
        options->screen = "waits";
    if (options->batch && options->view.kind == VIEW_HEAT) /* only the terminal keeps histories */
        options->view.kind = VIEW_CPUS;
}
