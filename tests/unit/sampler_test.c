#include "base/clock.h"
#include "base/mem.h"
#include "event/event.h"
#include "sample/sampler.h"
#include "unit/handmade.h"
#include "unit/test.h"
#include "unit/unsampled.h"

#include <sys/eventfd.h>
#include <unistd.h>

static const uint64_t LONG = 3600000000000; /* ns: no second snapshot by itself */
static const uint64_t SHORT = 10000000;
enum { PATIENCE = 10000 }; /* ms */

/* Writes down what it is asked. Fields are the counting thread's while that runs, but for the
 * atomic ones. */
struct fake {
    struct source source;
    struct event_set *set;
    int ring; /* eventfd: readable until it is drained */
    int drained, snapshots;
    const struct event_list *events;
    const struct watch *watch;
    uint64_t delay;
    bool threads;
    bool *closed;
};

static struct fake *of(struct source *source)
{
    return (struct fake *)source;
}

static int fake_set_events(struct source *source, const struct event_list *events, struct err *err)
{
    of(source)->events = events;
    return events ? 0 : err_set(err, "no events");
}

static struct event_set *fake_check(struct source *source, const struct event_list *events)
{
    of(source)->events = events;
    return mem_share(of(source)->set);
}

static int fake_set_watch(struct source *source, const struct watch *watch, struct err *err)
{
    (void)err;
    of(source)->watch = watch;
    return 0;
}

static void fake_set_delay(struct source *source, uint64_t delay)
{
    of(source)->delay = delay;
}

static void fake_set_threads(struct source *source, bool threads)
{
    of(source)->threads = threads;
}

/* Many more descriptors than a first guess would have room for; the last one is the ring. */
static size_t fake_poll_fds(struct source *source, struct pollfd *fds, size_t room)
{
    enum { FDS = 100 };
    for (size_t i = 0; i < FDS && i < room; i++)
        fds[i] = (struct pollfd){.fd = i == FDS - 1 ? of(source)->ring : -1, .events = POLLIN};
    return FDS;
}

static void fake_drain(struct source *source)
{
    uint64_t count;
    if (read(of(source)->ring, &count, sizeof(count)) > 0)
        __atomic_add_fetch(&of(source)->drained, 1, __ATOMIC_SEQ_CST);
}

static struct snapshot *fake_snapshot(struct source *source)
{
    struct snapshot *snapshot = snapshot_new(of(source)->set);
    snapshot->time = (uint64_t)__atomic_add_fetch(&of(source)->snapshots, 1, __ATOMIC_SEQ_CST);
    return snapshot;
}

static void fake_close(struct source *source)
{
    struct fake *fake = (struct fake *)source;
    *fake->closed = true;
    event_set_drop(fake->set);
    close(fake->ring);
    free(fake);
}

static struct sampler *start(struct fake **made, uint64_t delay, bool *closed)
{
    static const struct source_ops ops = {
        .name = "fake",
        .set_events = fake_set_events,
        .check = fake_check,
        .set_watch = fake_set_watch,
        .set_delay = fake_set_delay,
        .set_threads = fake_set_threads,
        .poll_fds = fake_poll_fds,
        .drain = fake_drain,
        .snapshot = fake_snapshot,
        .close = fake_close,
    };
    static const char *const names[] = {"a"};
    struct fake *fake = mem_alloc(sizeof(*fake));
    struct err err = {""};
    *fake = (struct fake){.source.ops = &ops,
                          .set = handmade_set(1, names),
                          .ring = eventfd(0, EFD_NONBLOCK),
                          .closed = closed};
    *closed = false;
    *made = fake;
    struct sampler *sampler = sampler_start(&fake->source, no_profiler(), delay, true, &err);
    assert_non_null(sampler);
    return sampler;
}

static bool ready(struct sampler *sampler, int milliseconds)
{
    struct pollfd fd = {.fd = sampler_fd(sampler), .events = POLLIN};
    return poll(&fd, 1, milliseconds) == 1;
}

/* The number of the next snapshot. */
static uint64_t take(struct sampler *sampler)
{
    assert_true(ready(sampler, PATIENCE));
    struct snapshot *snapshot = sampler_take(sampler);
    assert_non_null(snapshot);
    uint64_t number = snapshot->time;
    assert_true(snapshot->self.cpu > 0);
    assert_true(snapshot->self.rss > 0);
    snapshot_free(snapshot);
    return number;
}

/* A snapshot takes the samples with it. */
static void without_a_delay_none_comes_by_itself(void **state)
{
    struct fake *fake;
    bool closed;
    struct sampler *sampler = start(&fake, 0, &closed);
    struct err err;
    assert_int_equal(sampler_set_events(sampler, &(struct event_list){0}, &err), 0);
    assert_false(ready(sampler, 300));
    struct snapshot *snapshot = sampler_look(sampler);
    assert_int_equal(snapshot->time, 1);
    snapshot_free(snapshot);
    sampler_stop(sampler);
    assert_true(closed);
}

/* Who does not look costs nothing, and loses no count: the next snapshot has them all. */
static void none_is_made_while_one_waits(void **state)
{
    struct fake *fake;
    bool closed;
    struct sampler *sampler = start(&fake, SHORT, &closed);
    assert_true(ready(sampler, PATIENCE));
    usleep(100000);
    assert_int_equal(__atomic_load_n(&fake->snapshots, __ATOMIC_SEQ_CST), 1);
    assert_int_equal(take(sampler), 1);
    assert_int_equal(take(sampler), 2);
    sampler_stop(sampler); /* one more may be waiting: it is freed */
    assert_true(closed);
}

static void rings_are_emptied_in_time(void **state)
{
    struct fake *fake;
    bool closed;
    struct sampler *sampler = start(&fake, LONG, &closed);
    for (int i = 1; i <= 3; i++) {
        uint64_t one = 1;
        assert_int_equal(write(fake->ring, &one, sizeof(one)), sizeof(one));
        for (int ms = 0; ms < PATIENCE && __atomic_load_n(&fake->drained, __ATOMIC_SEQ_CST) < i;
             ms++)
            usleep(1000);
        assert_int_equal(__atomic_load_n(&fake->drained, __ATOMIC_SEQ_CST), i);
    }
    sampler_stop(sampler);
}
