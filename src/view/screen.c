#include "view/screen.h"
#include "base/ini.h"
#include "metric/alias.h"
#include "metric/machine.h"

static void screen_release(struct screen *screen)
{
    free(screen->name);
    free(screen->description);
    free(screen->events);
    names_release(&screen->columns);
    names_release(&screen->requires);
    names_release(&screen->hidden);
    free(screen->sort);
    free(screen->cpus);
    free(screen->origin);
    for (size_t i = 0; i < screen->width_count; i++)
        free(screen->widths[i].column);
    free(screen->widths);
}

void screen_free(struct screen *screen)
{
    screen_release(screen);
    free(screen);
}

static struct names copy_names(const struct names *names)
{
    struct names copy = {0};
    for (size_t i = 0; i < names->count; i++)
        names_add(&copy, names->items[i]);
    return copy;
}

struct screen *screen_copy(const struct screen *screen)
{
    struct screen *copy = mem_alloc(sizeof(*copy));
    *copy = *screen;
    copy->name = mem_strdup(screen->name);
    copy->description = mem_strdup(screen->description);
    copy->events = mem_strdup(screen->events);
    copy->columns = copy_names(&screen->columns);
    copy->requires = copy_names(&screen->requires);
    copy->sort = mem_strdup(screen->sort);
    copy->cpus = mem_strdup(screen->cpus);
    copy->origin = mem_strdup(screen->origin);
    copy->hidden = copy_names(&screen->hidden);
    copy->widths = mem_array(screen->width_count, sizeof(*copy->widths));
    for (size_t i = 0; i < screen->width_count; i++)
        copy->widths[i] =
            (struct screen_width){mem_strdup(screen->widths[i].column), screen->widths[i].width};
    return copy;
}

bool screen_has_column(const struct screen *screen, const char *name)
{
    return names_has(&screen->columns, name);
}

int screen_width(const struct screen *screen, const char *column)
{
    const struct screen_width *found =
        STR_FIND(screen->widths, screen->width_count, column, column);
    return found ? found->width : 0;
}

void screen_set_width(struct screen *screen, const char *column, int width)
{
    size_t i = 0, room = screen->width_count;
    while (i < screen->width_count && !str_equal(screen->widths[i].column, column))
        i++;
    if (i == screen->width_count && width) {
        mem_grow(&screen->widths, &room, i + 1, sizeof(*screen->widths));
        screen->widths[screen->width_count++] = (struct screen_width){mem_strdup(column), width};
    } else if (i < screen->width_count && width) {
        screen->widths[i].width = width;
    } else if (i < screen->width_count) {
        free(screen->widths[i].column);
        screen->widths[i] = screen->widths[--screen->width_count];
    }
}

void screen_list_release(struct screen_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        screen_release(&list->screens[i]);
    free(list->screens);
    for (size_t i = 0; i < list->other_count; i++) {
        free(list->others[i].name);
        free(list->others[i].cpus);
    }
    free(list->others);
    *list = (struct screen_list){0};
}

const struct screen *screen_find(const struct screen_list *list, const char *name)
{
    return STR_FIND(list->screens, list->count, name, name);
}

/* Finds the next word at *at, which may be quoted. Returns its length, 0 if there is none. *at
 * becomes its beginning, *end the text behind it. */
static size_t screen_next_word(const char **at, const char **end)
{
    const char *p = *at + strspn(*at, " \t");
    const char *close = *p == '\'' || *p == '"' ? strchr(p + 1, *p) : NULL;
    *at = close ? p + 1 : p;
    size_t length = close ? (size_t)(close - *at) : strcspn(p, " \t");
    *end = close ? close + 1 : p + length;
    return length;
}

/* Adds words separated by spaces; repeated keys add to the list. Duplicates are errors. */
static int screen_add_words(struct names *words, const char *key, const char *value,
                            struct err *err)
{
    size_t length;
    for (const char *p = value, *end; (length = screen_next_word(&p, &end)); p = end) {
        AUTO_FREE char *word = mem_strndup(p, length);
        if (names_has(words, word))
            return err_set(err, "%s names '%s' twice", key, word);
        names_add(words, word);
    }
    return 0;
}

/* NAME:WIDTH; a name with blanks is quoted. */
static int add_widths(struct screen *screen, const char *value, struct err *err)
{
    size_t length;
    for (const char *p = value, *end; (length = screen_next_word(&p, &end)); p = end) {
        const char *word = p, *colon = end;
        bool quoted = *end == ':';
        if (quoted)
            end += strcspn(end, " \t");
        else
            while (colon > word && *colon != ':')
                colon--;
        AUTO_FREE char *name = mem_strndup(word, quoted ? length : (size_t)(colon - word));
        colon += colon < end;
        AUTO_FREE char *digits = mem_strndup(colon, (size_t)(end - colon));
        unsigned long long width;
        if (!*name || !str_to_u64(digits, COLUMN_MIN, COLUMN_MAX, &width))
            return err_set(err, "widths has '%.*s': expected COLUMN:WIDTH, from %d to %d",
                           (int)(end - word), word, COLUMN_MIN, COLUMN_MAX);
        screen_set_width(screen, name, (int)width);
    }
    return 0;
}

static const char *const keys[] = {"columns", "cpus", "description", "events", "requires",
                                   "sort",    "view", "widths",      NULL};

static void add_other(struct screen_list *list, char *name, char *cpus)
{
    *MEM_ADD(list->others, list->other_count, list->other_room) = (struct screen_other){name, cpus};
}

/* Notes a screen that is not read, since it is for other machines. */
static bool is_elsewhere(struct screen_list *fresh, const char *name)
{
    const char *set = strchr(name, '@');
    if (!set || !fresh->machine || machine_matches(fresh->machine, set + 1))
        return false;
    add_other(fresh, mem_strndup(name, (size_t)(set - name)), mem_strdup(set + 1));
    return true;
}

static int screen_take_entry(void *ctx, const char *name, const char *key, const char *value,
                             int line, struct err *err)
{
    struct screen_list *fresh = ctx;
    if (!*name || *name == '@' || strpbrk(name, " \t"))
        return err_set(err, "no name for a screen '%s': expected one word", name);
    struct screen *screen = (struct screen *)screen_find(fresh, name);
    if (!screen && is_elsewhere(fresh, name))
        return INI_SKIP_SECTION;
    if (!screen) {
        screen = MEM_ADD(fresh->screens, fresh->count, fresh->room);
        *screen = (struct screen){.name = mem_strdup(name), .line = line};
    }
    if (str_equal(key, "columns"))
        return screen_add_words(&screen->columns, key, value, err);
    if (str_equal(key, "requires"))
        return screen_add_words(&screen->requires, key, value, err);
    if (str_equal(key, "widths"))
        return add_widths(screen, value, err);
    if (str_equal(key, "view")) {
        screen->of_cpus = str_equal(value, "cpus");
        return screen->of_cpus || str_equal(value, "tasks")
                   ? 0
                   : err_set(err, "view is '%s': expected tasks or cpus", value);
    }
    bool events = str_equal(key, "events"); /* repeated keys add to the list */
    char **text = events                          ? &screen->events
                  : str_equal(key, "description") ? &screen->description
                  : str_equal(key, "cpus")        ? &screen->cpus
                  : str_equal(key, "sort")        ? &screen->sort
                                                  : NULL;
    if (!text)
        return ini_unknown_key(key, "screen", keys, err);
    AUTO_FREE char *before = *text;
    *text = events && before ? mem_printf("%s,%s", before, value) : mem_strdup(value);
    return 0;
}

static int screen_complete(struct screen *screen, const char *origin, struct err *err)
{
    for (size_t i = 0; i < screen->width_count && screen->columns.count; i++)
        if (!screen_has_column(screen, screen->widths[i].column))
            return err_set(err, "%s:%d: screen '%s' has a width but no column '%s'", origin,
                           screen->line, screen->name, screen->widths[i].column);
    if (screen->columns.count == 0)
        return err_set(err, "%s:%d: screen '%s' has no columns", origin, screen->line,
                       screen->name);
    if (!screen->sort)
        screen->sort = mem_strdup(screen->columns.items[0]);
    if (!screen_has_column(screen, screen->sort))
        return err_set(err, "%s:%d: screen '%s' has no column '%s' to sort by", origin,
                       screen->line, screen->name, screen->sort);
    machine_take_set(&screen->name, &screen->cpus);
    screen->origin = mem_strdup(origin);
    if (!screen->description)
        screen->description = mem_strdup("");
    if (!screen->events)
        screen->events = mem_strdup("");
    return 0;
}

/* Moves the screens of `from` into the list: for each name the first that matches the machine. */
static void screen_merge(struct screen_list *list, struct screen_list *from)
{
    for (size_t i = 0; i < from->other_count; i++)
        add_other(list, from->others[i].name, from->others[i].cpus);
    from->other_count = 0;
    for (size_t i = 0; i < from->count; i++) {
        struct screen *screen = &from->screens[i], *old;
        if (!machine_matches(list->machine, screen->cpus)) {
            add_other(list, screen->name, screen->cpus);
            screen->name = screen->cpus = NULL;
            screen_release(screen);
            continue;
        }
        if (screen_find(from, screen->name) < screen) {
            screen_release(screen);
            screen->name = NULL;
            continue;
        }
        old = (struct screen *)screen_find(list, screen->name);
        if (old)
            screen_release(old);
        else
            old = MEM_ADD(list->screens, list->count, list->room);
        *old = *screen;
    }
    from->count = 0;
}

int screen_list_load(struct screen_list *list, const char *text, const char *origin,
                     struct err *err)
{
    struct screen_list fresh = {.machine = list->embedded ? list->machine : NULL};
    int result = ini_read(text, origin, "screen", screen_take_entry, &fresh, err);
    for (size_t i = 0; result == 0 && i < fresh.count; i++)
        result = screen_complete(&fresh.screens[i], origin, err);
    if (result == 0)
        screen_merge(list, &fresh);
    screen_list_release(&fresh);
    return result;
}

char *screen_elsewhere(const struct screen_list *list, const char *name)
{
    AUTO_STR struct str cpus = str_new();
    for (size_t i = 0; i < list->other_count; i++)
        if (str_equal(list->others[i].name, name))
            str_printf(&cpus, " %s", list->others[i].cpus);
    return cpus.length ? machine_describe(list->machine, cpus.text) : NULL;
}

bool screen_fits(const struct screen *screen, const struct event_set *set)
{
    for (size_t i = 0; i < screen->requires.count; i++) {
        int event = alias_find(set, screen->requires.items[i]);
        if (event < 0 || set->events[event].state != EVENT_COUNTED)
            return false;
    }
    return true;
}

const struct screen *screen_fitting(const struct screen_list *list, const struct event_set *set)
{
    for (size_t i = 0; i < list->count; i++)
        if (screen_fits(&list->screens[i], set))
            return &list->screens[i];
    return list->count ? &list->screens[list->count - 1] : NULL;
}

bool screen_counts(const struct screen *screen, const char *event)
{
    const char *p = screen->events;
    while (*(p += strspn(p, ",{} "))) {
        /* A name has commas between slashes: cpu/event=1,umask=2/ (event/name.h). */
        size_t length = strcspn(p, ",{} /");
        if (p[length] == '/') {
            length += 1 + strcspn(p + length + 1, "/");
            length += strcspn(p + length, ",{} ");
        }
        size_t own_length;
        AUTO_FREE char *text = mem_strndup(p, length);
        const char *own = names_own(text, &own_length);
        AUTO_FREE char *name = own ? mem_strndup(own, own_length) : mem_strdup(text);
        if (alias_same(name, event))
            return true;
        p += length;
    }
    return false;
}
