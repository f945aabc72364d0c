#include "event/plan.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* A subset of the events, in the order of the list. */
struct bundle {
    size_t *events;
    size_t count;
};

struct packing {
    struct plan *plan;
    struct event_list *list;
    const struct plan_trial *trial;
    size_t first; /* first group for hardware events; those before are for software */
};

static void bundle_add(struct bundle *bundle, size_t event)
{
    bundle->events[bundle->count++] = event;
}

/* Releases a local bundle where its block ends. */
static void bundle_release(struct bundle *bundle)
{
    free(bundle->events);
}
#define AUTO_BUNDLE __attribute__((cleanup(bundle_release))) struct bundle

static struct bundle bundle_new(const struct event_list *list)
{
    return (struct bundle){.events = mem_array(list->count, sizeof(size_t))};
}

/* Whether it is counted by an event of perf's, on the CPUs of the others. */
static bool is_usual(const struct event *event)
{
    return event->state == EVENT_COUNTED && !event->shared && !event_kept(event);
}

static bool is_open(const struct packing *packing, size_t event)
{
    return is_usual(&packing->list->events[event]) && packing->plan->group[event] < 0;
}

/* Whether group and bundle together fit; group -1: the bundle alone. */
static bool plan_fits(struct packing *packing, int group, const struct bundle *bundle)
{
    AUTO_BUNDLE all = bundle_new(packing->list);
    for (size_t i = 0; group >= 0 && i < packing->list->count; i++)
        if (packing->plan->group[i] == group)
            bundle_add(&all, i);
    for (size_t i = 0; i < bundle->count; i++)
        bundle_add(&all, bundle->events[i]);
    return packing->trial->fits(packing->trial->ctx, packing->list, all.events, all.count);
}

static void join(struct packing *packing, size_t group, const struct bundle *bundle)
{
    for (size_t i = 0; i < bundle->count; i++)
        packing->plan->group[bundle->events[i]] = (int)group;
    if (group == packing->plan->groups)
        packing->plan->groups++;
}

/* Puts the bundle as a whole into the first group that takes it, or into a new one. */
static bool place_whole(struct packing *packing, const struct bundle *bundle)
{
    for (size_t group = packing->first; group < packing->plan->groups; group++)
        if (plan_fits(packing, (int)group, bundle)) {
            join(packing, group, bundle);
            return true;
        }
    if (!plan_fits(packing, -1, bundle))
        return false;
    join(packing, packing->plan->groups, bundle);
    return true;
}

/* Places the bundle, split into pieces as large as fit. */
static void plan_place(struct packing *packing, const struct bundle *bundle)
{
    struct bundle piece = *bundle;
    while (piece.count > 0) {
        size_t left = (size_t)(bundle->events + bundle->count - piece.events);
        if (place_whole(packing, &piece) || piece.count == 1) {
            piece.events += piece.count;
            piece.count = left - piece.count;
        } else {
            piece.count--;
        }
    }
}

/* Places the events of the set that have no group yet: in a group of the others if they fit there,
 * else as a bundle. */
static void place_set(struct packing *packing, const struct bundle *set)
{
    AUTO_BUNDLE rest = bundle_new(packing->list);
    for (size_t i = 0; i < set->count; i++)
        if (is_open(packing, set->events[i]))
            bundle_add(&rest, set->events[i]);
    for (size_t i = 0; i < set->count && rest.count > 0 && rest.count < set->count; i++) {
        int group = packing->plan->group[set->events[i]];
        if (group >= (int)packing->first && plan_fits(packing, group, &rest)) {
            join(packing, (size_t)group, &rest);
            rest.count = 0;
        }
    }
    plan_place(packing, &rest);
}

static void add_braces(struct bundle *bundle, const struct event_list *list, int group)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->events[i].group == group && is_usual(&list->events[i]))
            bundle_add(bundle, i);
}

/* Adds the hardware events that are named in a comma-separated list. */
static void add_named(struct bundle *bundle, const struct event_list *list, const char *names)
{
    AUTO_FREE char *copy = mem_strdup(names);
    char *rest = copy, *name;
    while ((name = strsep(&rest, ",")))
        for (size_t i = 0; i < list->count; i++) {
            const struct event *event = &list->events[i];
            bool there =
                !event->hardware || event->state != EVENT_COUNTED || strcmp(event->name, name) != 0;
            for (size_t k = 0; k < bundle->count; k++)
                there |= bundle->events[k] == i;
            if (!there)
                bundle_add(bundle, i);
        }
}

/* Puts everything into one group, if it fits. */
static bool place_all(struct packing *packing)
{
    AUTO_BUNDLE all = bundle_new(packing->list);
    for (size_t i = 0; i < packing->list->count; i++)
        if (is_open(packing, i))
            bundle_add(&all, i);
    bool done = all.count == 0 || plan_fits(packing, -1, &all);
    if (done && all.count > 0)
        join(packing, 0, &all);
    return done;
}

static void place_software(struct packing *packing)
{
    const struct event_list *list = packing->list;
    AUTO_BUNDLE software = bundle_new(list), braces = bundle_new(list);
    for (size_t i = 0; i < list->count; i++) {
        if (!is_open(packing, i) || list->events[i].hardware)
            continue;
        bool alone = true; /* without a hardware event in its braces */
        braces.count = 0;
        if (list->events[i].group >= 0)
            add_braces(&braces, list, list->events[i].group);
        for (size_t b = 0; b < braces.count; b++)
            alone &= !list->events[braces.events[b]].hardware;
        if (alone)
            bundle_add(&software, i);
    }
    plan_place(packing, &software);
    packing->first = packing->plan->groups;
}

/* Places events that do not fit into one group together. */
static void place_apart(struct packing *packing, const char *const *together)
{
    struct event_list *list = packing->list;
    place_software(packing);
    AUTO_BUNDLE set = bundle_new(list);
    for (int group = 0; group < list->groups; group++) {
        set.count = 0;
        add_braces(&set, list, group);
        place_set(packing, &set);
    }
    for (; together && *together; together++) {
        set.count = 0;
        add_named(&set, list, *together);
        place_set(packing, &set);
    }
    for (size_t i = 0; i < list->count; i++) {
        struct bundle one = {&i, 1};
        if (is_open(packing, i))
            plan_place(packing, &one);
        /* It fitted alone earlier, but does not fit now. */
        if (is_open(packing, i)) {
            list->events[i].state = EVENT_NO_COUNTER;
            list->events[i].reason = mem_strdup("no counter was free for it");
        }
    }
}

void plan_make(struct plan *plan, struct event_list *list, const char *const *together,
               const struct plan_trial *trial)
{
    *plan = (struct plan){.group = mem_array(list->count, sizeof(*plan->group))};
    struct packing packing = {.plan = plan, .list = list, .trial = trial};
    for (size_t i = 0; i < list->count; i++)
        plan->group[i] = -1;
    bool placed = place_all(&packing), ruled_out = false;
    /* Tries each event alone: if one cannot be counted at all, the others may fit. */
    for (size_t i = 0; i < list->count && !placed; i++)
        ruled_out |= is_open(&packing, i) && !plan_fits(&packing, -1, &(struct bundle){&i, 1});
    if (!placed && !(ruled_out && place_all(&packing)))
        place_apart(&packing, together);
    for (size_t i = 0; i < list->count; i++) {
        struct bundle one = {&i, 1};
        if (!list->events[i].shared || list->events[i].state != EVENT_COUNTED ||
            !plan_fits(&packing, -1, &one))
            continue;
        plan->groups += plan->groups == 0;
        join(&packing, plan->groups, &one);
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
