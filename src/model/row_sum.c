#include "model/row_sum.h"
#include "base/mem.h"

#include <math.h>
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

void row_sum_add(struct row *sum, const struct row *part, const struct event_set *set)
{
    if (part->asleep) { /* most are, where all tasks are listed */
        sum->threads += part->threads;
        return;
    }
    for (size_t e = 0; e < set->count; e++) {
        uint64_t *value = &sum->counts[e].value, more = part->counts[e].value;
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

void row_sum_complete(struct row *sum, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        sum->counts[e].coverage = row_sum_coverage(&set->events[e], sum->times);
}
