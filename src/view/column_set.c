#include "view/column_set.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/cpu_level.h"
#include "view/view_kind.h"

#include <stdlib.h>

/* What the choice is made from, while it is made. */
struct choice {
    struct column_list *list;
    const struct screen *screen;
    const struct metric_set *metric_set;
    const struct event_set *set;
    const struct view_settings *settings;
};

void column_list_init(struct column_list *list)
{
    *list = (struct column_list){0};
}

static void column_set_clear(struct column_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_release(&list->columns[i]);
    list->count = 0;
}

void column_list_release(struct column_list *list)
{
    column_set_clear(list);
    free(list->columns);
    column_list_init(list);
}

const struct column *column_list_find(const struct column_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->columns[i].shown.name, name))
            return &list->columns[i];
    return NULL;
}

/* Whether it is the column of an event that somebody added, and then let go of: a working copy
 * keeps its place, should it come again. */
static bool is_gone(const struct choice *choice, const struct column *column)
{
    const struct screen *original = choice->screen->original;
    return original && choice->set && column->kind == COLUMN_EVENT && column->event < 0 &&
           !screen_has_column(original, column->shown.name);
}

/* Appends the column of that name unless it is there or does not belong in the view. */
static void column_set_add(const struct choice *choice, const char *name)
{
    struct column_list *list = choice->list;
    if (column_list_find(list, name))
        return;
    struct column column;
    column_init(&column, name, choice->metric_set, choice->set);
    if (!column_fits(&column, choice->settings->kind) || is_gone(choice, &column)) {
        column_release(&column);
        return;
    }
    if (choice->set && column.event < 0 && column.kind == COLUMN_EVENT &&
        screen_counts(choice->screen, name))
        column.shown.help = "not counted any more";
    int width = screen_width(choice->screen, name);
    column.sized = width > 0;
    if (column.sized)
        column.shown.width = width;
    column_settle(&column, choice->settings);
    mem_grow(&list->columns, &list->room, list->count + 1, sizeof(*list->columns));
    list->columns[list->count++] = column;
}

/* What no screen names, unless a working copy is not to have it. */
static void add_unasked(const struct choice *choice, const char *name)
{
    const struct screen *screen = choice->screen;
    if (screen_place_of(screen->hidden, screen->hidden_count, name) == screen->hidden_count)
        column_set_add(choice, name);
}

/* What tells CPUs, or what adds them up, from each other, and how they compare. */
static void column_set_add_cpus(const struct choice *choice)
{
    const char *name;
    for (size_t i = 0; (name = cpu_level_naming(choice->settings->level, i)); i++)
        column_set_add(choice, name);
    add_unasked(choice, "heat");
}

static void column_set_add_screen(const struct choice *choice)
{
    const struct screen *screen = choice->screen;
    const struct view_settings *settings = choice->settings;
    /* Without the thread's id, rows of one process could not be told apart. */
    bool lacks_tid = settings->threads && !screen_has_column(screen, "tid");
    if (settings->kind == VIEW_CPUS)
        column_set_add_cpus(choice);
    else if (lacks_tid && !screen_has_column(screen, "pid"))
        column_set_add(choice, "tid");
    column_set_add(choice, "processes");
    for (size_t i = 0; i < screen->column_count; i++) {
        const char *name = screen->columns[i];
        bool of_cpu =
            settings->kind == VIEW_CPUS && settings->level != LEVEL_CPU && str_equal(name, "cpu");
        if (str_equal(name, view_types[settings->kind].naming) || of_cpu)
            continue;
        column_set_add(choice, name);
        if (lacks_tid && str_equal(name, "pid"))
            column_set_add(choice, "tid");
    }
}

static bool column_set_is_used(const struct choice *choice, const char *event)
{
    for (size_t i = 0; i < choice->list->count; i++)
        if (column_uses(&choice->list->columns[i], event))
            return true;
    return screen_counts(choice->screen, event);
}

void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings)
{
    static char *bare[] = {"pid", "command"};
    static const struct screen nothing = {.events = "", .columns = bare, .column_count = 2};
    struct choice choice = {list, screen ? screen : &nothing, metric_set, set, settings};
    size_t hardware;
    column_set_clear(list);
    column_set_add_screen(&choice);
    for (size_t i = 0; set && i < set->count; i++)
        if (!column_set_is_used(&choice, set->events[i].name))
            add_unasked(&choice, set->events[i].name);
    if (set && event_set_turns(set, &hardware) > 1)
        add_unasked(&choice, "run_pct");
    const char *naming = view_types[settings->kind].naming;
    if (naming && (settings->kind != VIEW_TASKS || screen_has_column(choice.screen, naming)))
        column_set_add(&choice, naming);
}

int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err)
{
    for (size_t i = 0; i < screen->column_count; i++) {
        const char *name = screen->columns[i];
        if (!column_is_fact(name) && !metric_set_find(metric_set, name) &&
            !screen_counts(screen, name))
            return err_set(err,
                           "cannot show screen '%s': its column '%s' is no metric and none of "
                           "its events",
                           screen->name, name);
    }
    return 0;
}
