#include "engine/probe_open.h"
#include "engine/sys.h"
#include "event/name.h"
#include "event/pmu.h"
#include "event/query.h"
#include "system/procfs.h"

#include <sched.h>

void probe_open_caps(struct caps *caps)
{
    caps_read(caps);
    caps->refused = sys_refused(&caps->barred);
}

char *probe_open_reason(const char *event, enum count_mode mode, struct group_target target,
                        const struct caps *caps)
{
    struct group_style style = {
        .filler = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY},
    };
    AUTO_EVENTS struct event_list list = {0};
    struct err err;
    if (event_parse(&list, event, mode, &err) < 0)
        return mem_strdup(err.text);
    struct group_plan plan;
    group_plan_make(&plan, &list, &style, target, caps);
    const struct event_info *tried = &plan.set->events[0];
    char *reason = tried->state == EVENT_COUNTED ? NULL : mem_strdup(tried->reason);
    group_plan_release(&plan);
    return reason;
}

char *probe_open_breakpoint(enum count_mode mode, struct group_target target,
                            const struct caps *caps)
{
    uint32_t watched;
    AUTO_FREE char *event = mem_printf("mem:%p/%zu:w", (void *)&watched, sizeof(watched));
    return probe_open_reason(event, mode, target, caps);
}

/* ---- counters ---- */

/* Some processors have counters that can count only one of these events. Elsewhere any counter
 * counts them. */
enum { KINDS = 3, EVENTS_MAX = 64 };
static const uint64_t kinds[KINDS] = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                      PERF_COUNT_HW_REF_CPU_CYCLES};

struct mixture {
    size_t of[KINDS];
    uint64_t pmu; /* for the upper half of config: perf_event_open(2), PERF_TYPE_HARDWARE */
    bool user;    /* user mode only */
};

enum outcome { OUTCOME_REFUSED, OUTCOME_IDLE, OUTCOME_COUNTS };

static size_t mixture_size(const struct mixture *mixture)
{
    size_t size = 0;
    for (size_t k = 0; k < KINDS; k++)
        size += mixture->of[k];
    return size;
}

/* Opens as many events of each kind as the mixture says, as one group. Enabled, since drivers may
 * check only enabled groups for fit (drivers/perf/arm_pmu.c, validate_event()). */
static enum outcome try_mixture(const struct mixture *mixture)
{
    int fds[EVENTS_MAX];
    size_t count = 0, size = mixture_size(mixture);
    if (size > EVENTS_MAX)
        return OUTCOME_REFUSED;
    for (size_t k = 0, n = 0; k < KINDS && count < size; n = 0, k++)
        for (; n < mixture->of[k]; n++, count++) {
            struct perf_event_attr attr = {
                .type = PERF_TYPE_HARDWARE,
                .config = kinds[k] | mixture->pmu << PERF_PMU_TYPE_SHIFT,
                .read_format = count == 0 ? DECODE_READ_FORMAT : 0,
                .exclude_kernel = mixture->user,
                .exclude_hv = mixture->user,
            };
            fds[count] = sys_open(&attr, false, 0, -1, count ? fds[0] : -1);
            if (fds[count] < 0) {
                group_close(fds, count);
                return OUTCOME_REFUSED;
            }
        }
    /* If the group is on the counters, its running time grows between two reads. */
    AUTO_FREE struct group_read *read = group_read_new(count);
    bool good = group_counts(fds[0], count, read);
    uint64_t before = read->running;
    good = good && group_counts(fds[0], count, read) && read->running > before;
    group_close(fds, count);
    return good ? OUTCOME_COUNTS : OUTCOME_IDLE;
}

/* Removes one event: of a kind without which the group counts, else of the last kind present. True
 * if the group now counts or is empty. */
static bool shrink(struct mixture *mixture)
{
    size_t last = 0;
    for (size_t k = 0; k < KINDS; k++) {
        if (mixture->of[k] == 0)
            continue;
        last = k;
        mixture->of[k]--;
        if (mixture_size(mixture) == 0 || try_mixture(mixture) == OUTCOME_COUNTS)
            return true;
        mixture->of[k]++;
    }
    mixture->of[last]--;
    return false;
}

/* The largest mixture whose outcome is at least that. */
static void grow(struct mixture *mixture, enum outcome least)
{
    for (size_t k = 0; k < KINDS; k++) {
        do
            mixture->of[k]++;
        while (try_mixture(mixture) >= least);
        mixture->of[k]--;
    }
}

struct probe_open_counters probe_open_counters(const char *pmu, const struct caps *caps)
{
    struct probe_open_counters found = {0};
    struct mixture mixture = {.user = !caps_kernel(caps)};
    uint32_t type = 0;
    cpu_set_t before, there;
    bool moved = false;
    if (pmu && pmu_type(pmu, &type)) {
        AUTO_CPUS struct cpulist cpus = {0};
        CPU_ZERO(&there);
        pmu_cpus(pmu, "cpus", &cpus);
        for (size_t c = 0; c < cpus.count; c++)
            if (cpus.cpus[c] < CPU_SETSIZE)
                CPU_SET(cpus.cpus[c], &there);
        moved = sched_getaffinity(0, sizeof(before), &before) == 0 && CPU_COUNT(&there) > 0 &&
                sched_setaffinity(0, sizeof(there), &there) == 0;
    }
    mixture.pmu = type;
    grow(&mixture, OUTCOME_IDLE);
    if (mixture_size(&mixture) == EVENTS_MAX) { /* a driver that accepts any (riscv_pmu_sbi.c) */
        memset(mixture.of, 0, sizeof(mixture.of));
        grow(&mixture, OUTCOME_COUNTS);
    }
    found.all = mixture_size(&mixture);
    if (found.all && try_mixture(&mixture) != OUTCOME_COUNTS)
        while (!shrink(&mixture))
            ;
    found.free = mixture_size(&mixture);
    if (moved)
        sched_setaffinity(0, sizeof(before), &before);
    return found;
}

size_t probe_open_core_counters(const struct caps *caps)
{
    AUTO_NAMES struct names types = {0};
    pmu_core_types(&types);
    return types.count ? 0 : probe_open_counters(NULL, caps).all;
}

static const char WAKING[] = "sched:sched_waking";

static const char NO_DELAYS[] =
    "this kernel keeps no waiting times (it is built without CONFIG_SCHED_INFO)";

bool wakeups_wanted(const struct event_list *list)
{
    for (size_t e = 0; e < list->count; e++)
        if (event_kept(&list->events[e]) && list->events[e].state == EVENT_COUNTED)
            return true;
    return false;
}

static void wakeups_exclude(struct event *event, enum event_state state, const char *reason)
{
    if (event->state != EVENT_COUNTED)
        return;
    event->state = state;
    event->reason = mem_strdup(reason);
}

/* A tracepoint whose records engine/decode.h decodes. */
static struct perf_event_attr tracepoint_attr(uint64_t number)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_TRACEPOINT,
        .config = number,
        .sample_type = DECODE_WAKE_FIELDS,
        .sample_period = 1,
        .disabled = 1,
    };
}

uint64_t wakeups_tracepoint(int cpu, const struct caps *caps, struct event *why)
{
    uint64_t id;
    size_t offset = 0, size = 0;
    struct err err;
    *why = (struct event){.text = (char *)WAKING};
    enum tracepoint found = tracepoint_find(WAKING, &id, &err);
    if (found != TRACEPOINT_FOUND)
        wakeups_exclude(why, found == TRACEPOINT_HIDDEN ? EVENT_DENIED : EVENT_UNSUPPORTED,
                        err.text);
    else if (!tracepoint_fields(WAKING, NULL, "pid", &offset, &size) || offset != DECODE_WAKE_PID ||
             size != sizeof(int))
        wakeups_exclude(why, EVENT_UNSUPPORTED,
                        "this kernel's records of wake-ups have an unknown form");
    else if (caps->contained)
        wakeups_exclude(why, EVENT_UNSUPPORTED, caps_contained);
    if (why->reason)
        return 0;
    why->attr = tracepoint_attr(id);
    int error = sys_try(&why->attr, false, -1, cpu);
    if (error)
        explain_refusal(why, error, true, caps);
    return error ? 0 : id;
}

void migrations_find(int cpu, struct decode_migration *form)
{
    static const char MIGRATE[] = "sched:sched_migrate_task";
    size_t pid_size = 0, cpu_size = 0;
    struct err err;
    if (tracepoint_find(MIGRATE, &form->tracepoint, &err) != TRACEPOINT_FOUND)
        form->tracepoint = 0;
    struct perf_event_attr attr = tracepoint_attr(form->tracepoint);
    /* The name before these fields has a fixed length, or since Linux 6.18 none. */
    if (!form->tracepoint || !tracepoint_fields(MIGRATE, NULL, "pid", &form->pid, &pid_size) ||
        !tracepoint_fields(MIGRATE, NULL, "dest_cpu", &form->cpu, &cpu_size) ||
        pid_size != sizeof(pid_t) || cpu_size != sizeof(int) || sys_try(&attr, false, -1, cpu) != 0)
        form->tracepoint = 0;
}

void wakeups_judge_records(struct event_list *list, uint64_t tracepoint, const struct event *why)
{
    bool delays = tracepoint || procfs_keeps_delay();
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        enum scheduler_event kept = event_kept(event);
        bool counts = kept == SCHEDULER_PREEMPTED || kept == SCHEDULER_YIELDED;
        if (kept == SCHEDULER_LATENCY_MAX && !tracepoint)
            wakeups_exclude(event, why->state, why->reason);
        else if (kept && !counts && !delays)
            wakeups_exclude(event, EVENT_UNSUPPORTED, NO_DELAYS);
    }
}

void wakeups_judge_proc(struct event_list *list)
{
    bool delays = procfs_keeps_delay();
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &list->events[e];
        enum scheduler_event kept = event_kept(event);
        if (kept == SCHEDULER_LATENCY || kept == SCHEDULER_LATENCY_MAX || kept == SCHEDULER_WAKEUPS)
            wakeups_exclude(event, EVENT_DENIED,
                            "/proc does not tell waiting after a wake-up from other waiting: count "
                            "all CPUs (--engine cpu)");
        else if ((kept == SCHEDULER_WAIT || kept == SCHEDULER_BLOCK) && !delays)
            wakeups_exclude(event, EVENT_UNSUPPORTED, NO_DELAYS);
    }
}
