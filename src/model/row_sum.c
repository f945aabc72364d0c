#include "model/row_sum.h"
#include "base/mem.h"

static const double COVERAGE_MIN = 0.01;

struct row row_sum_new(const struct event_set *set)
{
    struct row row = {.cpu = -1, .uid = (uid_t)-1, .state = EVENT_COUNTED};
    size_t counts = set->count * sizeof(*row.counts);
    row.counts = mem_alloc(counts + set->groups * sizeof(*row.times));
    row.times = (struct group_time *)((char *)row.counts + counts);
    return row;
}

void row_sum_add(struct row *sum, const struct row *part, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++)
        sum->counts[e].value += part->counts[e].value;
    for (size_t g = 0; g < set->groups; g++) {
        sum->times[g].enabled += part->times[g].enabled;
        sum->times[g].running += part->times[g].running;
    }
    sum->threads += part->threads;
    sum->oncpu += part->oncpu;
    sum->ran |= part->ran;
    if (part->state != EVENT_COUNTED)
        sum->state = part->state;
}

double row_sum_coverage(struct group_time time)
{
    if (time.running >= time.enabled)
        return 1;
    double coverage = (double)time.running / (double)time.enabled;
    return coverage < COVERAGE_MIN ? 0 : coverage;
}

bool row_sum_tells(const struct event_info *event, struct group_time time)
{
    return !event->shared || time.enabled > 0;
}

void row_sum_complete(struct row *sum, const struct event_set *set)
{
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        bool known = g >= 0 && row_sum_tells(&set->events[e], sum->times[g]);
        sum->counts[e].coverage = known ? row_sum_coverage(sum->times[g]) : 0;
    }
}
