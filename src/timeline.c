#include "timeline.h"
#include "base/clock.h"
#include "model/interval.h"
#include "program.h"
#include "replay.h"

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
static struct frame *make_frame(struct program *program, int64_t interval, struct err *err)
{
    struct timeline *timeline = &program->timeline;
    struct snapshot *snapshot =
        reader_read(timeline->reader, interval, view_settings(program->view)->idle, err);
    struct frame *frame = snapshot ? interval_frame(snapshot, (uint64_t)interval) : NULL;
    snapshot_free(snapshot);
    return frame;
}

struct frame *timeline_show(struct program *program, int64_t interval, struct err *err)
{
    struct frame *frame = make_frame(program, interval, err);
    if (!frame)
        return NULL;
    program->timeline.at = interval;
    lookup_use(program->lookup, program->timeline.reader);
    if (program->timeline.replay)
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
    *moment = (struct front_moment){.replay = timeline->replay, .speed = timeline->speed};
    if (!is_there(program))
        return;
    reader_span(timeline->reader, &first, &last);
    if (first > last)
        return;
    moment->at = (uint64_t)((timeline->at ? timeline->at : last) - first + 1);
    moment->count = (uint64_t)(last - first + 1);
    moment->past = timeline->at != 0;
    reader_time(timeline->reader, first, &moment->first);
    reader_time(timeline->reader, last, &moment->last);
    reader_time(timeline->reader, timeline->at ? timeline->at : last, &moment->time);
}

static void go_live(void *ctx)
{
    struct program *program = ctx;
    if (program->timeline.replay)
        return;
    program->timeline.at = 0;
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

static struct frame *step(void *ctx, int64_t intervals, struct err *err)
{
    struct program *program = ctx;
    int64_t first, last;
    if (!find_span(program, &first, &last, err))
        return NULL;
    int64_t at = program->timeline.at ? program->timeline.at : last;
    int64_t back = first - at, forth = last - at; /* no farther */
    intervals = intervals < back ? back : intervals > forth ? forth : intervals;
    if (intervals == 0) {
        err_set(err, "%s",
                at == last
                    ? program->timeline.replay ? "this is the end of the recording" : "this is now"
                : program->timeline.replay ? "this is the beginning of the recording"
                                           : "nothing before this is kept: --rewind");
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
        .play = play,
        .live = go_live,
    };
}
