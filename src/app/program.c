#include "app/program.h"
#include "app/baseline.h"
#include "app/cgroup_watch.h"
#include "app/demonstration.h"
#include "app/host.h"
#include "app/loop.h"
#include "app/playback.h"
#include "app/recorder.h"
#include "app/replay.h"
#include "app/server.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "front/tui/tui.h"
#include "model/delta.h"
#include "system/child.h"
#include "system/sandbox.h"
#include "view/sampling.h"

#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* The targets of intervals: the front end in the options, and the counters for Prometheus, which
 * --format openmetrics writes and --listen serves. */

struct outputs {
    struct front *front;
    struct exporter *exporter; /* NULL: no counters wanted */
    struct server *server;     /* NULL: none; who opens the outputs has started it */
};

/* Adds an interval to the counters. Call it once per interval, before the front end gets a frame,
 * which may be of another time. Only needed if there is an exporter. */
static void outputs_count(struct outputs *outputs, const struct session *session,
                          const struct frame *frame)
{
    if (outputs->exporter)
        exporter_take(outputs->exporter, session, frame);
    if (outputs->server)
        server_renew(outputs->server);
}

/* Opens what the options of the host ask for; the host outlives it. -1 with a message. */
static int outputs_open(struct outputs *outputs, struct host *host, struct err *err)
{
    const struct options *options = host->options;
    const struct format *format = options_format(options);
    struct out out = {.fd = -1};
    const struct view_lookup *lookup = proc_lookup_view(host->lookup);
    const struct metric_set *metric_set = &host->definitions->metric_set;
    if (options->listens || (options->batch && format->counters)) {
        /* Counters use a view of their own: keys of the terminal do not change it. */
        struct view *view = view_new(metric_set, &host->definitions->screens, lookup);
        struct view_settings *settings = view_settings(view);
        settings->kind = options->view.kind;
        settings->filter = mem_strdup(options->view.filter);
        watch_release(&settings->watch);
        watch_copy(&settings->watch, &view_settings(host->view)->watch);
        outputs->exporter = exporter_new(view, lookup, options->format_options.label_sets);
    }
    if (options->listens && !options_given(options, "format") && !options->output)
        format = NULL; /* the server prints no text by default */
    if (options->batch && format && out_open(&out, options->output, format->replaces, err) < 0)
        return -1;
    if (options->batch && format && format->binary && isatty(out.fd))
        return err_set(err, "the format '%s' is no text for a terminal: add -o FILE", format->name);
    const struct batch_input input = {
        .view = host->view,
        .metric_set = metric_set,
        .lookup = lookup,
        .exporter = outputs->exporter,
        .options = options->format_options,
    };
    const struct tui_options look = {
        .bars = options->bars,
        .theme = options->theme,
        .keymap = &host->config->keymap,
        .ascii = options->view.ascii,
        .no_color = options->no_color,
        .ranks = options->command && !options_given(options, "view"),
        .mouse = !options->no_mouse,
        .metric_set = metric_set,
        .session = &host->setup.session,
    };
    outputs->front =
        options->batch ? batch_new(format, &input, out) : tui_new(host->view, host, &look);
    const struct front_ops *ops = outputs->front->ops;
    return ops->start ? ops->start(outputs->front, err) : 0;
}

static void outputs_close(struct outputs *outputs)
{
    if (outputs->front)
        outputs->front->ops->close(outputs->front);
    server_stop(outputs->server);
    exporter_free(outputs->exporter);
}

/* ---- the program ---- */

/* Ended tasks with totals of their own: with some hundred living ones they fit into 4,096. */
enum { ENDED_MAX = 3500 };

struct program {
    struct host host;
    struct loop loop;
    /* Entries of the loop; NULL: no input, no command whose output is kept, or no server. */
    struct pollfd *input, *screen, *output, *snapshots, *requests;
    int signals;
    struct delta *delta;
    struct recorder recorder;
    struct cgroup_watch cgroups;
    struct outputs outputs;
    unsigned long long shown; /* number of refreshes */
    struct child *child;      /* NULL: there is no command */
    uint64_t ending;          /* monotonic, ns: the first snapshot after it is the last; 0: none */
    int asked;                /* the signal that asked for the end; 0: none */
    bool leaving;             /* do not wait for the command */
    struct err failure;       /* why the program ended; "": no failure */
};

/* ---- calls of the loop ---- */

/* Passes a frame to the front end, which takes ownership; `last`: no other one follows, as after
 * the number of refreshes that the user wants. LOOP_END: it was the last. */
static enum loop_next show(struct program *program, struct frame *frame, bool last)
{
    struct front *front = program->outputs.front;
    const struct options *options = program->host.options;
    program->shown++;
    bool enough = options->iterations && program->shown >= options->iterations;
    frame->last = last || enough;
    baselines_follow(&program->host);
    int result = front->ops->present(front, &program->host.setup.session, frame, &program->failure);
    program->leaving |= enough && !options->batch;
    return result != 0 || last || enough ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next take_snapshot(void *ctx)
{
    struct program *program = ctx;
    struct host *host = &program->host;
    struct snapshot *snapshot = sampler_take(host->sampler);
    if (!snapshot)
        return LOOP_GO_ON;
    if (program->outputs.server) /* it is a part of this program */
        snapshot->self.cpu += server_time(program->outputs.server);
    const struct session *session = &host->setup.session;
    bool last = program->ending && snapshot->time >= program->ending;
    bool single = options_single(host->options);
    /* A terminal requests totals itself. */
    bool totals = host->totals && host->options->batch && (last || !single);
    bool recorded = program->recorder.file || program->recorder.memory;
    struct frame *interval = NULL, *frame = NULL;
    startup_note(&host->setup, snapshot->events, snapshot->note);
    if (host->setup.absent && clock_monotonic() >= host->setup.look_again)
        startup_look_for_absent(&host->setup);
    if (host->totals)
        totals_take(host->totals, snapshot, &session->watch);
    if (recorded || (!single && (!totals || program->outputs.exporter)))
        interval = delta_advance(program->delta, snapshot);
    if (interval && host->demonstration)
        demonstration_take(host->demonstration, interval, snapshot->time);
    if (interval && view_settings(host->view)->kind == VIEW_CGROUPS)
        cgroup_watch_take(&program->cgroups, proc_lookup_view(host->lookup), interval);
    snapshot_free(snapshot); /* before more is made of the interval */
    if (interval && recorded)
        recorder_take(&program->recorder, &host->setup, interval);
    if (totals) {
        frame = totals_frame(host->totals);
        frame->seq = program->shown + 1;
    }
    /* A single frame covers the whole run and is the only one to count. */
    if ((interval && !single) || (single && frame))
        outputs_count(&program->outputs, session, single ? frame : interval);
    if (frame || single)
        frame_free(interval);
    else
        frame = interval;
    if (!frame)
        return LOOP_GO_ON;
    if (last && child_ended(program->child)) {
        host->setup.session.end = child_report(program->child);
        host->setup.session.run = child_seconds(program->child);
        host->setup.session.status = child_status(program->child);
        child_cpu_times(program->child, &host->setup.session.run_user,
                        &host->setup.session.run_kernel);
    }
    return show(program, frame, last);
}

/* Shows the next interval of a recording. In batch mode its end ends the program. */
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
    if (reader_span(playback->reader, &first, &last, &program->failure) < 0)
        return LOOP_END;
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
    if (show(program, frame, batch && next == last) == LOOP_END)
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
    struct program *program = ctx;
    struct err err;
    if (server_answer(program->outputs.server, program->outputs.exporter, &err) == 0)
        return LOOP_GO_ON;
    program->requests->fd = -1;
    if (program->host.options->batch) {
        program->failure = err;
        return LOOP_END;
    }
    startup_trouble(&program->host.setup, err.text);
    return LOOP_GO_ON;
}

static enum loop_next take_input(void *ctx)
{
    struct program *program = ctx;
    struct front *front = program->outputs.front;
    /* Without POLLIN the terminal has hung up. */
    program->leaving =
        !(program->input->revents & POLLIN) || front->ops->input(front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next flush_front(void *ctx)
{
    struct program *program = ctx;
    struct front *front = program->outputs.front;
    program->leaving |= front->ops->flush(front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

/* Continues the front end and the command. */
static void resume(struct program *program)
{
    struct front *front = program->outputs.front;
    if (program->child)
        child_signal(program->child, SIGCONT);
    if (front->ops->resume)
        front->ops->resume(front);
}

/* Requests the last snapshot. */
static enum loop_next finish(struct program *program)
{
    if (!program->host.sampler)
        return LOOP_END;
    program->ending = clock_monotonic();
    sampler_refresh(program->host.sampler);
    return LOOP_GO_ON;
}

static enum loop_next take_signal(struct program *program, const struct signalfd_siginfo *info)
{
    bool by_terminal = info->ssi_code == SI_KERNEL; /* by a key, to the foreground group */
    struct front *front = program->outputs.front;
    bool first = !program->asked, awaited = program->child && program->host.options->batch;
    switch (info->ssi_signo) {
    case SIGWINCH:
        if (front->ops->resize)
            front->ops->resize(front);
        return LOOP_GO_ON;
    case SIGTSTP:
        /* Stops the command, too. A key of the terminal has stopped it already, unless it has a
         * process group of its own. */
        if (program->child && (!by_terminal || !program->host.options->batch))
            child_signal(program->child, SIGTSTP);
        if (front->ops->suspend)
            front->ops->suspend(front);
        loop_stop();
        resume(program);
        return LOOP_GO_ON;
    case SIGCONT: /* after a SIGSTOP, which cannot be caught, other programs may have used the
                   * screen */
        resume(program);
        return LOOP_GO_ON;
    case SIGCHLD:
        if (!program->child || program->ending || !child_ended(program->child))
            return LOOP_GO_ON;
        return finish(program);
    default:
        /* In batch mode the command is the purpose: the first signal is passed to it and its end
         * awaited; the second ends this program. */
        program->asked = (int)info->ssi_signo;
        program->leaving = !awaited || !first;
        if (!awaited)
            return LOOP_END;
        if (!first)
            return finish(program);
        if (!by_terminal)
            child_signal(program->child, program->asked);
        return LOOP_GO_ON;
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

static void run_loop(struct program *program)
{
    enum { AGAIN = 500 }; /* ms */
    struct front *front = program->outputs.front;
    bool pending;
    do {
        /* After the last frame nothing else shows names that are read then. */
        pending = !program->host.sampler && front->ops->renew && front->ops->renew(front);
        program->screen->fd = front->ops->waits ? front->ops->waits(front) : -1;
    } while (loop_turn(&program->loop, pending ? AGAIN : -1) == LOOP_GO_ON);
}

/* ---- start ---- */

static void make_view(struct host *host)
{
    struct options *options = host->options;
    const struct screen_list *screens = &host->definitions->screens;
    const struct screen *screen = options->screen ? screen_find(screens, options->screen) : NULL;
    bool of_cpus = (screen && screen->of_cpus) || options_given(options, "level");
    if (!options_given(options, "view") && (of_cpus || options->baseline))
        options->view.kind = of_cpus ? VIEW_CPUS : VIEW_COMMANDS;
    host->lookup = proc_lookup_new();
    if (!options->batch)
        proc_lookup_ask_delays(host->lookup);
    host->view = view_new(&host->definitions->metric_set, screens, proc_lookup_view(host->lookup));
    struct view_settings *settings = view_settings(host->view);
    *settings = options->view;
    settings->filter = NULL; /* order_view() sets it */
    settings->terminal = !options->batch;
    watch_copy(&settings->watch, &options->view.watch);
    watch_copy(&settings->highlight, &options->view.highlight);
    view_annotate(host->view, &(struct annotated){.name = (char *)options->annotate});
    view_apply(host->view);
}

/* Sets sort order and filter. A filter may be a condition on columns, so both need the events. */
static int order_view(const struct host *host, struct err *err)
{
    const struct options *options = host->options;
    struct err why;
    bool ascending = options->sort && *options->sort == '-';
    if (options->sort && view_sort_by(host->view, options->sort + ascending, false, err) < 0) {
        /* A setting applies only to screens with that column. */
        if (options_given(options, "sort"))
            return -1;
    } else if (ascending && !view_sort_ascending(host->view)) {
        view_sort_invert(host->view);
    }
    if (view_set_filter(host->view, options->view.filter, &why) < 0)
        return err_set(err, "cannot filter: %s", why.text);
    return 0;
}

/* 0, or the exit code with a message. */
static int start(struct program *program, const struct child_heritage *heritage, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    bool replay = host->playback.replay;
    make_view(host);
    if (view_choose_screen(host->view, options->screen, err) < 0)
        return EXIT_USAGE;
    if (!options->batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
        err_set(err,
                "standard input and output are not a terminal: use -b (--batch) to write text");
        return EXIT_USAGE;
    }
    if (options->listens &&
        !(program->outputs.server = server_start(&options->listen, (uint64_t)(options->delay * 1e9),
                                                 !options->no_sandbox, err)))
        return EXIT_RUNNING;
    if (options->debuginfod && !replay &&
        !(host->fetch = debug_fetch_start(heritage->environment, err)))
        return EXIT_USAGE;
    if (options->baseline && !(host->baselines = baselines_read(host, err)))
        return EXIT_RUNNING;
    if (!options->batch || options_totals(options))
        host->totals = totals_new(options->command ? 0 : ENDED_MAX);
    /* Before signals are blocked and other descriptors are opened. */
    if (options->command) {
        program->child = child_start(&(struct child_command){.words = options->command,
                                                             .heritage = heritage,
                                                             .apart = !options->batch},
                                     err);
        if (!program->child)
            return EXIT_RUNNING;
        host->options->view.watch.command = child_pid(program->child);
        view_settings(host->view)->watch.command = options->view.watch.command;
    }
    if (options->demo) {
        host->demonstration = demonstration_start(host->options, err);
        if (!host->demonstration)
            return EXIT_USAGE;
        watch_copy(&view_settings(host->view)->watch, &options->view.watch);
        view_settings(host->view)->threads = options->view.threads;
        view_settings(host->view)->kind = options->view.kind;
    }
    program->signals = loop_signals(err);
    if (program->signals < 0)
        return EXIT_RUNNING;
    int code = replay ? replay_setup(host, err)
                      : startup_make(&host->setup, options, host->definitions, err);
    if (code)
        return code;
    view_set_events(host->view, host->setup.set);
    if (view_choose_screen(host->view, host->setup.screen->name, err) < 0 ||
        order_view(host, err) < 0)
        return EXIT_USAGE;
    if (host->baselines && host_take_baseline(host, err) < 0)
        return EXIT_RUNNING;
    if (!options->batch && host->definitions->faults.count)
        startup_trouble(&host->setup, host->definitions->faults.items[0]);
    program->delta = delta_new();
    if (outputs_open(&program->outputs, host, err) < 0)
        return EXIT_RUNNING;
    /* A terminal's screen would hide it. */
    if (program->outputs.server && options->batch)
        fprintf(stderr, "countertop: serving %s\n", server_url(program->outputs.server));
    if (options->batch && host->setup.absent)
        fprintf(stderr, "countertop: %s\n", host->setup.absent);
    if (replay)
        return 0;
    /* The command line is right if it comes to this: a recording may be begun, or replaced. */
    if (recorder_open(&program->recorder, options, &host->definitions->machine,
                      proc_lookup_view(host->lookup), err) < 0)
        return EXIT_RUNNING;
    host->memory = program->recorder.memory;
    /* The command runs outside of it, all threads inside. */
    if (!options->no_sandbox)
        log_line("sandbox: %s", sandbox_enter(SANDBOX_COUNT) ? "entered" : "not possible");
    struct source *source = host->setup.source;
    host->setup.source = NULL;
    source->all = view_needs_idle(view_settings(host->view));
    struct profiler *profiler = host->setup.profiler;
    host->setup.profiler = NULL;
    host->sampler =
        sampler_start(source, profiler, (uint64_t)(options->delay * 1e9), !options->batch, err);
    if (!host->sampler)
        return EXIT_RUNNING;
    return profiling_begin(host, err) < 0 ? EXIT_RUNNING : 0;
}

/* ---- the run ---- */

static int run(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    /* Calls are made in this order: a request is answered before a signal ends the program. */
    struct loop *loop = &program->loop;
    const struct outputs *outputs = &program->outputs;
    bool replay = host->playback.replay;
    if (outputs->server) {
        program->requests = loop_add(loop, server_fd(outputs->server), take_request, program);
        server_renew(outputs->server);
    }
    if (program->child)
        program->output = loop_add(loop, child_output_fd(program->child), take_output, program);
    loop_add(loop, program->signals, take_signals, program);
    if (outputs->front->ops->input)
        program->input = loop_add(loop, STDIN_FILENO, take_input, program);
    program->screen = loop_add(loop, -1, flush_front, program);
    program->screen->events = POLLOUT;
    program->snapshots = loop_add(loop, replay ? host->playback.timer : sampler_fd(host->sampler),
                                  replay ? take_interval : take_snapshot, program);
    if (program->child) {
        /* The run of the command begins now; other tasks are counted already. */
        struct snapshot *snapshot = sampler_look(host->sampler);
        delta_begin(program->delta, snapshot);
        if (host->totals)
            totals_begin(host->totals, snapshot);
        else
            snapshot_free(snapshot);
        if (child_go(program->child, err) < 0)
            return child_status(program->child);
    }
    run_loop(program);
    struct child *child = program->child;
    bool batch = host->options->batch;
    /* After counting stops, keeps the last table and waits for the command. */
    if (child && !program->leaving &&
        (batch ? !child_ended(child) : host->setup.session.end != NULL)) {
        sampler_stop(host->sampler);
        host->sampler = NULL;
        program->snapshots->fd = -1;
        run_loop(program);
    }
    bool ended = child && child_ended(child);
    if (child && !ended) { /* as a closing terminal would do */
        child_signal(child, SIGHUP);
        child_signal(child, SIGCONT);
    }
    int code = !child || !batch ? 0 : ended ? child_status(child) : 128 + program->asked;
    *err = program->failure;
    return *err->text ? EXIT_RUNNING : code;
}

int program_run(struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording,
                const struct child_heritage *heritage, struct err *err)
{
    struct program program = {.host = {.options = options,
                                       .config = config,
                                       .definitions = definitions,
                                       .mode = options->mode},
                              .signals = -1};
    struct host *host = &program.host;
    int code = EXIT_RUNNING;
    if (playback_open(&host->playback, recording, err) == 0)
        code = start(&program, heritage, err);
    if (code == 0)
        code = run(&program, err);
    /* The terminal comes first: closing thousands of descriptors takes a while. */
    outputs_close(&program.outputs);
    child_free(program.child);
    host_stop_sampling(host);
    sampler_stop(host->sampler);
    demonstration_stop(host->demonstration);
    view_free(host->view);
    baselines_free(host->baselines);
    playback_close(&host->playback);
    struct err unrecorded;
    if (recorder_close(&program.recorder, &unrecorded) < 0 && !*err->text) {
        *err = unrecorded;
        code = EXIT_RUNNING;
    }
    proc_lookup_free(host->lookup); /* of the processes in intervals that waited, too */
    cgroup_watch_release(&program.cgroups);
    delta_free(program.delta);
    totals_free(host->totals);
    host_forget_events(host);
    host_forget_wakers(host);
    startup_release(&host->setup);
    debug_fetch_stop(host->fetch);
    if (program.signals >= 0)
        close(program.signals);
    return code;
}
