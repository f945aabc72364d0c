#include "engine/cpu_events.h"
#include "base/mem.h"
#include "engine/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct perf_event_attr cpu_events_attr(uint64_t config, size_t watermark)
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

static int open_side_band(struct cpu_events *cpu_events, size_t ring_bytes, struct err *err)
{
    struct perf_event_attr attr = cpu_events_attr(PERF_COUNT_SW_DUMMY, ring_bytes / 4);
    attr.task = attr.comm = attr.comm_exec = 1;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED; /* see cpu_events_lives */
    cpu_events->tracker = sys_open(&attr, -1, cpu_events->cpu, -1);
    if (cpu_events->tracker < 0)
        return -1;
    if (ring_open(&cpu_events->stream.ring, cpu_events->tracker, ring_bytes, err) < 0)
        return -1;
    return 0;
}

struct cpu_events *cpu_events_open(int cpu, size_t ring_bytes, struct err *err)
{
    struct cpu_events *cpu_events = mem_alloc(sizeof(*cpu_events));
    *cpu_events = (struct cpu_events){.cpu = cpu, .stream.cpu_events = cpu_events};
    cpu_events->tracker = cpu_events->switcher = cpu_events->cgroup = -1;
    struct err cause = {""};
    if (open_side_band(cpu_events, ring_bytes, &cause) == 0)
        return cpu_events;
    int error = errno;
    err_set(err, "cannot follow the tasks of cpu %d: %s", cpu,
            *cause.text ? cause.text : strerror(error));
    cpu_events_close(cpu_events);
    errno = error;
    return NULL;
}

static void close_side_band(struct cpu_events *cpu_events)
{
    ring_close(&cpu_events->stream.ring);
    cpu_events_switch(cpu_events, false);
    if (cpu_events->tracker >= 0)
        close(cpu_events->tracker);
    cpu_events->tracker = -1;
}

void cpu_events_close(struct cpu_events *cpu_events)
{
    cpu_events_uncount(cpu_events);
    close_side_band(cpu_events);
    free(cpu_events);
}

int cpu_events_reopen(struct cpu_events *cpu_events, size_t ring_bytes, struct err *err)
{
    close_side_band(cpu_events);
    return open_side_band(cpu_events, ring_bytes, err);
}

void cpu_events_confine(struct cpu_events *cpu_events, int cgroup)
{
    cpu_events_switch(cpu_events, false);
    cpu_events->cgroup = cgroup;
}

/* A ring for a group: group 0 writes into the tracker's, the others into their own. */
static int connect_group(struct cpu_events *cpu_events, size_t number)
{
    struct open_group *group = &cpu_events->groups[number];
    const struct group_shape *shape = &cpu_events->plan->shapes[number];
    int switches = group->fds[shape->switches], ticker = group->fds[shape->ticker];
    if (number == 0)
        return sys_set_output(switches, cpu_events->tracker) < 0
                   ? -1
                   : sys_set_output(ticker, cpu_events->tracker);
    group->stream = mem_alloc(sizeof(*group->stream));
    *group->stream = (struct stream){.cpu_events = cpu_events, .group = number};
    if (ring_open(&group->stream->ring, switches, cpu_events->stream.ring.size, NULL) < 0)
        return -1;
    return sys_set_output(ticker, switches);
}

/* From Linux 6.16 on a group is throttled as a whole, and its leader tells of it
 * (kernel/events/core.c, perf_event_throttle()). Where it may not, nothing else is missing. */
static void hear_leader(const struct cpu_events *cpu_events, size_t number)
{
    const struct group_shape *shape = &cpu_events->plan->shapes[number];
    const int *fds = cpu_events->groups[number].fds;
    if (shape->switches != 0)
        sys_set_output(fds[0], number == 0 ? cpu_events->tracker : fds[shape->switches]);
}

static int open_group(struct cpu_events *cpu_events, size_t number, const struct group_style *style,
                      size_t *refused)
{
    struct group_target target = {cpu_events->cgroup, cpu_events->cpu};
    int *fds = mem_array(cpu_events->plan->shapes[number].values, sizeof(*fds));
    if (group_open(cpu_events->plan, number, style, target, fds, refused) < 0) {
        free(fds);
        return -1;
    }
    cpu_events->groups[number].fds = fds;
    if (number >= cpu_events->plan->sampled)
        return 0;
    *refused = cpu_events->plan->shapes[number].switches;
    if (connect_group(cpu_events, number) < 0)
        return -1;
    hear_leader(cpu_events, number);
    return 0;
}

int cpu_events_count(struct cpu_events *cpu_events, const struct group_plan *plan,
                     const struct group_style *style, int *refused)
{
    cpu_events->plan = plan;
    cpu_events->groups = mem_array(plan->count, sizeof(*cpu_events->groups));
    for (size_t g = 0; g < plan->count; g++) {
        size_t position;
        if (group_is_on(plan, g, cpu_events->cpu) &&
            open_group(cpu_events, g, style, &position) < 0) {
            int error = errno;
            *refused = plan->shapes[g].event_of[position];
            cpu_events_uncount(cpu_events);
            errno = error;
            return -1;
        }
    }
    return 0;
}

void cpu_events_uncount(struct cpu_events *cpu_events)
{
    for (size_t g = 0; cpu_events->plan && g < cpu_events->plan->count; g++) {
        struct open_group *group = &cpu_events->groups[g];
        if (group->stream)
            ring_close(&group->stream->ring);
        free(group->stream);
        if (group->fds)
            group_close(group->fds, cpu_events->plan->shapes[g].values);
        free(group->fds);
    }
    free(cpu_events->groups);
    cpu_events->groups = NULL;
    cpu_events->plan = NULL;
}

void cpu_events_start(struct cpu_events *cpu_events)
{
    for (size_t g = 0; g < cpu_events->plan->count; g++)
        if (cpu_events->groups[g].fds)
            sys_enable(cpu_events->groups[g].fds[0], false);
}

bool cpu_events_switch(struct cpu_events *cpu_events, bool on)
{
    if (cpu_events->switcher >= 0)
        close(cpu_events->switcher);
    cpu_events->switcher = -1;
    if (!on)
        return true;
    struct perf_event_attr attr =
        cpu_events_attr(PERF_COUNT_SW_DUMMY, cpu_events->stream.ring.size / 4);
    attr.context_switch = 1;
    attr.disabled = 1;
    cpu_events->switcher = cpu_events->cgroup < 0
                               ? sys_open(&attr, -1, cpu_events->cpu, -1)
                               : sys_open_cgroup(&attr, cpu_events->cgroup, cpu_events->cpu, -1);
    if (cpu_events->switcher >= 0 &&
        sys_set_output(cpu_events->switcher, cpu_events->tracker) == 0 &&
        sys_enable(cpu_events->switcher, false) == 0)
        return true;
    cpu_events_switch(cpu_events, false);
    return false;
}

void cpu_events_tick(struct cpu_events *cpu_events, uint64_t period)
{
    for (size_t g = 0; cpu_events->plan && g < cpu_events->plan->sampled; g++)
        sys_set_period(cpu_events->groups[g].fds[cpu_events->plan->shapes[g].ticker], period);
}

struct stream *cpu_events_stream(struct cpu_events *cpu_events, size_t i)
{
    if (i == 0)
        return &cpu_events->stream;
    return cpu_events->plan && i < cpu_events->plan->sampled ? cpu_events->groups[i].stream : NULL;
}

int cpu_events_stream_fd(const struct cpu_events *cpu_events, size_t i)
{
    return i == 0 ? cpu_events->tracker
                  : cpu_events->groups[i].fds[cpu_events->plan->shapes[i].switches];
}

bool cpu_events_read(const struct cpu_events *cpu_events, size_t group, struct group_read *counts)
{
    const int *fds = cpu_events->groups[group].fds;
    return fds && group_counts(fds[0], cpu_events->plan->shapes[group].values, counts);
}

bool cpu_events_lives(struct cpu_events *cpu_events)
{
    struct {
        uint64_t value, enabled;
    } now;
    uint64_t before = cpu_events->enabled;
    if (read(cpu_events->tracker, &now, sizeof(now)) != sizeof(now))
        return false;
    cpu_events->enabled = now.enabled;
    return now.enabled > before;
}

size_t cpu_events_descriptors(const struct cpu_events *cpu_events)
{
    size_t count = 1 + (cpu_events->switcher >= 0); /* and the tracker */
    for (size_t g = 0; cpu_events->plan && g < cpu_events->plan->count; g++)
        if (cpu_events->groups[g].fds)
            count += cpu_events->plan->shapes[g].values;
    return count;
}
