#include "event/unknown.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/str.h"
#include "event/event_table.h"
#include "event/generic.h"
#include "event/libpfm.h"
#include "event/pmu.h"
#include "event/scheduler.h"

#include <stdlib.h>
#include <string.h>

struct known_names {
    struct names names;
    bool with_table; /* libpfm4's as TABLE::EVENT */
};

static void name_add_libpfm(void *ctx, const struct libpfm_entry *entry)
{
    struct known_names *known = ctx;
    char *name = known->with_table ? mem_printf("%s::%s", entry->pmu, entry->event)
                                   : mem_strdup(entry->event);
    names_add(&known->names, name);
    free(name);
}

enum answer unknown_ask(struct query *q)
{
    enum { SLIP = 2 };
    struct known_names known = {.with_table = strstr(q->base, "::") != NULL};
    struct names pmus, events = {0}, filed = {0};
    for (const struct generic_event *event = generic_events; event->name; event++)
        names_add(&known.names, event->name);
    for (int e = SCHEDULER_NONE + 1; e < SCHEDULER_EVENTS; e++)
        names_add(&known.names, scheduler_info((enum scheduler_event)e)->name);
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        pmu_names(pmus.items[i], "events", &events);
        for (size_t k = 0; k < events.count; k++)
            names_add(&known.names, events.items[k]);
        names_release(&events);
    }
    names_release(&pmus);
    for (size_t i = 0; i < event_table()->count; i++)
        names_add(&filed, event_table()->events[i].name);
    libpfm_each(false, name_add_libpfm, &known);
    char *asked = mem_strndup(q->base, libpfm_event_length(q->base));
    const char *nearest = names_nearest(&known.names, asked);
    bool slip = nearest && str_distance(asked, nearest) <= SLIP;
    /* In event files '.' belongs to the name. */
    const char *other = names_nearest(&filed, q->base);
    if (other && (!nearest || str_distance(q->base, other) < str_distance(asked, nearest)))
        nearest = other;
    err_set(&q->err, "unknown event '%s': expected a perf or libpfm4 name%s", q->text,
            nearest ? "" : " (perf's are in 'perf list')");
    err_add_nearest(&q->err, nearest);
    free(asked);
    names_release(&filed);
    names_release(&known.names);
    if (q->foreign && !slip)
        return query_not_here(q, EVENT_UNSUPPORTED,
                              "neither perf nor libpfm4 knows an event of that name here");
    return ANSWER_ERROR;
}
