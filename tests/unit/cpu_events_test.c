#include "base/clock.h"
#include "engine/cpu_events.h"
#include "engine/sys.h"
#include "unit/test.h"
#include "wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A kernel with one CPU that goes offline and comes back (linked with --wrap, see the Makefile).
 * Its events die with it, as those of kernel/events/core.c, perf_event_exit_cpu_context(). */

enum { FIRST_FD = 1000, EVENTS = 64 };
static const uint64_t SECOND = 1000000000;

struct dummy_event {
    bool open, on, dead;
    uint64_t enabled, since; /* ns until then; since when it is on */
};

static struct dummy_event events[EVENTS];
static int event_count;
static uint64_t now;
static bool online;

static uint64_t time_of(const struct dummy_event *event)
{
    return event->enabled + (event->on && !event->dead ? now - event->since : 0);
}

static void turn(struct dummy_event *event, bool on)
{
    event->enabled = time_of(event);
    event->since = now;
    event->on = on;
}

static void plug(bool on)
{
    for (int e = 0; e < event_count && !on; e++) {
        turn(&events[e], events[e].on);
        events[e].dead = true;
    }
    online = on;
}

WRAP(uint64_t, clock_monotonic, void)
{
    return now;
}

WRAP(int, sys_open, struct perf_event_attr *attr, bool cgroup, pid_t pid, int cpu, int group)
{
    (void)cgroup, (void)pid, (void)cpu, (void)group;
    assert_true(event_count < EVENTS);
    if (!online) {
        errno = ENODEV;
        return -1;
    }
    events[event_count] = (struct dummy_event){.open = true, .on = !attr->disabled, .since = now};
    return FIRST_FD + event_count++;
}

WRAP(int, sys_enable, int fd)
{
    turn(&events[fd - FIRST_FD], true);
    return 0;
}

WRAP(int, sys_disable, int fd)
{
    turn(&events[fd - FIRST_FD], false);
    return 0;
}

WRAP(int, sys_set_output, int fd, int to)
{
    (void)fd, (void)to;
    return 0;
}

WRAP(int, ring_open, struct ring *ring, int fd, size_t bytes, struct err *err)
{
    (void)fd, (void)err;
    *ring = (struct ring){.size = bytes};
    return 0;
}

WRAP(void, ring_close, struct ring *ring)
{
    *ring = (struct ring){0};
}

WRAP(int, close, int fd)
{
    if (fd < FIRST_FD)
        return __real_close(fd);
    assert_true(events[fd - FIRST_FD].open);
    events[fd - FIRST_FD].open = false;
    return 0;
}

WRAP(ssize_t, read, int fd, void *buffer, size_t size)
{
    if (fd < FIRST_FD)
        return __real_read(fd, buffer, size);
    uint64_t told[2] = {0, time_of(&events[fd - FIRST_FD])};
    assert_int_equal(size, sizeof(told));
    assert_true(events[fd - FIRST_FD].open);
    memcpy(buffer, told, sizeof(told));
    return (ssize_t)size;
}

static int setup(void **state)
{
    event_count = 0;
    now = 5 * SECOND;
    online = true;
    *state = cpu_events_open(0, 4096, false, NULL);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    cpu_events_close(*state);
    for (int e = 0; e < event_count; e++)
        assert_false(events[e].open);
    return 0;
}

static void it_lives_with_and_without_switches(void **state)
{
    struct cpu_events *cpu = *state;
    for (int i = 0; i < 8; i++) {
        now += SECOND;
        assert_true(cpu_events_lives(cpu));
        now += SECOND / 4;
        assert_true(cpu_events_switch(cpu, i % 2 == 0));
        assert_int_equal(cpu->switcher >= 0, i % 2 == 0);
    }
}

static void one_that_is_offline_is_dead(void **state)
{
    struct cpu_events *cpu = *state;
    now += SECOND;
    assert_true(cpu_events_lives(cpu));
    now += SECOND / 2;
    plug(false);
    now += SECOND / 2;
    /* Already in the refresh in which it went. */
    assert_false(cpu_events_lives(cpu));
    plug(true);
    now += SECOND;
    assert_false(cpu_events_lives(cpu));
}

/* Back before anybody asks, and switches are to be recorded from then on: the event that records
 * them lives, the groups do not. */
static void a_new_event_does_not_hide_dead_ones(void **state)
{
    struct cpu_events *cpu = *state;
    for (int asked = 0; asked < 2; asked++) {
        now += SECOND;
        assert_true(cpu_events_lives(cpu));
        now += SECOND / 2;
        plug(false);
        now += SECOND / 10;
        if (asked) /* in vain, while it is offline */
            for (int i = 0; i < 5; i++, now += SECOND)
                assert_false(cpu_events_switch(cpu, true));
        plug(true);
        now += SECOND / 10;
        assert_false(cpu_events_switch(cpu, true));
        assert_false(cpu_events_lives(cpu));
        now += SECOND;
        assert_false(cpu_events_switch(cpu, true));
        assert_false(cpu_events_lives(cpu));
        assert_int_equal(cpu_events_reopen(cpu, 4096), 0);
        now += SECOND;
        assert_true(cpu_events_switch(cpu, true));
        assert_true(cpu_events_switch(cpu, false));
    }
}

/* With the event that records switches open, and closed while it is dead. */
static void switches_end_where_all_is_dead(void **state)
{
    struct cpu_events *cpu = *state;
    assert_true(cpu_events_switch(cpu, true));
    now += SECOND;
    assert_true(cpu_events_lives(cpu));
    plug(false);
    now += SECOND;
    plug(true);
    assert_true(cpu_events_switch(cpu, false));
    now += SECOND;
    assert_false(cpu_events_lives(cpu));
}
