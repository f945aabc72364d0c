#include "report/lists.h"
#include "app/event_availability.h"
#include "app/startup.h"
#include "cli/keylist.h"
#include "engine/probe_open.h"
#include "front/term/theme.h"
#include "report/events_page.h"
#include "system/caps.h"
#include "view/builtin_column.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Tried as they would be counted. */
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
    int result =
        events_page_write(stdout, terminal ? size.ws_col : 0, availability, options->pattern, err);
    availability_free(availability);
    return result == 0 ? 0 : EXIT_RUNNING;
}

void lists_columns(const struct definitions *definitions)
{
    const struct builtin_column *fact;
    for (size_t i = 0; (fact = builtin_column_at(i)); i++)
        printf("%-20s %-10s %s\n", fact->shown.name, fact->shown.title, fact->shown.help);
    for (size_t m = 0; m < definitions->metric_set.count; m++) {
        const struct metric *metric = &definitions->metric_set.metrics[m];
        printf("%-20s %-10s %s: %s\n", metric->name, metric->title, metric->help, metric->text);
    }
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

static void lists_write_keys(void *ctx, const struct key_line *line)
{
    (void)ctx;
    printf("%-12s  %-15s  %-16s  %s\n", line->pane, line->command,
           *line->keys ? line->keys : "(none)", line->help);
}

void lists_keys(const struct keymap *keymap)
{
    keylist_each(keymap, lists_write_keys, NULL);
}
