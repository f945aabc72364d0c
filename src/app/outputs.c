#include "app/outputs.h"
#include "base/mem.h"
#include "front/csv.h"
#include "front/json.h"
#include "front/listen.h"
#include "front/openmetrics.h"
#include "front/text.h"
#include "front/tui/tui.h"

#include <stdlib.h>

/* Batch mode that serves and writes nothing. */

static int keep_quiet(struct front *front, const struct session *session, struct frame *frame,
                      struct err *err)
{
    (void)front, (void)session, (void)err;
    frame_free(frame);
    return 0;
}

static void close_quiet(struct front *front)
{
    free(front);
}

static struct front *quiet_new(void)
{
    static const struct front_ops ops = {.present = keep_quiet, .close = close_quiet};
    struct front *front = mem_alloc(sizeof(*front));
    front->ops = &ops;
    return front;
}

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
    return exporter_new(view, lookup, options->label_sets);
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

void outputs_serve(void *ctx)
{
    listener_run(((struct program *)ctx)->listener);
}

/* Fronts. */

static struct front *make_batch(struct program *program, struct out out)
{
    const struct options *options = &program->options;
    const struct metric_set *metric_set = &program->definitions.metric_set;
    const struct view_lookup *lookup = proc_lookup_view(program->lookup);
    switch (options->format) {
    case FORMAT_CSV:
        return csv_new(program->view, metric_set, lookup, options->csv_safe, out);
    case FORMAT_JSON:
        return json_new(program->view, metric_set, lookup, out);
    case FORMAT_OPENMETRICS:
        return openmetrics_new(program->metrics, out);
    case FORMAT_TEXT:
        break;
    }
    return text_new(program->view, out,
                    &(struct text_options){.run = options_single(options),
                                           .rows = options->rows,
                                           .epoch = options->epoch,
                                           .timestamp = options->timestamp});
}

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
    bool counters = options->batch && options->format == FORMAT_OPENMETRICS;
    struct out out;
    if (options->listens || counters)
        program->metrics = make_metrics(program);
    if (options->listens &&
        !(program->listener = listener_new(&options->listen, program->metrics, err)))
        return -1;
    if (!options->batch) {
        program->front = make_terminal(program);
    } else if (is_quiet(options)) {
        program->front = quiet_new();
    } else {
        if (out_open(&out, options->output, counters, err) < 0)
            return -1;
        program->front = make_batch(program, out);
    }
    return program->front->ops->start ? program->front->ops->start(program->front, err) : 0;
}

void outputs_close(struct program *program)
{
    if (program->front)
        program->front->ops->close(program->front);
    listener_free(program->listener);
    exporter_free(program->metrics);
}
