#include "view/state.h"

struct scene view_scene(const struct view *view)
{
    return (struct scene){
        .frame = view->frame,
        .settings = &view->settings,
        .lookup = view->lookup,
        .condition = view->condition,
        .groups = &view->rows.groups,
        .levels = &view->rows.levels,
        .self = view->self,
    };
}

/* What CPUs are compared by: the column that sorts where that is of numbers that are measured, else
 * the screen's own. */
static const struct column *heat_column(const struct view *view)
{
    const struct column *column = &view->columns.columns[view_sort_column(view)];
    if (column->kind == COLUMN_FACT && view->screen)
        column = column_list_find(&view->columns, view->screen->sort);
    return column && column->kind != COLUMN_FACT ? column : NULL;
}

void view_choose_rows(struct view *view)
{
    rows_clear(&view->rows);
    if (!view->frame)
        return;
    struct scene scene = view_scene(view);
    struct order order = {&view->columns.columns[view_sort_column(view)], view_sort_ascending(view),
                          heat_column(view)};
    rows_choose(&view->rows, &scene, &order);
}
