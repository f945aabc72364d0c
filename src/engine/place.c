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
    place->tracker = sys_open(&attr, -1, place->cpu, -1);
    if (place->tracker < 0)
        return -1;
    attr = place_attr(PERF_COUNT_SW_DUMMY, ring_bytes / 4);
    attr.context_switch = 1;
    attr.disabled = 1;
    place->switcher = sys_open(&attr, -1, place->cpu, -1);
    if (place->switcher < 0 || ring_open(&place->stream.ring, place->tracker, ring_bytes, err) < 0)
        return -1;
    return sys_set_output(place->switcher, place->tracker);
}

struct place *place_open(int cpu, size_t ring_bytes, struct err *err)
{
    struct place *place = mem_alloc(sizeof(*place));
    *place = (struct place){.cpu = cpu, .tracker = -1, .switcher = -1, .stream.place = place};
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

void place_close(struct place *place)
{
    place_uncount(place);
    ring_close(&place->stream.ring);
    if (place->switcher >= 0)
        close(place->switcher);
    if (place->tracker >= 0)
        close(place->tracker);
    free(place);
}

/* A ring for a group: group 0 writes into the tracker's, the others into their own. */
static int connect_group(struct place *place, size_t number)
{
    struct open_group *group = &place->groups[number];
    const struct group_shape *shape = &place->plan->shapes[number];
    int switches = group->fds[shape->switches], ticker = group->fds[shape->values - 1];
    if (sys_id(ticker, &group->tick_id) < 0)
        return -1;
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

static int open_group(struct place *place, size_t number, const struct group_style *style,
                      size_t *refused)
{
    struct group_target target = {-1, place->cpu};
    int *fds = mem_array(place->plan->shapes[number].values, sizeof(*fds));
    if (group_open(place->plan, number, style, target, fds, refused) < 0) {
        free(fds);
        return -1;
    }
    place->groups[number].fds = fds;
    *refused = place->plan->shapes[number].switches;
    return connect_group(place, number);
}

int place_count(struct place *place, const struct group_plan *plan, const struct group_style *style,
                int *refused)
{
    place->plan = plan;
    place->groups = mem_array(plan->count, sizeof(*place->groups));
    place->enabled = 0;
    for (size_t g = 0; g < plan->count; g++) {
        size_t position;
        if (open_group(place, g, style, &position) < 0) {
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
        sys_enable(place->groups[g].fds[0], false);
}

void place_switch(struct place *place, bool on)
{
    place->switching = on;
    if (on)
        sys_enable(place->switcher, false);
    else
        sys_disable(place->switcher, false);
}

void place_tick(struct place *place, uint64_t period)
{
    for (size_t g = 0; place->plan && g < place->plan->count; g++)
        sys_set_period(place->groups[g].fds[place->plan->shapes[g].values - 1], period);
}

struct stream *place_stream(struct place *place, size_t i)
{
    if (i == 0)
        return &place->stream;
    return place->plan && i < place->plan->count ? place->groups[i].stream : NULL;
}

int place_stream_fd(const struct place *place, size_t i)
{
    return i == 0 ? place->tracker : place->groups[i].fds[place->plan->shapes[i].switches];
}

bool place_read(const struct place *place, size_t group, struct group_read *counts)
{
    return group_counts(place->groups[group].fds[0], place->plan->shapes[group].values, counts);
}

bool place_lives(struct place *place, struct group_read *counts)
{
    uint64_t before = place->enabled;
    if (!place_read(place, 0, counts))
        return false;
    place->enabled = counts->enabled;
    return counts->enabled > before;
}

size_t place_descriptors(const struct place *place)
{
    size_t count = 2; /* tracker and switcher */
    for (size_t g = 0; place->plan && g < place->plan->count; g++)
        count += place->plan->shapes[g].values;
    return count;
}
