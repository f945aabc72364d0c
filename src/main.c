/* Wires source -> model -> view -> front; the only place that prints messages and exits. */
#include "app/host.h"
#include "app/loop.h"
#include "app/outputs.h"
#include "app/replay.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/cmdline.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "front/listen.h"
#include "front/term/theme.h"
#include "report/check_page.h"
#include "report/lists.h"
#include "report/screens_page.h"
#include "system/caps.h"
#include "system/privilege.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Of tasks that ended, those whose totals are kept one by one: a few MiB. */
enum { ENDED_MOST = 4096 };

/* What the loop brings. */

/* The frame to show for a snapshot, NULL: none yet. */
static struct frame *main_make_frame(struct program *program, const struct snapshot *snapshot,
                                     bool last)
{
    if (program->totals)
        totals_take(program->totals, snapshot, &program->setup.session.watch);
    /* The terminal asks for totals itself. */
    bool single = options_single(&program->options);
    bool totals = program->totals && program->options.batch && (last || !single);
    struct frame *interval = NULL, *frame = NULL;
    if (recorder_wants(program) || (!single && (!totals || outputs_counts(program))))
        interval = delta_advance(program->delta, snapshot);
    if (interval)
        recorder_take(program, interval);
    if (totals) {
        frame = totals_frame(program->totals);
        frame->seq = program->shown + 1;
    }
    /* A single one is the whole run, and all there is to count. */
    if ((interval && !single) || (single && frame))
        outputs_count(program, single ? frame : interval);
    if (!frame && !single)
        return interval;
    frame_free(interval);
    return frame;
}

static enum loop_next main_take_snapshot(void *ctx)
{
    struct program *program = ctx;
    struct snapshot *snapshot = sampler_take(program->sampler);
    if (!snapshot)
        return LOOP_GO_ON;
    bool last = program->ending && snapshot->time >= program->ending;
    startup_note(&program->setup, snapshot->events, snapshot->note);
    struct frame *frame = main_make_frame(program, snapshot, last);
    snapshot_free(snapshot);
    if (!frame)
        return LOOP_GO_ON;
    if (last && !program->options.batch)
        startup_end(&program->setup, child_report(program->child), child_seconds(program->child));
    program->shown++;
    int result = program->front->ops->present(program->front, &program->setup.session, frame,
                                              &program->failure);
    bool enough = program->options.iterations && program->shown >= program->options.iterations;
    program->leaving |= enough && !program->options.batch;
    return result != 0 || last || enough ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next take_input(void *ctx)
{
    struct program *program = ctx;
    if (!(program->input->revents & POLLIN))
        return LOOP_END; /* the terminal hung up */
    program->leaving = program->front->ops->input(program->front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next flush_front(void *ctx)
{
    struct front *front = ((struct program *)ctx)->front;
    front->ops->flush(front);
    return LOOP_GO_ON;
}

/* The command stops and goes on as we do; a key of the terminal stops it as it stops us, unless it
 * has a process group of its own. */
static void suspend(struct program *program, bool by_terminal)
{
    if (program->child && (!by_terminal || !program->options.batch))
        child_signal(program->child, SIGTSTP);
    if (program->front->ops->suspend)
        program->front->ops->suspend(program->front);
}

static void resume(struct program *program)
{
    if (program->child)
        child_signal(program->child, SIGCONT);
    if (program->front->ops->resume)
        program->front->ops->resume(program->front);
}

/* Asks for the last snapshot. */
static void main_finish(struct program *program)
{
    program->ending = clock_monotonic();
    sampler_refresh(program->sampler);
}

/* Without a terminal a command is what this is about: a signal is passed on to it, and its end
 * waited for, until a second one comes. */
static enum loop_next take_end(struct program *program, int number, bool by_terminal)
{
    bool first = !program->asked;
    program->asked = number;
    program->leaving = !program->child || !program->options.batch || !first;
    if (!program->child || !program->options.batch)
        return LOOP_END;
    if (first && !by_terminal)
        child_signal(program->child, number);
    if (first)
        return LOOP_GO_ON;
    if (!program->sampler)
        return LOOP_END;
    main_finish(program);
    return LOOP_GO_ON;
}

static enum loop_next take_child(struct program *program)
{
    if (!program->child || program->ending || !child_ended(program->child))
        return LOOP_GO_ON;
    if (!program->sampler)
        return LOOP_END;
    main_finish(program);
    return LOOP_GO_ON;
}

static enum loop_next take_signal(struct program *program, const struct signalfd_siginfo *info)
{
    bool by_terminal = info->ssi_code == SI_KERNEL; /* a key sent it, to all in the foreground */
    switch (info->ssi_signo) {
    case SIGWINCH:
        if (program->front->ops->resize)
            program->front->ops->resize(program->front);
        return LOOP_GO_ON;
    case SIGTSTP:
        suspend(program, by_terminal);
        loop_stop();
        resume(program);
        return LOOP_GO_ON;
    case SIGCONT: /* after a SIGSTOP that could not be seen coming: the screen may be anyone's */
        resume(program);
        return LOOP_GO_ON;
    case SIGCHLD:
        return take_child(program);
    default:
        return take_end(program, (int)info->ssi_signo, by_terminal);
    }
}

static enum loop_next take_signals(void *ctx)
{
    struct program *program = ctx;
    struct signalfd_siginfo info;
    while (read(program->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (take_signal(program, &info) == LOOP_END)
            return LOOP_END;
    return LOOP_GO_ON;
}

static enum loop_next take_output(void *ctx)
{
    struct program *program = ctx;
    if (!child_take_output(program->child))
        program->output->fd = -1;
    return LOOP_GO_ON;
}

/* Start and end. */

static void main_make_view(struct program *program)
{
    struct options *options = &program->options;
    const struct screen *screen =
        options->screen ? screen_find(&program->definitions.screens, options->screen) : NULL;
    bool of_cpus = (screen && screen->of_cpus) || options_given(options, "level");
    if (of_cpus && !options_given(options, "view"))
        options->view.kind = VIEW_CPUS;
    program->lookup = proc_lookup_new();
    program->view = view_new(&program->definitions.metric_set, &program->definitions.screens,
                             proc_lookup_view(program->lookup));
    struct view_settings *settings = view_settings(program->view);
    *settings = options->view;
    settings->filter = NULL; /* filter_view */
    watch_copy(&settings->watch, &options->view.watch);
    watch_copy(&settings->highlight, &options->view.highlight);
    view_apply(program->view);
}

static int sort_view(struct program *program, struct err *err)
{
    const char *column = program->options.sort;
    if (!column)
        return 0;
    bool ascending = *column == '-';
    /* As a setting it is for those screens that have the column. */
    if (view_sort_by(program->view, column + ascending, false, err) < 0)
        return options_given(&program->options, "sort") ? -1 : 0;
    if (ascending && !view_sort_ascending(program->view))
        view_sort_invert(program->view);
    return 0;
}

/* A condition names columns, and so has to wait for the events. */
static int filter_view(struct program *program, struct err *err)
{
    struct err why;
    if (view_set_filter(program->view, program->options.view.filter, &why) < 0)
        return err_set(err, "cannot filter: %s", why.text);
    return 0;
}

static int make_front(struct program *program, struct err *err)
{
    program->selection = (struct app_events){.sampler = &program->sampler,
                                             .setup = &program->setup,
                                             .mode = program->options.mode,
                                             .playback = &program->playback};
    host_fill(program);
    if (outputs_open(program, err) < 0)
        return -1;
    /* Nobody sees it beside a terminal's screen. */
    if (program->listener && program->options.batch)
        fprintf(stderr, "countertop: serving %s\n", listener_url(program->listener));
    return 0;
}

static int check_terminal(const struct options *options, struct err *err)
{
    if (options->batch || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return 0;
    return err_set(err,
                   "standard input and output are no terminal: use -b (--batch) to write text");
}

static void run_loop(struct program *program)
{
    const struct front_ops *ops = program->front->ops;
    do
        program->screen->fd = ops->waits ? ops->waits(program->front) : -1;
    while (loop_turn(&program->loop) == LOOP_GO_ON);
}

/* After counting stops, keeps the last table and waits for the command. If it is still running,
 * sends SIGHUP and SIGCONT, as a closing terminal would. */
static int see_off(struct program *program)
{
    struct child *child = program->child;
    bool batch = program->options.batch;
    if (!program->leaving && (batch ? !child_ended(child) : program->setup.session.end != NULL)) {
        sampler_stop(program->sampler);
        program->sampler = NULL;
        program->snapshots->fd = -1;
        run_loop(program);
    }
    bool ended = child_ended(child);
    if (!ended) {
        child_signal(child, SIGHUP);
        child_signal(child, SIGCONT);
    }
    if (!batch)
        return 0;
    return ended ? child_status(child) : 128 + program->asked;
}

/* The command's run begins here, not with the counting of others. */
static void begin_run(struct program *program)
{
    struct snapshot *snapshot = sampler_look(program->sampler);
    delta_begin(program->delta, snapshot);
    if (program->totals)
        totals_begin(program->totals, snapshot);
    else
        snapshot_free(snapshot);
}

/* The order is that of the calls: what was asked before is answered before a signal ends all. */
static void add_hooks(struct program *program)
{
    struct loop *loop = &program->loop;
    const struct child *child = program->child;
    bool replay = program->playback.replay;
    loop_add(loop, outputs_fd(program), outputs_serve, program);
    program->output = loop_add(loop, child ? child_output_fd(child) : -1, take_output, program);
    loop_add(loop, program->signals, take_signals, program);
    program->input =
        loop_add(loop, program->front->ops->input ? STDIN_FILENO : -1, take_input, program);
    program->screen = loop_add(loop, -1, flush_front, program);
    program->screen->events = POLLOUT;
    program->snapshots = loop_add(loop, replay ? replay_fd(program) : sampler_fd(program->sampler),
                                  replay ? replay_next : main_take_snapshot, program);
}

static int watch(struct program *program, struct err *err)
{
    struct child *child = program->child;
    add_hooks(program);
    if (child)
        begin_run(program);
    if (child && child_go(child, err) < 0)
        return child_status(child);
    run_loop(program);
    int code = child ? see_off(program) : 0;
    *err = *program->failure.text ? program->failure : program->recorder.failure;
    return *err->text ? EXIT_RUNNING : code;
}

static int start_command(struct program *program, struct err *err)
{
    struct options *options = &program->options;
    if (!options->command)
        return 0;
    program->child = child_start(options->command, program->environment, !options->batch, err);
    if (!program->child)
        return -1;
    options->view.watch.command = child_pid(program->child);
    view_settings(program->view)->watch.command = options->view.watch.command;
    return 0;
}

static int main_start_counting(struct program *program, struct err *err)
{
    struct source *source = program->setup.source;
    program->setup.source = NULL;
    source->ops->set_idle(source, view_needs_idle(view_settings(program->view)));
    program->sampler = sampler_start(source, (uint64_t)(program->options.delay * 1e9), err);
    return program->sampler ? 0 : -1;
}

static int main_run(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    int code;
    main_make_view(program);
    if (view_choose_screen(program->view, options->screen, err) < 0 ||
        (options->theme && theme_check(options->theme, err) < 0) ||
        check_terminal(options, err) < 0)
        return EXIT_USAGE;
    /* Before signals are blocked and anything is opened. */
    if (!options->batch || options_totals(options))
        program->totals = totals_new(options->command ? 0 : ENDED_MOST);
    if (!program->playback.replay && recorder_open(program, err) < 0)
        return EXIT_RUNNING;
    if (start_command(program, err) < 0 || (program->signals = loop_signals(err)) < 0)
        return EXIT_RUNNING;
    struct startup *setup = &program->setup;
    bool replay = program->playback.replay;
    code = replay ? replay_setup(program, err)
                  : startup_make(setup, options, &program->definitions.screens, err);
    if (code)
        return code;
    view_set_events(program->view, setup->set);
    if (view_choose_screen(program->view, setup->screen->name, err) < 0 ||
        sort_view(program, err) < 0 || filter_view(program, err) < 0)
        return EXIT_USAGE;
    program->delta = delta_new();
    if (make_front(program, err) < 0)
        return EXIT_RUNNING;
    if (!replay && main_start_counting(program, err) < 0)
        return EXIT_RUNNING;
    code = watch(program, err);
    close(program->signals);
    return code;
}

/* Questions about the program itself are answered whatever the user's files say. */
static bool needs_library(enum action action)
{
    return action == ACTION_RUN || action == ACTION_SCREENS || action == ACTION_COLUMNS;
}

static int load_config(struct program *program, struct err *err)
{
    struct options *options = &program->options;
    bool run = options->action == ACTION_RUN;
    struct err why;
    if ((!run && options->action != ACTION_KEYS) || options->no_config)
        return 0;
    if (config_load(&program->config, options->directory, &why) < 0 ||
        (run && config_check(&program->config, &program->definitions, &why) < 0))
        return err_set(err, "%s; --no-config starts without it", why.text);
    if (run && !options->batch)
        config_apply(&program->config, &program->definitions, options);
    return 0;
}

static int main_load(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    bool needed = needs_library(options->action);
    if (options->action == ACTION_RUN && options->replay && replay_open(program, err) < 0)
        return -1;
    if (needed && definitions_load(&program->definitions, err) < 0)
        return -1;
    if (needed && !options->no_config &&
        definitions_load_user(&program->definitions, options->directory, err) < 0)
        return -1;
    return load_config(program, err);
}

static int act(struct program *program, struct err *err)
{
    int code = 0;
    if (program->options.debug && log_open(program->options.debug, err) < 0)
        return EXIT_USAGE;
    log_line("countertop %s, user %u", COUNTERTOP_VERSION, (unsigned)getuid());
    if (main_load(program, err) < 0)
        return EXIT_USAGE;
    switch (program->options.action) {
    case ACTION_HELP:
        cmdline_help(stdout);
        break;
    case ACTION_VERSION:
        printf("countertop %s\n", COUNTERTOP_VERSION);
        break;
    case ACTION_EVENTS:
        code = lists_events(&program->options, err);
        break;
    case ACTION_SCREENS:
        screens_page_write(stdout, &program->definitions.screens);
        break;
    case ACTION_COLUMNS:
        lists_columns(&program->definitions);
        break;
    case ACTION_THEMES:
        lists_themes();
        break;
    case ACTION_KEYS:
        lists_keys(&program->config.keymap);
        break;
    case ACTION_MANUAL:
        manual_write(stdout);
        break;
    case ACTION_COMPLETION:
        completion_write(stdout, program->options.shell);
        break;
    case ACTION_CHECK:
        code =
            check_page_write(stdout, options_format(&program->options)->check == CHECK_JSON, err);
        break;
    case ACTION_RUN:
        return main_run(program, err);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    err_set(err, "cannot write standard output: %s", strerror(errno));
    return EXIT_RUNNING;
}

static void main_release(struct program *program)
{
    /* The terminal first: closing thousands of descriptors takes a while. */
    outputs_close(program);
    child_free(program->child);
    sampler_stop(program->sampler);
    view_free(program->view);
    proc_lookup_free(program->lookup);
    playback_close(&program->playback);
    recorder_close(program);
    delta_free(program->delta);
    totals_free(program->totals);
    app_events_release(&program->selection);
    startup_release(&program->setup);
    definitions_release(&program->definitions);
    config_release(&program->config);
    options_release(&program->options);
}

/* Else what is opened for counting could take the place of standard output. Read-only: writing
 * there is refused, as it was. */
static void fill_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
}

int main(int argc, char **argv)
{
    struct program program = {0};
    struct err err = {""};
    int code = EXIT_USAGE;
    fill_standard_descriptors();
    bool refused = caps_refuse_setuid(&err) < 0 || privilege_reduce(&err) < 0;
    program.environment = privilege_environment();
    /* Snapshots are made by one thread and freed by the other: with a heap for each, both grow. */
    mallopt(M_ARENA_MAX, 1);
    /* Characters are the user's; numbers are written the same everywhere. */
    setlocale(LC_CTYPE, "");
    definitions_init(&program.definitions);
    playback_init(&program.playback);
    config_init(&program.config);
    if (refused)
        code = EXIT_RUNNING;
    else if (cmdline_parse(&program.options, argc, argv, &err) == 0)
        code = act(&program, &err);
    main_release(&program);
    if (code && *err.text) /* without a text it is a command's own */
        fprintf(stderr, "countertop: %s\n", err.text);
    return code;
}
