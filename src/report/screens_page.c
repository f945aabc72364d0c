#include "report/screens_page.h"
#include "base/mem.h"
#include "engine/probe_open.h"
#include "event/name.h"

#include <stdlib.h>
#include <string.h>

/* For whom an event is tried: what counts for several CPUs is not for tasks. */
static struct group_target target_of(const char *name)
{
    struct group_target target = {.cpu = -1};
    struct event_list list;
    event_list_init(&list);
    if (event_parse(&list, name, MODE_USER, NULL) == 0 && list.events[0].cpus.count)
        target = (struct group_target){.pid = -1, .cpu = list.events[0].cpus.cpus[0]};
    event_list_release(&list);
    return target;
}

/* Why the screen cannot be counted here: its first event that cannot. NULL: it can. */
static char *screens_page_obstacle(const struct screen *screen, const struct caps *caps)
{
    char *text = NULL;
    for (size_t i = 0; i < screen->require_count && !text; i++) {
        const char *name = screen->requires[i];
        struct group_target target = target_of(name);
        char *reason = probe_open_reason(name, target.cpu < 0 ? MODE_USER : MODE_ALL, target, caps);
        if (reason)
            text = mem_printf("cannot count '%s': %s", name, reason);
        free(reason);
    }
    return text;
}

static void write_screen(FILE *out, const struct screen *screen, const struct caps *caps)
{
    fprintf(out, "%-12s %s\n", screen->name, screen->description);
    if (*screen->events)
        fprintf(out, "%-12s %s\n", "", screen->events);
    char *reason = screens_page_obstacle(screen, caps);
    if (reason)
        fprintf(out, "%-12s %s\n", "", reason);
    free(reason);
}

static bool screens_page_told_before(const struct screen_list *list, size_t other)
{
    for (size_t i = 0; i < other; i++)
        if (strcmp(list->others[i].name, list->others[other].name) == 0)
            return true;
    return false;
}

void screens_page_write(FILE *out, const struct screen_list *list)
{
    struct caps caps;
    probe_open_caps(&caps);
    for (size_t i = 0; i < list->count; i++)
        write_screen(out, &list->screens[i], &caps);
    bool headed = false;
    for (size_t i = 0; i < list->other_count; i++) {
        const char *name = list->others[i].name;
        if (screen_find(list, name) || screens_page_told_before(list, i))
            continue;
        char *cpus = screen_elsewhere(list, name);
        fprintf(out, "%s  %-10s %s\n", headed ? "" : "\n(for other CPUs)\n", name, cpus);
        headed = true;
        free(cpus);
    }
}
