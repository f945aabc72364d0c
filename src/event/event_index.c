#include "event/event_index.h"
#include "base/embed.h"
#include "event/event_table.h"
#include "event/pmu.h"
#include "event/query.h"

/* ---- building ---- */

/* Takes ownership of both texts. */
static void event_index_add_entry(struct event_index *index, char *name, char *text)
{
    *MEM_ADD(index->entries, index->count, index->room) =
        (struct event_index_entry){name, text, index->group_count - 1};
}

/* Begins a group; takes ownership of the title. */
static void event_index_add_group(struct event_index *index, enum event_index_kind kind,
                                  char *title)
{
    *MEM_ADD(index->groups, index->group_count, index->group_room) =
        (struct event_index_group){title, kind};
}

static void add_generic(struct event_index *index, uint32_t type, const char *title)
{
    struct generic_event event;
    event_index_add_group(index, EVENT_INDEX_EVENTS, mem_strdup(title));
    for (const char *line = NULL; generic_next(&line, &event);)
        if (event.type == type)
            event_index_add_entry(index, mem_strdup(event.name),
                                  mem_strndup(event.text, event.length));
}

static void add_scheduler(struct event_index *index)
{
    event_index_add_group(index, EVENT_INDEX_EVENTS, mem_strdup("scheduler events"));
    for (int e = SCHEDULER_NONE + 1; e < SCHEDULER_EVENTS; e++) {
        const struct scheduler_info *info = scheduler_info((enum scheduler_event)e);
        event_index_add_entry(index, mem_strdup(info->name), mem_strdup(info->text));
    }
}

static void add_pmus(struct event_index *index)
{
    AUTO_NAMES struct names pmus = {0};
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        const char *pmu = pmus.items[i];
        AUTO_NAMES struct names events = {0};
        pmu_names(pmu, "events", &events);
        if (events.count)
            event_index_add_group(index, EVENT_INDEX_EVENTS, mem_printf("PMU '%s'", pmu));
        for (size_t k = 0; k < events.count; k++) {
            char terms[512] = "";
            AUTO_FREE char *unit = NULL;
            double scale;
            pmu_event_terms(pmu, events.items[k], terms, sizeof(terms));
            pmu_measure(pmu, events.items[k], &unit, &scale);
            event_index_add_entry(index, mem_printf("%s/%s/", pmu, events.items[k]),
                                  mem_printf("%s%s%s", terms, *unit ? ", in " : "", unit));
        }
    }
}

static void add_event_files(struct event_index *index)
{
    const struct event_table *table = event_table();
    for (size_t s = 0; s < table->sources.count; s++) {
        bool titled = false;
        for (size_t i = 0; i < table->events.count; i++) {
            const struct table_event *event = &table->events.items[i];
            if (event->source != s)
                continue;
            if (!titled)
                event_index_add_group(index, EVENT_INDEX_EVENTS,
                                      mem_printf("event file '%s'", table->sources.items[s]));
            titled = true;
            event_index_add_entry(
                index, event_table_spelling(event),
                mem_printf("%s%s%s", event->text, *event->unit ? ", in " : "", event->unit));
        }
    }
}

struct index_filling {
    struct event_index *index;
    const char *pmu; /* of the previous entry */
};

static void add_libpfm(void *ctx, const struct libpfm_entry *entry)
{
    struct index_filling *table = ctx;
    if (!str_equal(table->pmu, entry->pmu))
        event_index_add_group(table->index, EVENT_INDEX_EVENTS,
                              mem_printf("libpfm4 '%s' (%s)", entry->pmu, entry->pmu_text));
    table->pmu = entry->pmu;
    const char *text = entry->event_text ? entry->event_text : "";
    const char *mask_text = entry->mask && entry->mask_text ? entry->mask_text : "";
    event_index_add_entry(table->index,
                          mem_printf("%s::%s%s%s", entry->pmu, entry->event, entry->mask ? ":" : "",
                                     entry->mask ? entry->mask : ""),
                          mem_printf("%s%s%s", text, *text && *mask_text ? ": " : "", mask_text));
}

static void add_spellings(struct event_index *index)
{
    event_index_add_group(index, EVENT_INDEX_SPELLINGS,
                          mem_strdup("other events, by how they are written"));
    for (const char *line = embedded_text("spellings.txt"), *end; *line; line = end + 1) {
        const char *blank = strchr(line, ' ');
        end = strchr(line, '\n');
        event_index_add_entry(index, mem_strndup(line, (size_t)(blank - line)),
                              mem_strndup(blank + 1, (size_t)(end - blank - 1)));
    }
    /* One spelling per PMU, so that each can explain its own terms. */
    AUTO_NAMES struct names pmus = {0};
    pmu_list(&pmus);
    for (size_t i = 0; i < pmus.count; i++) {
        AUTO_NAMES struct names terms = {0};
        AUTO_FREE char *prefix = mem_printf("%s:", pmus.items[i]);
        pmu_names(pmus.items[i], "format", &terms);
        if (terms.count && !probe_is(prefix))
            event_index_add_entry(index, mem_printf("%s/TERM=VALUE,.../", pmus.items[i]),
                                  mem_strdup("what the PMU counts under these terms of its own"));
    }
}

static void add_tracepoints(struct event_index *index)
{
    AUTO_NAMES struct names subsystems = {0};
    tracepoint_names("", &subsystems);
    for (size_t i = 0; i < subsystems.count; i++) {
        const char *subsystem = subsystems.items[i];
        AUTO_NAMES struct names events = {0};
        tracepoint_names(subsystem, &events);
        if (events.count)
            event_index_add_group(index, EVENT_INDEX_TRACEPOINTS,
                                  mem_printf("tracepoints of '%s'", subsystem));
        for (size_t k = 0; k < events.count; k++)
            event_index_add_entry(index, mem_printf("%s:%s", subsystem, events.items[k]),
                                  mem_strdup(""));
    }
}

struct event_index *event_index_new(void)
{
    struct event_index *index = mem_alloc(sizeof(*index));
    add_generic(index, PERF_TYPE_HARDWARE, "hardware events");
    add_generic(index, PERF_TYPE_SOFTWARE, "software events");
    add_scheduler(index);
    add_generic(index, PERF_TYPE_HW_CACHE, "hardware cache events");
    add_pmus(index);
    add_event_files(index);
    libpfm_each(true, add_libpfm, &(struct index_filling){.index = index});
    add_spellings(index);
    add_tracepoints(index);
    return index;
}

void event_index_free(struct event_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->count; i++) {
        free(index->entries[i].name);
        free(index->entries[i].text);
    }
    for (size_t i = 0; i < index->group_count; i++)
        free(index->groups[i].title);
    free(index->entries);
    free(index->groups);
    free(index);
}

/* ---- searching ---- */

/* Whether all words are in the entry's name; with `anywhere`, each in its name, its text or the
 * title of its group. */
static bool has_words(const struct event_index *index, const struct event_index_entry *entry,
                      const struct names *words, bool anywhere)
{
    bool all = true;
    for (size_t w = 0; w < words->count && all; w++)
        all = strcasestr(entry->name, words->items[w]) ||
              (anywhere && (strcasestr(entry->text, words->items[w]) ||
                            strcasestr(index->groups[entry->group].title, words->items[w])));
    return all;
}

void event_index_search(const struct event_index *index, struct event_index_search *search,
                        const char *text)
{
    const struct event_index_entry *entries = index->entries;
    AUTO_FREE char *copy = mem_strdup(text);
    AUTO_NAMES struct names words = {0};
    char *rest = copy, *word;
    while ((word = strsep(&rest, " \t")))
        names_add(&words, word); /* an empty one is in all texts */
    if (!search->found)
        search->found = mem_array(index->count, sizeof(*search->found));
    search->count = 0;
    for (size_t first = 0, end; first < index->count; first = end) {
        for (end = first; end < index->count && entries[end].group == entries[first].group; end++)
            if (has_words(index, &entries[end], &words, false))
                search->found[search->count++] = end;
        for (size_t i = first; i < end; i++)
            if (has_words(index, &entries[i], &words, true) &&
                !has_words(index, &entries[i], &words, false))
                search->found[search->count++] = i;
    }
}

void event_index_search_release(struct event_index_search *search)
{
    free(search->found);
    *search = (struct event_index_search){0};
}

/* Each entry is a candidate twice: by its full name, and without its group's prefix: "switch" of
 * "sched:switch". */
static const char *candidate(void *ctx, size_t i)
{
    const struct event_index *index = ctx;
    if (i / 2 >= index->count)
        return NULL;
    const char *name = index->entries[i / 2].name, *own = name + strcspn(name, ":/");
    own += strspn(own, ":/");
    return i % 2 && *own ? own : name;
}

const char *event_index_nearest(const struct event_index *index, const char *text)
{
    return str_nearest(text, candidate, (void *)index);
}

/* ---- explaining ---- */

static void tell_names(const struct names *names, const char *what,
                       void (*tell)(void *to, const char *what, const char *text), void *to)
{
    AUTO_STR struct str list = str_new();
    for (size_t i = 0; i < names->count; i++)
        str_printf(&list, "%s%s", i ? ", " : "", names->items[i]);
    if (names->count)
        tell(to, what, list.text);
}

void event_index_explain(const struct event_index *index, size_t entry,
                         void (*tell)(void *to, const char *what, const char *text), void *to)
{
    const char *name = index->entries[entry].name, *slash = strchr(name, '/');
    const struct table_event *event;
    AUTO_NAMES struct names names = {0}, modifiers = {0};
    switch (index->groups[index->entries[entry].group].kind) {
    case EVENT_INDEX_TRACEPOINTS:
        tracepoint_fields(name, &names, NULL, NULL, NULL);
        tell_names(&names, "fields", tell, to);
        break;
    case EVENT_INDEX_SPELLINGS:
        if (slash) {
            AUTO_FREE char *pmu = mem_strndup(name, (size_t)(slash - name));
            pmu_names(pmu, "format", &names);
            tell_names(&names, "terms", tell, to);
        }
        break;
    case EVENT_INDEX_EVENTS:
        event = event_table_spelled(name);
        if (event) {
            if (*event->detail && !str_equal(event->detail, event->text))
                tell(to, "description", event->detail);
            tell(to, "terms", event->terms);
        } else if (strstr(name, "::")) {
            libpfm_attributes(name, &names, &modifiers);
        }
        tell_names(&names, "unit masks", tell, to);
        tell_names(&modifiers, "modifiers", tell, to);
        break;
    }
}
