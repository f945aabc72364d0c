#include "event/plan.h"

struct packing {
    struct plan *plan;
    struct event_list *list;
    const struct plan_trial *trial;
    size_t first;   /* first group for hardware events; those before are for software */
    size_t *chosen; /* events that are to be placed together, in this order */
    size_t count;
};

/* Whether it is counted by an event of perf's, on the CPUs of the others. */
static bool is_usual(const struct event *event)
{
    return event->state == EVENT_COUNTED && !event->shared && !event_kept(event);
}

static bool is_open(const struct packing *packing, size_t event)
{
    return is_usual(&packing->list->events[event]) && packing->plan->group[event] < 0;
}

static void choose(struct packing *packing, size_t event)
{
    packing->chosen[packing->count++] = event;
}

/* Whether these events fit together with those of a group; group -1: alone. */
static bool plan_fits(struct packing *packing, int group, const size_t *events, size_t count)
{
    AUTO_FREE size_t *all = mem_array(packing->list->count, sizeof(*all));
    size_t there = 0;
    for (size_t i = 0; group >= 0 && i < packing->list->count; i++)
        if (packing->plan->group[i] == group)
            all[there++] = i;
    memcpy(all + there, events, count * sizeof(*all));
    return packing->trial->fits(packing->trial->ctx, packing->list, all, there + count);
}

/* Group plan->groups is a new one. */
static void join(struct packing *packing, size_t group, const size_t *events, size_t count)
{
    for (size_t i = 0; i < count; i++)
        packing->plan->group[events[i]] = (int)group;
    packing->plan->groups += group == packing->plan->groups;
}

/* Puts events as a whole into the first group that takes them, or into a new one. */
static bool place_whole(struct packing *packing, const size_t *events, size_t count)
{
    size_t group = packing->first, groups = packing->plan->groups;
    while (group < groups && !plan_fits(packing, (int)group, events, count))
        group++;
    bool fit = group < groups || plan_fits(packing, -1, events, count);
    if (fit)
        join(packing, group, events, count);
    return fit;
}

/* Places the chosen events, split into pieces as large as fit; then none are chosen. */
static void plan_place(struct packing *packing)
{
    const size_t *events = packing->chosen;
    for (size_t left = packing->count, piece = left; left > 0;) {
        if (!place_whole(packing, events, piece) && piece > 1) {
            piece--;
            continue;
        }
        events += piece;
        left -= piece;
        piece = left;
    }
    packing->count = 0;
}

/* Puts everything into one group, if it fits. */
static bool place_all(struct packing *packing)
{
    for (size_t i = 0; i < packing->list->count; i++)
        if (is_open(packing, i))
            choose(packing, i);
    size_t count = packing->count;
    packing->count = 0;
    bool done = count == 0 || plan_fits(packing, -1, packing->chosen, count);
    if (done && count > 0)
        join(packing, 0, packing->chosen, count);
    return done;
}

/* Whether braces, unless they are -1, have a hardware event. */
static bool has_hardware(const struct event_list *list, int braces)
{
    bool has = false;
    for (size_t i = 0; i < list->count && braces >= 0; i++)
        has |= list->events[i].group == braces && list->events[i].hardware &&
               is_usual(&list->events[i]);
    return has;
}

/* Places events that do not fit into one group together. */
static void place_apart(struct packing *packing)
{
    struct event_list *list = packing->list;
    for (size_t i = 0; i < list->count; i++)
        if (is_open(packing, i) && !list->events[i].hardware &&
            !has_hardware(list, list->events[i].group))
            choose(packing, i);
    plan_place(packing);
    packing->first = packing->plan->groups;
    for (int group = 0; group < list->groups; group++) {
        for (size_t i = 0; i < list->count; i++)
            if (list->events[i].group == group && is_open(packing, i))
                choose(packing, i);
        plan_place(packing);
    }
    for (size_t i = 0; i < list->count; i++) {
        if (is_open(packing, i)) {
            choose(packing, i);
            plan_place(packing);
        }
        /* It fitted alone earlier, but does not fit now. */
        if (is_open(packing, i))
            event_refuse(&list->events[i], "no-counter");
    }
}

void plan_make(struct plan *plan, struct event_list *list, const struct plan_trial *trial)
{
    AUTO_FREE size_t *chosen = mem_array(list->count, sizeof(*chosen));
    struct packing packing = {.plan = plan, .list = list, .trial = trial, .chosen = chosen};
    *plan = (struct plan){.group = mem_array(list->count, sizeof(*plan->group))};
    for (size_t i = 0; i < list->count; i++)
        plan->group[i] = -1;
    bool placed = place_all(&packing), ruled_out = false;
    /* Tries each event alone: if one cannot be counted at all, the others may fit. */
    for (size_t i = 0; i < list->count && !placed; i++)
        ruled_out |= is_open(&packing, i) && !plan_fits(&packing, -1, &i, 1);
    if (!placed && !(ruled_out && place_all(&packing)))
        place_apart(&packing);
    for (size_t i = 0; i < list->count; i++) {
        if (!list->events[i].shared || list->events[i].state != EVENT_COUNTED ||
            !plan_fits(&packing, -1, &i, 1))
            continue;
        plan->groups += plan->groups == 0;
        join(&packing, plan->groups, &i, 1);
        plan->shared++;
    }
    for (int of_tasks = 0; of_tasks <= 1; of_tasks++) {
        bool any = false;
        for (size_t i = 0; i < list->count; i++) {
            enum scheduler_event kept = event_kept(&list->events[i]);
            if (!kept || scheduler_of_tasks(kept) != of_tasks ||
                list->events[i].state != EVENT_COUNTED)
                continue;
            plan->groups += plan->groups == 0;
            plan->group[i] = (int)plan->groups;
            any = true;
        }
        plan->groups += any;
        plan->kept += any;
    }
}

void plan_release(struct plan *plan)
{
    free(plan->group);
    *plan = (struct plan){0};
}
