#include "app/timeline.h"
#include "app/program.h"
#include "app/replay.h"
#include "base/clock.h"
#include "model/interval.h"

#include <sys/timerfd.h>
#include <unistd.h>

void timeline_init(struct timeline *timeline)
{
    *timeline = (struct timeline){.timer = -1};
}

void timeline_close(struct timeline *timeline)
{
    reader_close(timeline->reader);
    whole_free(timeline->whole);
    event_set_drop(timeline->events);
    if (timeline->timer >= 0)
        close(timeline->timer);
    timeline_init(timeline);
}

/* ---- frames ---- */

/* Of what is counted now the reader is made when one looks back for the first time. */
static bool is_there(struct program *program)
{
    struct timeline *timeline = &program->timeline;
    if (!timeline->reader && program->recorder.memory)
        timeline->reader = reader_of(writer_db(program->recorder.memory), NULL);
    return timeline->reader != NULL;
}

/* Numbers of frames begin with 1 in a recording, whatever runs it has. */
static struct frame *make_frame(struct program *program, int64_t interval, bool tasks,
                                struct err *err)
{
    struct timeline *timeline = &program->timeline;
    bool idle = view_needs_idle(view_settings(program->view));
    int64_t generation;
    if (program->recorder.memory) { /* what is counted now is not another set of events */
        struct event_set *events = writer_events(program->recorder.memory, &generation);
        reader_know(timeline->reader, events, generation);
    }
    struct snapshot *snapshot = tasks ? reader_read(timeline->reader, interval, idle, err)
                                      : reader_read_totals(timeline->reader, interval, err);
    struct frame *frame = snapshot ? interval_frame(snapshot, (uint64_t)interval) : NULL;
    snapshot_free(snapshot);
    return frame;
}

struct frame *timeline_show(struct program *program, int64_t interval, struct err *err)
{
    struct timeline *timeline = &program->timeline;
    struct frame *frame = make_frame(program, interval, true, err);
    if (!frame)
        return NULL;
    timeline->at = interval;
    timeline->time = frame->wall;
    event_set_drop(timeline->events);
    timeline->events = event_set_share(frame->events);
    lookup_use(program->lookup, timeline->reader);
    if (timeline->replay)
        replay_take_session(program, frame->events);
    return frame;
}

/* What came since is added; for what was before it begins anew. */
struct frame *timeline_total(struct program *program)
{
    struct timeline *timeline = &program->timeline;
    int64_t begin = reader_begin(timeline->reader, timeline->at);
    int64_t first, last;
    reader_span(timeline->reader, &first, &last);
    /* What was before the oldest that is kept is not known, unless it has been added up. */
    bool added = timeline->whole_at >= begin && timeline->whole_at <= timeline->at;
    if (begin < 1 || (begin == first && first > 1 && !added))
        return NULL;
    if (!added) {
        whole_free(timeline->whole);
        timeline->whole = whole_new(0);
        timeline->whole_at = begin - 1;
    }
    while (timeline->whole_at < timeline->at) {
        struct snapshot *snapshot =
            reader_read(timeline->reader, timeline->whole_at + 1, false, NULL);
        if (!snapshot)
            return NULL;
        whole_add(timeline->whole, snapshot, &program->setup.session.watch);
        snapshot_free(snapshot);
        timeline->whole_at++;
    }
    struct frame *frame = whole_frame(timeline->whole);
    if (frame)
        frame->seq = (uint64_t)timeline->at;
    return frame;
}

/* ---- time passes ---- */

static void arm(struct timeline *timeline, double seconds)
{
    struct itimerspec when = {0};
    uint64_t ns = seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
    when.it_value.tv_sec = (time_t)(ns / 1000000000);
    when.it_value.tv_nsec = (long)(ns % 1000000000) + (ns == 0); /* 0 would be never */
    timerfd_settime(timeline->timer, 0, &when, NULL);
}

static void disarm(struct timeline *timeline)
{
    timerfd_settime(timeline->timer, 0, &(struct itimerspec){0}, NULL);
}

void timeline_refresh(struct timeline *timeline)
{
    timeline->again = true;
    arm(timeline, 0);
}

void timeline_await(struct timeline *timeline)
{
    static const double LONGEST =
        10; /* s: what passes between two recordings in a file is skipped */
    double now, next;
    if (timeline->speed <= 0 || !reader_time(timeline->reader, timeline->at, &now) ||
        !reader_time(timeline->reader, timeline->at + 1, &next)) {
        timeline->speed = 0;
        disarm(timeline);
        return;
    }
    double wait = (next - now) / timeline->speed;
    arm(timeline, wait < LONGEST ? wait : LONGEST);
}

/* ---- what front ends ask ---- */

static void tell_moment(void *ctx, struct front_moment *moment)
{
    struct program *program = ctx;
    struct timeline *timeline = &program->timeline;
    int64_t first, last;
    *moment = (struct front_moment){.replay = timeline->replay,
                                    .name = timeline->replay ? program->options.replay : NULL,
                                    .past = timeline->at != 0,
                                    .time = timeline->time,
                                    .speed = timeline->speed};
    if (!is_there(program))
        return;
    reader_span(timeline->reader, &first, &last);
    if (first > last)
        return;
    int64_t at = timeline->at ? timeline->at : last;
    moment->at = at < first ? 0 : (uint64_t)(at - first + 1);
    moment->count = (uint64_t)(last - first + 1);
    reader_time(timeline->reader, first, &moment->first);
    reader_time(timeline->reader, last, &moment->last);
    if (!timeline->at)
        moment->time = moment->last;
}

static void go_live(void *ctx)
{
    struct program *program = ctx;
    if (program->timeline.replay)
        return;
    program->timeline.at = 0;
    event_set_drop(program->timeline.events);
    program->timeline.events = NULL;
    lookup_use(program->lookup, NULL);
}

/* Back at the newest, what is counted now is on show again. */
static struct frame *go_to(struct program *program, int64_t interval, int64_t last, struct err *err)
{
    struct frame *frame = timeline_show(program, interval, err);
    if (!program->timeline.replay && interval == last)
        go_live(program);
    if (program->timeline.replay)
        timeline_await(&program->timeline);
    return frame;
}

static bool find_span(struct program *program, int64_t *first, int64_t *last, struct err *err)
{
    if (is_there(program)) {
        reader_span(program->timeline.reader, first, last);
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
    if (program->timeline.replay)
        return last ? "this is the end of the recording" : "this is the beginning of the recording";
    return last ? "this is now" : "nothing before this is kept: --rewind says how much is";
}

static struct frame *step(void *ctx, int64_t intervals, struct err *err)
{
    struct program *program = ctx;
    int64_t first, last;
    if (!find_span(program, &first, &last, err))
        return NULL;
    int64_t at = program->timeline.at ? program->timeline.at : last;
    int64_t back = first - at, forth = last - at; /* no farther */
    bool gone = intervals < 0 && back > 0;        /* it was let go of while it was on show */
    intervals = intervals < back ? back : intervals > forth ? forth : intervals;
    if (intervals == 0 || gone) {
        err_set(err, "%s", end_text(program, !gone && at == last));
        return NULL;
    }
    return go_to(program, at + intervals, last, err);
}

/* The interval that a time is in, or the nearest: the first that ended then or later. Clocks can
 * be set back; then it is one of those that fit. */
static struct frame *seek(void *ctx, double time, struct err *err)
{
    struct program *program = ctx;
    int64_t first, last;
    if (!find_span(program, &first, &last, err))
        return NULL;
    int64_t low = first, high = last;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double end;
        if (reader_time(program->timeline.reader, middle, &end) && end < time)
            low = middle + 1;
        else
            high = middle;
    }
    return go_to(program, low, last, err);
}

/* Others have other events. What is on show is read last again, for what is asked of its tasks. */
static void retrace(void *ctx, size_t most, bool tasks, void (*take)(void *to, struct frame *frame),
                    void *to)
{
    struct program *program = ctx;
    struct timeline *timeline = &program->timeline;
    int64_t first, last, from = timeline->at - (int64_t)most;
    if (!timeline->at)
        return;
    int64_t begin = reader_begin(timeline->reader, timeline->at);
    reader_span(timeline->reader, &first, &last);
    from = from < begin ? begin : from;
    from = from < first ? first : from;
    for (int64_t interval = from; begin && interval < timeline->at; interval++) {
        struct frame *frame = make_frame(program, interval, tasks, NULL);
        if (frame)
            take(to, frame);
        frame_free(frame);
    }
    frame_free(make_frame(program, timeline->at, true, NULL));
}

static int play(void *ctx, double speed, struct err *err)
{
    struct program *program = ctx;
    struct timeline *timeline = &program->timeline;
    if (!timeline->replay)
        return err_set(err, "only a recording can be played: this is counted now");
    timeline->speed = speed > 0 ? speed : 0;
    timeline_await(timeline);
    if (speed > 0 && timeline->speed == 0)
        return err_set(err, "this is the end of the recording");
    return 0;
}

struct front_time timeline_calls(struct program *program)
{
    return (struct front_time){
        .ctx = program,
        .tell = tell_moment,
        .step = step,
        .seek = seek,
        .retrace = retrace,
        .play = play,
        .live = go_live,
    };
}
