#include "app/outputs.h"
#include "base/mem.h"
#include "front/tui/tui.h"

void outputs_count(struct outputs *outputs, const struct session *session,
                   const struct frame *frame)
{
    if (outputs->exporter)
        exporter_take(outputs->exporter, session, frame);
    if (outputs->server)
        server_renew(outputs->server);
}

int outputs_open(struct outputs *outputs, struct host *host, struct err *err)
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

void outputs_close(struct outputs *outputs)
{
    if (outputs->front)
        outputs->front->ops->close(outputs->front);
    server_stop(outputs->server);
    exporter_free(outputs->exporter);
}
