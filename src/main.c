/* Wires source -> model -> view -> front; the only place that prints messages and exits. */
#include "base/embed.h"
#include "base/mem.h"
#include "base/str.h"
#include "counter.h"
#include "event/name.h"
#include "front/json.h"
#include "front/text.h"
#include "front/tui/theme.h"
#include "front/tui/tui.h"
#include "lookup.h"
#include "loop.h"
#include "model/delta.h"
#include "options.h"
#include "setup.h"
#include "view/fact.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    struct options options;
    struct catalog catalog;
    struct screen_list screens;
    struct lookup *lookup;
    struct view *view;
    struct setup setup;
    struct counter *counter;
    struct delta *delta;
    struct front_host host;
    struct front *front;
    unsigned long long shown; /* refreshes */
    struct err failure;       /* why it ended, "" when nothing failed */
};

/* What front ends ask for. */

/* The names in `list` from number `from` on that cannot be counted: -1 with the first reason. */
static int check_new(struct program *program, const struct event_list *list, size_t from,
                     struct err *err)
{
    struct event_set *set = counter_check(program->counter, list);
    int result = 0;
    for (size_t e = from; e < set->count && result == 0; e++)
        if (set->events[e].state != EVENT_COUNTED)
            result =
                err_set(err, "cannot count '%s': %s", set->events[e].name, set->events[e].reason);
    event_set_drop(set);
    return result;
}

static int add_event(void *ctx, const char *text, struct err *err)
{
    struct program *program = ctx;
    struct event_list *events = &program->setup.events, next;
    event_list_copy(&next, events);
    int result = event_parse(&next, text, program->options.mode, err);
    if (result == 0 && next.count == events->count)
        result = err_set(err, "'%.100s' is counted already", text);
    if (result == 0)
        result = check_new(program, &next, events->count, err);
    if (result == 0)
        result = counter_set_events(program->counter, &next, err);
    if (result < 0) {
        event_list_release(&next);
        return -1;
    }
    event_list_release(events);
    *events = next;
    return 0;
}

/* What is named adds to what is watched; of that, some may have ended since. */
static int extend_watch(struct watch *watch, const char *list, struct err *err)
{
    struct watch added;
    watch_init(&added);
    int result = watch_add_processes(&added, list, err);
    if (result == 0)
        result = setup_check_watch(&added, err);
    watch_release(&added);
    return result == 0 ? watch_add_processes(watch, list, err) : -1;
}

static int attach(void *ctx, const char *list, struct err *err)
{
    struct program *program = ctx;
    struct watch *shown = &view_settings(program->view)->watch, next;
    int result = 0;
    watch_init(&next);
    if (*list) {
        watch_copy(&next, &program->setup.session.watch);
        result = extend_watch(&next, list, err);
    }
    if (result == 0)
        result = counter_set_watch(program->counter, &next, err);
    if (result == 0) {
        watch_release(&program->setup.session.watch);
        watch_copy(&program->setup.session.watch, &next);
        watch_release(shown);
        watch_copy(shown, &next);
    }
    watch_release(&next);
    return result;
}

static int set_delay(void *ctx, double seconds, struct err *err)
{
    struct program *program = ctx;
    if (!(seconds >= DELAY_LEAST && seconds <= DELAY_MOST))
        return err_set(err, "no delay: expected seconds from %g to %g", DELAY_LEAST,
                       (double)DELAY_MOST);
    program->setup.session.delay = seconds;
    counter_set_delay(program->counter, (uint64_t)(seconds * 1e9));
    return 0;
}

static void set_idle(void *ctx, bool idle)
{
    counter_set_idle(((struct program *)ctx)->counter, idle);
}

static void set_threads(void *ctx, bool threads)
{
    counter_set_threads(((struct program *)ctx)->counter, threads);
}

static void refresh(void *ctx)
{
    counter_refresh(((struct program *)ctx)->counter);
}

/* What the loop brings. */

static enum loop_next take_snapshot(void *ctx)
{
    struct program *program = ctx;
    struct snapshot *snapshot = counter_take(program->counter);
    if (!snapshot)
        return LOOP_GO_ON;
    struct frame *frame = delta_advance(program->delta, snapshot);
    setup_note(&program->setup, snapshot->events);
    snapshot_free(snapshot);
    program->shown++;
    int result = program->front->ops->present(program->front, &program->setup.session, frame,
                                              &program->failure);
    bool last = program->options.iterations && program->shown >= program->options.iterations;
    return result != 0 || last ? LOOP_END : LOOP_GO_ON;
}

static enum loop_next take_input(void *ctx)
{
    struct program *program = ctx;
    return program->front->ops->input(program->front) == FRONT_QUIT ? LOOP_END : LOOP_GO_ON;
}

static void take_resize(void *ctx)
{
    struct program *program = ctx;
    if (program->front->ops->resize)
        program->front->ops->resize(program->front);
}

static void take_suspend(void *ctx)
{
    struct program *program = ctx;
    if (program->front->ops->suspend)
        program->front->ops->suspend(program->front);
}

static void take_resume(void *ctx)
{
    struct program *program = ctx;
    if (program->front->ops->resume)
        program->front->ops->resume(program->front);
}

/* Start and end. */

static int load_embedded(struct program *program, struct err *err)
{
    for (const struct embedded_file *file = embedded_files; file->name; file++) {
        size_t length = strlen(file->name);
        if (length < 4 || strcmp(file->name + length - 4, ".ini") != 0)
            continue;
        if (catalog_load(&program->catalog, file->text, file->name, err) < 0 ||
            screen_list_load(&program->screens, file->text, file->name, err) < 0)
            return -1;
    }
    return 0;
}

static void make_view(struct program *program)
{
    const struct options *options = &program->options;
    program->lookup = lookup_new();
    program->view = view_new(&program->catalog, &program->screens, lookup_view(program->lookup));
    struct view_settings *settings = view_settings(program->view);
    settings->kind = options->view;
    settings->threads = options->threads;
    settings->idle = options->idle;
    settings->cmdline = options->cmdline;
    settings->ascii = options->ascii;
    settings->filter = mem_strdup(options->filter);
    watch_copy(&settings->watch, &options->watch);
    view_apply(program->view);
}

static int sort_view(struct program *program, struct err *err)
{
    const char *column = program->options.sort;
    if (!column)
        return 0;
    bool ascending = *column == '-';
    if (view_sort_by(program->view, column + ascending, false, err) < 0)
        return -1;
    if (ascending && !view_sort_ascending(program->view))
        view_sort_invert(program->view);
    return 0;
}

static int make_front(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    struct out out;
    if (options->batch && out_open(&out, options->output, err) < 0)
        return -1;
    program->host = (struct front_host){program,  add_event,   attach, set_delay,
                                       set_idle, set_threads, refresh};
    if (options->batch && options->format == FORMAT_JSON)
        program->front =
            json_new(program->view, &program->catalog, lookup_view(program->lookup), out);
    else if (options->batch)
        program->front = text_new(program->view, out);
    else
        program->front = tui_new(program->view, &program->host,
                                 &(struct tui_options){.theme = options->theme,
                                                       .ascii = options->ascii,
                                                       .no_color = options->no_color,
                                                       .catalog = &program->catalog,
                                                       .session = &program->setup.session});
    return program->front->ops->start ? program->front->ops->start(program->front, err) : 0;
}

static int check_terminal(const struct options *options, struct err *err)
{
    if (options->batch || (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
        return 0;
    return err_set(err,
                   "standard input and output are no terminal: use -b (--batch) to write text");
}

static int run(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    int signals = -1, code;
    make_view(program);
    if (view_choose_screen(program->view, options->screen, err) < 0 ||
        (options->theme && theme_check(options->theme, err) < 0) ||
        check_terminal(options, err) < 0)
        return EXIT_USAGE;
    if ((signals = loop_signals(err)) < 0)
        return EXIT_RUNNING;
    if ((code = setup_make(&program->setup, options, &program->screens, err)))
        return code;
    struct setup *setup = &program->setup;
    view_set_events(program->view, setup->set);
    if (view_choose_screen(program->view, setup->screen->name, err) < 0 ||
        sort_view(program, err) < 0)
        return EXIT_USAGE;
    program->delta = delta_new();
    if (make_front(program, err) < 0)
        return EXIT_RUNNING;
    struct source *source = setup->source;
    setup->source = NULL;
    program->counter = counter_start(source, (uint64_t)(options->delay * 1e9), err);
    if (!program->counter)
        return EXIT_RUNNING;
    loop_run(signals, &(struct loop_handlers){
                          .ctx = program,
                          .snapshot_fd = counter_fd(program->counter),
                          .snapshot = take_snapshot,
                          .reads_input = program->front->ops->input != NULL,
                          .input = take_input,
                          .resize = take_resize,
                          .suspend = take_suspend,
                          .resume = take_resume,
                      });
    close(signals);
    *err = program->failure;
    return *err->text ? EXIT_RUNNING : 0;
}

static void list_screens(const struct program *program)
{
    for (size_t s = 0; s < program->screens.count; s++) {
        const struct screen *screen = &program->screens.screens[s];
        printf("%-12s %s\n%-12s %s\n", screen->name, screen->description ? screen->description : "",
               "", screen->events ? screen->events : "");
    }
}

static void list_columns(const struct program *program)
{
    const struct fact *fact;
    for (size_t i = 0; (fact = fact_at(i)); i++)
        printf("%-20s %-10s %s\n", fact->shown.name, fact->shown.title, fact->shown.help);
    for (size_t m = 0; m < program->catalog.count; m++) {
        const struct metric *metric = &program->catalog.metrics[m];
        printf("%-20s %-10s %s: %s\n", metric->name, metric->title, metric->help, metric->text);
    }
}

static void list_themes(void)
{
    char name[64];
    struct theme theme;
    for (size_t i = 0; theme_name(i, name, sizeof(name)); i++)
        if (theme_load(&theme, name, NULL) == 0)
            printf("%-16s %s\n", name, theme.description);
}

static int act(struct program *program, struct err *err)
{
    switch (program->options.action) {
    case ACTION_HELP:
        options_help(stdout);
        break;
    case ACTION_VERSION:
        printf("countertop %s\n", COUNTERTOP_VERSION);
        break;
    case ACTION_SCREENS:
        list_screens(program);
        break;
    case ACTION_COLUMNS:
        list_columns(program);
        break;
    case ACTION_THEMES:
        list_themes();
        break;
    case ACTION_RUN:
        return run(program, err);
    }
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    err_set(err, "cannot write standard output: %s", strerror(errno));
    return EXIT_RUNNING;
}

static void release(struct program *program)
{
    /* The terminal first: closing thousands of descriptors takes a while. */
    if (program->front)
        program->front->ops->close(program->front);
    counter_stop(program->counter);
    view_free(program->view);
    lookup_free(program->lookup);
    delta_free(program->delta);
    setup_release(&program->setup);
    screen_list_release(&program->screens);
    catalog_release(&program->catalog);
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
    /* Snapshots are made by one thread and freed by the other: with a heap for each, both grow. */
    mallopt(M_ARENA_MAX, 1);
    /* Characters are the user's; numbers are written the same everywhere. */
    setlocale(LC_CTYPE, "");
    catalog_init(&program.catalog);
    screen_list_init(&program.screens);
    if (options_parse(&program.options, argc, argv, &err) == 0)
        code = load_embedded(&program, &err) < 0 ? EXIT_RUNNING : act(&program, &err);
    release(&program);
    if (code)
        fprintf(stderr, "countertop: %s\n", err.text);
    return code;
}
