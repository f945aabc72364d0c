/* Parses the command line and runs what it asks for; the only place that exits. */
#include "app/host.h"
#include "app/program.h"
#include "base/embed.h"
#include "base/signals.h"
#include "cli/manual.h"
#include "event/event_table.h"
#include "front/term/theme.h"
#include "report/report.h"
#include "system/sandbox.h"

#include <locale.h>
#include <malloc.h>
#include <sys/mman.h>
#include <ucontext.h>

/* The command line, and the contents of files. */
struct start_request {
    struct options options;
    struct config config;
    struct definitions definitions;
    struct reader *recording;       /* of --replay; program_run() closes it */
    struct recordings *recordings;  /* of --compare */
    struct child_heritage heritage; /* of the command */
};

/* Questions about the program itself are answered without the user's files. */
static bool needs_definitions(enum action action)
{
    return action == ACTION_RUN || action == ACTION_SCREENS || action == ACTION_COLUMNS;
}

/* Mistakes in the user's files are a notice there, and an error elsewhere. */
static bool in_terminal(const struct options *options)
{
    return options->action == ACTION_RUN && !options->batch;
}

static int load_config(struct start_request *request, struct err *err)
{
    struct options *options = &request->options;
    bool run = options->action == ACTION_RUN;
    struct err why;
    if ((!run && options->action != ACTION_KEYS) || options->no_config)
        return 0;
    if (config_load(&request->config, options->directory, &why) < 0 ||
        (run && config_check(&request->config, &request->definitions, &why) < 0)) {
        if (!in_terminal(options))
            return err_set(err, "%s; --no-config starts without it", why.text);
        names_add(&request->definitions.faults, why.text);
        config_release(&request->config);
        config_init(&request->config);
    }
    if (run && !options->batch)
        config_apply(&request->config, &request->definitions, options);
    return 0;
}

/* Whatever is wrong in the user's files is said before a terminal's screen is drawn, and the
 * program goes on without it. */
static void report_faults(const char *files, const struct names *faults)
{
    for (size_t i = 0; i < faults->count; i++) {
        err_say(faults->items[i]);
        log_line("%s files: %s", files, faults->items[i]);
    }
}

/* Reads event files where names of events matter. */
static void read_events(const struct options *options)
{
    static const enum action names[] = {ACTION_RUN, ACTION_EVENTS, ACTION_SCREENS, ACTION_COLUMNS,
                                        ACTION_CHECK};
    bool needed = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        needed |= options->action == names[i];
    if (!needed)
        return;
    definitions_read_events(options->directory, !options->no_config);
    report_faults("event", &event_table()->faults);
}

static int main_load(struct start_request *request, struct err *err)
{
    const struct options *options = &request->options;
    bool run = options->action == ACTION_RUN, needed = needs_definitions(options->action);
    /* Whoever made the recording gets nothing by it: what shows it has no rights left. */
    if (run && (options->replay || options->recordings)) {
        privilege_drop();
        if (!options->no_sandbox) {
            log_line("sandbox: %s", sandbox_enter(SANDBOX_READ) ? "entered" : "not possible");
            log_line("landlock: %s", confine_show(options) ? "entered" : "not possible");
        }
    }
    if (run && options->replay &&
        !(request->recording = replay_read(options->replay, &request->definitions.machine, err)))
        return -1;
    if (run && options->recordings &&
        !(request->recordings = recordings_open(options, &request->definitions.machine, err)))
        return -1;
    read_events(options);
    if (needed && definitions_load(&request->definitions, err) < 0)
        return -1;
    if (needed && !options->no_config &&
        definitions_load_user(&request->definitions, options->directory, in_terminal(options),
                              err) < 0)
        return -1;
    if (load_config(request, err) < 0)
        return -1;
    report_faults("own", &request->definitions.faults);
    return run && options->theme ? theme_check(options->theme, err) : 0;
}

static int demo(const struct options *options, struct err *err)
{
    bool json = options_format(options)->check == CHECK_JSON;
    if (options->verify)
        return demo_page_verify(stdout, options->demo, json, err);
    demo_page_list(stdout, json);
    return 0;
}

static int act(struct start_request *request, struct err *err)
{
    int code = 0;
    const char *debug = request->options.debug;
    if (debug) { /* writing to a pipe must not block */
        struct err why;
        int flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK;
        int fd = file_create(debug, flags, true, &why);
        if (fd < 0) {
            err_set(err, "cannot write '%s': %s", debug, why.text);
            return EXIT_USAGE;
        }
        log_to(fd, debug);
    }
    log_line("countertop %s, user %u", COUNTERTOP_VERSION, (unsigned)getuid());
    if (main_load(request, err) < 0) {
        reader_close(request->recording);
        return EXIT_USAGE;
    }
    switch (request->options.action) {
    case ACTION_HELP:
        cmdline_help(&request->options, stdout);
        break;
    case ACTION_VERSION:
        printf("countertop %s\n", COUNTERTOP_VERSION);
        break;
    case ACTION_EVENTS:
        code = lists_events(&request->options, err);
        break;
    case ACTION_SCREENS:
        lists_screens(&request->definitions.screens);
        break;
    case ACTION_COLUMNS:
        lists_columns(&request->definitions);
        break;
    case ACTION_THEMES:
        lists_themes();
        break;
    case ACTION_KEYS:
        lists_keys(&request->config.keymap);
        break;
    case ACTION_DASHBOARD:
        fputs(embedded_text("dashboard.json"), stdout);
        break;
    case ACTION_RULES:
        fputs(embedded_text("rules.yml"), stdout);
        break;
    case ACTION_MANUAL:
        manual_write(stdout);
        break;
    case ACTION_COMPLETION:
        completion_write(stdout, request->options.shell);
        break;
    case ACTION_CHECK:
        code = check_page_write(stdout, options_format(&request->options)->check == CHECK_JSON,
                                !request->options.no_sandbox, err);
        break;
    case ACTION_DEMO:
        code = demo(&request->options, err);
        break;
    case ACTION_RUN:
        if (request->recordings)
            return recordings_compare(request->recordings, &request->options, &request->definitions,
                                      err);
        if (options_experiment(&request->options))
            return experiment_run(&request->options, &request->definitions, &request->heritage,
                                  err);
        cmdline_say_unused(&request->options, stderr);
        return program_run(&request->options, &request->config, &request->definitions,
                           request->recording, &request->heritage, err);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    err_set(err, "cannot write standard output: %s", err_reason(errno));
    return EXIT_RUNNING;
}

/* Otherwise a descriptor opened for counting could become standard output. Read-only: writing there
 * still fails. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

static int run_program(int argc, char **argv)
{
    struct start_request request = {0};
    struct err err = {""};
    int code = EXIT_USAGE;
    fill_standard_descriptors();
    bool refused = caps_refuse_setuid(&err) < 0 || privilege_reduce(&err) < 0;
    child_heritage_keep(&request.heritage);
    request.heritage.environment = privilege_environment();
    signal(SIGXFSZ, SIG_IGN); /* write(2) reports EFBIG */
    /* One thread makes snapshots, the other frees them: with a heap for each, both grow. */
    mallopt(M_ARENA_MAX, 1);
    /* Large blocks, such as tables that grow, go back to the system when they are freed: glibc
     * would raise its threshold with each of them, and keep the holes. */
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    /* Characters follow the user's locale; numbers do not. */
    setlocale(LC_CTYPE, "");
    definitions_init(&request.definitions);
    config_init(&request.config);
    if (refused)
        code = EXIT_RUNNING;
    else if (cmdline_parse(&request.options, argc, argv, &err) == 0)
        code = act(&request, &err);
    if (log_check(code && *err.text ? NULL : &err) < 0 && !code)
        code = EXIT_RUNNING;
    recordings_close(request.recordings);
    definitions_release(&request.definitions);
    event_table_use(NULL);
    config_release(&request.config);
    options_release(&request.options);
    if (code && *err.text) { /* no text: the exit code of a command */
        signals_release();
        fprintf(stderr, "countertop: %s\n", err.text);
    }
    return code;
}

/* What a stack of its own is for: run_program(), and the way back. */
static struct {
    ucontext_t outside, inside;
    char **argv;
    int argc, code;
} on_stack;

static void run_on_stack(void)
{
    on_stack.code = run_program(on_stack.argc, on_stack.argv);
}

int main(int argc, char **argv)
{
    enum { LEAST = 1 << 20, OWN = 8 << 20 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= LEAST)
        return run_program(argc, argv);
    /* After `ulimit -s 64`. The limit itself is the command's, too, so it stays. */
    void *stack = mmap(NULL, OWN, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack == MAP_FAILED || getcontext(&on_stack.inside) < 0)
        mem_abort();
    on_stack.argc = argc;
    on_stack.argv = argv;
    on_stack.inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = OWN};
    on_stack.inside.uc_link = &on_stack.outside;
    makecontext(&on_stack.inside, run_on_stack, 0);
    swapcontext(&on_stack.outside, &on_stack.inside);
    return on_stack.code;
}
