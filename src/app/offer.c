#include "app/offer.h"
#include "base/mem.h"
#include "engine/trial.h"
#include "event/breakpoint.h"
#include "event/name.h"
#include "system/topology.h"

#include <stdlib.h>

struct verdict {
    bool tried;
    char *obstacle; /* NULL: it counts */
};

struct offer {
    struct catalogue *catalogue;
    enum count_mode mode;
    struct group_target target;
    struct caps caps;
    struct verdict *of_entry, *of_group; /* of_group: of subsystems of tracepoints */
    bool counters_known;
    size_t counters; /* of a core PMU; 0: not one number */
};

struct offer *offer_new(enum count_mode mode, bool system_wide)
{
    struct offer *offer = mem_alloc(sizeof(*offer));
    struct cpulist online;
    offer->catalogue = catalogue_new();
    offer->of_entry = mem_array(offer->catalogue->count, sizeof(*offer->of_entry));
    offer->of_group = mem_array(offer->catalogue->group_count, sizeof(*offer->of_group));
    offer->mode = mode;
    offer->target = (struct group_target){.cpu = -1};
    if (system_wide && topology_online(&online, NULL) == 0) {
        offer->target = (struct group_target){.pid = -1, .cpu = online.cpus[0]};
        cpulist_release(&online);
    }
    trial_caps(&offer->caps);
    return offer;
}

void offer_free(struct offer *offer)
{
    if (!offer)
        return;
    for (size_t i = 0; i < offer->catalogue->count; i++)
        free(offer->of_entry[i].obstacle);
    for (size_t i = 0; i < offer->catalogue->group_count; i++)
        free(offer->of_group[i].obstacle);
    free(offer->of_entry);
    free(offer->of_group);
    catalogue_free(offer->catalogue);
    free(offer);
}

const struct catalogue *offer_catalogue(const struct offer *offer)
{
    return offer->catalogue;
}

const char *offer_obstacle(struct offer *offer, size_t number)
{
    const struct catalogue_entry *entry = &offer->catalogue->entries[number];
    enum catalogue_kind kind = offer->catalogue->groups[entry->group].kind;
    struct verdict *verdict =
        kind == CATALOGUE_TRACEPOINTS ? &offer->of_group[entry->group] : &offer->of_entry[number];
    if (!verdict->tried && breakpoint_is(entry->name))
        verdict->obstacle = trial_breakpoint(offer->mode, offer->target, &offer->caps);
    else if (!verdict->tried && kind != CATALOGUE_SPELLINGS)
        verdict->obstacle = trial_reason(entry->name, offer->mode, offer->target, &offer->caps);
    verdict->tried = true;
    return verdict->obstacle;
}

void offer_explain(struct offer *offer, size_t number,
                   void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const struct catalogue_entry *entry = &offer->catalogue->entries[number];
    struct event_list list;
    event_list_init(&list);
    if (offer->catalogue->groups[entry->group].kind != CATALOGUE_SPELLINGS &&
        event_parse(&list, entry->name, offer->mode, NULL) == 0 && list.events[0].encoding)
        tell(to, "encoding", list.events[0].encoding);
    event_list_release(&list);
    catalogue_explain(offer->catalogue, number, tell, to);
}

/* Those that are free now are not asked for: what is counted already takes some of them. */
static size_t count_counters(struct offer *offer)
{
    if (!offer->counters_known)
        offer->counters = trial_core_counters(&offer->caps);
    offer->counters_known = true;
    return offer->counters;
}

char *offer_fit(struct offer *offer, const struct event_set *before, const struct event_set *after)
{
    const struct event_info *added = &after->events[after->count - 1];
    size_t used, used_before;
    size_t turns = event_set_turns(after, &used);
    size_t turns_before = event_set_turns(before, &used_before);
    if (!added->hardware || added->shared)
        return mem_strdup("fits: takes none of the cores' counters");
    if (turns > 1)
        return mem_printf("will take turns: %zu groups (%zu now), each counted about 1/%zu of the "
                          "time",
                          turns, turns_before, turns);
    size_t counters = count_counters(offer);
    return used <= counters ? mem_printf("fits: %zu of %zu counters used", used, counters)
                            : mem_printf("fits: %zu counters used", used);
}
