#include "engine/group.h"
#include "engine/sys.h"
#include "event/plan.h"

void group_close(int *fds, size_t count)
{
    /* Siblings first: closing the leader would make each of them a group of its own. */
    while (count-- > 0)
        file_close(fds[count]);
}

size_t group_words(size_t values)
{
    return sizeof(struct group_read) / sizeof(uint64_t) + values;
}

struct group_read *group_read_new(size_t values)
{
    return mem_alloc(group_words(values) * sizeof(uint64_t));
}

bool group_counts(int leader, size_t values, struct group_read *counts)
{
    size_t size = sizeof(*counts) + values * sizeof(counts->value[0]);
    return read(leader, counts, size) == (ssize_t)size && counts->count == values;
}

/* The attributes of the event at a position. Only a leader can be pinned or exclusive
 * (kernel/events/core.c, perf_event_open), so the whole group is if one of its events asks for it.
 */
static struct perf_event_attr attr_at(const struct event_list *list,
                                      const struct group_shape *shape,
                                      const struct group_style *style, size_t position, int cpu)
{
    int event = shape->event_of[position];
    struct perf_event_attr attr = style->filler;
    if (style->samples && position == shape->switches) {
        attr = style->switches;
    } else if (style->samples && position == shape->ticker) {
        attr = style->ticker;
        if (event >= 0)
            attr.config = list->events[event].attr.config;
    } else if (event >= 0) {
        attr = event_attr_on(&list->events[event], cpu);
    }
    attr.pinned = position == 0 && style->pinned;
    attr.exclusive = 0;
    for (size_t v = 0; position == 0 && v < shape->values; v++)
        if (shape->event_of[v] >= 0) {
            const struct perf_event_attr *asked = &list->events[shape->event_of[v]].attr;
            attr.pinned |= asked->pinned;
            attr.exclusive |= asked->exclusive;
        }
    return attr;
}

/* cpu: its core type selects the events' variants. */
static int open_shape(const struct event_list *list, const struct group_shape *shape,
                      const struct group_style *style, struct group_target target, int cpu,
                      int *fds, size_t *refused)
{
    for (size_t v = 0; v < shape->values; v++) {
        struct perf_event_attr attr = attr_at(list, shape, style, v, cpu);
        /* All events of a group must use one clock (kernel/events/core.c: "err_context"); only the
         * leader is enabled and disabled. */
        attr.use_clockid = style->switches.use_clockid;
        attr.clockid = style->switches.clockid;
        attr.disabled = v == 0;
        attr.enable_on_exec = v == 0 && style->on_exec;
        attr.remove_on_exec = style->until_exec;
        attr.inherit = style->inherit;
        attr.inherit_thread = style->inherit_thread;
        if (v == 0)
            attr.read_format = DECODE_READ_FORMAT;
        if (style->at_exit) {
            attr.inherit_stat = attr.sample_id_all = 1;
            attr.sample_type = DECODE_ID_FIELDS;
            attr.read_format = DECODE_EXIT_FORMAT;
        }
        int leader = v ? fds[0] : -1;
        fds[v] = sys_open(&attr, style->cgroup, target.pid, target.cpu, leader);
        const char *filter =
            shape->event_of[v] >= 0 ? list->events[shape->event_of[v]].filter : NULL;
        if (fds[v] < 0 || (filter && sys_set_filter(fds[v], filter) < 0)) {
            group_close(fds, v + 1);
            *refused = v;
            return -1;
        }
    }
    return 0;
}

int group_open(const struct group_plan *plan, size_t group, const struct group_style *style,
               struct group_target target, int *fds, size_t *refused)
{
    const struct group_shape *shape = &plan->shapes[group];
    return open_shape(&plan->list, shape, style, target, target.cpu >= 0 ? target.cpu : shape->core,
                      fds, refused);
}

/* Whether both count the same on a CPU. In a CPU's context cpu-clock and task-clock do
 * (kernel/events/core.c, cpu_clock_event_update() and task_clock_event_update()). */
static bool group_same_event(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
    uint64_t config = a->config;
    if (a->type == PERF_TYPE_SOFTWARE && config == PERF_COUNT_SW_TASK_CLOCK)
        config = PERF_COUNT_SW_CPU_CLOCK;
    return a->type == b->type && config == b->config && a->exclude_user == b->exclude_user &&
           a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
           a->exclude_idle == b->exclude_idle;
}

static struct group_shape shape_new(const struct event_list *list, const size_t *events,
                                    size_t count, const struct group_style *style)
{
    struct group_shape shape = {.event_of = mem_array(count + 2, sizeof(*shape.event_of))};
    if (count == 1 && list->events[events[0]].shared) {
        /* PMUs outside the cores accept no software event as leader. */
        shape.values = 1;
        shape.switches = shape.ticker = SIZE_MAX;
        shape.event_of[0] = (int)events[0];
        return shape;
    }
    for (size_t i = 0; i < count; i++)
        if (list->events[events[i]].hardware)
            shape.event_of[shape.values++] = (int)events[i];
    int ticking = -1; /* a user's clock serves as ticker: reading a clock per switch is expensive */
    shape.switches = shape.values;
    if (style->samples || count == 0)
        shape.event_of[shape.values++] = -1;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &list->events[events[i]];
        if (event->hardware)
            continue;
        if (style->samples && shape.event_of[shape.switches] < 0 &&
            group_same_event(&event->attr, &style->switches))
            shape.event_of[shape.switches] = (int)events[i];
        else if (style->samples && ticking < 0 && group_same_event(&event->attr, &style->ticker))
            ticking = (int)events[i];
        else
            shape.event_of[shape.values++] = (int)events[i];
    }
    shape.ticker = shape.values;
    shape.steady = shape.switches == 0;
    if (style->samples)
        shape.event_of[shape.values++] = ticking;
    return shape;
}

/* Fills cpus with one CPU of each core type for which these events (indices into the list) have
 * variants: a group that fits one type's counters may not fit another's. Empty if no event has
 * variants. The caller releases cpus. */
static void core_types(const struct event_list *list, const size_t *events, size_t count,
                       struct cpulist *cpus)
{
    *cpus = (struct cpulist){0};
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &list->events[events[i]];
        for (size_t v = 0; v < event->variant_count; v++) {
            const struct cpulist *type = &event->variants[v].cpus;
            bool known = type->count == 0;
            for (size_t c = 0; c < cpus->count && !known; c++)
                known = cpulist_has(type, cpus->cpus[c]);
            if (known)
                continue;
            *MEM_ADD(cpus->cpus, cpus->count, cpus->room) = type->cpus[0];
        }
    }
}

struct trial {
    struct group_style style;
    struct group_target target;
    const struct caps *caps;
};

/* Opens the group as for that CPU and checks that it counts: 0, or the errno. The kernel also opens
 * a group that needs a counter which is permanently in use, for example by the NMI watchdog
 * (perf_event_open(2), "pinned"); it never counts. A task that runs on another core type now cannot
 * be checked; for it opening is enough. */
static int try_style(const struct group_style *style, const struct event_list *list,
                     const struct group_shape *shape, struct group_target target, int cpu)
{
    AUTO_FREE int *fds = mem_array(shape->values, sizeof(*fds));
    AUTO_FREE struct group_read *now = group_read_new(shape->values);
    size_t refused;
    if (open_shape(list, shape, style, target, cpu, fds, &refused) < 0)
        return errno;
    bool idle = (target.cpu >= 0 || cpu < 0) &&
                (sys_enable(fds[0]) < 0 || !group_counts(fds[0], shape->values, now) ||
                 (now->running == 0 && now->enabled > 0));
    group_close(fds, shape->values);
    return idle ? EBUSY : 0;
}

/* Tries the group on the target, or on one CPU of each core type with variants of its events:
 * beside the groups that count now, then pinned, which pauses them. A group that counts only when
 * pinned would be multiplexed with them, which is fine. 0, or the first errno with its CPU in
 * *failed. */
static int try_cores(const struct trial *trial, const struct event_list *list,
                     const struct group_shape *shape, const struct cpulist *cores, int *failed)
{
    struct group_target target = trial->target;
    struct group_style alone = trial->style;
    int error = 0;
    alone.pinned = true;
    *failed = -1;
    for (size_t c = 0; !error && (c == 0 || c < cores->count); c++) {
        int cpu = cores->count ? cores->cpus[c] : target.cpu;
        if (cores->count && target.cpu >= 0)
            target.cpu = cpu;
        if (cores->count)
            *failed = cpu;
        error = try_style(&trial->style, list, shape, target, cpu);
        if (error == EBUSY)
            error = try_style(&alone, list, shape, target, cpu);
    }
    return error;
}

/* Sets why an event cannot be counted; cpu: on which, if core types make a difference. */
static void group_refuse(struct event *event, int error, int cpu, const struct trial *trial)
{
    if (error == EINVAL && event->filter) {
        event->state = EVENT_INVALID;
        event->reason =
            mem_printf("the kernel refuses the filter '%s': its tracepoint's fields are "
                       "in /sys/kernel/tracing/events/%.*s/format",
                       event->filter, (int)strcspn(event->text, "/"), event->text);
        *strchr(strstr(event->reason, "/events/"), ':') = '/';
        return;
    }
    struct caps caps = *trial->caps;
    caps.all_modes_only = error == EINVAL && event->hardware && sys_all_modes_only();
    explain_refusal(event, error, trial->target.pid == -1, &caps);
    for (size_t v = 0; v < event->variant_count && event->variant_count > 1; v++) {
        if (!cpulist_has(&event->variants[v].cpus, cpu))
            continue;
        char *reason = mem_printf("%s: %s", event->variants[v].pmu, event->reason);
        free(event->reason);
        event->reason = reason;
    }
}

static bool group_fits(void *ctx, struct event_list *list, const size_t *events, size_t count)
{
    struct trial trial = *(const struct trial *)ctx;
    struct event *event = &list->events[events[0]];
    struct group_shape shape = shape_new(list, events, count, &trial.style);
    AUTO_CPUS struct cpulist cores = {0};
    core_types(list, events, count, &cores);
    if (event->shared && trial.target.cpu >= 0)
        trial.target.cpu = event->cpus.cpus[0];
    /* Some PMUs accept a shared event for a task, and count everything on the task's CPU. */
    bool alone = event->shared && trial.target.cpu < 0;
    int cpu = -1, error = alone ? EINVAL : try_cores(&trial, list, &shape, &cores, &cpu);
    if (error && count == 1)
        group_refuse(event, error, cpu, &trial);
    free(shape.event_of);
    return error == 0;
}

static struct event_set *set_of(const struct event_list *list, const struct plan *plan)
{
    struct event_set *set = event_set_new(list->count);
    for (size_t e = 0; e < list->count; e++) {
        const struct event *event = &list->events[e];
        set->events[e] = (struct event_info){
            .name = mem_strdup(event->name),
            .halved = event->halved,
            .modeless = event->modeless,
            .pmu = mem_strdup(event->pmu),
            .unit = mem_strdup(event->unit ? event->unit : ""),
            .scale = event->scale > 0 ? event->scale : 1,
            .shared = event->shared || event_kept(event),
            .kept = event_kept(event),
            .encoding = mem_strdup(event->encoding),
            .state = event->state,
            .reason = mem_strdup(event->reason),
            .group = event->state == EVENT_COUNTED ? plan->group[e] : -1,
            .hardware = event->hardware,
        };
    }
    set->groups = plan->groups ? plan->groups : 1;
    return set;
}

void group_plan_make(struct group_plan *plan, const struct event_list *list,
                     const struct group_style *style, struct group_target target,
                     const struct caps *caps)
{
    event_list_copy(&plan->list, list);
    /* Without the sampling events, which are software and need no counter. */
    struct trial trial = {{.filler = style->filler}, target, caps};
    struct plan packed;
    /* On some machines breakpoints open but never fire, which opening the event does not show. */
    bool tried = false, silent = false;
    for (size_t e = 0; e < list->count; e++) {
        struct event *event = &plan->list.events[e];
        if (event->attr.type != PERF_TYPE_BREAKPOINT || event->state != EVENT_COUNTED)
            continue;
        silent = tried ? silent : sys_breakpoint_silent();
        tried = true;
        if (silent)
            event_refuse(event, "silence",
                         caps->hypervisor ? "a virtual machine whose host does not pass them on"
                                          : "a write of countertop's own was not counted");
    }
    plan_make(&packed, &plan->list, &(struct plan_trial){&trial, group_fits});
    plan->set = set_of(&plan->list, &packed);
    plan->count = 0;
    plan->shapes = NULL;
    size_t room = 0;
    AUTO_FREE size_t *members = mem_array(list->count, sizeof(*members));
    for (size_t g = 0; g + packed.kept < plan->set->groups; g++) {
        size_t count = 0;
        for (size_t e = 0; e < list->count; e++)
            if (plan->set->events[e].group == (int)g)
                members[count++] = e;
        AUTO_CPUS struct cpulist cores = {0};
        if (target.cpu < 0)
            core_types(&plan->list, members, count, &cores);
        for (size_t c = 0; c == 0 || c < cores.count; c++) {
            struct group_shape *shape = MEM_ADD(plan->shapes, plan->count, room);
            *shape = shape_new(&plan->list, members, count, style);
            shape->group = g;
            shape->core = cores.count ? cores.cpus[c] : -1;
            shape->again = c > 0;
        }
    }
    mem_grow(&plan->shapes, &room, plan->count + packed.kept, sizeof(*plan->shapes));
    plan->sampled = plan->count - packed.shared;
    plan_release(&packed);
}

bool group_is_on(const struct group_plan *plan, size_t group, int cpu)
{
    int event = plan->shapes[group].event_of[0];
    return group < plan->sampled || cpulist_has(&plan->list.events[event].cpus, cpu);
}

void group_plan_release(struct group_plan *plan)
{
    for (size_t g = 0; g < plan->count; g++)
        free(plan->shapes[g].event_of);
    free(plan->shapes);
    event_set_drop(plan->set);
    event_list_release(&plan->list);
    *plan = (struct group_plan){0};
}

struct event_set *group_plan_detach(struct group_plan *plan)
{
    struct event_set *set = mem_share(plan->set);
    group_plan_release(plan);
    return set;
}
