#include "app/program.h"
#include "app/startup.h"
#include "base/signals.h"
#include "model/function_runs.h"
#include "model/totals.h"
#include "view/format.h"

#include <sys/signalfd.h>

enum { RUNS_DEFAULT = 10 };

struct experiment {
    const struct options *options;
    const struct definitions *definitions;
    const struct child_heritage *heritage;
    size_t count;
    char *const **words; /* of each command */
    struct comparison *comparison;
    struct compared_rows rows;
    struct function_runs functions; /* its comparison NULL: not of functions */
    struct startup setup;
    struct sampler *sampler;
    int signals;
    bool shows;                       /* progress on standard error */
    uint64_t began;                   /* monotonic, ns: the first measured run */
    unsigned long long round, rounds; /* of those before the first measured one, too; of all */
};

/* ---- one run ---- */

/* What a run has given. */
struct measured {
    struct frame *frame; /* of the whole run */
    double elapsed, user, kernel;
    int status; /* the command's, or 128 + N if signal N ended the program */
    bool asked; /* ... a signal to this program */
};

static struct child *experiment_fork(struct experiment *experiment, size_t command, struct err *err)
{
    const struct options *options = experiment->options;
    return child_start(&(struct child_command){.words = experiment->words[command],
                                               .heritage = experiment->heritage,
                                               .no_input = true,
                                               .no_output = !options->output},
                       err);
}

/* Passes signals to the command as the program does for a single run: the first one ends the
 * experiment with the command's end. True: end at once. */
static bool take_signal_of(struct experiment *experiment, struct child *child,
                           struct measured *measured, uint64_t *ending)
{
    struct signalfd_siginfo info;
    while (read(experiment->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        int number = (int)info.ssi_signo;
        bool by_terminal = info.ssi_code == SI_KERNEL;
        if (number == SIGCHLD && !*ending && child_ended(child)) {
            *ending = clock_monotonic();
            sampler_refresh(experiment->sampler);
        } else if (number == SIGTSTP) {
            if (!by_terminal)
                child_signal(child, SIGTSTP);
            signals_stop();
            child_signal(child, SIGCONT);
        } else if (number == SIGCONT) {
            child_signal(child, SIGCONT);
        } else if (number != SIGCHLD && number != SIGWINCH) {
            bool again = measured->asked;
            measured->asked = true;
            measured->status = 128 + number;
            if (again)
                return true;
            if (!by_terminal)
                child_signal(child, number);
        }
    }
    return false;
}

/* Lets the command run to its end. -1: it cannot be executed, with a message. */
static int measure(struct experiment *experiment, struct child *child, struct totals *totals,
                   struct measured *measured, struct err *err)
{
    struct snapshot *snapshot = sampler_look(experiment->sampler);
    uint64_t before = snapshot->time, ending = 0;
    bool done = false;
    totals_begin(totals, snapshot);
    if (child_go(child, err) < 0) { /* ^C may have ended it before it began */
        take_signal_of(experiment, child, measured, &ending);
        measured->status = measured->asked ? measured->status : child_status(child);
        return measured->asked ? 0 : -1;
    }
    while (!done) {
        struct pollfd fds[] = {{.fd = experiment->signals, .events = POLLIN},
                               {.fd = sampler_fd(experiment->sampler), .events = POLLIN}};
        if (poll(fds, 2, -1) < 0)
            continue;
        if (fds[0].revents && take_signal_of(experiment, child, measured, &ending))
            return 0;
        snapshot = fds[1].revents ? sampler_take(experiment->sampler) : NULL;
        if (snapshot && snapshot->time > before) { /* else it was made for the run before */
            startup_note(&experiment->setup, snapshot->events, snapshot->note);
            totals_take(totals, snapshot, &experiment->setup.session.watch);
            done = ending && snapshot->time >= ending;
        }
        snapshot_free(snapshot);
    }
    measured->frame = totals_frame(totals);
    measured->elapsed = child_seconds(child);
    child_cpu_times(child, &measured->user, &measured->kernel);
    if (!measured->asked)
        measured->status = child_status(child);
    return 0;
}

/* From now on the code of what is watched is sampled. */
static int sample_code(struct experiment *experiment, struct err *err)
{
    struct startup *setup = &experiment->setup;
    struct sampling sampling;
    if (!experiment->functions.comparison)
        return 0;
    if (sampling_make(&sampling, setup, NULL, setup->session.mode, err) < 0)
        return -1;
    sampling.style.stacks = experiment->functions.stacks ? STACKS_FP : STACKS_NONE;
    watch_copy(&sampling.watch, &setup->session.watch);
    int result = sampler_set_sampling(experiment->sampler, &sampling, err);
    sampling_release(&sampling);
    return result;
}

static int run_once(struct experiment *experiment, size_t command, struct measured *measured,
                    struct err *err)
{
    struct watch *watch = &experiment->setup.session.watch;
    struct child *child = experiment_fork(experiment, command, err);
    *measured = (struct measured){.status = EXIT_RUNNING};
    if (!child)
        return -1;
    watch->command = child->pid;
    struct totals *totals = totals_new(0);
    int result = sampler_set_watch(experiment->sampler, watch, err)
                     ?: sample_code(experiment, err)
                     ?: measure(experiment, child, totals, measured, err);
    totals_free(totals);
    child_free(child);
    return result;
}

/* ---- what it has given ---- */

/* Whether a task is of the command. One without a row has its counts in the command's, unless
 * others are sampled, too. */
static bool is_of_command(void *ctx, pid_t pid, pid_t tid UNUSED)
{
    const struct frame *frame = ctx;
    const struct row *row = frame_row(frame, pid, 0);
    return row ? row->command : !frame->profile->whole;
}

/* Adds the functions of a run, when all have their names. */
static void record_functions(struct experiment *experiment, size_t command, struct frame *frame)
{
    enum { STEPS_MAX = 1000 }; /* a table that is too large for the book is read in parts */
    struct function_runs *functions = &experiment->functions;
    code_book_finish(frame->profile->book);
    for (int i = 0;
         i < STEPS_MAX && !function_runs_add(functions, command, frame, is_of_command, frame); i++)
        code_book_await(frame->profile->book);
    for (int i = 0;
         functions->stacks && i < STEPS_MAX &&
         !function_runs_stacks(functions, command, frame, "command", is_of_command, frame);
         i++)
        code_book_await(frame->profile->book);
}

/* Adds times, and what the sum of all processes of the command has. */
static void experiment_record(struct experiment *experiment, size_t command,
                              const struct measured *measured)
{
    struct comparison *comparison = experiment->comparison;
    struct frame *frame = measured->frame;
    comparison_set(comparison, 0, command, "elapsed", COMPARE_SECONDS, "s", measured->elapsed, 1);
    if (!experiment->functions.comparison) {
        struct row sum = row_sum_new(frame->events);
        for (size_t p = 0; p < frame->process_count; p++)
            if (frame->processes[p].command)
                row_sum_add(&sum, &frame->processes[p], frame);
        row_sum_complete(&sum, frame);
        sum.interval = measured->elapsed;
        comparison_set(comparison, 0, command, "user", COMPARE_SECONDS, "s", measured->user, 1);
        comparison_set(comparison, 0, command, "kernel", COMPARE_SECONDS, "s", measured->kernel, 1);
        compared_rows_set(&experiment->rows, comparison, 0, command, frame, &sum);
        row_sum_release(&sum);
    } else if (frame->profile) {
        record_functions(experiment, command, frame);
    }
    comparison_end_run(comparison, command);
}

/* ---- all runs ---- */

static void show_progress(const struct experiment *experiment, size_t command)
{
    char name[48], left[48] = "";
    unsigned long long warmups = experiment->options->warmup, at = experiment->round;
    if (!experiment->shows)
        return;
    text_clean(name, sizeof(name), experiment->comparison->sides[command].text,
               experiment->options->view.ascii);
    uint64_t spent = clock_monotonic() - experiment->began;
    if (at > warmups && experiment->rounds)
        snprintf(left, sizeof(left), ", about %.0f s left",
                 (double)spent / 1e9 / (double)(at - warmups) * (double)(experiment->rounds - at));
    fprintf(stderr, "\r\033[Krun %llu", at + 1 - (at < warmups ? 0 : warmups));
    if (at < warmups)
        fprintf(stderr, " of %llu to warm up", warmups);
    else if (experiment->rounds)
        fprintf(stderr, " of %llu", experiment->rounds - warmups);
    fprintf(stderr, ": %s%s", name, left);
    fflush(stderr);
}

/* Runs a command in this round. 0; -1: the experiment ends, *code is the exit code. */
static int take_turn(struct experiment *experiment, size_t command, int *code, struct err *err)
{
    const struct options *options = experiment->options;
    const char *text = experiment->comparison->sides[command].text;
    struct measured measured;
    show_progress(experiment, command);
    int result = run_once(experiment, command, &measured, err);
    *code = measured.status;
    if (result == 0 && measured.asked) {
        err_set(err, "interrupted in run %llu: nothing is compared", experiment->round + 1);
        result = -1;
    } else if (result == 0 && measured.status != 0 && !options->ignore_failure) {
        err_set(err, "'%.200s' ended with status %d in run %llu: --ignore-failure goes on", text,
                measured.status, experiment->round + 1);
        result = -1;
    }
    if (result == 0 && experiment->round >= options->warmup)
        experiment_record(experiment, command, &measured);
    frame_free(measured.frame);
    return result;
}

static bool experiment_over(const struct experiment *experiment)
{
    const struct options *options = experiment->options;
    double spent = (double)(clock_monotonic() - experiment->began) / 1e9;
    unsigned long long measured = experiment->round - options->warmup;
    if (experiment->round <= options->warmup)
        return false;
    if (experiment->rounds && experiment->round >= experiment->rounds)
        return true;
    return options->time > 0 && measured > 1 && spent >= options->time * (double)experiment->count;
}

/* Each round has each command once, every other round in the reverse order: what changes steadily
 * with time, like a processor that gets warm, then changes all commands alike. */
static int run_rounds(struct experiment *experiment, struct err *err)
{
    size_t count = experiment->count;
    int code = 0;
    for (; !experiment_over(experiment); experiment->round++) {
        if (experiment->round == experiment->options->warmup)
            experiment->began = clock_monotonic();
        for (size_t i = 0; i < count; i++)
            if (take_turn(experiment, experiment->round % 2 ? count - 1 - i : i, &code, err) < 0)
                return code;
    }
    return 0;
}

/* ---- start and end ---- */

static void experiment_name(struct experiment *experiment)
{
    const struct options *options = experiment->options;
    experiment->words = mem_array(experiment->count, sizeof(*experiment->words));
    if (options->compare) {
        for (size_t c = 0; c < experiment->count; c++)
            experiment->words[c] =
                words_of(options->compared[c], experiment->heritage->environment);
        experiment->comparison =
            comparison_new((const char *const *)options->compared, experiment->count, false);
        return;
    }
    AUTO_FREE char *text = options_command_text(options);
    *experiment->words = options->command;
    experiment->comparison = comparison_new((const char *const[]){text}, 1, false);
}

/* Decides how to count with a child that is there, and is never executed. */
static int experiment_start(struct experiment *experiment, struct err *err)
{
    const struct options *options = experiment->options;
    struct view_settings settings = options->view;
    struct child *child = experiment_fork(experiment, 0, err);
    if (!child)
        return EXIT_RUNNING;
    settings.watch.command = child->pid;
    int code =
        startup_ask(&experiment->setup, options, err) < 0
            ? EXIT_USAGE
            : startup_make(&experiment->setup, options, &settings, experiment->definitions, err);
    if (code == 0 && !(experiment->sampler = startup_count(&experiment->setup, options, err)))
        code = EXIT_RUNNING;
    child_free(child);
    return code;
}

int experiment_run(const struct options *options, const struct definitions *definitions,
                   const struct child_heritage *heritage, struct err *err)
{
    struct experiment experiment = {.options = options,
                                    .definitions = definitions,
                                    .heritage = heritage,
                                    .count = options->compare ? options->compared_count : 1,
                                    .rows.metrics = &definitions->metric_set,
                                    .shows = isatty(STDERR_FILENO)};
    unsigned long long runs = options->repeat;
    struct out out = {.fd = -1};
    if (!runs && !(options->time > 0))
        runs = RUNS_DEFAULT;
    experiment.rounds = runs ? options->warmup + runs : 0;
    experiment_name(&experiment);
    experiment.comparison->warmups = (size_t)options->warmup;
    struct stack_tree stacks = {.outermost = true, .matches = true};
    if (options_compare_functions(options)) {
        experiment.comparison->functions = true;
        experiment.functions.comparison = experiment.comparison;
        experiment.functions.stacks = options_format(options)->stacks ? &stacks : NULL;
    }
    int code = EXIT_RUNNING;
    experiment.signals = signals_open(err);
    if (experiment.signals >= 0)
        code = experiment_start(&experiment, err);
    if (code == 0 && out_open(&out, options->output, false, err) < 0)
        code = EXIT_RUNNING;
    if (code == 0) {
        code = run_rounds(&experiment, err);
        if (experiment.shows)
            fputs("\r\033[K", stderr);
    }
    sampler_stop(experiment.sampler);
    if (code == 0 && experiment.functions.comparison)
        function_runs_match(&experiment.functions);
    if (code == 0)
        code = compared_write(experiment.comparison,
                              (struct compare_input){.sessions = &experiment.setup.session,
                                                     .events = experiment.setup.set,
                                                     .stacks = &stacks},
                              options, &out, err);
    out_close(&out);
    comparison_free(experiment.comparison);
    compared_rows_release(&experiment.rows);
    function_runs_release(&experiment.functions);
    stack_tree_release(&stacks);
    for (size_t c = 0; options->compare && c < experiment.count; c++)
        words_free((char **)experiment.words[c]);
    free(experiment.words);
    startup_release(&experiment.setup);
    file_close(experiment.signals);
    return code;
}
