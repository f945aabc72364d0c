#include "event/event_table.h"

static struct event_table *table_in_use;

size_t event_table_pmus(struct event_table *table, const char *family, bool core,
                        const struct names *here)
{
    size_t index = table->pmus_count;
    const struct table_pmus *known = STR_FIND(table->pmus, table->pmus_count, family, family);
    if (known)
        return (size_t)(known - table->pmus);
    struct table_pmus *pmus = MEM_ADD(table->pmus, table->pmus_count, table->pmus_room);
    *pmus = (struct table_pmus){.family = mem_strdup(family), .core = core};
    for (size_t i = 0; i < here->count; i++)
        names_add(&pmus->here, here->items[i]);
    return index;
}

void event_table_fault(struct event_table *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    AUTO_FREE char *text = mem_vprintf(format, args);
    va_end(args);
    names_add(&table->faults, text);
}

static void table_event_release(struct table_event *event)
{
    free(event->name);
    free(event->terms);
    free(event->unit);
    free(event->text);
    free(event->detail);
}

/* libpfm4 writes ':' where these files have '.' before a unit mask. */
static int name_letter(char c)
{
    return c == ':' ? '.' : tolower((unsigned char)c);
}

static int name_compare(const char *a, const char *b)
{
    while (*a && name_letter(*a) == name_letter(*b))
        a++, b++;
    return name_letter(*a) - name_letter(*b);
}

static int table_event_compare(const void *a, const void *b)
{
    const struct table_event *one = a, *other = b;
    int order = name_compare(one->name, other->name);
    if (order == 0)
        order = (one->pmus > other->pmus) - (one->pmus < other->pmus);
    return order ? order : (one->source > other->source) - (one->source < other->source);
}

void event_table_sort(struct event_table *table)
{
    struct table_entries *events = &table->events;
    size_t kept = 0;
    if (events->count)
        qsort(events->items, events->count, sizeof(*events->items), table_event_compare);
    for (size_t i = 0; i < events->count; i++) {
        struct table_event *event = &events->items[i];
        struct table_event *last = kept ? &events->items[kept - 1] : NULL;
        if (last && event->pmus == last->pmus && name_compare(event->name, last->name) == 0)
            table_event_release(event);
        else
            events->items[kept++] = *event;
    }
    events->count = kept;
}

static void release_entries(struct table_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        table_event_release(&entries->items[i]);
    free(entries->items);
}

void event_table_use(struct event_table *table)
{
    struct event_table *old = table_in_use;
    table_in_use = table;
    if (!old)
        return;
    for (size_t i = 0; i < old->pmus_count; i++) {
        free(old->pmus[i].family);
        names_release(&old->pmus[i].here);
    }
    release_entries(&old->events);
    release_entries(&old->metrics);
    free(old->pmus);
    names_release(&old->sources);
    names_release(&old->faults);
    free(old);
}

const struct event_table *event_table(void)
{
    static const struct event_table none;
    return table_in_use ? table_in_use : &none;
}

static int compare_with_name(const void *name, const void *event)
{
    return name_compare(name, ((const struct table_event *)event)->name);
}

const struct table_event *event_table_named(const char *name, size_t *count)
{
    const struct table_entries *events = &event_table()->events;
    *count = 0;
    if (!events->count)
        return NULL;
    const struct table_event *end = events->items + events->count;
    const struct table_event *first =
        bsearch(name, events->items, events->count, sizeof(*first), compare_with_name);
    while (first && first > events->items && name_compare(first[-1].name, name) == 0)
        first--;
    while (first && first + *count < end && name_compare(first[*count].name, name) == 0)
        ++*count;
    return first;
}

const struct table_event *event_table_find(const char *pmu, const char *name)
{
    size_t count;
    const struct table_event *event = event_table_named(name, &count);
    for (size_t i = 0; i < count; i++)
        if (names_has(&event_table()->pmus[event[i].pmus].here, pmu))
            return &event[i];
    return NULL;
}

char *event_table_spelling(const struct table_event *event)
{
    size_t count;
    const struct table_pmus *pmus = &event_table()->pmus[event->pmus];
    event_table_named(event->name, &count);
    if (count == 1 && (pmus->core || pmus->here.count < 2))
        return mem_strdup(event->name);
    return mem_printf("%s/%s/", pmus->family, event->name);
}

const struct table_event *event_table_spelled(const char *text)
{
    size_t count;
    const char *slash = strchr(text, '/');
    AUTO_FREE char *name =
        slash ? mem_strndup(slash + 1, strcspn(slash + 1, "/")) : mem_strdup(text);
    const struct table_event *event = event_table_named(name, &count), *found = NULL;
    for (size_t i = 0; i < count && !found; i++) {
        const char *family = event_table()->pmus[event[i].pmus].family;
        size_t length = strlen(family);
        if (!slash || (strncmp(text, family, length) == 0 && text + length == slash))
            found = &event[i];
    }
    return found;
}
