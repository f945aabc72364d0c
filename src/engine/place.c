#include "engine/place.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct perf_event_attr place_attr(uint64_t config, size_t watermark)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .config = config,
        .sample_type = DECODE_ID_FIELDS,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = (uint32_t)watermark,
    };
}

static int open_side_band(struct place *place, size_t ring_bytes, struct err *err)
{
    struct perf_event_attr attr = place_attr(PERF_COUNT_SW_DUMMY, ring_bytes / 4);
    attr.task = attr.comm = attr.comm_exec = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED; /* see place_lives */
    place->tracker = sys_open(&attr, -1, place->cpu, -1);
    if (place->tracker < 0)
        return -1;
    if (ring_open(&place->stream.ring, place->tracker, ring_bytes, err) < 0)
        return -1;
    return 0;
}

struct place *place_open(int cpu, size_t ring_bytes, struct err *err)
{
    struct place *place = mem_alloc(sizeof(*place));
    *place = (struct place){.cpu = cpu, .stream.place = place};
    place->tracker = place->switcher = place->cgroup = -1;
    struct err cause = {""};
    if (open_side_band(place, ring_bytes, &cause) == 0)
        return place;
    int error = errno;
    err_set(err, "cannot follow the tasks of cpu %d: %s", cpu,
            *cause.text ? cause.text : strerror(error));
    place_close(place);
    errno = error;
    return NULL;
}

static void close_side_band(struct place *place)
{
    ring_close(&place->stream.ring);
    place_switch(place, false);
    if (place->tracker >= 0)
        close(place->tracker);
    place->tracker = -1;
}

void place_close(struct place *place)
{
    place_uncount(place);
    close_side_band(place);
    free(place);
}

int place_reopen(struct place *place, size_t ring_bytes, struct err *err)
{
    close_side_band(place);
    return open_side_band(place, ring_bytes, err);
}

void place_confine(struct place *place, int cgroup)
{
    place_switch(place, false);
    place->cgroup = cgroup;
}

/* A ring for a group: group 0 writes into the tracker's, the others into their own. */
static int connect_group(struct place *place, size_t number)
{
    struct open_group *group = &place->groups[number];
    const struct group_shape *shape = &place->plan->shapes[number];
    int switches = group->fds[shape->switches], ticker = group->fds[shape->ticker];
    if (number == 0)
        return sys_set_output(switches, place->tracker) < 0
                   ? -1
                   : sys_set_output(ticker, place->tracker);
    group->stream = mem_alloc(sizeof(*group->stream));
    *group->stream = (struct stream){.place = place, .group = number};
    if (ring_open(&group->stream->ring, switches, place->stream.ring.size, NULL) < 0)
        return -1;
    return sys_set_output(ticker, switches);
}

/* From Linux 6.16 on a group is throttled as a whole, and its leader tells of it
 * (kernel/events/core.c, perf_event_throttle()). Where it may not, nothing else is missing. */
static void hear_leader(const struct place *place, size_t number)
{
    const struct group_shape *shape = &place->plan->shapes[number];
    const int *fds = place->groups[number].fds;
    if (shape->switches != 0)
        sys_set_output(fds[0], number == 0 ? place->tracker : fds[shape->switches]);
}

static int open_group(struct place *place, size_t number, const struct group_style *style,
                      size_t *refused)
{
    struct group_target target = {place->cgroup, place->cpu};
    int *fds = mem_array(place->plan->shapes[number].values, sizeof(*fds));
    if (group_open(place->plan, number, style, target, fds, refused) < 0) {
        free(fds);
        return -1;
    }
    place->groups[number].fds = fds;
    if (number >= place->plan->sampled)
        return 0;
    *refused = place->plan->shapes[number].switches;
    if (connect_group(place, number) < 0)
        return -1;
    hear_leader(place, number);
    return 0;
}

int place_count(struct place *place, const struct group_plan *plan, const struct group_style *style,
                int *refused)
{
    place->plan = plan;
    place->groups = mem_array(plan->count, sizeof(*place->groups));
    for (size_t g = 0; g < plan->count; g++) {
        size_t position;
        if (group_is_on(plan, g, place->cpu) && open_group(place, g, style, &position) < 0) {
            int error = errno;
            *refused = plan->shapes[g].event_of[position];
            place_uncount(place);
            errno = error;
            return -1;
        }
    }
    return 0;
}

void place_uncount(struct place *place)
{
    for (size_t g = 0; place->plan && g < place->plan->count; g++) {
        struct open_group *group = &place->groups[g];
        if (group->stream)
            ring_close(&group->stream->ring);
        free(group->stream);
        if (group->fds)
            group_close(group->fds, place->plan->shapes[g].values);
        free(group->fds);
    }
    free(place->groups);
    place->groups = NULL;
    place->plan = NULL;
}

void place_start(struct place *place)
{
    for (size_t g = 0; g < place->plan->count; g++)
        if (place->groups[g].fds)
            sys_enable(place->groups[g].fds[0], false);
}

bool place_switch(struct place *place, bool on)
{
    if (place->switcher >= 0)
        close(place->switcher);
    place->switcher = -1;
    if (!on)
        return true;
    struct perf_event_attr attr = place_attr(PERF_COUNT_SW_DUMMY, place->stream.ring.size / 4);
    attr.context_switch = 1;
    attr.disabled = 1;
    place->switcher = place->cgroup < 0 ? sys_open(&attr, -1, place->cpu, -1)
                                        : sys_open_cgroup(&attr, place->cgroup, place->cpu, -1);
    if (place->switcher >= 0 && sys_set_output(place->switcher, place->tracker) == 0 &&
        sys_enable(place->switcher, false) == 0)
        return true;
    place_switch(place, false);
    return false;
}

void place_tick(struct place *place, uint64_t period)
{
    for (size_t g = 0; place->plan && g < place->plan->sampled; g++)
        sys_set_period(place->groups[g].fds[place->plan->shapes[g].ticker], period);
}

struct stream *place_stream(struct place *place, size_t i)
{
    if (i == 0)
        return &place->stream;
    return place->plan && i < place->plan->sampled ? place->groups[i].stream : NULL;
}

int place_stream_fd(const struct place *place, size_t i)
{
    return i == 0 ? place->tracker : place->groups[i].fds[place->plan->shapes[i].switches];
}

bool place_read(const struct place *place, size_t group, struct group_read *counts)
{
    const int *fds = place->groups[group].fds;
    return fds && group_counts(fds[0], place->plan->shapes[group].values, counts);
}

bool place_lives(struct place *place)
{
    struct {
        uint64_t value, enabled;
    } now;
    uint64_t before = place->enabled;
    if (read(place->tracker, &now, sizeof(now)) != sizeof(now))
        return false;
    place->enabled = now.enabled;
    return now.enabled > before;
}

size_t place_descriptors(const struct place *place)
{
    size_t count = 1 + (place->switcher >= 0); /* and the tracker */
    for (size_t g = 0; place->plan && g < place->plan->count; g++)
        if (place->groups[g].fds)
            count += place->plan->shapes[g].values;
    return count;
}
