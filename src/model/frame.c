#include "model/frame.h"
#include "base/scale.h"

struct row_store *row_store_share(struct row_store *store)
{
    store = store ? store : mem_alloc(sizeof(*store));
    store->users++;
    return store;
}

void row_store_drop(struct row_store *store)
{
    if (--store->users > 0)
        return;
    free(store->rows);
    free(store);
}

void row_store_take(struct row_store *store, struct frame *frame, size_t need)
{
    frame->store = row_store_share(store);
    frame->threads = store->rows;
    frame->room = store->room;
    store->rows = NULL;
    if (frame->threads && need <= frame->room && frame->room / 2 <= need)
        return;
    free(frame->threads);
    frame->room = need + need / 8; /* for those that are born */
    frame->threads = mem_resize(NULL, frame->room, sizeof(*frame->threads));
}

/* Gives the rows of a frame back to its store, if it has one. */
static void give_rows(struct frame *frame)
{
    struct row_store *store = frame->store;
    if (!store) {
        free(frame->threads);
        return;
    }
    free(store->rows);
    store->rows = frame->threads;
    store->room = frame->room;
    row_store_drop(store);
}

void frame_free(struct frame *frame)
{
    if (!frame)
        return;
    for (size_t c = 0; c < frame->cpu_count; c++)
        free(frame->cpus[c].counts);
    for (size_t t = 0; t < frame->thread_count; t++)
        wait_facts_free(frame->threads[t].wait_facts);
    for (size_t p = 0; p < frame->process_count; p++)
        wait_facts_free(frame->processes[p].wait_facts);
    give_rows(frame);
    free(frame->block);
    free(frame->parts);
    free(frame->part_block);
    cgroup_names_drop(frame->cgroups);
    free(frame->cpus);
    free(frame->idle.counts);
    free(frame->unattributed.counts);
    free(frame->total.counts);
    wait_facts_free(frame->total.wait_facts);
    free(frame->unassigned);
    free(frame->long_waits);
    free(frame->asleep.counts);
    free(frame->whole);
    load_release(&frame->load);
    profile_drop(frame->profile);
    event_set_drop(frame->events);
    free(frame);
}

const struct row *frame_row(const struct frame *frame, pid_t pid, pid_t tid)
{
    size_t count = tid ? frame->thread_count : frame->process_count;
    const struct row *rows = tid ? frame->threads : frame->processes;
    for (size_t i = 0; i < count; i++)
        if (rows[i].pid == pid && (!tid || rows[i].tid == tid))
            return &rows[i];
    return NULL;
}

const char *frame_cgroup(const struct frame *frame, const struct row *row)
{
    return cgroup_names_find(frame->cgroups, row->cgroup);
}

bool frame_has_descriptors(const struct frame *frame)
{
    return frame->self_descriptors > 0 || frame->self_rss > 0;
}

double frame_seconds(const struct frame *frame, const struct row *row)
{
    return row->interval > 0 ? row->interval : frame->interval;
}

bool frame_is_whole(const struct frame *frame, size_t group)
{
    return frame->whole && frame->whole[group];
}

bool frame_has_machine(const struct frame *frame)
{
    return frame->has_cpus && !frame->part;
}

double frame_used(const struct frame *frame)
{
    return frame->interval > 0 ? frame->total.oncpu / frame->interval : 0;
}

double frame_busy(const struct frame *frame, size_t *cpus)
{
    if (frame_has_machine(frame)) {
        *cpus = frame->cpu_count;
        return frame->interval > 0 ? frame_used(frame) : -1;
    }
    double busy = load_mean(&frame->load, CPU_BUSY, cpus);
    return busy < 0 ? busy : busy * (double)*cpus;
}

double frame_self_share(const struct frame *frame)
{
    return frame->self_seconds > 0 ? frame->self_cpu / frame->self_seconds : 0;
}

static int account_event(const struct event_set *set)
{
    static const char *const preferred[] = {"cycles", "instructions", "cpu-clock", "task-clock"};
    for (size_t i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++) {
        int found = event_set_find(set, preferred[i]);
        if (found >= 0 && set->events[found].state == EVENT_COUNTED)
            return found;
    }
    for (size_t i = 0; i < set->count; i++)
        if (set->events[i].state == EVENT_COUNTED && !set->events[i].kept)
            return (int)i;
    return -1;
}

int frame_accounts(const struct frame *frame, double *idle, double *unattributed)
{
    int event = frame->has_cpus ? account_event(frame->events) : -1;
    double total = event < 0 ? 0 : (double)frame->total.counts[event].value;
    if (!(total > 0))
        return -1;
    *idle = (double)frame->idle.counts[event].value / total;
    *unattributed = (double)frame->unattributed.counts[event].value / total;
    return event;
}

/* ---- sums ---- */

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
    if (sum->wait_facts && sum->wait_facts->takers)
        wait_takers_cut(sum->wait_facts->takers);
    for (size_t e = 0; e < set->count; e++) {
        int g = set->events[e].group;
        struct count *count = &sum->counts[e];
        count->coverage = row_sum_coverage(&set->events[e], sum->times);
        if (g >= 0)
            count->value = row_sum_scaled(count->value, frame, g, sum->times[g]);
    }
}
