#include "view/edit.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/builtin_column.h"

#include <stdlib.h>
#include <string.h>

void edits_init(struct edits *edits)
{
    *edits = (struct edits){0};
}

void edits_release(struct edits *edits)
{
    for (size_t i = 0; i < edits->count; i++)
        screen_free(edits->copies[i]);
    free(edits->copies);
    edits_init(edits);
}

/* Its number, or that of copies. `screen` may be a working copy itself. */
static size_t edit_find(const struct edits *edits, const struct screen *screen)
{
    size_t i = 0;
    while (i < edits->count && edits->copies[i] != screen && edits->copies[i]->original != screen)
        i++;
    return i;
}

const struct screen *edits_of(const struct edits *edits, const struct screen *screen)
{
    size_t i = edit_find(edits, screen);
    return screen && i < edits->count ? edits->copies[i] : screen;
}

bool edits_undo(struct edits *edits, const struct screen *screen)
{
    size_t i = edit_find(edits, screen);
    if (i == edits->count)
        return false;
    screen_free(edits->copies[i]);
    edits->copies[i] = edits->copies[--edits->count];
    return true;
}

static struct screen *open_copy(const struct edit *edit)
{
    struct edits *edits = edit->edits;
    size_t i = edit_find(edits, edit->screen);
    if (i < edits->count)
        return edits->copies[i];
    mem_grow(&edits->copies, &edits->room, edits->count + 1, sizeof(*edits->copies));
    struct screen *copy = edits->copies[edits->count++] = screen_copy(edit->screen);
    copy->original = edit->screen;
    return copy;
}

/* ---- words ---- */

static size_t edit_place_of(char *const *words, size_t count, const char *word)
{
    size_t i = 0;
    while (i < count && !str_equal(words[i], word))
        i++;
    return i;
}

static void insert_word(char ***words, size_t *count, size_t place, const char *word)
{
    size_t room = *count;
    mem_grow(words, &room, *count + 1, sizeof(**words));
    memmove(*words + place + 1, *words + place, (*count - place) * sizeof(**words));
    (*words)[place] = mem_strdup(word);
    ++*count;
}

static void edit_remove_word(char **words, size_t *count, const char *word)
{
    size_t place = edit_place_of(words, *count, word);
    if (place == *count)
        return;
    free(words[place]);
    --*count;
    memmove(words + place, words + place + 1, (*count - place) * sizeof(*words));
}

static size_t place_in(const struct screen *copy, const char *name)
{
    return edit_place_of(copy->columns, copy->column_count, name);
}

/* ---- columns ---- */

static const char *name_of(const struct edit *edit, size_t column)
{
    return edit->columns->columns[column].shown.name;
}

/* Why a column stays where it is; NULL: it need not. */
static const char *edit_hold(const struct edit *edit, size_t column)
{
    const char *name = name_of(edit, column);
    if (str_equal(name, column_naming(edit->kind)))
        return "it names the rows and is last";
    const struct builtin_column *builtin = builtin_column_find(name);
    if (builtin && (!(builtin->views >> VIEW_TASKS & 1) ||
                    (edit->kind == VIEW_CPUS && str_equal(name, "cpu"))))
        return "it leads in this view";
    if (str_equal(name, "tid") && !screen_has_column(edit->screen, name))
        return "it tells threads from each other";
    return NULL;
}

/* The place of a column on show in the copy. One that the view added by itself gets a place there,
 * behind what is before it on show, unless the view is to place it further on. */
static size_t edit_settle(const struct edit *edit, struct screen *copy, size_t column)
{
    size_t place = place_in(copy, name_of(edit, column));
    if (place < copy->column_count)
        return place;
    place = 0;
    for (size_t c = column; c-- > 0 && place == 0;) {
        size_t before = place_in(copy, name_of(edit, c));
        place = before < copy->column_count ? before + 1 : 0;
    }
    if (!edit_hold(edit, column))
        insert_word(&copy->columns, &copy->column_count, place, name_of(edit, column));
    return place;
}

/* The last place that can be had. */
static size_t last_place(const struct edit *edit)
{
    size_t count = edit->columns->count;
    return count && str_equal(name_of(edit, count - 1), column_naming(edit->kind)) ? count - 1
                                                                                   : count;
}

/* Whether the view has such a column. */
static int check_fits(const struct edit *edit, const struct column_name_scope *scope,
                      const char *name, struct err *err)
{
    struct column column;
    column_init(&column, name, scope->metric_set, scope->events);
    bool fits = column_fits(&column, edit->kind);
    column_release(&column);
    return fits ? 0 : err_set(err, "cannot add '%s': rows of this view have none", name);
}

int edit_add(const struct edit *edit, const struct column_name_scope *scope, const char *name,
             size_t place, struct err *err)
{
    const char *found = column_name_exact(scope, name);
    if (!found)
        found = column_name_find(scope, name);
    if (!found) {
        const char *near = str_nearest(name, column_name_at, (void *)scope);
        return err_set(err, "no column and no counted event '%.60s'%s%s%s", name,
                       near ? "; nearest is '" : "", near ? near : "", near ? "'" : "");
    }
    if (column_list_find(edit->columns, found))
        return err_set(err, "'%s' is on show already", found);
    if (check_fits(edit, scope, found, err) < 0)
        return -1;
    struct screen *copy = open_copy(edit);
    size_t most = last_place(edit), at = copy->column_count;
    if (place < most)
        at = edit_settle(edit, copy, place);
    else if (most > 0)
        at = edit_settle(edit, copy, most - 1) + 1;
    /* It may have a place already: in another view it is not on show. */
    if (place_in(copy, found) == copy->column_count)
        insert_word(&copy->columns, &copy->column_count, at, found);
    edit_remove_word(copy->hidden, &copy->hidden_count, found);
    return 0;
}

int edit_remove(const struct edit *edit, size_t column, struct err *err)
{
    const char *name = name_of(edit, column), *why = edit_hold(edit, column);
    /* Without these, rows can still be told from each other. */
    if (str_equal(name, "heat") || (str_equal(name, "command") && edit->kind == VIEW_TASKS))
        why = NULL;
    if (edit->columns->count == 1)
        why = "it is the only one";
    if (why)
        return err_set(err, "cannot remove column '%s': %s", name, why);
    struct screen *copy = open_copy(edit);
    insert_word(&copy->hidden, &copy->hidden_count, copy->hidden_count, name);
    edit_remove_word(copy->columns, &copy->column_count, name);
    return 0;
}

int edit_move(const struct edit *edit, size_t column, int step, struct err *err)
{
    size_t count = edit->columns->count, other = step < 0 ? column - 1 : column + 1;
    const char *why = edit_hold(edit, column);
    if (!why && other >= count)
        why = step < 0 ? "it is the first" : "it is the last";
    if (!why && edit_hold(edit, other))
        why = step < 0 ? "the one before it has its place" : "the one behind it has its place";
    if (why)
        return err_set(err, "cannot move column '%s': %s", name_of(edit, column), why);
    struct screen *copy = open_copy(edit);
    edit_settle(edit, copy, step < 0 ? other : column);
    edit_settle(edit, copy, step < 0 ? column : other);
    size_t from = place_in(copy, name_of(edit, column)), to = place_in(copy, name_of(edit, other));
    char *moved = copy->columns[from];
    /* What is between the two is not on show. */
    memmove(copy->columns + from, copy->columns + from + 1,
            (copy->column_count - from - 1) * sizeof(*copy->columns));
    memmove(copy->columns + to + 1, copy->columns + to,
            (copy->column_count - to - 1) * sizeof(*copy->columns));
    copy->columns[to] = moved;
    return 0;
}

int edit_resize(const struct edit *edit, size_t column, int width, struct err *err)
{
    if (width != 0 && (width < COLUMN_LEAST || width > COLUMN_MOST))
        return err_set(err,
                       "no width %d for column '%s': expected %d to %d, or 0 for the usual one",
                       width, name_of(edit, column), COLUMN_LEAST, COLUMN_MOST);
    screen_set_width(open_copy(edit), name_of(edit, column), width);
    return 0;
}
