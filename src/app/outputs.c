#include "app/outputs.h"
#include "base/mem.h"
#include "front/tui/tui.h"

/* Counters use a view of their own: keys of the terminal do not change it. */
static struct exporter *make_exporter(const struct host *host)
{
    const struct options *options = host->options;
    const struct view_lookup *lookup = proc_lookup_view(host->lookup);
    struct view *view =
        view_new(&host->definitions->metric_set, &host->definitions->screens, lookup);
    struct view_settings *settings = view_settings(view);
    settings->kind = options->view.kind;
    settings->filter = mem_strdup(options->view.filter);
    watch_release(&settings->watch);
    watch_copy(&settings->watch, &view_settings(host->view)->watch);
    return exporter_new(view, lookup, options->format_options.label_sets);
}

void outputs_count(struct outputs *outputs, const struct session *session,
                   const struct frame *frame)
{
    if (outputs->exporter)
        exporter_take(outputs->exporter, session, frame);
    if (outputs->listener)
        listener_renew(outputs->listener);
}

static struct front *make_terminal(struct host *host)
{
    const struct options *options = host->options;
    return tui_new(host->view, host,
                   &(struct tui_options){.bars = options->bars,
                                         .theme = options->theme,
                                         .keymap = &host->config->keymap,
                                         .ascii = options->view.ascii,
                                         .no_color = options->no_color,
                                         .mouse = !options->no_mouse,
                                         .metric_set = &host->definitions->metric_set,
                                         .session = &host->setup.session});
}

/* The server prints no text by default. */
static bool is_quiet(const struct options *options)
{
    return options->listens && !options_given(options, "format") && !options->output;
}

int outputs_open(struct outputs *outputs, struct host *host, struct err *err)
{
    const struct options *options = host->options;
    const struct format *format = options_format(options);
    struct out out = {.fd = -1};
    if (options->listens || (options->batch && format->counters))
        outputs->exporter = make_exporter(host);
    if (options->listens &&
        !(outputs->listener = listener_new(&options->listen, outputs->exporter, err)))
        return -1;
    if (is_quiet(options))
        format = NULL;
    if (options->batch && format && out_open(&out, options->output, format->replaces, err) < 0)
        return -1;
    const struct batch_input input = {
        .view = host->view,
        .metric_set = &host->definitions->metric_set,
        .lookup = proc_lookup_view(host->lookup),
        .exporter = outputs->exporter,
        .options = options->format_options,
    };
    outputs->front = options->batch ? batch_new(format, &input, out) : make_terminal(host);
    const struct front_ops *ops = outputs->front->ops;
    return ops->start ? ops->start(outputs->front, err) : 0;
}

void outputs_close(struct outputs *outputs)
{
    if (outputs->front)
        outputs->front->ops->close(outputs->front);
    listener_free(outputs->listener);
    exporter_free(outputs->exporter);
}
