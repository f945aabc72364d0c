#include "app/program.h"
#include "app/loop.h"
#include "app/outputs.h"
#include "app/playback.h"
#include "app/recorder.h"
#include "app/replay.h"
#include "base/clock.h"
#include "model/delta.h"
#include "system/child.h"

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Of tasks that ended, those whose totals are kept one by one: a few MiB. */
enum { ENDED_MOST = 4096 };

struct program {
    struct host host;
    struct loop loop;
    struct pollfd *input, *screen, *output, *snapshots; /* in the loop */
    int signals;
    struct delta *delta;
    struct recorder recorder;
    struct outputs outputs;
    unsigned long long shown; /* refreshes */
    char **environment;       /* the user's, for the command */
    struct child *child;      /* NULL: no command was started */
    uint64_t ending;          /* monotonic, ns: a snapshot from then on is the last; 0: go on */
    int asked;                /* the signal that asked for the end, 0: none did */
    bool leaving;             /* the command is not waited for */
    struct err failure;       /* why it ended, "" when nothing failed */
};

/* What the loop brings. */

/* The frame to show for a snapshot, NULL: none yet. */
static struct frame *program_make_frame(struct program *program, const struct snapshot *snapshot,
                                        bool last)
{
    struct host *host = &program->host;
    struct outputs *outputs = &program->outputs;
    const struct session *session = &host->setup.session;
    if (host->totals)
        totals_take(host->totals, snapshot, &session->watch);
    /* The terminal asks for totals itself. */
    bool single = options_single(program->host.options);
    bool totals = program->host.totals && program->host.options->batch && (last || !single);
    struct frame *interval = NULL, *frame = NULL;
    if (recorder_wants(&program->recorder) || (!single && (!totals || outputs->exporter)))
        interval = delta_advance(program->delta, snapshot);
    if (interval)
        recorder_take(&program->recorder, &host->setup, interval);
    if (totals) {
        frame = totals_frame(program->host.totals);
        frame->seq = program->shown + 1;
    }
    /* A single one is the whole run, and all there is to count. */
    if ((interval && !single) || (single && frame))
        outputs_count(outputs, session, single ? frame : interval);
    if (!frame && !single)
        return interval;
    frame_free(interval);
    return frame;
}

/* Gives the front end a frame, which it takes. LOOP_END: it was the last. */
static enum loop_next show(struct program *program, struct frame *frame)
{
    struct front *front = program->outputs.front;
    const struct options *options = program->host.options;
    program->shown++;
    int result = front->ops->present(front, &program->host.setup.session, frame, &program->failure);
    bool enough = options->iterations && program->shown >= options->iterations;
    program->leaving |= enough && !options->batch;
    return result != 0 || enough ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next take_snapshot(void *ctx)
{
    struct program *program = ctx;
    struct host *host = &program->host;
    struct snapshot *snapshot = sampler_take(host->sampler);
    if (!snapshot)
        return LOOP_GO_ON;
    bool last = program->ending && snapshot->time >= program->ending;
    startup_note(&host->setup, snapshot->events, snapshot->note);
    struct frame *frame = program_make_frame(program, snapshot, last);
    snapshot_free(snapshot);
    if (!frame)
        return LOOP_GO_ON;
    if (last && !host->options->batch)
        startup_end(&host->setup, child_report(program->child), child_seconds(program->child));
    return show(program, frame) == LOOP_END || last ? LOOP_END : LOOP_GO_ON;
}

/* The next interval of a recording. In batch mode the end of the recording ends the program. */
static enum loop_next take_interval(void *ctx)
{
    struct program *program = ctx;
    struct host *host = &program->host;
    struct playback *playback = &host->playback;
    bool batch = host->options->batch, again = playback->again && playback->at;
    int64_t first, last;
    uint64_t expired;
    if (read(playback->timer, &expired, sizeof(expired)) < 0)
        return LOOP_GO_ON;
    playback->again = false;
    reader_span(playback->reader, &first, &last);
    int64_t next = !playback->at ? first : playback->at + !again;
    if (next > last)
        return batch ? LOOP_END : LOOP_GO_ON;
    struct frame *frame = playback_show(host, next, &program->failure);
    if (frame && options_totals(host->options)) {
        frame_free(frame);
        frame = playback_total(host);
        if (!frame)
            err_set(&program->failure, "cannot read '%.200s': it is damaged",
                    host->options->replay);
    }
    if (!frame)
        return LOOP_END;
    if (!again)
        outputs_count(&program->outputs, &host->setup.session, frame);
    if (show(program, frame) == LOOP_END || (batch && next == last))
        return LOOP_END;
    if (batch)
        playback_refresh(playback);
    else
        playback_await(playback);
    playback->again &= !batch;
    return LOOP_GO_ON;
}

static enum loop_next take_request(void *ctx)
{
    listener_run(((struct program *)ctx)->outputs.listener);
    return LOOP_GO_ON;
}

static enum loop_next take_input(void *ctx)
{
    struct program *program = ctx;
    if (!(program->input->revents & POLLIN))
        return LOOP_END; /* the terminal hung up */
    program->leaving = program->outputs.front->ops->input(program->outputs.front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next flush_front(void *ctx)
{
    struct front *front = ((struct program *)ctx)->outputs.front;
    front->ops->flush(front);
    return LOOP_GO_ON;
}

/* The command stops and goes on as we do; a key of the terminal stops it as it stops us, unless it
 * has a process group of its own. */
static void suspend(struct program *program, bool by_terminal)
{
    if (program->child && (!by_terminal || !program->host.options->batch))
        child_signal(program->child, SIGTSTP);
    if (program->outputs.front->ops->suspend)
        program->outputs.front->ops->suspend(program->outputs.front);
}

static void resume(struct program *program)
{
    if (program->child)
        child_signal(program->child, SIGCONT);
    if (program->outputs.front->ops->resume)
        program->outputs.front->ops->resume(program->outputs.front);
}

/* Asks for the last snapshot. */
static void finish(struct program *program)
{
    program->ending = clock_monotonic();
    sampler_refresh(program->host.sampler);
}

/* Without a terminal a command is what this is about: a signal is passed on to it, and its end
 * waited for, until a second one comes. */
static enum loop_next take_end(struct program *program, int number, bool by_terminal)
{
    bool first = !program->asked;
    program->asked = number;
    program->leaving = !program->child || !program->host.options->batch || !first;
    if (!program->child || !program->host.options->batch)
        return LOOP_END;
    if (first && !by_terminal)
        child_signal(program->child, number);
    if (first)
        return LOOP_GO_ON;
    if (!program->host.sampler)
        return LOOP_END;
    finish(program);
    return LOOP_GO_ON;
}

static enum loop_next take_child(struct program *program)
{
    if (!program->child || program->ending || !child_ended(program->child))
        return LOOP_GO_ON;
    if (!program->host.sampler)
        return LOOP_END;
    finish(program);
    return LOOP_GO_ON;
}

static enum loop_next take_signal(struct program *program, const struct signalfd_siginfo *info)
{
    bool by_terminal = info->ssi_code == SI_KERNEL; /* a key sent it, to all in the foreground */
    switch (info->ssi_signo) {
    case SIGWINCH:
        if (program->outputs.front->ops->resize)
            program->outputs.front->ops->resize(program->outputs.front);
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

static void program_make_view(struct program *program)
{
    struct options *options = program->host.options;
    const struct screen *screen =
        options->screen ? screen_find(&program->host.definitions->screens, options->screen) : NULL;
    bool of_cpus = (screen && screen->of_cpus) || options_given(options, "level");
    if (of_cpus && !options_given(options, "view"))
        options->view.kind = VIEW_CPUS;
    program->host.lookup = proc_lookup_new();
    program->host.view =
        view_new(&program->host.definitions->metric_set, &program->host.definitions->screens,
                 proc_lookup_view(program->host.lookup));
    struct view_settings *settings = view_settings(program->host.view);
    *settings = options->view;
    settings->filter = NULL; /* filter_view */
    watch_copy(&settings->watch, &options->view.watch);
    watch_copy(&settings->highlight, &options->view.highlight);
    view_apply(program->host.view);
}

static int sort_view(struct program *program, struct err *err)
{
    const char *column = program->host.options->sort;
    if (!column)
        return 0;
    bool ascending = *column == '-';
    /* As a setting it is for those screens that have the column. */
    if (view_sort_by(program->host.view, column + ascending, false, err) < 0)
        return options_given(program->host.options, "sort") ? -1 : 0;
    if (ascending && !view_sort_ascending(program->host.view))
        view_sort_invert(program->host.view);
    return 0;
}

/* A condition names columns, and so has to wait for the events. */
static int filter_view(struct program *program, struct err *err)
{
    struct err why;
    if (view_set_filter(program->host.view, program->host.options->view.filter, &why) < 0)
        return err_set(err, "cannot filter: %s", why.text);
    return 0;
}

static int make_outputs(struct program *program, struct err *err)
{
    struct outputs *outputs = &program->outputs;
    if (outputs_open(outputs, &program->host, err) < 0)
        return -1;
    /* Nobody sees it beside a terminal's screen. */
    if (outputs->listener && program->host.options->batch)
        fprintf(stderr, "countertop: serving %s\n", listener_url(outputs->listener));
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
    const struct front_ops *ops = program->outputs.front->ops;
    do
        program->screen->fd = ops->waits ? ops->waits(program->outputs.front) : -1;
    while (loop_turn(&program->loop) == LOOP_GO_ON);
}

/* After counting stops, keeps the last table and waits for the command. If it is still running,
 * sends SIGHUP and SIGCONT, as a closing terminal would. */
static int see_off(struct program *program)
{
    struct child *child = program->child;
    bool batch = program->host.options->batch;
    if (!program->leaving &&
        (batch ? !child_ended(child) : program->host.setup.session.end != NULL)) {
        sampler_stop(program->host.sampler);
        program->host.sampler = NULL;
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
    struct snapshot *snapshot = sampler_look(program->host.sampler);
    delta_begin(program->delta, snapshot);
    if (program->host.totals)
        totals_begin(program->host.totals, snapshot);
    else
        snapshot_free(snapshot);
}

/* The order is that of the calls: what was asked before is answered before a signal ends all. */
static void add_hooks(struct program *program)
{
    struct loop *loop = &program->loop;
    const struct child *child = program->child;
    const struct listener *listener = program->outputs.listener;
    bool replay = program->host.playback.replay;
    loop_add(loop, listener ? listener_fd(listener) : -1, take_request, program);
    program->output = loop_add(loop, child ? child_output_fd(child) : -1, take_output, program);
    loop_add(loop, program->signals, take_signals, program);
    program->input =
        loop_add(loop, program->outputs.front->ops->input ? STDIN_FILENO : -1, take_input, program);
    program->screen = loop_add(loop, -1, flush_front, program);
    program->screen->events = POLLOUT;
    program->snapshots =
        loop_add(loop, replay ? program->host.playback.timer : sampler_fd(program->host.sampler),
                 replay ? take_interval : take_snapshot, program);
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
    struct options *options = program->host.options;
    if (!options->command)
        return 0;
    program->child = child_start(options->command, program->environment, !options->batch, err);
    if (!program->child)
        return -1;
    options->view.watch.command = child_pid(program->child);
    view_settings(program->host.view)->watch.command = options->view.watch.command;
    return 0;
}

static int start_counting(struct program *program, struct err *err)
{
    struct source *source = program->host.setup.source;
    program->host.setup.source = NULL;
    source->ops->set_idle(source, view_needs_idle(view_settings(program->host.view)));
    program->host.sampler =
        sampler_start(source, (uint64_t)(program->host.options->delay * 1e9), err);
    return program->host.sampler ? 0 : -1;
}

static int open_recorder(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    struct recorder *recorder = &program->recorder;
    int result = recorder_open(recorder, host->options, &host->definitions->machine,
                               proc_lookup_view(host->lookup), err);
    host->memory = recorder->memory;
    return result;
}

static int program_begin(struct program *program, struct err *err)
{
    const struct options *options = program->host.options;
    int code;
    program_make_view(program);
    if (view_choose_screen(program->host.view, options->screen, err) < 0 ||
        check_terminal(options, err) < 0)
        return EXIT_USAGE;
    /* Before signals are blocked and anything is opened. */
    if (!options->batch || options_totals(options))
        program->host.totals = totals_new(options->command ? 0 : ENDED_MOST);
    if (!program->host.playback.replay && open_recorder(program, err) < 0)
        return EXIT_RUNNING;
    if (start_command(program, err) < 0 || (program->signals = loop_signals(err)) < 0)
        return EXIT_RUNNING;
    struct startup *setup = &program->host.setup;
    bool replay = program->host.playback.replay;
    code = replay ? replay_setup(&program->host, err)
                  : startup_make(setup, options, &program->host.definitions->screens, err);
    if (code)
        return code;
    view_set_events(program->host.view, setup->set);
    if (view_choose_screen(program->host.view, setup->screen->name, err) < 0 ||
        sort_view(program, err) < 0 || filter_view(program, err) < 0)
        return EXIT_USAGE;
    program->delta = delta_new();
    if (make_outputs(program, err) < 0)
        return EXIT_RUNNING;
    if (!replay && start_counting(program, err) < 0)
        return EXIT_RUNNING;
    code = watch(program, err);
    close(program->signals);
    return code;
}

int program_run(struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording, char **environment,
                struct err *err)
{
    struct program program = {
        .host = {.options = options,
                 .config = config,
                 .definitions = definitions,
                 .mode = options->mode},
        .environment = environment,
    };
    struct host *host = &program.host;
    int code = EXIT_RUNNING;
    if (playback_open(&host->playback, recording, err) == 0)
        code = program_begin(&program, err);
    /* The terminal first: closing thousands of descriptors takes a while. */
    outputs_close(&program.outputs);
    child_free(program.child);
    sampler_stop(host->sampler);
    view_free(host->view);
    proc_lookup_free(host->lookup);
    playback_close(&host->playback);
    recorder_close(&program.recorder);
    delta_free(program.delta);
    totals_free(host->totals);
    host_forget_events(host);
    startup_release(&host->setup);
    return code;
}
