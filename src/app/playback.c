#include "app/host.h"
#include "event/name.h"
#include "metric/alias.h"
#include "model/delta.h"

#include <sys/timerfd.h>

void playback_close(struct playback *playback)
{
    reader_close(playback->reader);
    totals_free(playback->totals);
    event_set_drop(playback->events);
    if (playback->timer >= 0)
        close(playback->timer);
    *playback = (struct playback){.timer = -1};
}

/* ---- frames ---- */

/* Whether intervals are kept. Their reader is made when the user first goes back. */
static bool is_there(struct host *host)
{
    struct playback *playback = &host->playback;
    if (!playback->reader && host->memory)
        playback->reader = reader_of(writer_db(host->memory));
    return playback->reader != NULL;
}

/* The frame of an interval's snapshot, which is freed; NULL: there is none. */
static struct frame *frame_of(struct snapshot *snapshot, int64_t interval,
                              const struct watch *watch)
{
    struct frame *frame =
        snapshot ? frame_snapshot_frame(snapshot, (uint64_t)interval, watch) : NULL;
    snapshot_free(snapshot);
    return frame;
}

/* Frames of a recording are numbered from 1, across all its runs. */
static struct frame *playback_make_frame(struct host *host, int64_t interval, bool tasks,
                                         struct err *err)
{
    struct playback *playback = &host->playback;
    const struct view_settings *settings = view_settings(host->view);
    bool ids = settings->watch.pid_count || settings->watch.tid_count; /* view_tell_asleep() */
    enum reader_tasks wanted = !tasks                             ? READ_TOTALS
                               : ids || view_needs_idle(settings) ? READ_ALL
                                                                  : READ_ACTIVE;
    int64_t generation;
    if (host->memory) { /* to use the same event set object as live frames */
        struct event_set *events = writer_events(host->memory, &generation);
        reader_know(playback->reader, events, generation);
    }
    return frame_of(reader_read(playback->reader, interval, wanted, err), interval,
                    &settings->watch);
}

struct frame *playback_show(struct host *host, int64_t interval, struct err *err)
{
    struct playback *playback = &host->playback;
    struct frame *frame = playback_make_frame(host, interval, true, err);
    if (!frame)
        return NULL;
    playback->at = interval;
    playback->time = frame->wall;
    event_set_keep(&playback->events, frame->events);
    proc_lookup_use(host->lookup, playback->reader);
    if (playback->replay) {
        /* Replay: sets session and events to those of the interval read last. */
        struct startup *setup = &host->setup;
        struct session *session = &setup->session;
        session_release(session);
        session_copy(session, reader_session(host->playback.reader));
        /* By default rows of the recording are those that were watched then. */
        if (host->playback.watched || !watch_all(&host->options->view.watch)) {
            watch_release(&session->watch);
            watch_copy(&session->watch, &view_settings(host->view)->watch);
        } else {
            view_watch(host->view, &session->watch);
        }
        if (frame->events != setup->set) {
            event_set_keep(&setup->set, frame->events);
            event_list_release(&setup->events);
            for (size_t e = 0; e < frame->events->count; e++)
                event_parse_foreign(&setup->events, frame->events->events[e].name, MODE_ALL, NULL);
        }
        if (setup->missing)
            mem_replace(&session->notice,
                        mem_printf("%s%s%s", setup->missing, *session->notice ? "; " : "",
                                   session->notice));
    }
    return frame;
}

/* Going forward adds the intervals since the last call; going back starts from the beginning. */
struct frame *playback_total(struct host *host)
{
    struct playback *playback = &host->playback;
    int64_t begin = reader_begin(playback->reader, playback->at);
    int64_t first, last;
    reader_span(playback->reader, &first, &last, NULL);
    /* Dropped intervals are unknown, unless they are in the sum already. */
    bool added = playback->totals_at >= begin && playback->totals_at <= playback->at;
    if (begin < 1 || (begin == first && first > 1 && !added))
        return NULL;
    if (!added) {
        totals_free(playback->totals);
        playback->totals = totals_new(0);
        playback->totals_at = begin - 1;
    }
    while (playback->totals_at < playback->at) {
        struct snapshot *snapshot =
            reader_read(playback->reader, playback->totals_at + 1, READ_ACTIVE, NULL);
        if (!snapshot)
            return NULL;
        totals_add(playback->totals, snapshot, &host->setup.session.watch);
        snapshot_free(snapshot);
        playback->totals_at++;
    }
    struct frame *frame = totals_frame(playback->totals);
    if (frame)
        frame->seq = (uint64_t)playback->at;
    return frame;
}

/* ---- playing ---- */

/* Sets the timer, in seconds; 0: soon, negative: never. */
static void playback_arm(struct playback *playback, double seconds)
{
    struct itimerspec when = {0};
    uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
    when.it_value = clock_span(ns + (ns == 0 && seconds >= 0));
    timerfd_settime(playback->timer, 0, &when, NULL);
}

void playback_refresh(struct playback *playback)
{
    playback->again = true;
    playback_arm(playback, 0);
}

void playback_await(struct playback *playback)
{
    static const double LONGEST = 10; /* s: longer gaps between two recordings in a file are cut */
    double now, next;
    if (playback->speed <= 0 || !reader_time(playback->reader, playback->at, &now) ||
        !reader_time(playback->reader, playback->at + 1, &next)) {
        playback->speed = 0;
        playback_arm(playback, -1);
        return;
    }
    double wait = next > now ? (next - now) / playback->speed : 0; /* the clock was set back */
    playback_arm(playback, wait < LONGEST ? wait : LONGEST);
}

/* ---- calls of front ends ---- */

void host_moment(struct host *host, struct front_moment *moment)
{
    struct playback *playback = &host->playback;
    int64_t first, last;
    *moment = (struct front_moment){.replay = playback->replay,
                                    .name = playback->replay ? host->options->replay : NULL,
                                    .past = playback->at != 0,
                                    .time = playback->time,
                                    .speed = playback->speed};
    if (!is_there(host))
        return;
    reader_span(playback->reader, &first, &last, NULL);
    if (first > last)
        return;
    int64_t at = playback->at ? playback->at : last;
    moment->at = at < first ? 0 : (uint64_t)(at - first + 1);
    moment->count = (uint64_t)(last - first + 1);
    reader_time(playback->reader, first, &moment->first);
    reader_time(playback->reader, last, &moment->last);
    if (!playback->at)
        moment->time = moment->last;
}

void host_go_live(struct host *host)
{
    if (host->playback.replay)
        return;
    host->playback.at = 0;
    event_set_keep(&host->playback.events, NULL);
    proc_lookup_use(host->lookup, NULL);
}

/* Moves to an interval; the newest returns to live display. */
static struct frame *playback_go_to(struct host *host, int64_t interval, int64_t last,
                                    struct err *err)
{
    struct frame *frame = playback_show(host, interval, err);
    if (!host->playback.replay && interval == last)
        host_go_live(host);
    if (host->playback.replay)
        playback_await(&host->playback);
    return frame;
}

static bool find_span(struct host *host, int64_t *first, int64_t *last, struct err *err)
{
    if (is_there(host)) {
        if (reader_span(host->playback.reader, first, last, err) < 0)
            return false;
        if (*first <= *last)
            return true;
    }
    err_set(err, host->options->rewind
                     ? "nothing has been counted yet"
                     : "nothing is kept to look back at: start without --rewind 0");
    return false;
}

struct frame *host_step(struct host *host, int64_t intervals, struct err *err)
{
    int64_t first, last;
    if (!find_span(host, &first, &last, err))
        return NULL;
    int64_t at = host->playback.at ? host->playback.at : last;
    int64_t back = first - at, forth = last - at; /* limits of the move */
    bool gone = intervals < 0 && back > 0;        /* the interval shown has been dropped */
    bool end = intervals > 0;
    intervals = intervals < back ? back : intervals > forth ? forth : intervals;
    if (intervals == 0 || gone) {
        return err_null(err, "%s",
                        host->playback.replay ? end ? "this is the end of the recording"
                                                    : "this is the beginning of the recording"
                        : end                 ? "this is now"
                              : "nothing before this is kept: --rewind says how much is");
    }
    return playback_go_to(host, at + intervals, last, err);
}

int64_t playback_find(const struct playback *playback, int64_t first, int64_t last, double time)
{
    while (first < last) {
        int64_t middle = first + (last - first) / 2;
        double end;
        if (reader_time(playback->reader, middle, &end) && end < time)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

struct frame *host_seek(struct host *host, double time, struct err *err)
{
    int64_t first, last;
    if (!find_span(host, &first, &last, err))
        return NULL;
    return playback_go_to(host, playback_find(&host->playback, first, last, time), last, err);
}

/* Passes only intervals with the same events. Reads the interval shown last, so that lookups use
 * it. */
void host_retrace(struct host *host, size_t most, bool tasks,
                  void (*take)(void *to, struct frame *frame), void *to)
{
    struct playback *playback = &host->playback;
    int64_t first, last, from = playback->at - (int64_t)most;
    if (!playback->at)
        return;
    int64_t begin = reader_begin(playback->reader, playback->at);
    reader_span(playback->reader, &first, &last, NULL);
    from = from < begin ? begin : from;
    from = from < first ? first : from;
    for (int64_t interval = from; begin && interval < playback->at; interval++) {
        struct frame *frame = playback_make_frame(host, interval, tasks, NULL);
        if (frame)
            take(to, frame);
        frame_free(frame);
    }
    frame_free(playback_make_frame(host, playback->at, true, NULL));
}

void host_survey(struct host *host, uint64_t from, bool tasks,
                 bool (*take)(void *to, struct frame *frame), void *to)
{
    struct playback *playback = &host->playback;
    int64_t first, last;
    bool more = playback->at && reader_span(playback->reader, &first, &last, NULL) == 0;
    for (int64_t at = more ? first + (int64_t)from - 1 : 0; more && at <= last; at++) {
        struct frame *frame = playback_make_frame(host, at, tasks, NULL);
        more = frame && take(to, frame);
        frame_free(frame);
    }
    if (playback->at)
        frame_free(playback_make_frame(host, playback->at, true, NULL));
}

int host_play(struct host *host, double speed, struct err *err)
{
    struct playback *playback = &host->playback;
    if (!playback->replay)
        return err_set(err, "live: use , and . to look back");
    playback->speed = speed > 0 ? speed : 0;
    playback_await(playback);
    if (speed > 0 && playback->speed == 0)
        return err_set(err, "this is the end of the recording");
    return 0;
}

struct frame *host_total(struct host *host)
{
    if (host->playback.at)
        return playback_total(host);
    return host->totals ? totals_frame(host->totals) : NULL;
}

void host_refresh(struct host *host)
{
    if (host->sampler)
        sampler_refresh(host->sampler);
    if (host->playback.replay)
        playback_refresh(&host->playback);
}

/* ---- a recording (--replay) ---- */

/* Chooses metrics and screens for the recorded machine: that of the interval read last. */
static void use_machine(struct reader *reader, struct machine *machine)
{
    AUTO_FREE char *names = mem_strdup(reader_run(reader)->known_as);
    char *rest = names, *name;
    while ((name = strsep(&rest, "\n")))
        machine_add(machine, name);
    machine->ghz_nominal = reader_run(reader)->ghz_nominal;
}

struct reader *replay_read(const char *path, struct machine *machine, struct err *err)
{
    int64_t first, last;
    struct reader *reader = reader_open(path, err);
    if (!reader)
        return NULL;
    int result = reader_span(reader, &first, &last, err);
    struct snapshot *snapshot = result == 0 ? reader_read(reader, first, READ_ACTIVE, err) : NULL;
    bool good = snapshot != NULL;
    snapshot_free(snapshot);
    if (good && machine)
        use_machine(reader, machine);
    if (!good)
        reader_close(reader);
    return good ? reader : NULL;
}

struct frame *replay_frame(struct reader *reader, int64_t interval, struct err *err)
{
    return frame_of(reader_read(reader, interval, READ_ACTIVE, err), interval, NULL);
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
    AUTO_STR struct str missing = str_new();
    for (size_t i = 0; i < options->event_count; i++) {
        AUTO_FREE char *text = mem_strdup(options->events[i]);
        char *rest = text, *name;
        bool totals = event_set_find(set, text) >= 0; /* names may contain commas */
        while (!totals && (name = strsep(&rest, ",{}")))
            if (*name)
                replay_add_missing(&missing, set, name);
    }
    int result = 0;
    if (missing.length) {
        AUTO_STR struct str names = str_new();
        for (size_t e = 0; e < set->count; e++)
            str_printf(&names, "%s%s", e ? ", " : "", set->events[e].name);
        result =
            err_set(err, "not in the recording: '%.100s'; it has %s", missing.text, names.text);
    }
    return result;
}

int replay_setup(struct host *host, struct err *err)
{
    const struct options *options = host->options;
    const struct screen_list *screens = &host->definitions->screens;
    struct startup *setup = &host->setup;
    int64_t first, last;
    host->playback.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    int result = host->playback.timer < 0 ? err_set(err, "cannot wait: %s", err_reason(errno))
                                          : reader_span(host->playback.reader, &first, &last, err);
    struct frame *frame = result == 0 ? playback_show(host, first, err) : NULL;
    if (!frame)
        return EXIT_RUNNING;
    int code = replay_check_events(options, frame->events, err) < 0 ? EXIT_USAGE : 0;
    const char *shown = setup->session.screen;
    bool chosen = options_given(options, "screen") || view_types[options->view.kind].takers;
    setup->screen = shown && !chosen ? screen_find(screens, shown) : NULL;
    if (!setup->screen)
        setup->screen = options->screen ? screen_find(screens, options->screen)
                                        : screen_fitting(screens, frame->events);
    AUTO_EVENTS struct event_list list = {0}; /* of the screen that was asked for */
    AUTO_STR struct str missing = str_new();
    if (options->screen && *setup->screen->events)
        event_parse_foreign(&list, setup->screen->events, MODE_ALL, NULL);
    for (size_t e = 0; e < list.count; e++)
        replay_add_missing(&missing, frame->events, list.events[e].name);
    if (missing.length)
        setup->missing = mem_printf("screen '%s' is for events that the recording does not have: "
                                    "%s",
                                    setup->screen->name, missing.text);
    frame_free(frame);
    host->playback.at = 0;
    if (!options->batch && (!setup->session.alarm.condition || options_given(options, "play")))
        host->playback.speed = options->play;
    playback_refresh(&host->playback);
    return code;
}
