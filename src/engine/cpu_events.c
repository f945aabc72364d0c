#include "engine/cpu_events.h"
#include "engine/sys.h"

static struct perf_event_attr cpu_tracker_attr(const struct cpu_events *cpu, size_t ring_bytes)
{
    struct perf_event_attr attr = sys_record_attr(PERF_COUNT_SW_DUMMY, ring_bytes / 4);
    attr.task = attr.comm = attr.comm_exec = 1;
    attr.cgroup = cpu->cgroups;
    attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED; /* for cpu_events_lives() */
    return attr;
}

/* Every event that records switches, births, ends or names costs all tasks. So while the switcher
 * is open, it does the tracker's work, unless it sees only a cgroup's tasks. */
static bool switcher_tracks(const struct cpu_events *cpu)
{
    return cpu->switcher >= 0 && cpu->cgroup < 0;
}

/* Whether the event that records births was enabled all the time since the last call, within the
 * clocks' tolerance. The event's time is read between the two times of the clock: what lives has no
 * less of it. */
static bool time_went_on(struct cpu_events *cpu)
{
    enum { SLACK = 1000000, DRIFT = 256 }; /* ns; and a part of the time */
    struct {
        uint64_t value, enabled;
    } now;
    uint64_t begin = clock_monotonic(), passed = begin > cpu->checked ? begin - cpu->checked : 0;
    if (read(switcher_tracks(cpu) ? cpu->switcher : cpu->tracker, &now, sizeof(now)) != sizeof(now))
        return false;
    uint64_t counted = now.enabled - cpu->enabled;
    cpu->enabled = now.enabled;
    cpu->checked = clock_monotonic();
    return counted + SLACK + passed / DRIFT >= passed;
}

static int open_side_band(struct cpu_events *cpu, size_t ring_bytes, struct err *err)
{
    struct perf_event_attr attr = cpu_tracker_attr(cpu, ring_bytes);
    cpu->tracker = sys_open(&attr, false, -1, cpu->number, -1);
    cpu->dead = false;
    cpu->enabled = 0;
    cpu->checked = clock_monotonic();
    cpu->stream.fd = cpu->tracker;
    return cpu->tracker < 0 ? -1 : ring_open(&cpu->stream.ring, cpu->tracker, ring_bytes, err);
}

struct cpu_events *cpu_events_open(int number, size_t ring_bytes, bool cgroups, struct err *err)
{
    struct cpu_events *cpu = mem_alloc(sizeof(*cpu));
    *cpu = (struct cpu_events){
        .number = number,
        .tracker = -1,
        .switcher = -1,
        .tracers = {-1, -1},
        .cgroup = -1,
        .cgroups = cgroups,
        .stream.cpu = cpu,
    };
    struct err cause = {""};
    if (open_side_band(cpu, ring_bytes, &cause) == 0)
        return cpu;
    int error = errno;
    err_set(err, "cannot follow the tasks of cpu %d: %s", number,
            *cause.text ? cause.text : err_reason(error));
    cpu_events_close(cpu);
    errno = error;
    return NULL;
}

static void close_switcher(struct cpu_events *cpu)
{
    if (switcher_tracks(cpu))
        sys_enable(cpu->tracker);
    file_close(cpu->switcher);
    cpu->switcher = -1;
}

static bool open_switcher(struct cpu_events *cpu)
{
    struct perf_event_attr attr = cpu_tracker_attr(cpu, cpu->stream.ring.size);
    attr.task = attr.comm = attr.comm_exec = cpu->cgroup < 0;
    attr.cgroup &= cpu->cgroup < 0;
    attr.context_switch = 1;
    attr.disabled = 1;
    cpu->switcher = sys_open(&attr, cpu->cgroup >= 0, cpu->cgroup, cpu->number, -1);
    if (cpu->switcher < 0 || sys_set_output(cpu->switcher, cpu->tracker) < 0 ||
        sys_enable(cpu->switcher) < 0) {
        close_switcher(cpu);
        return false;
    }
    if (switcher_tracks(cpu))
        sys_disable(cpu->tracker);
    return true;
}

static void close_side_band(struct cpu_events *cpu)
{
    ring_close(&cpu->stream.ring);
    close_switcher(cpu);
    for (enum tracer t = 0; t < TRACERS; t++)
        cpu_events_trace(cpu, t, 0);
    file_close(cpu->tracker);
    cpu->tracker = -1;
}

void cpu_events_close(struct cpu_events *cpu)
{
    cpu_events_uncount(cpu);
    close_side_band(cpu);
    free(cpu);
}

int cpu_events_reopen(struct cpu_events *cpu, size_t ring_bytes)
{
    close_side_band(cpu);
    return open_side_band(cpu, ring_bytes, NULL);
}

void cpu_events_confine(struct cpu_events *cpu, int cgroup)
{
    close_switcher(cpu);
    cpu->cgroup = cgroup;
}

/* Opens a group. Group 0 writes into the tracker's ring, the others into their own. */
static int open_group(struct cpu_events *cpu, size_t number, const struct group_style *style,
                      size_t *refused)
{
    const struct group_shape *shape = &cpu->plan->shapes[number];
    struct open_group *group = &cpu->groups[number];
    struct group_target target = {cpu->cgroup, cpu->number};
    int *fds = mem_array(shape->values, sizeof(*fds));
    if (group_open(cpu->plan, number, style, target, fds, refused) < 0) {
        free(fds);
        return -1;
    }
    group->fds = fds;
    if (number >= cpu->plan->sampled)
        return 0;
    *refused = shape->switches;
    int ring = number == 0 ? cpu->tracker : fds[shape->switches];
    if (number == 0) {
        if (sys_set_output(fds[shape->switches], ring) < 0)
            return -1;
    } else {
        group->stream = mem_alloc(sizeof(*group->stream));
        *group->stream = (struct stream){.cpu = cpu, .group = number, .fd = ring};
        if (ring_open(&group->stream->ring, ring, cpu->stream.ring.size, NULL) < 0)
            return -1;
    }
    if (sys_set_output(fds[shape->ticker], ring) < 0)
        return -1;
    /* From Linux 6.16 on a group is throttled as a whole, and its leader writes the record
     * (kernel/events/core.c, perf_event_throttle()). A failure costs only these records. */
    if (shape->switches != 0)
        sys_set_output(fds[0], ring);
    return 0;
}

int cpu_events_count(struct cpu_events *cpu, const struct group_plan *plan,
                     const struct group_style *style, int *refused)
{
    cpu->plan = plan;
    cpu->groups = mem_array(plan->count, sizeof(*cpu->groups));
    for (size_t g = 0; g < plan->count; g++) {
        size_t position;
        if (group_is_on(plan, g, cpu->number) && open_group(cpu, g, style, &position) < 0) {
            *refused = plan->shapes[g].event_of[position];
            cpu_events_uncount(cpu);
            return -1;
        }
    }
    return 0;
}

void cpu_events_uncount(struct cpu_events *cpu)
{
    for (size_t g = 0; cpu->plan && g < cpu->plan->count; g++) {
        struct open_group *group = &cpu->groups[g];
        if (group->stream)
            ring_close(&group->stream->ring);
        free(group->stream);
        if (group->fds)
            group_close(group->fds, cpu->plan->shapes[g].values);
        free(group->fds);
    }
    free(cpu->groups);
    cpu->groups = NULL;
    cpu->plan = NULL;
}

bool cpu_events_switch(struct cpu_events *cpu, bool on)
{
    if (cpu->dead || (!on && cpu->switcher < 0))
        return !on;
    /* A new event would count on a CPU whose other ones have died. */
    cpu->dead = !time_went_on(cpu);
    if (cpu->dead)
        return !on;
    close_switcher(cpu);
    bool opened = on && open_switcher(cpu);
    time_went_on(cpu); /* from now on of another event */
    return opened == on;
}

int cpu_events_trace(struct cpu_events *cpu, enum tracer tracer, uint64_t tracepoint)
{
    int *fd = &cpu->tracers[tracer];
    file_close(*fd);
    *fd = -1;
    if (!tracepoint)
        return 0;
    struct perf_event_attr attr = sys_record_attr(tracepoint, cpu->stream.ring.size / 4);
    attr.type = PERF_TYPE_TRACEPOINT;
    attr.sample_type = DECODE_WAKE_FIELDS;
    attr.sample_period = 1;
    attr.disabled = 1;
    *fd = sys_open(&attr, false, -1, cpu->number, -1);
    if (*fd >= 0 && sys_set_output(*fd, cpu->tracker) == 0 && sys_enable(*fd) == 0)
        return 0;
    cpu_events_trace(cpu, tracer, 0);
    return -1;
}

void cpu_events_tick(struct cpu_events *cpu, uint64_t period)
{
    for (size_t g = 0; cpu->plan && g < cpu->plan->sampled; g++)
        sys_set_period(cpu->groups[g].fds[cpu->plan->shapes[g].ticker], period);
}

struct stream *cpu_events_stream(struct cpu_events *cpu, size_t i)
{
    if (i == 0)
        return &cpu->stream;
    return cpu->plan && i < cpu->plan->sampled ? cpu->groups[i].stream : NULL;
}

bool cpu_events_read(const struct cpu_events *cpu, size_t group, struct group_read *counts)
{
    const int *fds = cpu->groups[group].fds;
    return fds && group_counts(fds[0], cpu->plan->shapes[group].values, counts);
}

bool cpu_events_lives(struct cpu_events *cpu)
{
    cpu->dead = cpu->dead || !time_went_on(cpu);
    return !cpu->dead;
}

size_t cpu_events_descriptors(const struct cpu_events *cpu)
{
    size_t count = 1 + (cpu->switcher >= 0); /* and the tracker */
    for (enum tracer t = 0; t < TRACERS; t++)
        count += cpu->tracers[t] >= 0;
    for (size_t g = 0; cpu->plan && g < cpu->plan->count; g++)
        if (cpu->groups[g].fds)
            count += cpu->plan->shapes[g].values;
    return count;
}
