#include "engine/group.h"
#include "base/mem.h"
#include "engine/decode.h"
#include "engine/sys.h"
#include "event/explain.h"
#include "event/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

void group_close(int *fds, size_t count)
{
    /* Siblings first: closing a leader would turn them into groups of their own. */
    while (count-- > 0)
        if (fds[count] >= 0)
            close(fds[count]);
}

static size_t read_size(size_t values)
{
    return sizeof(struct group_read) + values * sizeof(((struct group_read *)0)->value[0]);
}

struct group_read *group_read_new(size_t values)
{
    return mem_alloc(read_size(values));
}

bool group_counts(int leader, size_t values, struct group_read *counts)
{
    return read(leader, counts, read_size(values)) == (ssize_t)read_size(values) &&
           counts->count == values;
}

static struct perf_event_attr attr_at(const struct event_list *list,
                                      const struct group_shape *shape,
                                      const struct group_style *style, size_t position)
{
    if (style->samples && position == shape->switches)
        return style->switches;
    if (shape->event_of[position] >= 0)
        return list->events[shape->event_of[position]].attr;
    return style->samples ? style->ticker : style->filler;
}

static int open_shape(const struct event_list *list, const struct group_shape *shape,
                      const struct group_style *style, struct group_target target, int *fds,
                      size_t *refused)
{
    for (size_t v = 0; v < shape->values; v++) {
        struct perf_event_attr attr = attr_at(list, shape, style, v);
        /* A group has one clock (kernel/events/core.c: "err_context"), and is switched as one. */
        attr.use_clockid = style->switches.use_clockid;
        attr.clockid = style->switches.clockid;
        attr.disabled = v == 0;
        if (v == 0)
            attr.read_format = DECODE_READ_FORMAT;
        fds[v] = sys_open(&attr, target.pid, target.cpu, v ? fds[0] : -1);
        if (fds[v] < 0) {
            int saved = errno;
            group_close(fds, v);
            *refused = v;
            errno = saved;
            return -1;
        }
    }
    return 0;
}

int group_open(const struct group_plan *plan, size_t group, const struct group_style *style,
               struct group_target target, int *fds, size_t *refused)
{
    return open_shape(&plan->list, &plan->shapes[group], style, target, fds, refused);
}

static bool same_event(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
    return a->type == b->type && a->config == b->config && a->exclude_user == b->exclude_user &&
           a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
           a->exclude_idle == b->exclude_idle;
}

static struct group_shape shape_new(const struct event_list *list, const size_t *events,
                                    size_t count, const struct group_style *style)
{
    struct group_shape shape = {.event_of = mem_array(count + 2, sizeof(*shape.event_of))};
    for (size_t i = 0; i < count; i++)
        if (list->events[events[i]].hardware)
            shape.event_of[shape.values++] = (int)events[i];
    shape.switches = shape.values;
    if (style->samples || count == 0)
        shape.event_of[shape.values++] = -1;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &list->events[events[i]];
        if (event->hardware)
            continue;
        if (style->samples && shape.event_of[shape.switches] < 0 &&
            same_event(&event->attr, &style->switches))
            shape.event_of[shape.switches] = (int)events[i];
        else
            shape.event_of[shape.values++] = (int)events[i];
    }
    if (style->samples)
        shape.event_of[shape.values++] = -1;
    return shape;
}

struct trial {
    struct group_style style;
    struct group_target target;
    const struct caps *caps;
};

/* The kernel opens a group that needs a counter which another holds for good, the NMI watchdog for
 * example (perf_event_open(2), "pinned"); it then never counts. */
static bool counts(int leader, size_t values)
{
    struct group_read *now = group_read_new(values);
    bool counted = sys_enable(leader, false) == 0 && group_counts(leader, values, now) &&
                   (now->running > 0 || now->enabled == 0);
    free(now);
    return counted;
}

static bool fits(void *ctx, struct event_list *list, const size_t *events, size_t count)
{
    const struct trial *trial = ctx;
    struct group_shape shape = shape_new(list, events, count, &trial->style);
    int *fds = mem_array(shape.values, sizeof(*fds));
    size_t refused;
    bool system_wide = trial->target.pid == -1;
    bool fit = open_shape(list, &shape, &trial->style, trial->target, fds, &refused) == 0;
    int error = errno;
    if (fit) {
        fit = counts(fds[0], shape.values);
        error = EBUSY;
        group_close(fds, shape.values);
    }
    if (!fit && count == 1)
        explain_refusal(&list->events[events[0]], error, system_wide, trial->caps);
    free(fds);
    free(shape.event_of);
    return fit;
}

static struct event_set *set_of(const struct event_list *list, const struct plan *plan)
{
    struct event_set *set = event_set_new(list->count);
    for (size_t e = 0; e < list->count; e++) {
        const struct event *event = &list->events[e];
        set->events[e] = (struct event_info){
            .name = mem_strdup(event->name),
            .pmu = mem_strdup(event->pmu),
            .unit = mem_strdup(event->unit ? event->unit : ""),
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
    /* What samples is software and takes no counter: trials do without. */
    struct trial trial = {{.filler = style->filler}, target, caps};
    struct plan packed;
    plan_make(&packed, &plan->list, NULL, &(struct plan_trial){&trial, fits});
    plan->set = set_of(&plan->list, &packed);
    plan->count = plan->set->groups;
    plan->shapes = mem_array(plan->count, sizeof(*plan->shapes));
    size_t *members = mem_array(list->count, sizeof(*members));
    for (size_t g = 0; g < plan->count; g++) {
        size_t count = 0;
        for (size_t e = 0; e < list->count; e++)
            if (plan->set->events[e].group == (int)g)
                members[count++] = e;
        plan->shapes[g] = shape_new(&plan->list, members, count, style);
    }
    free(members);
    plan_release(&packed);
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
    struct event_set *set = event_set_share(plan->set);
    group_plan_release(plan);
    return set;
}
