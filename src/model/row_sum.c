#include "model/row_sum.h"
#include "base/mem.h"
#include "base/scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double COVERAGE_MIN = 0.01;

size_t row_sum_size(const struct event_set *set)
{
    return set->count * sizeof(struct count) + set->groups * sizeof(struct group_time);
}

struct row row_sum_in(void *place, const struct event_set *set)
{
    struct row row = {.cpu = -1, .uid = (uid_t)-1, .state = EVENT_COUNTED};
    memset(place, 0, row_sum_size(set));
    row.counts = place;
    row.times = (struct group_time *)(row.counts + set->count);
    return row;
}

struct row row_sum_new(const struct event_set *set)
{
    return row_sum_in(mem_alloc(row_sum_size(set)), set);
}

void row_sum_release(struct row *sum)
{
    free(sum->counts);
    wait_facts_free(sum->wait_facts);
    sum->counts = NULL;
    sum->wait_facts = NULL;
}

static bool is_scaled(const struct frame *frame, int group, struct group_time time)
{
    return time.running < time.enabled && !frame_is_whole(frame, (size_t)group);
}

/* The only place that scales counts. */
uint64_t row_sum_scaled(uint64_t raw, const struct frame *frame, int group, struct group_time time)
{
    if (!is_scaled(frame, group, time))
        return raw;
    return time.running ? scale(raw, time.enabled, time.running) : 0;
}

/* Exact: scaled values are enabled / running >= 1 apart, so only one raw count gives a value. */
uint64_t row_sum_raw(const struct row *row, const struct frame *frame, size_t event)
{
    int g = frame->events->events[event].group;
    uint64_t value = row->counts[event].value;
    if (g < 0 || !is_scaled(frame, g, row->times[g]))
        return value;
    return scale(value, row->times[g].running, row->times[g].enabled);
}

void row_sum_add(struct row *sum, const struct row *part, const struct frame *frame)
{
    const struct event_set *set = frame->events;
    if (part->asleep) { /* most are, where all tasks are listed */
        sum->threads += part->threads;
        return;
    }
    for (size_t e = 0; e < set->count; e++) {
        uint64_t *value = &sum->counts[e].value, more = row_sum_raw(part, frame, e);
        *value = !scheduler_is_peak(set->events[e].kept) ? *value + more
                 : more > *value                         ? more
                                                         : *value;
    }
    for (size_t g = 0; g < set->groups; g++) {
        sum->times[g].enabled += part->times[g].enabled;
        sum->times[g].running += part->times[g].running;
    }
    if (sum->kernel_times && part->kernel_times)
        kernel_times_add(sum->kernel_times, part->kernel_times);
    wait_facts_add(&sum->wait_facts, part->wait_facts);
    sum->threads += part->threads;
    if (part->oncpu != 0) /* whole ns: the same sum in any order */
        sum->oncpu = nearbyint((sum->oncpu + part->oncpu) * 1e9) / 1e9;
    sum->ran |= part->ran;
    if (part->state != EVENT_COUNTED)
        sum->state = part->state;
}

bool row_sum_tells(const struct event_info *event, struct group_time time)
{
    return !event->shared || time.enabled > 0;
}

double row_sum_coverage(const struct event_info *event, const struct group_time *times)
{
    if (event->group < 0 || !row_sum_tells(event, times[event->group]))
        return 0;
    struct group_time time = times[event->group];
    if (time.running >= time.enabled)
        return 1;
    double coverage = (double)time.running / (double)time.enabled;
    return coverage < COVERAGE_MIN ? 0 : coverage;
}

void row_sum_complete(struct row *sum, const struct frame *frame)
{
    const struct event_set *set = frame->events;
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        struct count *count = &sum->counts[e];
        count->coverage = row_sum_coverage(&set->events[e], sum->times);
        if (g >= 0)
            count->value = row_sum_scaled(count->value, frame, g, sum->times[g]);
    }
}
