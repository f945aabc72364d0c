#include "app/app_screens.h"
#include "base/mem.h"
#include "base/str.h"
#include "metric/alias.h"
#include "view/column_set.h"

#include <stdlib.h>
#include <string.h>

static bool app_screens_entry(void *ctx, size_t number, struct front_screen *screen)
{
    const struct program *program = ctx;
    const struct screen_list *list = &program->definitions.screens;
    const struct screen *shown = view_screen(program->view);
    if (number >= list->count)
        return false;
    const struct screen *found = &list->screens[number];
    *screen = (struct front_screen){found->name, found->description,
                                    shown && str_equal(shown->name, found->name)};
    return true;
}

/* The first event that the screen requires and that would not be counted among these. */
static int check_set(const struct screen *screen, const struct event_set *set, struct err *err)
{
    for (size_t i = 0; i < screen->require_count; i++) {
        const char *name = screen->requires[i];
        int event = set ? alias_find(set, name) : -1;
        const struct event_info *info = event >= 0 ? &set->events[event] : NULL;
        if (!info || info->state != EVENT_COUNTED)
            return err_set(err, "cannot show screen '%s': cannot count '%s': %s", screen->name,
                           name, info ? info->reason : "it was not when this was counted");
    }
    return 0;
}

/* What would be counted for it: -1 where that cannot be. When all is over, it is what was, and
 * likewise in the past. */
static int app_screens_check(const struct program *program, const struct screen *screen,
                             const struct event_list *events, struct err *err)
{
    if (program->playback.at)
        return check_set(screen, program->playback.events, err);
    if (!program->sampler)
        return check_set(screen, program->setup.set, err);
    struct event_set *set = sampler_check(program->sampler, events);
    int result = check_set(screen, set, err);
    event_set_drop(set);
    return result;
}

/* The events to count for it. -1 with a message, and nothing to release, where it cannot be shown.
 */
static int plan(const struct program *program, const struct screen *screen,
                struct event_list *events, struct err *err)
{
    struct err why;
    if (column_check_screen(screen, &program->definitions.metric_set, err) < 0)
        return -1;
    if (startup_list_events(&program->setup, events, screen, program->selection.mode, &why) < 0)
        return err_set(err, "cannot show screen '%s': %s", screen->name, why.text);
    if (app_screens_check(program, screen, events, err) == 0)
        return 0;
    event_list_release(events);
    return -1;
}

static bool app_screens_is_counted(const struct program *program, const struct event_list *events)
{
    char *now = event_list_text(&program->setup.events), *then = event_list_text(events);
    bool same = str_equal(now, then);
    free(now);
    free(then);
    return same;
}

/* Takes over the events. */
static int app_screens_count(struct program *program, struct event_list *events, struct err *err)
{
    struct startup *setup = &program->setup;
    bool past = program->playback.at != 0;
    bool keep = !program->sampler || past || app_screens_is_counted(program, events);
    if (keep || sampler_set_events(program->sampler, events, err) < 0) {
        event_list_release(events);
        return keep ? 0 : -1;
    }
    event_list_release(&setup->events);
    setup->events = *events;
    return 0;
}

static int show_screen(struct program *program, const struct screen *screen,
                       struct event_list *events, struct err *err)
{
    const struct screen *before = view_screen(program->view);
    struct view_settings *settings = view_settings(program->view);
    if (app_screens_count(program, events, err) < 0)
        return -1;
    /* It was asked for: no better one is missing any more. */
    free(program->setup.missing);
    program->setup.missing = NULL;
    program->setup.screen = screen;
    program->options.screen = screen->name; /* kept with the settings */
    if (screen->of_cpus)
        settings->kind = VIEW_CPUS;
    else if (before && before->of_cpus && settings->kind == VIEW_CPUS)
        settings->kind = VIEW_TASKS;
    return view_choose_screen(program->view, screen->name, err);
}

static int app_screens_show(void *ctx, const char *name, struct err *err)
{
    struct program *program = ctx;
    const struct screen *screen = screen_find(&program->definitions.screens, name);
    struct event_list events;
    if (!screen)
        return view_choose_screen(program->view, name, err); /* which says what there is */
    if (plan(program, screen, &events, err) < 0)
        return -1;
    return show_screen(program, screen, &events, err);
}

static int app_screens_step(void *ctx, int by, struct err *err)
{
    struct program *program = ctx;
    const struct screen_list *list = &program->definitions.screens;
    const struct screen *shown = view_screen(program->view);
    size_t at = 0;
    while (at < list->count && (!shown || !str_equal(list->screens[at].name, shown->name)))
        at++;
    for (size_t i = 1; i < list->count; i++) {
        size_t next = (by > 0 ? at + i : at + list->count - i) % list->count;
        struct event_list events;
        if (plan(program, &list->screens[next], &events, NULL) == 0)
            return show_screen(program, &list->screens[next], &events, err);
    }
    return err_set(err, "no other screen can be counted here: countertop --list-screens says why");
}

static char *app_screens_obstacle(void *ctx, size_t number)
{
    const struct program *program = ctx;
    struct event_list events;
    struct err why;
    const struct screen *screen = &program->definitions.screens.screens[number];
    if (plan(program, screen, &events, &why) == 0) {
        event_list_release(&events);
        return NULL;
    }
    char *start = mem_printf("cannot show screen '%s': ", screen->name);
    char *reason = mem_strdup(why.text + (str_starts(why.text, start) ? strlen(start) : 0));
    free(start);
    return reason;
}

struct front_screens app_screens_calls(struct program *program)
{
    return (struct front_screens){.ctx = program,
                                  .entry = app_screens_entry,
                                  .obstacle = app_screens_obstacle,
                                  .show = app_screens_show,
                                  .step = app_screens_step};
}
