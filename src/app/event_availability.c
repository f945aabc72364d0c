#include "app/host.h"
#include "engine/probe_open.h"
#include "event/query.h"
#include "event/name.h"
#include "system/topology.h"

struct availability *availability_new(enum count_mode mode, bool system_wide)
{
    struct availability *availability = mem_alloc(sizeof(*availability));
    AUTO_CPUS struct cpulist online = {0};
    availability->index = event_index_new();
    availability->mode = mode;
    availability->target = (struct group_target){.cpu = -1};
    if (system_wide && topology_online(&online, NULL) == 0)
        availability->target = (struct group_target){.pid = -1, .cpu = online.cpus[0]};
    probe_open_caps(&availability->caps);
    return availability;
}

void availability_free(struct availability *availability)
{
    if (!availability)
        return;
    map_free(&availability->tried);
    event_index_search_release(&availability->search);
    event_index_free(availability->index);
    free(availability);
}

/* Tries the event at the first question for that key. */
static const char *find_obstacle(struct availability *availability, const char *key,
                                 const char *event)
{
    uint64_t hash = str_hash(key);
    char *obstacle = map_get(&availability->tried, hash);
    if (!obstacle) {
        obstacle = breakpoint_is(event)
                       ? probe_open_breakpoint(availability->mode, availability->target,
                                               &availability->caps)
                       : probe_open_reason(event, availability->mode, availability->target,
                                           &availability->caps);
        obstacle = obstacle ? obstacle : mem_strdup("");
        map_put(&availability->tried, hash, obstacle);
    }
    return *obstacle ? obstacle : NULL;
}

const char *availability_obstacle(struct availability *availability, size_t number)
{
    const struct event_index_entry *entry = &availability->index->entries[number];
    const struct event_index_group *group = &availability->index->groups[entry->group];
    bool tracepoint = group->kind == EVENT_INDEX_TRACEPOINTS;
    /* Who may count one of these may count all, but not those of ftrace itself
     * (perf_trace_event_perm(), kernel/trace/trace_event_perf.c); those of system calls are counted
     * in user mode, too (event_of_kernel()). */
    bool like_most =
        tracepoint && !str_starts(entry->name, "ftrace:") && !str_starts(entry->name, "syscalls:");
    if (group->kind == EVENT_INDEX_SPELLINGS && !breakpoint_is(entry->name))
        return NULL;
    /* One is enough: closing it waits until no CPU is in it, 10 to 50 ms. */
    if (like_most && availability->tracepoints)
        return NULL;
    const char *obstacle =
        find_obstacle(availability, tracepoint ? group->title : entry->name, entry->name);
    availability->tracepoints |= like_most && !obstacle;
    return obstacle;
}

static const char *obstacle_of_name(struct availability *availability, const char *name)
{
    const struct event_index *index = availability->index;
    for (size_t i = 0; i < index->count; i++)
        if (str_equal(index->entries[i].name, name))
            return availability_obstacle(availability, i);
    return find_obstacle(availability, name, name);
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

/* ---- calls of front ends ---- */

void host_forget_events(struct host *host)
{
    availability_free(host->availability);
    host->availability = NULL;
}

static struct availability *host_availability(struct host *host)
{
    const struct session *session = &host->setup.session;
    if (!host->availability)
        host->availability = availability_new(session->mode, str_equal(session->engine, "cpu"));
    return host->availability;
}

size_t host_find_events(struct host *host, const char *words, const size_t **found)
{
    struct availability *availability = host_availability(host);
    event_index_search(availability->index, &availability->search, words);
    *found = availability->search.found;
    return availability->search.count;
}

bool host_event(struct host *host, size_t number, struct front_event *event)
{
    const struct event_index *index = host_availability(host)->index;
    if (number >= index->count)
        return false;
    const struct event_index_entry *entry = &index->entries[number];
    const struct event_set *set = host->setup.set;
    int at = set ? event_set_find(set, entry->name) : -1;
    *event = (struct front_event){
        .name = entry->name,
        .text = entry->text,
        .group = index->groups[entry->group].title,
        .spelling = index->groups[entry->group].kind == EVENT_INDEX_SPELLINGS,
        .listed = event_list_find(&host->setup.events, entry->name) != NULL,
        .counted = at >= 0 && set->events[at].state == EVENT_COUNTED,
    };
    return true;
}

const char *host_event_obstacle(struct host *host, size_t number)
{
    return availability_obstacle(host_availability(host), number);
}

void host_explain_event(struct host *host, size_t number,
                        void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const struct availability *availability = host_availability(host);
    const struct event_index_entry *entry = &availability->index->entries[number];
    AUTO_EVENTS struct event_list list = {0};
    if (availability->index->groups[entry->group].kind != EVENT_INDEX_SPELLINGS &&
        event_parse(&list, entry->name, availability->mode, NULL) == 0 && list.events[0].encoding)
        tell(to, "encoding", list.events[0].encoding);
    event_index_explain(availability->index, number, tell, to);
}

const char *host_events_obstacle(struct host *host, const char *names)
{
    static const char comma[] = ", ";
    struct availability *availability = host_availability(host);
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

char *host_event_fit(struct host *host, const char *name)
{
    const struct event_list *events = &host->setup.events;
    AUTO_EVENTS struct event_list next = {0};
    char *text = NULL;
    if (!host->sampler)
        return NULL;
    event_list_copy(&next, events);
    if (event_parse(&next, name, host->mode, NULL) == 0 && next.count > events->count) {
        struct event_set *before = sampler_check(host->sampler, events);
        struct event_set *after = sampler_check(host->sampler, &next);
        text = availability_fit(host_availability(host), before, after);
        event_set_drop(before);
        event_set_drop(after);
    }
    return text;
}
