#include "view/state.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/view_kind.h"

#include <stdlib.h>

struct view_context view_context_of(const struct view *view)
{
    return (struct view_context){
        .frame = view->frame,
        .settings = view->settings,
        .lookup = view->lookup,
        .held = view->holding ? (struct map *)&view->answers : NULL,
        .condition = view->condition,
        .ended = &view->rows.folds,
        .groups = &view->rows.groups,
        .functions = &view->rows.functions,
        .self = view->self,
        .rows = view->rows.items,
        .row_count = view->rows.count,
    };
}

struct column_name_scope view_names(const struct view *view)
{
    return (struct column_name_scope){view->metric_set, view->events, &view->columns};
}

struct order view_order(const struct view *view)
{
    const struct column_list *columns = &view->columns;
    const char *usual = view_of_code(view->settings.kind)        ? "share"
                        : view_types[view->settings.kind].takers ? "taken"
                        : view->screen                           ? view->screen->sort
                                                                 : NULL;
    bool cpus = view_of_cpus(view->settings.kind);
    const struct column *asked =
        view->sort_name ? column_list_find(columns, view->sort_name) : NULL;
    const struct column *column = asked;
    /* CPUs are sorted by number unless the user chose a column. */
    if (!column && usual && !cpus)
        column = column_list_find(columns, usual);
    if (!column)
        column = columns->columns;
    bool text = column_is_text(column), reverse = asked ? view->sort_reversed : cpus && !text;
    /* CPUs are compared by the sort column if it has measured numbers, else by the screen's own. */
    const struct column *heat = column;
    if (!column_is_measured(heat) && usual)
        heat = column_list_find(columns, usual);
    /* Each CPU keeps its line, and each instruction. */
    bool fixed = view->settings.kind == VIEW_HEAT || view->settings.kind == VIEW_INSTRUCTIONS;
    return (struct order){fixed ? columns->columns : column, fixed || text != reverse,
                          heat && column_is_measured(heat) ? heat : NULL};
}

void view_keep_condition(struct view *view, struct condition *condition)
{
    condition_free(view->condition);
    view->condition = condition;
    free(view->conditioned);
    view->conditioned = mem_strdup(view->settings.filter);
}

size_t view_copy_of(const struct view *view, const struct screen *screen)
{
    size_t i = 0;
    while (i < view->copy_count && view->copies[i] != screen && view->copies[i]->original != screen)
        i++;
    return i;
}

void view_choose_columns(struct view *view)
{
    const struct screen_list *screens = view->screens;
    if (view->chosen)
        view->screen = view->chosen;
    else if (view->events)
        view->screen = screen_fitting(screens, view->events);
    else
        view->screen = screens->count ? &screens->screens[0] : NULL;
    size_t copy = view_copy_of(view, view->screen);
    if (view->screen && copy < view->copy_count)
        view->screen = view->copies[copy];
    column_list_choose(&view->columns, view->screen, view->metric_set, view->events,
                       &view->settings);
    /* Updates the condition after a change of the filter's text or of the events. */
    struct column_name_scope names = view_names(view);
    const char *text = view->settings.filter;
    bool incomplete;
    if (view->condition && str_equal(text, view->conditioned))
        condition_bind(view->condition, &names);
    else
        view_keep_condition(view, text && condition_is(text, &names)
                                      ? condition_parse(text, &names, &incomplete, NULL)
                                      : NULL);
}

void view_choose_rows(struct view *view)
{
    view->rows.count = 0;
    view->choice++;
    if (!view->frame)
        return;
    struct view_context context = view_context_of(view);
    struct order order = view_order(view);
    rows_choose(&view->rows, &context, &order);
}
