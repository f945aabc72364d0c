#include "view/marks.h"
#include "view/state.h"
#include "view/view_kind.h"

/* The index of a tagged task; the count: it is not tagged. */
static size_t tags_find(const struct tags *tags, uint64_t id)
{
    size_t i = 0;
    while (i < tags->count && tags->items[i].id != id)
        i++;
    return i;
}

static void tags_drop(struct tags *tags, size_t index)
{
    memmove(tags->items + index, tags->items + index + 1,
            (--tags->count - index) * sizeof(*tags->items));
}

static void tags_describe(struct view_tagged *tagged, const struct row *row)
{
    *tagged = (struct view_tagged){
        .id = row->id, .pid = row->pid, .tid = row->tid, .exited = tagged->exited || row->exited};
    memcpy(tagged->comm, row->comm, sizeof(tagged->comm));
}

void tags_take(struct tags *tags, const struct frame *frame, bool kept)
{
    if (tags->count == 0 || frame->totals || frame->seq <= tags->seq)
        return;
    tags->seq = frame->seq;
    for (size_t i = tags->count; i-- > 0 && !kept;)
        if (tags->items[i].exited)
            tags_drop(tags, i);
    for (size_t i = 0; i < frame->process_count + frame->thread_count; i++) {
        size_t thread = i - frame->process_count;
        const struct row *row =
            i < frame->process_count ? &frame->processes[i] : &frame->threads[thread];
        size_t found = tags_find(tags, row->id);
        if (found < tags->count)
            tags_describe(&tags->items[found], row);
    }
}

static unsigned task_marks(const struct view *view, const struct row *row)
{
    const struct rows *rows = &view->rows;
    unsigned marks = tags_find(&rows->tags, row->id) < rows->tags.count ? ROW_TAGGED : 0;
    const struct watch *highlight = &view->settings.highlight;
    if (!watch_all(highlight)) {
        const struct row *process = rows_process(rows, row->pid);
        struct watched own = rows_watched(row, row->comm);
        struct watched of_process = rows_watched(row, process ? process->comm : row->comm);
        if (watch_has(highlight, &own) || watch_has(highlight, &of_process))
            marks |= ROW_WATCHED;
    }
    return row->exited ? marks | ROW_DEAD : marks;
}

unsigned view_row_marks(const struct view *view, size_t item)
{
    const struct rows *rows = &view->rows;
    const struct row *row = rows->items[item];
    enum view_kind kind = view->settings.kind;
    if (view_of_cpus(kind))
        return row == rows->groups.rows ? ROW_TOTAL : 0;
    unsigned marks = kind == VIEW_TASKS ? task_marks(view, row) : 0;
    if (!rows->tree_shown)
        return group_folded(&rows->folds, row) ? marks | ROW_FOLDED : marks;
    const struct tree_node *node = tree_at(&rows->tree, item);
    if (node->has_children)
        marks |= ROW_HAS_CHILDREN;
    if (node->folded)
        marks |= ROW_FOLDED;
    if (!node->wanted && !node->folded)
        marks |= ROW_ANCESTOR;
    return marks;
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

bool view_fold(struct view *view, size_t row, bool folded)
{
    const struct row *of = view->rows.items[row];
    struct tree *tree = &view->rows.tree;
    bool ended = view->settings.kind == VIEW_TASKS && of->exited;
    if (view->rows.tree_shown && folded != tree->folded_all)
        map_put(&tree->folds, of->id, tree);
    else if (view->rows.tree_shown)
        map_remove(&tree->folds, of->id);
    else if (ended && folded)
        map_remove(&view->rows.opened, str_hash(of->comm));
    else if (ended)
        map_put(&view->rows.opened, str_hash(of->comm), view);
    else
        return false;
    view_choose_rows(view);
    return true;
}

void view_fold_all(struct view *view, bool folded)
{
    map_clear(&view->rows.tree.folds);
    view->rows.tree.folded_all = folded;
    view_choose_rows(view);
}

bool view_row_parent(const struct view *view, size_t row, size_t *parent)
{
    return view->rows.tree_shown && tree_parent(&view->rows.tree, row, parent);
}

void view_tag(struct view *view, size_t row, bool tagged)
{
    struct tags *tags = &view->rows.tags;
    const struct row *of = view->rows.items[row];
    size_t found = tags_find(tags, of->id);
    if (found < tags->count && !tagged)
        tags_drop(tags, found);
    if (found < tags->count || !tagged || view->settings.kind != VIEW_TASKS || of->pid <= 0)
        return;
    struct view_tagged *tag = MEM_ADD(tags->items, tags->count, tags->room);
    tag->exited = false;
    tags_describe(tag, of);
}

void view_untag_all(struct view *view)
{
    view->rows.tags.count = 0;
}

const struct view_tagged *view_tagged(const struct view *view, size_t *count)
{
    *count = view->rows.tags.count;
    return view->rows.tags.items;
}
