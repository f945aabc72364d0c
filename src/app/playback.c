#include "app/playback.h"
#include "app/program.h"
#include "app/replay.h"
#include "base/clock.h"
#include "model/frame_snapshot.h"

#include <sys/timerfd.h>
#include <unistd.h>

void playback_init(struct playback *playback)
{
    *playback = (struct playback){.timer = -1};
}

void playback_close(struct playback *playback)
{
    reader_close(playback->reader);
    totals_free(playback->totals);
    event_set_drop(playback->events);
    if (playback->timer >= 0)
        close(playback->timer);
    playback_init(playback);
}

/* ---- frames ---- */

/* Of what is counted now the reader is made when one looks back for the first time. */
static bool is_there(struct program *program)
{
    struct playback *playback = &program->playback;
    if (!playback->reader && program->recorder.memory)
        playback->reader = reader_of(writer_db(program->recorder.memory), NULL);
    return playback->reader != NULL;
}

/* Numbers of frames begin with 1 in a recording, whatever runs it has. */
static struct frame *playback_make_frame(struct program *program, int64_t interval, bool tasks,
                                         struct err *err)
{
    struct playback *playback = &program->playback;
    bool idle = view_needs_idle(view_settings(program->view));
    int64_t generation;
    if (program->recorder.memory) { /* what is counted now is not another set of events */
        struct event_set *events = writer_events(program->recorder.memory, &generation);
        reader_know(playback->reader, events, generation);
    }
    struct snapshot *snapshot = tasks ? reader_read(playback->reader, interval, idle, err)
                                      : reader_read_totals(playback->reader, interval, err);
    struct frame *frame = snapshot ? frame_snapshot_frame(snapshot, (uint64_t)interval) : NULL;
    snapshot_free(snapshot);
    return frame;
}

struct frame *playback_show(struct program *program, int64_t interval, struct err *err)
{
    struct playback *playback = &program->playback;
    struct frame *frame = playback_make_frame(program, interval, true, err);
    if (!frame)
        return NULL;
    playback->at = interval;
    playback->time = frame->wall;
    event_set_drop(playback->events);
    playback->events = event_set_share(frame->events);
    proc_lookup_use(program->lookup, playback->reader);
    if (playback->replay)
        replay_take_session(program, frame->events);
    return frame;
}

/* What came since is added; for what was before it begins anew. */
struct frame *playback_total(struct program *program)
{
    struct playback *playback = &program->playback;
    int64_t begin = reader_begin(playback->reader, playback->at);
    int64_t first, last;
    reader_span(playback->reader, &first, &last);
    /* What was before the oldest that is kept is not known, unless it has been added up. */
    bool added = playback->whole_at >= begin && playback->whole_at <= playback->at;
    if (begin < 1 || (begin == first && first > 1 && !added))
        return NULL;
    if (!added) {
        totals_free(playback->totals);
        playback->totals = totals_new(0);
        playback->whole_at = begin - 1;
    }
    while (playback->whole_at < playback->at) {
        struct snapshot *snapshot =
            reader_read(playback->reader, playback->whole_at + 1, false, NULL);
        if (!snapshot)
            return NULL;
        totals_add(playback->totals, snapshot, &program->setup.session.watch);
        snapshot_free(snapshot);
        playback->whole_at++;
    }
    struct frame *frame = totals_frame(playback->totals);
    if (frame)
        frame->seq = (uint64_t)playback->at;
    return frame;
}

/* ---- time passes ---- */

static void playback_arm(struct playback *playback, double seconds)
{
    struct itimerspec when = {0};
    uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
    when.it_value.tv_sec = (time_t)(ns / 1000000000);
    when.it_value.tv_nsec = (long)(ns % 1000000000) + (ns == 0); /* 0 would be never */
    timerfd_settime(playback->timer, 0, &when, NULL);
}

static void disarm(struct playback *playback)
{
    timerfd_settime(playback->timer, 0, &(struct itimerspec){0}, NULL);
}

void playback_refresh(struct playback *playback)
{
    playback->again = true;
    playback_arm(playback, 0);
}

void playback_await(struct playback *playback)
{
    static const double LONGEST =
        10; /* s: what passes between two recordings in a file is skipped */
    double now, next;
    if (playback->speed <= 0 || !reader_time(playback->reader, playback->at, &now) ||
        !reader_time(playback->reader, playback->at + 1, &next)) {
        playback->speed = 0;
        disarm(playback);
        return;
    }
    double wait = (next - now) / playback->speed;
    playback_arm(playback, wait < LONGEST ? wait : LONGEST);
}

/* ---- what front ends ask ---- */

static void tell_moment(void *ctx, struct front_moment *moment)
{
    struct program *program = ctx;
    struct playback *playback = &program->playback;
    int64_t first, last;
    *moment = (struct front_moment){.replay = playback->replay,
                                    .name = playback->replay ? program->options.replay : NULL,
                                    .past = playback->at != 0,
                                    .time = playback->time,
                                    .speed = playback->speed};
    if (!is_there(program))
        return;
    reader_span(playback->reader, &first, &last);
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

static void go_live(void *ctx)
{
    struct program *program = ctx;
    if (program->playback.replay)
        return;
    program->playback.at = 0;
    event_set_drop(program->playback.events);
    program->playback.events = NULL;
    proc_lookup_use(program->lookup, NULL);
}

/* Back at the newest, what is counted now is on show again. */
static struct frame *playback_go_to(struct program *program, int64_t interval, int64_t last,
                                    struct err *err)
{
    struct frame *frame = playback_show(program, interval, err);
    if (!program->playback.replay && interval == last)
        go_live(program);
    if (program->playback.replay)
        playback_await(&program->playback);
    return frame;
}

static bool find_span(struct program *program, int64_t *first, int64_t *last, struct err *err)
{
    if (is_there(program)) {
        reader_span(program->playback.reader, first, last);
        if (*first <= *last)
            return true;
    }
    err_set(err, program->options.rewind
                     ? "nothing has been counted yet"
                     : "nothing is kept to look back at: start without --rewind 0");
    return false;
}

/* Why it goes no farther. */
static const char *end_text(const struct program *program, bool last)
{
    if (program->playback.replay)
        return last ? "this is the end of the recording" : "this is the beginning of the recording";
    return last ? "this is now" : "nothing before this is kept: --rewind says how much is";
}

static struct frame *playback_step(void *ctx, int64_t intervals, struct err *err)
{
    struct program *program = ctx;
    int64_t first, last;
    if (!find_span(program, &first, &last, err))
        return NULL;
    int64_t at = program->playback.at ? program->playback.at : last;
    int64_t back = first - at, forth = last - at; /* no farther */
    bool gone = intervals < 0 && back > 0;        /* it was let go of while it was on show */
    intervals = intervals < back ? back : intervals > forth ? forth : intervals;
    if (intervals == 0 || gone) {
        err_set(err, "%s", end_text(program, !gone && at == last));
        return NULL;
    }
    return playback_go_to(program, at + intervals, last, err);
}

/* The interval that a time is in, or the nearest: the first that ended then or later. Clocks can
 * be set back; then it is one of those that fit. */
static struct frame *playback_seek(void *ctx, double time, struct err *err)
{
    struct program *program = ctx;
    int64_t first, last;
    if (!find_span(program, &first, &last, err))
        return NULL;
    int64_t low = first, high = last;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double end;
        if (reader_time(program->playback.reader, middle, &end) && end < time)
            low = middle + 1;
        else
            high = middle;
    }
    return playback_go_to(program, low, last, err);
}

/* Others have other events. What is on show is read last again, for what is asked of its tasks. */
static void retrace(void *ctx, size_t most, bool tasks, void (*take)(void *to, struct frame *frame),
                    void *to)
{
    struct program *program = ctx;
    struct playback *playback = &program->playback;
    int64_t first, last, from = playback->at - (int64_t)most;
    if (!playback->at)
        return;
    int64_t begin = reader_begin(playback->reader, playback->at);
    reader_span(playback->reader, &first, &last);
    from = from < begin ? begin : from;
    from = from < first ? first : from;
    for (int64_t interval = from; begin && interval < playback->at; interval++) {
        struct frame *frame = playback_make_frame(program, interval, tasks, NULL);
        if (frame)
            take(to, frame);
        frame_free(frame);
    }
    frame_free(playback_make_frame(program, playback->at, true, NULL));
}

static int playback_play(void *ctx, double speed, struct err *err)
{
    struct program *program = ctx;
    struct playback *playback = &program->playback;
    if (!playback->replay)
        return err_set(err, "only a recording can be played: this is counted now");
    playback->speed = speed > 0 ? speed : 0;
    playback_await(playback);
    if (speed > 0 && playback->speed == 0)
        return err_set(err, "this is the end of the recording");
    return 0;
}

struct front_time playback_calls(struct program *program)
{
    return (struct front_time){
        .ctx = program,
        .tell = tell_moment,
        .step = playback_step,
        .seek = playback_seek,
        .retrace = retrace,
        .play = playback_play,
        .live = go_live,
    };
}
