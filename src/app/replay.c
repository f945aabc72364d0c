#include "app/replay.h"
#include "app/playback.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/name.h"
#include "metric/alias.h"
#include "model/delta.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

struct reader *replay_read(const char *path, struct err *err)
{
    int64_t first, last;
    struct reader *reader = reader_open(path, err);
    if (!reader)
        return NULL;
    int result = reader_span(reader, &first, &last, err);
    struct snapshot *snapshot = result == 0 ? reader_read(reader, first, false, err) : NULL;
    if (!snapshot) {
        reader_close(reader);
        return NULL;
    }
    snapshot_free(snapshot);
    return reader;
}

struct frame *replay_frame(struct reader *reader, int64_t interval, struct err *err)
{
    struct snapshot *snapshot = reader_read(reader, interval, false, err);
    struct frame *frame = snapshot ? frame_snapshot_frame(snapshot, (uint64_t)interval) : NULL;
    snapshot_free(snapshot);
    return frame;
}

void replay_use_machine(struct reader *reader, struct machine *machine)
{
    char *names = mem_strdup(reader_run(reader)->known_as), *rest = names, *name;
    while ((name = strsep(&rest, "\n")))
        machine_add(machine, name);
    machine->ghz_nominal = reader_run(reader)->ghz_nominal;
    free(names);
}

struct reader *replay_open(const struct options *options, struct machine *machine, struct err *err)
{
    struct reader *reader = replay_read(options->replay, err);
    if (reader)
        replay_use_machine(reader, machine);
    return reader;
}

/* Appends an event to the names if the recording does not have it. */
static void replay_add_missing(struct str *names, const struct event_set *set, const char *name)
{
    if (alias_find(set, name) < 0)
        str_printf(names, "%s%s", names->length ? ", " : "", name);
}

/* Checks the events of -e; a replay shows all recorded events in any case. */
static int replay_check_events(const struct options *options, const struct event_set *set,
                               struct err *err)
{
    struct str missing = str_new();
    for (size_t i = 0; i < options->event_count; i++) {
        char *text = mem_strdup(options->events[i]), *rest = text, *name;
        bool totals = event_set_find(set, text) >= 0; /* names may contain commas */
        while (!totals && (name = strsep(&rest, ",{}")))
            if (*name)
                replay_add_missing(&missing, set, name);
        free(text);
    }
    int result = 0;
    if (missing.length) {
        struct str names = str_new();
        for (size_t e = 0; e < set->count; e++)
            str_printf(&names, "%s%s", e ? ", " : "", set->events[e].name);
        result =
            err_set(err, "not in the recording: '%.100s'; it has %s", missing.text, names.text);
        str_release(&names);
    }
    str_release(&missing);
    return result;
}

int replay_setup(struct host *host, struct err *err)
{
    const struct options *options = host->options;
    const struct screen_list *screens = &host->definitions->screens;
    struct startup *setup = &host->setup;
    int64_t first, last;
    host->playback.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int result = host->playback.timer < 0 ? err_set(err, "cannot wait: %s", strerror(errno))
                                          : reader_span(host->playback.reader, &first, &last, err);
    struct frame *frame = result == 0 ? playback_show(host, first, err) : NULL;
    if (!frame)
        return EXIT_RUNNING;
    int code = replay_check_events(options, frame->events, err) < 0 ? EXIT_USAGE : 0;
    setup->screen = options->screen ? screen_find(screens, options->screen)
                                    : screen_fitting(screens, frame->events);
    struct event_list list = {0}; /* of the screen that was asked for */
    struct str missing = str_new();
    if (options->screen && *setup->screen->events)
        event_parse_foreign(&list, setup->screen->events, MODE_ALL, NULL);
    for (size_t e = 0; e < list.count; e++)
        replay_add_missing(&missing, frame->events, list.events[e].name);
    if (missing.length)
        setup->missing = mem_printf("screen '%s' is for events that the recording does not have: "
                                    "%s",
                                    setup->screen->name, missing.text);
    event_list_release(&list);
    str_release(&missing);
    frame_free(frame);
    host->playback.at = 0;
    playback_refresh(&host->playback);
    return code;
}
