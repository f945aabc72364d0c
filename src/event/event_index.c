#include "event/event_index.h"
#include "base/mem.h"
#include "base/str.h"
#include "event/libpfm.h"
#include "event/meaning.h"
#include "event/names.h"
#include "event/pmu.h"
#include "event/probe.h"
#include "event/tracepoint.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

/* Takes ownership of both texts. */
static void event_index_add_entry(struct event_index *event_index, char *name, char *text)
{
    mem_grow(&event_index->entries, &event_index->room, event_index->count + 1,
             sizeof(*event_index->entries));
    event_index->entries[event_index->count++] =
        (struct event_index_entry){name, text, event_index->group_count - 1};
}

/* Begins a group; takes ownership of the title. */
static void event_index_add_group(struct event_index *event_index, enum event_index_kind kind,
                                  char *title)
{
    mem_grow(&event_index->groups, &event_index->group_room, event_index->group_count + 1,
             sizeof(*event_index->groups));
    event_index->groups[event_index->group_count++] = (struct event_index_group){title, kind};
}

static void add_generic(struct event_index *event_index, uint32_t type, const char *title)
{
    event_index_add_group(event_index, EVENT_INDEX_EVENTS, mem_strdup(title));
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (event->type == type)
            event_index_add_entry(event_index, mem_strdup(event->name), meaning_text(event));
}

/* "event=0x02, in Joules" */
static char *pmu_event_text(const char *pmu, const char *event)
{
    char terms[512] = "", *unit;
    double scale;
    pmu_event_terms(pmu, event, terms, sizeof(terms));
    pmu_measure(pmu, event, &unit, &scale);
    char *text = mem_printf("%s%s%s", terms, *unit ? ", in " : "", unit);
    free(unit);
    return text;
}

static void add_pmu(struct event_index *event_index, const char *pmu)
{
    struct names events;
    pmu_events(pmu, &events);
    if (events.count)
        event_index_add_group(event_index, EVENT_INDEX_EVENTS, mem_printf("PMU '%s'", pmu));
    for (size_t i = 0; i < events.count; i++)
        event_index_add_entry(event_index, mem_printf("%s/%s/", pmu, events.items[i]),
                              pmu_event_text(pmu, events.items[i]));
    names_release(&events);
}

static void add_pmus(struct event_index *event_index)
{
    struct names pmus;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++)
        add_pmu(event_index, pmus.items[i]);
    names_release(&pmus);
}

struct table {
    struct event_index *event_index;
    const char *pmu; /* of the entry before */
};

static void add_libpfm(void *ctx, const struct libpfm_entry *entry)
{
    struct table *table = ctx;
    if (!str_equal(table->pmu, entry->pmu))
        event_index_add_group(table->event_index, EVENT_INDEX_EVENTS,
                              mem_printf("libpfm4 '%s' (%s)", entry->pmu, entry->pmu_text));
    table->pmu = entry->pmu;
    const char *text = entry->event_text ? entry->event_text : "";
    const char *mask_text = entry->mask && entry->mask_text ? entry->mask_text : "";
    event_index_add_entry(table->event_index,
                          mem_printf("%s::%s%s%s", entry->pmu, entry->event, entry->mask ? ":" : "",
                                     entry->mask ? entry->mask : ""),
                          mem_printf("%s%s%s", text, *text && *mask_text ? ": " : "", mask_text));
}

/* One spelling per PMU, so that each can explain its own terms. */
static void add_pmu_spellings(struct event_index *event_index)
{
    struct names pmus, terms;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        pmu_terms(pmus.items[i], &terms);
        char *prefix = mem_printf("%s:", pmus.items[i]);
        if (terms.count && !probe_is(prefix))
            event_index_add_entry(event_index, mem_printf("%s/TERM=VALUE,.../", pmus.items[i]),
                                  mem_strdup("what the PMU counts under these terms of its own"));
        free(prefix);
        names_release(&terms);
    }
    names_release(&pmus);
}

static void add_spellings(struct event_index *event_index)
{
    static const char *const spellings[][2] = {
        {"EVENT:MODIFIERS", "u user mode, k kernel mode, h hypervisor, G guests, H host, p to ppp "
                            "precise, D always on a counter, e with no other group"},
        {"{EVENT,EVENT,...}:MODIFIERS", "events that are counted together, at the same times"},
        {"rHEX", "a processor's event by its raw code: umask and event, r01c2"},
        {"mem:ADDRESS[/LENGTH][:rwx]",
         "reads, writes or executions of 1, 2, 4 or 8 bytes at an address: mem:0x1238/8:w"},
        {"uprobe:/PATH:FUNCTION[+OFFSET]", "calls of a function of a program or library"},
        {"uretprobe:/PATH:FUNCTION", "returns from a function of a program or library"},
        {"kprobe:FUNCTION[+OFFSET]", "calls of a function of the kernel"},
        {"kretprobe:FUNCTION", "returns from a function of the kernel"},
        {"SUBSYSTEM:EVENT/FILTER/", "a tracepoint, only where its fields are so: "
                                    "sched:sched_switch/prev_prio < 100/"},
        {"TABLE::EVENT:MASK:...", "an event by libpfm4's name, with unit masks and modifiers"},
    };
    event_index_add_group(event_index, EVENT_INDEX_SPELLINGS,
                          mem_strdup("other events, by how they are written"));
    for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
        event_index_add_entry(event_index, mem_strdup(spellings[i][0]),
                              mem_strdup(spellings[i][1]));
    add_pmu_spellings(event_index);
}

static void add_tracepoints(struct event_index *event_index)
{
    struct names subsystems;
    names_init(&subsystems);
    tracepoint_subsystems(&subsystems);
    for (size_t i = 0; i < subsystems.count; i++) {
        const char *subsystem = subsystems.items[i];
        struct names events;
        names_init(&events);
        tracepoint_events(subsystem, &events);
        if (events.count)
            event_index_add_group(event_index, EVENT_INDEX_TRACEPOINTS,
                                  mem_printf("tracepoints of '%s'", subsystem));
        for (size_t k = 0; k < events.count; k++)
            event_index_add_entry(event_index, mem_printf("%s:%s", subsystem, events.items[k]),
                                  mem_strdup(""));
        names_release(&events);
    }
    names_release(&subsystems);
}

struct event_index *event_index_new(void)
{
    struct event_index *event_index = mem_alloc(sizeof(*event_index));
    add_generic(event_index, PERF_TYPE_HARDWARE, "hardware events");
    add_generic(event_index, PERF_TYPE_SOFTWARE, "software events");
    add_generic(event_index, PERF_TYPE_HW_CACHE, "hardware cache events");
    add_pmus(event_index);
    libpfm_each(add_libpfm, &(struct table){.event_index = event_index});
    add_spellings(event_index);
    add_tracepoints(event_index);
    return event_index;
}

void event_index_free(struct event_index *event_index)
{
    if (!event_index)
        return;
    for (size_t i = 0; i < event_index->count; i++) {
        free(event_index->entries[i].name);
        free(event_index->entries[i].text);
    }
    for (size_t i = 0; i < event_index->group_count; i++)
        free(event_index->groups[i].title);
    free(event_index->entries);
    free(event_index->groups);
    free(event_index);
}

/* ---- searching ---- */

/* Whether the entry contains all words; each ends with '\0', the last one with two. */
static bool contains(const struct event_index *event_index, const struct event_index_entry *entry,
                     const char *words)
{
    for (const char *word = words; *word; word += strlen(word) + 1)
        if (!strcasestr(entry->name, word) && !strcasestr(entry->text, word) &&
            !strcasestr(event_index->groups[entry->group].title, word))
            return false;
    return true;
}

static char *split_words(const char *text)
{
    char *words = mem_alloc(strlen(text) + 2), *end = words;
    while (*(text += strspn(text, " \t"))) {
        size_t length = strcspn(text, " \t");
        end = (char *)mempcpy(end, text, length) + 1;
        text += length;
    }
    return words;
}

void event_index_search(const struct event_index *event_index, struct event_index_search *search,
                        const char *text)
{
    /* A text that continues the last one can match only entries that matched before. */
    bool narrower = search->text && str_starts(text, search->text);
    char *words = split_words(text);
    if (!search->found)
        search->found = mem_array(event_index->count, sizeof(*search->found));
    size_t kept = 0;
    search->examined = narrower ? search->count : event_index->count;
    for (size_t i = 0; i < search->examined; i++) {
        size_t entry = narrower ? search->found[i] : i;
        if (contains(event_index, &event_index->entries[entry], words))
            search->found[kept++] = entry;
    }
    search->count = kept;
    free(words);
    free(search->text);
    search->text = mem_strdup(text);
}

void event_index_search_release(struct event_index_search *search)
{
    free(search->text);
    free(search->found);
    *search = (struct event_index_search){0};
}

/* The name without its group's prefix: "switch" of "sched:switch". */
static const char *own_name(const char *name)
{
    size_t length = strcspn(name, ":/");
    const char *own = name + length;
    own += strspn(own, ":/");
    return *own ? own : name;
}

/* Each entry is a candidate twice: by its full name and by its own. */
static const char *candidate(void *ctx, size_t i)
{
    const struct event_index *event_index = ctx;
    if (i / 2 >= event_index->count)
        return NULL;
    const char *name = event_index->entries[i / 2].name;
    return i % 2 ? own_name(name) : name;
}

const char *event_index_nearest(const struct event_index *event_index, const char *text)
{
    return str_nearest(text, candidate, (void *)event_index);
}

/* ---- explaining ---- */

static void tell_names(const struct names *names, const char *what,
                       void (*tell)(void *to, const char *what, const char *text), void *to)
{
    struct str list;
    str_init(&list);
    for (size_t i = 0; i < names->count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names->items[i]);
    if (names->count)
        tell(to, what, list.text);
    str_release(&list);
}

void event_index_explain(const struct event_index *event_index, size_t entry,
                         void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const char *name = event_index->entries[entry].name, *slash = strchr(name, '/');
    struct names names, modifiers;
    names_init(&modifiers);
    names_init(&names);
    switch (event_index->groups[event_index->entries[entry].group].kind) {
    case EVENT_INDEX_TRACEPOINTS:
        tracepoint_fields(name, &names);
        tell_names(&names, "fields", tell, to);
        break;
    case EVENT_INDEX_SPELLINGS:
        if (slash) {
            char *pmu = mem_strndup(name, (size_t)(slash - name));
            pmu_terms(pmu, &names);
            tell_names(&names, "terms", tell, to);
            free(pmu);
        }
        break;
    case EVENT_INDEX_EVENTS:
        if (strstr(name, "::"))
            libpfm_attributes(name, &names, &modifiers);
        tell_names(&names, "unit masks", tell, to);
        tell_names(&modifiers, "modifiers", tell, to);
        break;
    }
    names_release(&modifiers);
    names_release(&names);
}
