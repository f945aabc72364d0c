#include "view/follow.h"
#include "view/state.h"

/* All rows of a frame that may be followed, whether they are on show or not, and their scene. */
static const struct row *rows_in(struct view *view, const struct frame *frame, struct scene *scene,
                                 size_t *count)
{
    struct rows *rows = &view->rows;
    *scene = view_scene(view);
    scene->frame = frame;
    if (rows->tree_shown && view->follows_process) {
        *count = frame->process_count;
        return frame->processes;
    }
    if (frame != view->frame && view->settings.kind != VIEW_TASKS) {
        rows = &view->aside;
        scene->groups = &rows->groups;
        scene->levels = &rows->levels;
        rows_make(rows, scene);
    }
    return rows_of_kind(rows, scene, count);
}

static struct detail *told(struct view *view)
{
    return view->turned ? &view->past : &view->detail;
}

static void record(struct view *view, struct detail *detail, const struct frame *frame, bool held)
{
    struct scene scene;
    size_t count;
    const struct row *rows = rows_in(view, frame, &scene, &count);
    rows_take(&view->rows, &scene);
    detail_record(detail, &scene, &view->columns, view->metric_set, rows, count, held);
}

void view_record(struct view *view, const struct frame *frame, bool held)
{
    record(view, &view->detail, frame, held || view->turned);
}

void view_turn(struct view *view, bool past)
{
    if (past != view->turned)
        detail_turn(past ? &view->past : &view->detail, told(view));
    if (past)
        detail_forget(&view->past);
    view->turned = past;
}

void view_recall(struct view *view, const struct frame *frame, bool held)
{
    record(view, &view->past, frame, held);
}

void view_follow(struct view *view, size_t row)
{
    struct scene scene = view_scene(view);
    view->follows_process = rows_is_process(&view->rows, row);
    detail_follow(told(view), &scene, &view->columns, view->metric_set, view->rows.items[row]);
}

void view_tell(struct view *view, const struct frame *frame)
{
    struct scene scene;
    size_t count;
    const struct row *rows = rows_in(view, frame, &scene, &count);
    detail_tell(told(view), &scene, &view->columns, rows, count);
}

void view_record_total(struct view *view, const struct frame *frame)
{
    struct scene scene;
    size_t count;
    const struct row *rows = rows_in(view, frame, &scene, &count);
    detail_total(told(view), &scene, rows, count);
}

const struct detail *view_detail(const struct view *view)
{
    return view->turned ? &view->past : &view->detail;
}
