#include "app/program.h"
#include "app/recorder.h"
#include "base/signals.h"
#include "code/debug_fetch.h"
#include "front/tui/tui.h"
#include "model/delta.h"
#include "system/sandbox.h"
#include "view/baseline.h"
#include "view/sampling.h"

#include <sys/signalfd.h>

/* Ended tasks with totals of their own: with some hundred living ones they fit into 4,096. */
enum { ENDED_MAX = 3500 };

enum loop_next { LOOP_GO_ON, LOOP_END };
enum { WAITS_MAX = 8 };

struct program {
    struct host host;
    const struct child_heritage *heritage; /* the command's */
    struct front *front;
    struct exporter *exporter; /* the counters of --format openmetrics and --listen; NULL: none */
    struct server *server;     /* of --listen; NULL: none */
    /* What the showing thread waits for: when a descriptor is ready its call is made. */
    struct pollfd waits[WAITS_MAX];
    enum loop_next (*calls[WAITS_MAX])(struct program *program);
    size_t wait_count;
    /* Of these; NULL: no input, no command whose output is kept, or no server. */
    struct pollfd *input, *screen, *output, *snapshots, *requests;
    int signals;
    struct delta *delta;
    struct recorder recorder;
    struct alarm alarm;
    struct cgroup_watch cgroups;
    unsigned long long shown; /* number of refreshes */
    struct child *child;      /* NULL: there is no command */
    uint64_t ending;          /* monotonic, ns: the first snapshot after it is the last; 0: none */
    int asked;                /* the signal that asked for the end; 0: none */
    bool leaving;             /* do not wait for the command */
    struct err failure;       /* why the program ended; "": no failure */
    struct err unrecorded;    /* why intervals are not in the recording; "": they are */
};

/* ---- calls of the loop ---- */

/* Adds an interval to the counters. Call it once per interval, before the front end gets a frame,
 * which may be of another time. */
static void outputs_count(struct program *program, const struct frame *frame)
{
    if (program->exporter)
        exporter_take(program->exporter, &program->host.setup.session, frame);
    if (program->server)
        server_renew(program->server);
}

/* Passes a frame to the front end, which takes ownership; `last`: no other one follows, as after
 * the number of refreshes that the user wants. LOOP_END: it was the last. */
static enum loop_next show(struct program *program, struct frame *frame, bool last)
{
    struct front *front = program->front;
    const struct options *options = program->host.options;
    program->shown++;
    bool enough = options->iterations && program->shown >= options->iterations;
    frame->last = last || enough;
    baselines_follow(&program->host);
    int result = front->ops->present(front, &program->host.setup.session, frame, &program->failure);
    program->leaving |= enough && !options->batch;
    return result != 0 || last || enough ? LOOP_END : LOOP_GO_ON;
}

/* Whether the user asked for cgroups. */
static bool shows_cgroups(const struct program *program)
{
    return view_tells_cgroups(program->host.view) ||
           program->host.options->view.kind == VIEW_CGROUPS;
}

static bool wants_cgroups(const struct program *program)
{
    const struct options *options = program->host.options;
    return shows_cgroups(program) || options->record ||
           (options->batch && options_format(options)->facts);
}

/* Lets the source tell cgroups from when they are wanted: then other counters are opened, so it
 * does not stop when something else is shown. */
static void follow_cgroups(struct program *program)
{
    struct err err;
    struct host *host = &program->host;
    if (host->setup.cgroups || !host->sampler || !wants_cgroups(program))
        return;
    host->setup.cgroups = true;
    if (sampler_set_cgroups(host->sampler, true, &err) < 0)
        startup_trouble(&host->setup, err.text);
}

static enum loop_next take_snapshot(struct program *program)
{
    struct host *host = &program->host;
    struct snapshot *snapshot = sampler_take(host->sampler);
    if (!snapshot)
        return LOOP_GO_ON;
    if (program->server) /* it is a part of this program */
        snapshot->self.cpu += server_time(program->server);
    const struct session *session = &host->setup.session;
    bool last = program->ending && snapshot->time >= program->ending;
    bool single = options_single(host->options);
    /* A terminal requests totals itself. */
    bool totals = host->totals && host->options->batch && (last || !single);
    bool recorded = program->recorder.file || program->recorder.memory;
    struct frame *interval = NULL, *frame = NULL;
    follow_cgroups(program);
    startup_note(&host->setup, snapshot->events,
                 snapshot->note || snapshot->cgroups || !shows_cgroups(program)
                     ? snapshot->note
                     : "cgroups are read from /proc, which has none of what has ended: in samples "
                       "the kernel names them where all tasks are counted, from Linux 5.7 on, if "
                       "perf_event's hierarchy is mounted and has cgroups");
    if (host->setup.absent && clock_monotonic() >= host->setup.look_again)
        startup_look_for_absent(&host->setup);
    if (host->totals)
        totals_take(host->totals, snapshot, &session->watch);
    if (recorded || (!single && (!totals || program->exporter)))
        interval = delta_advance(program->delta, snapshot);
    if (interval && host->demonstration)
        demonstration_take(host->demonstration, interval, snapshot->time);
    if (interval && view_settings(host->view)->kind == VIEW_CGROUPS)
        cgroup_watch_take(&program->cgroups, proc_lookup_view(host->lookup), interval);
    snapshot_free(snapshot); /* before more is made of the interval */
    if (interval && recorded)
        recorder_take(&program->recorder, &host->setup, interval);
    if (interval && program->alarm.condition)
        alarm_take(&program->alarm, interval);
    if (totals) {
        frame = totals_frame(host->totals);
        frame->seq = program->shown + 1;
    }
    /* A single frame covers the whole run and is the only one to count. */
    if ((interval && !single) || (single && frame))
        outputs_count(program, single ? frame : interval);
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
static enum loop_next take_interval(struct program *program)
{
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
    int64_t next = playback->at + !again;
    if (!playback->at) {
        const struct session_alarm *alarm = &host->setup.session.alarm;
        bool moment = alarm->condition && !batch;
        next = moment ? playback_find(playback, first, last, alarm->time) : first;
    }
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
        outputs_count(program, frame);
    if (host->options->test_when)
        alarm_take(&program->alarm, frame);
    if (show(program, frame, batch && next == last) == LOOP_END)
        return LOOP_END;
    if (batch)
        playback_refresh(playback);
    else
        playback_await(playback);
    playback->again &= !batch;
    return LOOP_GO_ON;
}

static enum loop_next take_request(struct program *program)
{
    struct err err;
    if (server_answer(program->server, program->exporter, &err) == 0)
        return LOOP_GO_ON;
    program->requests->fd = -1;
    if (program->host.options->batch) {
        program->failure = err;
        return LOOP_END;
    }
    startup_trouble(&program->host.setup, err.text);
    return LOOP_GO_ON;
}

static enum loop_next take_input(struct program *program)
{
    struct front *front = program->front;
    /* Without POLLIN the terminal has hung up. */
    program->leaving =
        !(program->input->revents & POLLIN) || front->ops->input(front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next flush_front(struct program *program)
{
    struct front *front = program->front;
    program->leaving |= front->ops->flush(front) == FRONT_QUIT;
    return program->leaving ? LOOP_END : LOOP_GO_ON;
}

/* Continues the front end and the command. */
static void resume(struct program *program)
{
    struct front *front = program->front;
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
    struct front *front = program->front;
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
        signals_stop();
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

static enum loop_next take_signals(struct program *program)
{
    struct signalfd_siginfo info;
    while (read(program->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (take_signal(program, &info) == LOOP_END)
            return LOOP_END;
    return LOOP_GO_ON;
}

static enum loop_next take_output(struct program *program)
{
    if (!child_take_output(program->child))
        program->output->fd = -1;
    return LOOP_GO_ON;
}

static void run_loop(struct program *program)
{
    enum { AGAIN = 500 }; /* ms */
    struct front *front = program->front;
    for (enum loop_next next = LOOP_GO_ON; next == LOOP_GO_ON;) {
        /* After the last frame nothing else shows names that are read then. */
        bool pending = !program->host.sampler && front->ops->renew && front->ops->renew(front);
        program->screen->fd = front->ops->waits ? front->ops->waits(front) : -1;
        if (poll(program->waits, program->wait_count, pending ? AGAIN : -1) < 0)
            continue; /* EINTR */
        for (size_t i = 0; i < program->wait_count && next == LOOP_GO_ON; i++)
            if (program->waits[i].revents)
                next = program->calls[i](program);
    }
}

/* ---- stages of the start: the table is below the functions ---- */

static int open_view(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    enum { SAVED = 32 }; /* screens saved while it runs, which must not move the others */
    struct screen_list *screens = &host->definitions->screens;
    mem_grow(&screens->screens, &screens->room, screens->count + SAVED, sizeof(*screens->screens));
    struct view_settings settings = options->view;
    bool turns = !options_given(options, "view");
    settings.filter = NULL; /* order_view() sets it */
    settings.terminal = !options->batch;
    if (turns && options_given(options, "level"))
        settings.kind = VIEW_CPUS;
    else if (turns && options->baseline)
        settings.kind = VIEW_COMMANDS;
    host->lookup = proc_lookup_new();
    if (!host->playback.replay)
        proc_lookup_open(host->lookup, !options->batch);
    host->view = view_new(&host->definitions->metric_set, screens, proc_lookup_view(host->lookup));
    view_annotate(host->view, &(struct annotated){.name = (char *)options->annotate});
    view_change(host->view, &settings);
    if (view_choose_screen(host->view, options->screen, turns, err) < 0 ||
        (!host->playback.replay && startup_ask(&host->setup, options, err) < 0))
        return EXIT_USAGE;
    if (options->batch || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return 0;
    err_set(err, "standard input and output are not a terminal: use -b (--batch) to write text");
    return EXIT_USAGE;
}

static void close_view(struct program *program)
{
    view_free(program->host.view);
    proc_lookup_free(program->host.lookup);
    playback_close(&program->host.playback);
    event_list_release(
        &program->host.setup.own); /* that were asked for before there were counters */
}

static int open_helpers(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    if (options->listens &&
        !(program->server = server_start(&options->listen, (uint64_t)(options->delay * 1e9),
                                         !options->no_sandbox, err)))
        return EXIT_RUNNING;
    if (alarm_start(&program->alarm, options, program->heritage, err) < 0)
        return EXIT_USAGE;
    if (options->debuginfod && !host->playback.replay &&
        !(host->fetch = debug_fetch_start(program->heritage->environment, err)))
        return EXIT_USAGE;
    if (options->baseline && !(host->baselines = baselines_read(host, err)))
        return EXIT_RUNNING;
    return 0;
}

static void close_helpers(struct program *program)
{
    view_drop_baseline(program->host.view); /* it may be one of these */
    baselines_free(program->host.baselines);
    debug_fetch_stop(program->host.fetch);
    server_stop(program->server);
    alarm_stop(&program->alarm);
}

static int open_command(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    const struct child_command command = {
        .words = options->command, .heritage = program->heritage, .apart = !options->batch};
    if (options->command) {
        if (!(program->child = child_start(&command, err)))
            return EXIT_RUNNING;
        struct watch watch = options->view.watch;
        watch.command = program->child->pid;
        view_watch(host->view, &watch);
    }
    return options->demo && !(host->demonstration = demonstration_start(host, err)) ? EXIT_USAGE
                                                                                    : 0;
}

static void close_command(struct program *program)
{
    demonstration_stop(program->host.demonstration);
    child_free(program->child);
}

/* Sort order and filter may name events. */
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

static int open_counters(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    program->signals = signals_open(err);
    if (program->signals < 0)
        return EXIT_RUNNING;
    host->setup.cgroups = wants_cgroups(program);
    int code = host->playback.replay
                   ? replay_setup(host, err)
                   : startup_make(&host->setup, options, view_settings(host->view),
                                  host->definitions, err);
    if (code)
        return code;
    program->delta = delta_new(&host->setup.session.watch);
    if (!options->batch || options_totals(options))
        host->totals = totals_new(options->command ? 0 : ENDED_MAX);
    view_set_events(host->view, host->setup.set);
    if (view_choose_screen(host->view, host->setup.screen->name, !options_given(options, "view"),
                           err) < 0 ||
        order_view(host, err) < 0 ||
        ((options->when || options->test_when) && alarm_open(&program->alarm, host, err) < 0))
        return EXIT_USAGE;
    if (!options->batch && host->definitions->faults.count)
        startup_trouble(&host->setup, host->definitions->faults.items[0]);
    return host->baselines && host_take_baseline(host, err) < 0 ? EXIT_RUNNING : 0;
}

static void close_counters(struct program *program)
{
    alarm_close(&program->alarm);
    cgroup_watch_release(&program->cgroups);
    totals_free(program->host.totals);
    delta_free(program->delta);
    startup_release(&program->host.setup);
    file_close(program->signals);
}

/* Counters for Prometheus have a view of their own: keys of the terminal do not change it. */
static struct exporter *make_exporter(const struct host *host)
{
    const struct options *options = host->options;
    struct view *view = view_new(&host->definitions->metric_set, &host->definitions->screens,
                                 proc_lookup_view(host->lookup));
    const struct view_settings *shown = view_settings(host->view);
    view_change(view, &(struct view_settings){.kind = shown->kind,
                                              .filter = options->view.filter,
                                              .watch = shown->watch});
    struct exporter *exporter = exporter_new(view, options->format_options.label_sets);
    exporter->lists_waits = options->waits_over > 0;
    return exporter;
}

static struct front *make_front(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    const struct format *format = options_format(options);
    struct out out = {.fd = -1};
    const struct tui_options look = {
        .bars = options->bars,
        .theme = options->theme,
        .keymap = &host->config->keymap,
        .ascii = options->view.ascii,
        .no_color = options->no_color,
        .ranks = options->command && !options_given(options, "view"),
        .mouse = !options->no_mouse,
        .metric_set = &host->definitions->metric_set,
        .session = &host->setup.session,
    };
    const struct batch_input input = {
        .view = host->view,
        .metric_set = look.metric_set,
        .exporter = program->exporter,
        .options = options->format_options,
    };
    if (!options->batch)
        return tui_new(host->view, host, &look, err);
    bool quiet = options->listens || options->when || options->test_when;
    if (quiet && !options_given(options, "format") && !options->output)
        format = NULL; /* by default only what was asked for is printed */
    if (format && out_open(&out, options->output, format->replaces, err) < 0)
        return NULL;
    if (format && format->binary && isatty(out.fd)) {
        err_set(err, "the format '%s' is no text for a terminal: add -o FILE", format->name);
        out_close(&out);
        return NULL;
    }
    return batch_new(format, &input, out);
}

static int open_front(struct program *program, struct err *err)
{
    const struct host *host = &program->host;
    const struct options *options = host->options;
    if (options->listens || (options->batch && options_format(options)->counters))
        program->exporter = make_exporter(host);
    if (!(program->front = make_front(program, err)))
        return EXIT_RUNNING;
    /* A terminal's screen would hide it. */
    if (program->server && options->batch)
        fprintf(stderr, "countertop: serving %s\n", server_url(program->server));
    if (options->batch && host->setup.absent)
        err_say(host->setup.absent);
    return 0;
}

static void close_front(struct program *program)
{
    if (program->front)
        program->front->ops->close(program->front);
    program->front = NULL;
    exporter_free(program->exporter);
    program->exporter = NULL;
}

/* Shows where one is at once: what follows takes a while. */
static int open_screen(struct program *program, struct err *err)
{
    struct front *front = program->front;
    return front->ops->start && front->ops->start(front, err) < 0 ? EXIT_RUNNING : 0;
}

static int open_recording(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    if (host->playback.replay)
        return 0;
    int result = recorder_open(&program->recorder, host->options, &host->definitions->machine,
                               proc_lookup_view(host->lookup), err);
    host->memory = program->recorder.memory;
    return result < 0 ? EXIT_RUNNING : 0;
}

static void close_recording(struct program *program)
{
    close_front(program); /* what follows takes a while */
    alarm_end(&program->alarm, &program->unrecorded);
    if (program->host.memory)
        playback_close(&program->host.playback); /* reads from there */
    recorder_close(&program->recorder, &program->unrecorded);
}

static int open_counting(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    const struct options *options = host->options;
    if (host->playback.replay)
        return 0;
    /* The command runs outside of it, all threads inside. */
    if (!options->no_sandbox)
        log_line("sandbox: %s", sandbox_enter(SANDBOX_COUNT) ? "entered" : "not possible");
    host->setup.source->all = view_needs_idle(view_settings(host->view));
    host->sampler = startup_count(&host->setup, options, err);
    return !host->sampler || profiling_begin(host, err) < 0 ? EXIT_RUNNING : 0;
}

static void close_counting(struct program *program)
{
    host_stop_sampling(&program->host);
    sampler_stop(program->host.sampler);
    host_forget_events(&program->host);
    host_forget_wakers(&program->host);
}

static const struct stage stages[] = {
    {"view", open_view, close_view},
    /* Processes start before counters and files are opened, and before there are threads. */
    {"helpers", open_helpers, close_helpers},
    {"command", open_command, close_command},
    {"counters", open_counters, close_counters},
    {"front", open_front, close_front},
    {"screen", open_screen, close_front},
    {"counting", open_counting, close_counting},
    /* If it comes to this the command line is right: a recording may be begun, or replaced. It is
     * opened while the first interval is counted. */
    {"recording", open_recording, close_recording},
    {0},
};

/* ---- the run ---- */

static struct pollfd *wait_for(struct program *program, int fd,
                               enum loop_next (*call)(struct program *program))
{
    program->calls[program->wait_count] = call;
    program->waits[program->wait_count] = (struct pollfd){.fd = fd, .events = POLLIN};
    return &program->waits[program->wait_count++];
}

static int run(struct program *program, struct err *err)
{
    struct host *host = &program->host;
    /* Calls are made in this order: a request is answered before a signal ends the program. */
    bool replay = host->playback.replay;
    if (program->server) {
        program->requests = wait_for(program, server_fd(program->server), take_request);
        server_renew(program->server);
    }
    if (program->child)
        program->output = wait_for(program, program->child->output, take_output);
    wait_for(program, program->signals, take_signals);
    if (program->front->ops->input)
        program->input = wait_for(program, STDIN_FILENO, take_input);
    program->screen = wait_for(program, -1, flush_front);
    program->screen->events = POLLOUT;
    program->snapshots =
        wait_for(program, replay ? host->playback.timer : sampler_fd(host->sampler),
                 replay ? take_interval : take_snapshot);
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

int program_run(const struct options *options, const struct config *config,
                struct definitions *definitions, struct reader *recording,
                const struct child_heritage *heritage, struct err *err)
{
    struct program program = {
        .host = {.options = options,
                 .config = config,
                 .definitions = definitions,
                 .mode = options->mode,
                 .screen = options->screen,
                 .style = {options->stacks, options->by_wall},
                 .playback = {.reader = recording, .replay = recording != NULL, .timer = -1}},
        .heritage = heritage,
        .signals = -1};
    program.alarm.kept = &program.recorder;
    program.host.alarm = &program.alarm;
    int code = stages_run(stages, run, &program, err);
    if (!*program.unrecorded.text || *err->text)
        return code;
    *err = program.unrecorded;
    return EXIT_RUNNING;
}
