#include "view/marks.h"
#include "view/state.h"

unsigned view_row_marks(const struct view *view, size_t row)
{
    struct scene scene = view_scene(view);
    return rows_marks(&view->rows, &scene, row);
}

char view_row_mark(const struct view *view, size_t row)
{
    unsigned marks = view_row_marks(view, row);
    return marks & ROW_TAGGED     ? '*'
           : marks & ROW_WATCHED  ? '>'
           : marks & ROW_DEAD     ? '+'
           : marks & ROW_ANCESTOR ? '.'
                                  : ' ';
}

bool view_shows_marks(const struct view *view)
{
    const struct view_settings *settings = &view->settings;
    return settings->kind == VIEW_TASKS &&
           (settings->tree || settings->sticky || settings->kept || view->rows.tags.count > 0 ||
            !watch_all(&settings->highlight));
}

void view_fold(struct view *view, size_t row, bool folded)
{
    if (view->rows.tree_shown)
        tree_fold(&view->rows.tree, view->rows.items[row]->id, folded);
    view_choose_rows(view);
}

void view_fold_all(struct view *view, bool folded)
{
    tree_fold_all(&view->rows.tree, folded);
    view_choose_rows(view);
}

bool view_row_parent(const struct view *view, size_t row, size_t *parent)
{
    return view->rows.tree_shown && tree_parent(&view->rows.tree, row, parent);
}

void view_tag(struct view *view, size_t row, bool tagged)
{
    if (view->settings.kind == VIEW_TASKS)
        tags_set(&view->rows.tags, view->rows.items[row], tagged);
}

void view_untag_all(struct view *view)
{
    tags_clear(&view->rows.tags);
}

const struct view_tagged *view_tagged(const struct view *view, size_t *count)
{
    *count = view->rows.tags.count;
    return view->rows.tags.items;
}
