#include "view/view.h"
#include "view/builtin_column.h"
#include "view/state.h"

static struct screen *open_copy(struct view *view)
{
    size_t i = view_copy_of(view, view->screen);
    if (i < view->copy_count)
        return view->copies[i];
    struct screen *copy = *MEM_ADD(view->copies, view->copy_count, view->copy_room) =
        screen_copy(view->screen);
    copy->original = view->screen;
    return copy;
}

static void insert_name(struct names *names, size_t place, const char *name)
{
    names_add(names, name);
    char *added = names->items[names->count - 1];
    memmove(names->items + place + 1, names->items + place,
            (names->count - 1 - place) * sizeof(*names->items));
    names->items[place] = added;
}

static void drop_name(struct names *names, const char *name)
{
    size_t place = names_find(names, name);
    if (place < names->count)
        names_remove(names, place);
}

static const char *name_of(const struct view *view, size_t column)
{
    return view->columns.columns[column].shown.name;
}

/* Why a column must stay where it is; NULL: it can be moved. */
static const char *edit_hold(const struct view *view, size_t column)
{
    const char *name = name_of(view, column);
    if (str_equal(name, view_types[view->settings.kind].naming))
        return "it names the rows and is last";
    const struct builtin_column *builtin = builtin_column_find(name);
    if (builtin && (!builtin_column_fits(builtin, VIEW_TASKS) ||
                    (view_of_cpus(view->settings.kind) && str_equal(name, "cpu"))))
        return "it leads in this view";
    if (str_equal(name, "tid") && !screen_has_column(view->screen, name))
        return "it tells threads from each other";
    return NULL;
}

/* The index of a visible column in the working copy. A column that the view added itself is
 * inserted there, after the columns to its left, unless the view fixes its position. */
static size_t edit_settle(const struct view *view, struct screen *copy, size_t column)
{
    size_t place = names_find(&copy->columns, name_of(view, column));
    if (place < copy->columns.count)
        return place;
    place = 0;
    for (size_t c = column; c-- > 0 && place == 0;) {
        size_t before = names_find(&copy->columns, name_of(view, c));
        place = before < copy->columns.count ? before + 1 : 0;
    }
    if (!edit_hold(view, column))
        insert_name(&copy->columns, place, name_of(view, column));
    return place;
}

static int edit_check(const struct view *view, const struct column *column, struct err *err)
{
    return column_fits(column, view->events, &view->settings)
               ? 0
               : err_set(err, "cannot add '%s': rows of this view have none", column->shown.name);
}

int view_check_metric(const struct view *view, const struct metric *metric, struct err *err)
{
    const struct column column = {
        .kind = COLUMN_METRIC, .metric = metric, .shown.name = metric->name};
    bool shown = column_list_find(&view->columns, metric->name);
    return shown ? 0 : edit_check(view, &column, err);
}

int view_add_column(struct view *view, const char *name, size_t place, struct err *err)
{
    struct column_name_scope names = view_names(view);
    const char *found = column_name_exact(&names, name);
    if (!found)
        found = column_name_find(&names, name);
    if (!found) {
        const char *near = str_nearest(name, column_name_at, &names);
        err_set(err, "no column and no counted event '%.60s'", name);
        return err_add_nearest(err, near);
    }
    if (column_list_find(&view->columns, found))
        return err_set(err, "'%s' is shown already", found);
    struct column column;
    column_init(&column, found, view->metric_set, view->events);
    int result = edit_check(view, &column, err);
    column_release(&column);
    if (result < 0)
        return -1;
    struct screen *copy = open_copy(view);
    size_t count = view->columns.count;
    /* The naming column stays the last. */
    if (count && str_equal(name_of(view, count - 1), view_types[view->settings.kind].naming))
        count--;
    while (count > 0 && view->columns.columns[count - 1].spare)
        count--;
    size_t at = copy->columns.count;
    if (place < count)
        at = edit_settle(view, copy, place);
    else if (count > 0)
        at = edit_settle(view, copy, count - 1) + 1;
    /* The copy may contain it already if another view did not show it. */
    if (names_find(&copy->columns, found) == copy->columns.count)
        insert_name(&copy->columns, at, found);
    drop_name(&copy->hidden, found);
    view_apply(view);
    return 0;
}

int view_remove_column(struct view *view, size_t column, struct err *err)
{
    const char *name = name_of(view, column), *why = edit_hold(view, column);
    /* Rows can be told apart without these. */
    if (str_equal(name, "heat") ||
        (str_equal(name, "command") && view->settings.kind == VIEW_TASKS))
        why = NULL;
    if (view->columns.count == 1)
        why = "it is the only one";
    if (why)
        return err_set(err, "cannot remove column '%s': %s", name, why);
    struct screen *copy = open_copy(view);
    names_add(&copy->hidden, name);
    drop_name(&copy->columns, name);
    view_apply(view);
    return 0;
}

int view_move_column(struct view *view, size_t column, int step, struct err *err)
{
    size_t count = view->columns.count, other = step < 0 ? column - 1 : column + 1;
    const char *why = edit_hold(view, column);
    if (!why && other >= count)
        why = step < 0 ? "it is the first" : "it is the last";
    if (!why && edit_hold(view, other))
        why = step < 0 ? "the one before it has its place" : "the one after it has its place";
    if (why)
        return err_set(err, "cannot move column '%s': %s", name_of(view, column), why);
    struct screen *copy = open_copy(view);
    edit_settle(view, copy, step < 0 ? other : column);
    edit_settle(view, copy, step < 0 ? column : other);
    size_t from = names_find(&copy->columns, name_of(view, column)),
           to = names_find(&copy->columns, name_of(view, other));
    char *moved = copy->columns.items[from];
    /* Columns between the two are hidden. */
    memmove(copy->columns.items + from, copy->columns.items + from + 1,
            (copy->columns.count - from - 1) * sizeof(*copy->columns.items));
    memmove(copy->columns.items + to + 1, copy->columns.items + to,
            (copy->columns.count - to - 1) * sizeof(*copy->columns.items));
    copy->columns.items[to] = moved;
    view_apply(view);
    return 0;
}

int view_resize_column(struct view *view, size_t column, int width, struct err *err)
{
    if (width != 0 && (width < COLUMN_MIN || width > COLUMN_MAX))
        return err_set(err,
                       "no width %d for column '%s': expected %d to %d, or 0 for the usual one",
                       width, name_of(view, column), COLUMN_MIN, COLUMN_MAX);
    screen_set_width(open_copy(view), name_of(view, column), width);
    view_apply(view);
    return 0;
}

void view_undo_edits(struct view *view)
{
    size_t i = view_copy_of(view, view->screen);
    if (i == view->copy_count)
        return;
    screen_free(view->copies[i]);
    view->copies[i] = view->copies[--view->copy_count];
    view_apply(view);
}
