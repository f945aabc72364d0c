#include "event/catalogue.h"
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

/* Both texts are taken over. */
static void add_entry(struct catalogue *catalogue, char *name, char *text)
{
    mem_grow(&catalogue->entries, &catalogue->room, catalogue->count + 1,
             sizeof(*catalogue->entries));
    catalogue->entries[catalogue->count++] =
        (struct catalogue_entry){name, text, catalogue->group_count - 1};
}

/* Begins a group; the title is taken over. */
static void add_group(struct catalogue *catalogue, enum catalogue_kind kind, char *title)
{
    mem_grow(&catalogue->groups, &catalogue->group_room, catalogue->group_count + 1,
             sizeof(*catalogue->groups));
    catalogue->groups[catalogue->group_count++] = (struct catalogue_group){title, kind};
}

static void add_generic(struct catalogue *catalogue, uint32_t type, const char *title)
{
    add_group(catalogue, CATALOGUE_EVENTS, mem_strdup(title));
    for (const struct generic_event *event = generic_events; event->name; event++)
        if (event->type == type)
            add_entry(catalogue, mem_strdup(event->name), meaning_text(event));
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

static void add_pmu(struct catalogue *catalogue, const char *pmu)
{
    struct names events;
    pmu_events(pmu, &events);
    if (events.count)
        add_group(catalogue, CATALOGUE_EVENTS, mem_printf("PMU '%s'", pmu));
    for (size_t i = 0; i < events.count; i++)
        add_entry(catalogue, mem_printf("%s/%s/", pmu, events.items[i]),
                  pmu_event_text(pmu, events.items[i]));
    names_release(&events);
}

static void add_pmus(struct catalogue *catalogue)
{
    struct names pmus;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++)
        add_pmu(catalogue, pmus.items[i]);
    names_release(&pmus);
}

struct table {
    struct catalogue *catalogue;
    const char *pmu; /* of the entry before */
};

static void add_libpfm(void *ctx, const struct libpfm_entry *entry)
{
    struct table *table = ctx;
    if (!str_equal(table->pmu, entry->pmu))
        add_group(table->catalogue, CATALOGUE_EVENTS,
                  mem_printf("libpfm4 '%s' (%s)", entry->pmu, entry->pmu_text));
    table->pmu = entry->pmu;
    const char *text = entry->event_text ? entry->event_text : "";
    const char *mask_text = entry->mask && entry->mask_text ? entry->mask_text : "";
    add_entry(table->catalogue,
              mem_printf("%s::%s%s%s", entry->pmu, entry->event, entry->mask ? ":" : "",
                         entry->mask ? entry->mask : ""),
              mem_printf("%s%s%s", text, *text && *mask_text ? ": " : "", mask_text));
}

/* The terms of each PMU are explained with its spelling. */
static void add_pmu_spellings(struct catalogue *catalogue)
{
    struct names pmus, terms;
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        pmu_terms(pmus.items[i], &terms);
        char *prefix = mem_printf("%s:", pmus.items[i]);
        if (terms.count && !probe_is(prefix))
            add_entry(catalogue, mem_printf("%s/TERM=VALUE,.../", pmus.items[i]),
                      mem_strdup("what the PMU counts under these terms of its own"));
        free(prefix);
        names_release(&terms);
    }
    names_release(&pmus);
}

static void add_spellings(struct catalogue *catalogue)
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
    add_group(catalogue, CATALOGUE_SPELLINGS, mem_strdup("other events, by how they are written"));
    for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
        add_entry(catalogue, mem_strdup(spellings[i][0]), mem_strdup(spellings[i][1]));
    add_pmu_spellings(catalogue);
}

static void add_tracepoints(struct catalogue *catalogue)
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
            add_group(catalogue, CATALOGUE_TRACEPOINTS,
                      mem_printf("tracepoints of '%s'", subsystem));
        for (size_t k = 0; k < events.count; k++)
            add_entry(catalogue, mem_printf("%s:%s", subsystem, events.items[k]), mem_strdup(""));
        names_release(&events);
    }
    names_release(&subsystems);
}

struct catalogue *catalogue_new(void)
{
    struct catalogue *catalogue = mem_alloc(sizeof(*catalogue));
    add_generic(catalogue, PERF_TYPE_HARDWARE, "hardware events");
    add_generic(catalogue, PERF_TYPE_SOFTWARE, "software events");
    add_generic(catalogue, PERF_TYPE_HW_CACHE, "hardware cache events");
    add_pmus(catalogue);
    libpfm_each(add_libpfm, &(struct table){.catalogue = catalogue});
    add_spellings(catalogue);
    add_tracepoints(catalogue);
    return catalogue;
}

void catalogue_free(struct catalogue *catalogue)
{
    if (!catalogue)
        return;
    for (size_t i = 0; i < catalogue->count; i++) {
        free(catalogue->entries[i].name);
        free(catalogue->entries[i].text);
    }
    for (size_t i = 0; i < catalogue->group_count; i++)
        free(catalogue->groups[i].title);
    free(catalogue->entries);
    free(catalogue->groups);
    free(catalogue);
}

/* ---- searching ---- */

/* Whether the entry contains each of the words, which are ended by '\0' and the last one by two. */
static bool contains(const struct catalogue *catalogue, const struct catalogue_entry *entry,
                     const char *words)
{
    for (const char *word = words; *word; word += strlen(word) + 1)
        if (!strcasestr(entry->name, word) && !strcasestr(entry->text, word) &&
            !strcasestr(catalogue->groups[entry->group].title, word))
            return false;
    return true;
}

/* Words between blanks, each with its '\0', and one more at the end. */
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

void catalogue_search(const struct catalogue *catalogue, struct catalogue_search *search,
                      const char *text)
{
    /* A longer last word, or one more, is found only where all was found before. */
    bool narrower = search->text && str_starts(text, search->text);
    char *words = split_words(text);
    if (!search->found)
        search->found = mem_array(catalogue->count, sizeof(*search->found));
    size_t kept = 0;
    search->examined = narrower ? search->count : catalogue->count;
    for (size_t i = 0; i < search->examined; i++) {
        size_t entry = narrower ? search->found[i] : i;
        if (contains(catalogue, &catalogue->entries[entry], words))
            search->found[kept++] = entry;
    }
    search->count = kept;
    free(words);
    free(search->text);
    search->text = mem_strdup(text);
}

void catalogue_search_release(struct catalogue_search *search)
{
    free(search->text);
    free(search->found);
    *search = (struct catalogue_search){0};
}

/* The part of a name that people know it by: what it has in common with others of its group left
 * out. */
static const char *own_name(const char *name)
{
    size_t length = strcspn(name, ":/");
    const char *own = name + length;
    own += strspn(own, ":/");
    return *own ? own : name;
}

/* Each entry is a candidate twice, in full and by its own name. */
static const char *candidate(void *ctx, size_t i)
{
    const struct catalogue *catalogue = ctx;
    if (i / 2 >= catalogue->count)
        return NULL;
    const char *name = catalogue->entries[i / 2].name;
    return i % 2 ? own_name(name) : name;
}

const char *catalogue_nearest(const struct catalogue *catalogue, const char *text)
{
    return str_nearest(text, candidate, (void *)catalogue);
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

void catalogue_explain(const struct catalogue *catalogue, size_t entry,
                       void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const char *name = catalogue->entries[entry].name, *slash = strchr(name, '/');
    struct names names, modifiers;
    names_init(&modifiers);
    names_init(&names);
    switch (catalogue->groups[catalogue->entries[entry].group].kind) {
    case CATALOGUE_TRACEPOINTS:
        tracepoint_fields(name, &names);
        tell_names(&names, "fields", tell, to);
        break;
    case CATALOGUE_SPELLINGS:
        if (slash) {
            char *pmu = mem_strndup(name, (size_t)(slash - name));
            pmu_terms(pmu, &names);
            tell_names(&names, "terms", tell, to);
            free(pmu);
        }
        break;
    case CATALOGUE_EVENTS:
        if (strstr(name, "::"))
            libpfm_attributes(name, &names, &modifiers);
        tell_names(&names, "unit masks", tell, to);
        tell_names(&modifiers, "modifiers", tell, to);
        break;
    }
    names_release(&modifiers);
    names_release(&names);
}
