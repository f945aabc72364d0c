#include "app/replay.h"
#include "app/outputs.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/name.h"
#include "metric/alias.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* ---- opening ---- */

/* What only makes sense where something is counted. */
static int check_options(const struct options *options, struct err *err)
{
    static const char *const counting[] = {"record", "engine", "mode", "cpu", "cgroup", "listen"};
    for (size_t i = 0; i < sizeof(counting) / sizeof(*counting); i++)
        if (options_given(options, counting[i]))
            return err_set(err, "--%s goes without --replay: a recording is what it is",
                           counting[i]);
    if (options->command)
        return err_set(err, "no command can be started with --replay: nothing is counted");
    return 0;
}

/* Screens and metrics are chosen for the machine that was counted. */
static void replay_describe_machine(struct machine *machine, const struct run_facts *run)
{
    char *names = mem_strdup(run->known_as), *rest = names, *name;
    while ((name = strsep(&rest, "\n")))
        machine_add(machine, name);
    machine->ghz_nominal = run->ghz_nominal;
    free(names);
}

int replay_open(struct program *program, struct err *err)
{
    struct playback *playback = &program->playback;
    int64_t first, last;
    if (check_options(&program->options, err) < 0)
        return -1;
    playback->reader = reader_open(program->options.replay, err);
    if (!playback->reader)
        return -1;
    playback->replay = true;
    reader_span(playback->reader, &first, &last);
    struct snapshot *snapshot = reader_read(playback->reader, first, false, err);
    if (!snapshot)
        return -1;
    snapshot_free(snapshot);
    replay_describe_machine(&program->definitions.machine, reader_run(playback->reader));
    playback->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    return playback->timer < 0 ? err_set(err, "cannot wait: %s", strerror(errno)) : 0;
}

/* ---- events and screen ---- */

/* Adds to the names an event that the recording does not have. */
static void replay_add_missing(struct str *names, const struct event_set *set, const char *name)
{
    if (alias_find(set, name) < 0)
        str_printf(names, "%s%s", names->length ? ", " : "", name);
}

static char *replay_list_names(const struct event_set *set)
{
    struct str names;
    str_init(&names);
    for (size_t e = 0; e < set->count; e++)
        str_printf(&names, "%s%s", e ? ", " : "", set->events[e].name);
    return str_detach(&names);
}

/* Those of -e, each of which is on show anyway. */
static int replay_check_events(const struct options *options, const struct event_set *set,
                               struct err *err)
{
    struct str missing;
    str_init(&missing);
    for (size_t i = 0; i < options->event_count; i++) {
        char *text = mem_strdup(options->events[i]), *rest = text, *name;
        bool totals = event_set_find(set, text) >= 0; /* names can have commas in them */
        while (!totals && (name = strsep(&rest, ",{}")))
            if (*name)
                replay_add_missing(&missing, set, name);
        free(text);
    }
    int result = 0;
    if (missing.length) {
        char *names = replay_list_names(set);
        result = err_set(err, "not in the recording: '%.100s'; it has %s", missing.text, names);
        free(names);
    }
    str_release(&missing);
    return result;
}

/* What of the screen that was asked for is not on show, NULL for nothing. */
static char *missing_of(const struct screen *screen, const struct event_set *set)
{
    struct event_list list;
    struct str missing;
    str_init(&missing);
    event_list_init(&list);
    if (*screen->events && event_parse_foreign(&list, screen->events, MODE_ALL, NULL) == 0)
        for (size_t e = 0; e < list.count; e++)
            replay_add_missing(&missing, set, list.events[e].name);
    event_list_release(&list);
    char *text = missing.length ? mem_printf("screen '%s' is for events that the recording does "
                                             "not have: %s",
                                             screen->name, missing.text)
                                : NULL;
    str_release(&missing);
    return text;
}

static void replay_list_events(struct event_list *list, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        event_parse_foreign(list, set->events[e].name, MODE_ALL, NULL);
}

static void replay_use_events(struct startup *setup, struct event_set *set)
{
    if (set == setup->set)
        return;
    struct event_set *old = setup->set;
    setup->set = event_set_share(set);
    event_set_drop(old);
    event_list_release(&setup->events);
    event_list_init(&setup->events);
    replay_list_events(&setup->events, set);
}

/* Rows of the recording are those of what was watched then, but for what is asked for now. */
static void use_watch(struct program *program)
{
    struct session *session = &program->setup.session;
    struct watch *shown = &view_settings(program->view)->watch;
    const struct watch *asked = &program->options.view.watch;
    if (program->playback.watched) {
        watch_release(&session->watch);
        watch_copy(&session->watch, shown);
        return;
    }
    watch_release(shown);
    watch_copy(shown, &session->watch);
    if (watch_all(asked))
        return;
    watch_release(shown);
    watch_copy(shown, asked);
    watch_release(&session->watch);
    watch_copy(&session->watch, asked);
    program->playback.watched = true;
}

void replay_take_session(struct program *program, struct event_set *events)
{
    struct startup *setup = &program->setup;
    struct session *session = &setup->session;
    session_release(session);
    session_copy(session, reader_session(program->playback.reader));
    use_watch(program);
    replay_use_events(setup, events);
    if (setup->missing) {
        char *notice =
            mem_printf("%s%s%s", setup->missing, *session->notice ? "; " : "", session->notice);
        free(session->notice);
        session->notice = notice;
    }
}

int replay_setup(struct program *program, struct err *err)
{
    const struct options *options = &program->options;
    const struct screen_list *screens = &program->definitions.screens;
    struct startup *setup = &program->setup;
    int64_t first, last;
    event_list_init(&setup->events);
    event_list_init(&setup->own);
    reader_span(program->playback.reader, &first, &last);
    struct frame *frame = playback_show(program, first, err);
    if (!frame)
        return EXIT_RUNNING;
    int code = replay_check_events(options, frame->events, err) < 0 ? EXIT_USAGE : 0;
    if (options->screen) {
        setup->screen = screen_find(screens, options->screen);
        setup->missing = missing_of(setup->screen, frame->events);
    } else {
        setup->screen = screen_fitting(screens, frame->events);
    }
    frame_free(frame);
    program->playback.at = 0;
    playback_refresh(&program->playback);
    return code;
}

/* ---- time passes ---- */

int replay_fd(const struct program *program)
{
    return program->playback.timer;
}

/* In batch mode one after the other; totals from the beginning where they are asked for. */
static struct frame *next_frame(struct program *program, int64_t interval, struct err *err)
{
    const struct options *options = &program->options;
    struct frame *frame = playback_show(program, interval, err);
    if (!frame || !options_totals(options))
        return frame;
    frame_free(frame);
    frame = playback_total(program);
    if (!frame)
        err_set(err, "cannot read '%.200s': it is damaged", options->replay);
    return frame;
}

enum loop_next replay_next(void *ctx)
{
    struct program *program = ctx;
    struct playback *playback = &program->playback;
    bool batch = program->options.batch, again = playback->again && playback->at;
    int64_t first, last;
    uint64_t expired;
    if (read(playback->timer, &expired, sizeof(expired)) < 0)
        return LOOP_GO_ON;
    playback->again = false;
    reader_span(playback->reader, &first, &last);
    int64_t next = !playback->at ? first : playback->at + !again;
    if (next > last)
        return batch ? LOOP_END : LOOP_GO_ON;
    struct frame *frame = next_frame(program, next, &program->failure);
    if (!frame)
        return LOOP_END;
    program->shown++;
    if (!again)
        outputs_count(program, frame);
    int result = program->front->ops->present(program->front, &program->setup.session, frame,
                                              &program->failure);
    bool enough = program->options.iterations && program->shown >= program->options.iterations;
    if (result != 0 || enough || (batch && next == last))
        return LOOP_END;
    if (batch)
        playback_refresh(playback);
    else
        playback_await(playback);
    playback->again &= !batch;
    return LOOP_GO_ON;
}
