#include "view/follow.h"
#include "view/state.h"

/* All rows of the kind that is told of, whether they are on show or not. */
static const struct row *told_rows(const struct view *view, const struct scene *scene,
                                   size_t *count)
{
    if (view->rows.tree_shown && view->follows_process) {
        *count = view->frame->process_count;
        return view->frame->processes;
    }
    return rows_of_kind(&view->rows, scene, count);
}

static struct detail *told(struct view *view)
{
    return view->turned ? &view->past : &view->detail;
}

static void record(struct view *view, struct detail *detail, bool held)
{
    struct scene scene = view_scene(view);
    size_t count;
    const struct row *rows = told_rows(view, &scene, &count);
    detail_record(detail, &scene, &view->columns, view->metric_set, rows, count, held);
}

void view_record(struct view *view, bool held)
{
    record(view, &view->detail, held || view->turned);
}

void view_turn(struct view *view, bool past)
{
    if (past != view->turned)
        detail_turn(past ? &view->past : &view->detail, told(view));
    if (past)
        detail_forget(&view->past);
    view->turned = past;
}

void view_recall(struct view *view, bool held)
{
    record(view, &view->past, held);
}

void view_follow(struct view *view, size_t row)
{
    struct scene scene = view_scene(view);
    view->follows_process = rows_is_process(&view->rows, row);
    detail_follow(told(view), &scene, &view->columns, view->metric_set, view->rows.items[row]);
}

void view_tell(struct view *view)
{
    struct scene scene = view_scene(view);
    size_t count;
    const struct row *rows = told_rows(view, &scene, &count);
    detail_tell(told(view), &scene, &view->columns, rows, count);
}

void view_record_total(struct view *view)
{
    struct scene scene = view_scene(view);
    size_t count;
    const struct row *rows = told_rows(view, &scene, &count);
    detail_total(told(view), &scene, rows, count);
}

const struct detail *view_detail(const struct view *view)
{
    return view->turned ? &view->past : &view->detail;
}
