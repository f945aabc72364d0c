#include "app/outputs.h"
#include "base/mem.h"
#include "front/listen.h"
#include "front/tui/tui.h"

/* Counters. */

/* They have a view of their own: what they tell of stays the same while the terminal shows this and
 * that. */
static struct exporter *make_metrics(struct program *program)
{
    const struct options *options = &program->options;
    const struct view_lookup *lookup = proc_lookup_view(program->lookup);
    struct view *view =
        view_new(&program->definitions.metric_set, &program->definitions.screens, lookup);
    struct view_settings *settings = view_settings(view);
    settings->kind = options->view.kind;
    settings->filter = mem_strdup(options->view.filter);
    watch_release(&settings->watch);
    watch_copy(&settings->watch, &view_settings(program->view)->watch);
    return exporter_new(view, lookup, options->format_options.label_sets);
}

bool outputs_counts(const struct program *program)
{
    return program->metrics != NULL;
}

void outputs_count(struct program *program, const struct frame *frame)
{
    if (!program->metrics)
        return;
    exporter_take(program->metrics, &program->setup.session, frame);
    if (program->listener)
        listener_renew(program->listener);
}

int outputs_fd(const struct program *program)
{
    return program->listener ? listener_fd(program->listener) : -1;
}

enum loop_next outputs_serve(void *ctx)
{
    listener_run(((struct program *)ctx)->listener);
    return LOOP_GO_ON;
}

/* Fronts. */

static struct front *make_terminal(struct program *program)
{
    const struct options *options = &program->options;
    return tui_new(program->view, &program->host,
                   &(struct tui_options){.bars = options->bars,
                                         .theme = options->theme,
                                         .keymap = &program->config.keymap,
                                         .ascii = options->view.ascii,
                                         .no_color = options->no_color,
                                         .mouse = !options->no_mouse,
                                         .metric_set = &program->definitions.metric_set,
                                         .session = &program->setup.session});
}

/* The server alone needs no text beside it, unless one asks for it. */
static bool is_quiet(const struct options *options)
{
    return options->listens && !options_given(options, "format") && !options->output;
}

int outputs_open(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    const struct format *format = options_format(options);
    struct out out = {.fd = -1};
    if (options->listens || (options->batch && format->counters))
        program->metrics = make_metrics(program);
    if (options->listens &&
        !(program->listener = listener_new(&options->listen, program->metrics, err)))
        return -1;
    if (options->batch && !is_quiet(options) &&
        out_open(&out, options->output, format->replaces, err) < 0)
        return -1;
    const struct batch_input input = {
        .view = program->view,
        .metric_set = &program->definitions.metric_set,
        .lookup = proc_lookup_view(program->lookup),
        .exporter = program->metrics,
        .options = options->format_options,
    };
    program->front = options->batch ? batch_new(is_quiet(options) ? NULL : format, &input, out)
                                    : make_terminal(program);
    return program->front->ops->start ? program->front->ops->start(program->front, err) : 0;
}

void outputs_close(struct program *program)
{
    if (program->front)
        program->front->ops->close(program->front);
    listener_free(program->listener);
    exporter_free(program->metrics);
}
