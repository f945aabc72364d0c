#include "app/event_availability.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/str.h"
#include "engine/probe_open.h"
#include "event/query.h"
#include "event/name.h"
#include "system/topology.h"

#include <stdlib.h>
#include <string.h>

struct trial_verdict {
    bool tried;
    char *obstacle; /* NULL: can be counted */
};

struct availability {
    struct event_index *index;
    enum count_mode mode;
    struct group_target target;
    struct caps caps;
    struct trial_verdict *of_entry, *of_group; /* of_group: for subsystems of tracepoints */
    bool tracepoints;                          /* one that is like most could be counted */
    struct names others; /* events that are not in the index, with their verdicts */
    struct trial_verdict *of_other;
    size_t other_room;
    bool counters_known;
    size_t counters; /* of the core PMU; 0: none, or core types differ */
    struct event_index_search search;
};

struct availability *availability_new(enum count_mode mode, bool system_wide)
{
    struct availability *availability = mem_alloc(sizeof(*availability));
    struct cpulist online;
    availability->index = event_index_new();
    availability->of_entry = mem_array(availability->index->count, sizeof(*availability->of_entry));
    availability->of_group =
        mem_array(availability->index->group_count, sizeof(*availability->of_group));
    availability->mode = mode;
    availability->target = (struct group_target){.cpu = -1};
    if (system_wide && topology_online(&online, NULL) == 0) {
        availability->target = (struct group_target){.pid = -1, .cpu = online.cpus[0]};
        cpulist_release(&online);
    }
    probe_open_caps(&availability->caps);
    return availability;
}

void availability_free(struct availability *availability)
{
    if (!availability)
        return;
    for (size_t i = 0; i < availability->index->count; i++)
        free(availability->of_entry[i].obstacle);
    for (size_t i = 0; i < availability->index->group_count; i++)
        free(availability->of_group[i].obstacle);
    for (size_t i = 0; i < availability->others.count; i++)
        free(availability->of_other[i].obstacle);
    names_release(&availability->others);
    free(availability->of_other);
    free(availability->of_entry);
    free(availability->of_group);
    event_index_search_release(&availability->search);
    event_index_free(availability->index);
    free(availability);
}

const struct event_index *availability_index(const struct availability *availability)
{
    return availability->index;
}

size_t availability_find(struct availability *availability, const char *words, const size_t **found)
{
    event_index_search(availability->index, &availability->search, words);
    *found = availability->search.found;
    return availability->search.count;
}

/* Who may count one of these may count all, but not those of ftrace itself
 * (perf_trace_event_perm(), kernel/trace/trace_event_perf.c); those of system calls are counted in
 * user mode, too (event_of_kernel()). */
static bool is_like_most(const char *tracepoint)
{
    return !str_starts(tracepoint, "ftrace:") && !str_starts(tracepoint, "syscalls:");
}

const char *availability_obstacle(struct availability *availability, size_t number)
{
    const struct event_index_entry *entry = &availability->index->entries[number];
    bool tracepoint = availability->index->groups[entry->group].kind == EVENT_INDEX_TRACEPOINTS;
    bool like_most = tracepoint && is_like_most(entry->name);
    bool spelling = availability->index->groups[entry->group].kind == EVENT_INDEX_SPELLINGS;
    struct trial_verdict *verdict =
        tracepoint ? &availability->of_group[entry->group] : &availability->of_entry[number];
    /* One is enough: closing it waits until no CPU is in it, 10 to 50 ms. */
    if (like_most && availability->tracepoints)
        return NULL;
    if (!verdict->tried && breakpoint_is(entry->name))
        verdict->obstacle =
            probe_open_breakpoint(availability->mode, availability->target, &availability->caps);
    else if (!verdict->tried && !spelling)
        verdict->obstacle = probe_open_reason(entry->name, availability->mode, availability->target,
                                              &availability->caps);
    verdict->tried = true;
    availability->tracepoints |= like_most && !verdict->obstacle;
    return verdict->obstacle;
}

static const char *obstacle_of_name(struct availability *availability, const char *name)
{
    const struct event_index *index = availability->index;
    struct names *others = &availability->others;
    for (size_t i = 0; i < index->count; i++)
        if (str_equal(index->entries[i].name, name))
            return availability_obstacle(availability, i);
    for (size_t i = 0; i < others->count; i++)
        if (str_equal(others->items[i], name))
            return availability->of_other[i].obstacle;
    names_add(others, name);
    mem_grow(&availability->of_other, &availability->other_room, others->count,
             sizeof(*availability->of_other));
    struct trial_verdict *verdict = &availability->of_other[others->count - 1];
    verdict->obstacle =
        probe_open_reason(name, availability->mode, availability->target, &availability->caps);
    return verdict->obstacle;
}

const char *availability_of_names(struct availability *availability, const char *names)
{
    static const char comma[] = ", ";
    const char *obstacle = NULL;
    while (*names && !obstacle) {
        const char *end = strstr(names, comma);
        size_t length = end ? (size_t)(end - names) : strlen(names);
        AUTO_FREE char *name = mem_strndup(names, length);
        obstacle = obstacle_of_name(availability, name);
        names += length + (end ? strlen(comma) : 0);
    }
    return obstacle;
}

void availability_explain(struct availability *availability, size_t number,
                          void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const struct event_index_entry *entry = &availability->index->entries[number];
    struct event_list list = {0};
    if (availability->index->groups[entry->group].kind != EVENT_INDEX_SPELLINGS &&
        event_parse(&list, entry->name, availability->mode, NULL) == 0 && list.events[0].encoding)
        tell(to, "encoding", list.events[0].encoding);
    event_list_release(&list);
    event_index_explain(availability->index, number, tell, to);
}

char *availability_fit(struct availability *availability, const struct event_set *before,
                       const struct event_set *after)
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
    /* Counts all counters, not only free ones: current events use some of them. */
    if (!availability->counters_known)
        availability->counters = probe_open_core_counters(&availability->caps);
    availability->counters_known = true;
    size_t counters = availability->counters;
    return used <= counters ? mem_printf("fits: %zu of %zu counters used", used, counters)
                            : mem_printf("fits: %zu counters used", used);
}
