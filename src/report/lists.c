#include "report/report.h"
#include "app/host.h"
#include "cli/manual.h"
#include "engine/probe_open.h"
#include "event/name.h"
#include "front/term/theme.h"
#include "view/builtin_column.h"

#include <sys/ioctl.h>

/* --- Events --- */

/* "  yes  name"; texts begin in the same column, unless a name is too long. */
enum { MARK = 7, NAME = 26, TEXT = MARK + NAME + 2, TEXT_MIN = 20 };

/* Writes the text from that column on, where the cursor is. width: 0: no line breaks. */
static void write_text(int width, int indent, const char *text)
{
    int room = width - indent > TEXT_MIN ? width - indent : TEXT_MIN;
    size_t length = width ? cells_line(text, room) : strlen(text);
    printf("%.*s\n", (int)length, text);
    for (text += length; *(text += strspn(text, " ")); text += length) {
        length = cells_line(text, room);
        printf("%*s%.*s\n", indent, "", (int)length, text);
    }
}

/* A reason is written below the first of several events that it prevents. */
static void write_event(int width, const struct event_index_entry *entry, const char *mark,
                        const char *reason)
{
    int name = cells_width(entry->name);
    printf("  %-3s  %s", mark, entry->name);
    if (!*entry->text) {
        putchar('\n');
    } else {
        if (name <= NAME || !width)
            printf("%*s  ", name < NAME ? NAME - name : 0, "");
        else
            printf("\n%*s", TEXT, "");
        write_text(width, TEXT, entry->text);
    }
    if (!reason)
        return;
    AUTO_FREE char *text = mem_printf("why: %.*s", explain_cause(reason), reason);
    printf("%*s", MARK, "");
    write_text(width, MARK, text);
}

int lists_events(const struct options *options, struct err *err)
{
    struct winsize size = {.ws_col = 80};
    struct caps caps;
    probe_open_caps(&caps);
    bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    enum count_mode mode =
        options->mode == MODE_ALL && !caps_kernel(&caps) ? MODE_USER : options->mode;
    struct availability *availability =
        availability_new(mode, caps_system_wide(&caps) && options->engine != ENGINE_TASK);
    const char *pattern = options->pattern ? options->pattern : "";
    const struct event_index *event_index = availability->index;
    event_index_search(event_index, &availability->search, pattern);
    size_t count = availability->search.count, *found = availability->search.found;
    size_t group = event_index->group_count;
    const char *before = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct event_index_entry *entry = &event_index->entries[found[i]];
        const struct event_index_group *of = &event_index->groups[entry->group];
        if (entry->group != group) {
            printf("%s%s\n", i ? "\n" : "", of->title);
            before = NULL;
        }
        group = entry->group;
        const char *obstacle = availability_obstacle(availability, found[i]);
        const char *mark = obstacle ? "no" : of->kind == EVENT_INDEX_SPELLINGS ? "" : "yes";
        write_event(terminal ? size.ws_col : 0, entry, mark,
                    str_equal(obstacle, before) ? NULL : obstacle);
        before = obstacle ? obstacle : before;
    }
    if (count == 0) {
        const char *nearest = event_index_nearest(event_index, pattern);
        err_set(err, "no event matches '%s'%s%s%s", pattern,
                nearest ? "; nearest is '" : "; --list-events alone shows all",
                nearest ? nearest : "", nearest ? "'" : "");
    }
    availability_free(availability);
    return count ? 0 : EXIT_RUNNING;
}

/* --- Screens --- */

/* Why the screen cannot be counted here: the reason of its first refused event, which the caller
 * frees. NULL: it can. */
static char *screen_obstacle(const struct screen *screen, const struct caps *caps)
{
    char *reason = NULL;
    for (size_t i = 0; i < screen->requires.count && !reason; i++) {
        const char *name = screen->requires.items[i];
        struct group_target target = {.cpu = -1};
        AUTO_EVENTS struct event_list list = {0};
        /* An event that counts for several CPUs does not count for tasks. */
        if (event_parse(&list, name, MODE_USER, NULL) == 0 && list.events[0].cpus.count)
            target = (struct group_target){.pid = -1, .cpu = list.events[0].cpus.cpus[0]};
        reason = probe_open_reason(name, target.cpu < 0 ? MODE_USER : MODE_ALL, target, caps);
    }
    return reason;
}

/* Writes the screens that have this reason; NULL: those that can be counted. */
static void write_screens(const struct screen_list *list, char *const *reasons, const char *reason)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct screen *screen = &list->screens[i];
        if (reason ? !str_equal(reasons[i], reason) : reasons[i] != NULL)
            continue;
        printf("%-12s %s\n", screen->name, screen->description);
        if (*screen->events)
            printf("%-12s %s\n", "", screen->events);
    }
}

void lists_screens(const struct screen_list *list)
{
    struct caps caps;
    char **reasons = mem_array(list->count, sizeof(*reasons));
    probe_open_caps(&caps);
    for (size_t i = 0; i < list->count; i++)
        reasons[i] = screen_obstacle(&list->screens[i], &caps);
    write_screens(list, reasons, NULL);
    for (size_t i = 0; i < list->count; i++) {
        size_t first = 0;
        while (first < i && !str_equal(reasons[first], reasons[i]))
            first++;
        if (reasons[i] && first == i) {
            printf("\n(not here: %s)\n", reasons[i]);
            write_screens(list, reasons, reasons[i]);
        }
    }
    for (size_t i = 0; i < list->count; i++)
        free(reasons[i]);
    free(reasons);
    bool headed = false;
    for (size_t i = 0; i < list->other_count; i++) {
        const char *name = list->others[i].name;
        size_t first = 0;
        while (strcmp(list->others[first].name, name) != 0)
            first++;
        if (first < i || screen_find(list, name))
            continue;
        AUTO_FREE char *cpus = screen_elsewhere(list, name);
        printf("%s  %-10s %s\n", headed ? "" : "\n(for other CPUs)\n", name, cpus);
        headed = true;
    }
}

/* --- Other lists --- */

void lists_columns(const struct definitions *definitions)
{
    const struct builtin_column *fact;
    for (size_t i = 0; (fact = builtin_column_at(i)); i++)
        printf("%-20s %-10s %s\n", fact->name, fact->title, fact->help);
    for (size_t m = 0; m < definitions->metric_set.count; m++) {
        const struct metric *metric = &definitions->metric_set.metrics[m];
        printf("%-20s %-10s %s: %s\n", metric->name, metric->title, metric->help, metric->text);
    }
    const struct names *unusable = &definitions->unusable;
    for (size_t i = 0; i < unusable->count; i++)
        printf("%s  %s\n", i ? "" : "\n(metrics of event files that are not computed here)\n",
               unusable->items[i]);
}

void lists_themes(void)
{
    struct theme_list list;
    theme_list_make(&list);
    for (size_t i = 0; i < list.count; i++) {
        const struct theme_entry *entry = &list.entries[i];
        printf("%-16s %s\n", entry->name, *entry->err.text ? entry->err.text : entry->description);
    }
    theme_list_release(&list);
}

static void lists_write_keys(void *ctx UNUSED, const struct key_line *line)
{
    printf("%-12s  %-15s  %-16s  %s\n", line->pane, line->command,
           *line->keys ? line->keys : "(none)", line->help);
}

void lists_keys(const struct keymap *keymap)
{
    keylist_each(keymap, lists_write_keys, NULL);
}
