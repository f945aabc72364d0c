#include "view/view.h"
#include "base/mem.h"
#include "base/str.h"
#include "view/choose.h"
#include "view/detail.h"
#include "view/filter.h"
#include "view/groups.h"
#include "view/sort.h"

#include <stdlib.h>
#include <unistd.h>

struct view {
    const struct catalog *catalog;
    const struct screen_list *screens;
    const struct view_lookup *lookup;
    struct view_settings settings;
    uid_t self;
    struct event_set *events;    /* what the columns were made for; NULL: not known yet */
    const struct frame *frame;   /* NULL: none yet */
    const struct screen *chosen; /* by name; NULL: the one that fits */
    const struct screen *screen; /* on show; NULL: there are none */
    struct column_list columns;
    char *sort_name;      /* NULL, or not on show: the screen's */
    bool sort_reversed;   /* belongs to sort_name */
    struct groups groups; /* rows of the views that add up processes */
    const struct row **rows;
    size_t row_count, row_room;
    struct detail detail;
};

static struct scene scene_of(const struct view *view)
{
    return (struct scene){view->frame, &view->settings, view->lookup, &view->groups, view->self};
}

static void choose_columns(struct view *view)
{
    const struct screen_list *screens = view->screens;
    if (view->chosen)
        view->screen = view->chosen;
    else if (view->events)
        view->screen = screen_fitting(screens, view->events);
    else
        view->screen = screens->count ? &screens->screens[0] : NULL;
    column_list_choose(&view->columns, view->screen, view->catalog, view->events, &view->settings);
}

static void choose_rows(struct view *view)
{
    view->row_count = 0;
    if (!view->frame)
        return;
    struct scene scene = scene_of(view);
    view->row_count = filter_rows(&scene, &view->rows, &view->row_room);
    if (groups_shown(view->settings.kind)) {
        groups_make(&view->groups, &scene, view->rows, view->row_count);
        view->row_count = groups_rows(&view->groups, &scene, &view->rows, &view->row_room);
    }
    sort_rows(view->rows, view->row_count, &view->columns.columns[view_sort_column(view)],
              view_sort_ascending(view), &scene);
}

struct view *view_new(const struct catalog *catalog, const struct screen_list *screens,
                      const struct view_lookup *lookup)
{
    struct view *view = mem_alloc(sizeof(*view));
    view->catalog = catalog;
    view->screens = screens;
    view->lookup = lookup;
    view->self = geteuid();
    watch_init(&view->settings.watch);
    column_list_init(&view->columns);
    groups_init(&view->groups);
    detail_init(&view->detail);
    choose_columns(view);
    return view;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    watch_release(&view->settings.watch);
    free(view->settings.filter);
    column_list_release(&view->columns);
    groups_release(&view->groups);
    detail_release(&view->detail);
    event_set_drop(view->events);
    free(view->sort_name);
    free(view->rows);
    free(view);
}

struct view_settings *view_settings(struct view *view)
{
    return &view->settings;
}

const struct view_lookup *view_lookup_of(const struct view *view)
{
    return view->lookup;
}

void view_set_events(struct view *view, struct event_set *events)
{
    /* The reference held keeps the address from being used again for another set. */
    if (events == view->events)
        return;
    event_set_drop(view->events);
    view->events = event_set_share(events);
    if (view->frame && view->frame->events != events) {
        /* Its counts are not those that the columns are now for. */
        view->frame = NULL;
        view->row_count = 0;
    }
    choose_columns(view);
}

void view_set_frame(struct view *view, const struct frame *frame)
{
    view->frame = frame;
    if (frame)
        view_set_events(view, frame->events);
    choose_rows(view);
}

void view_apply(struct view *view)
{
    choose_columns(view);
    choose_rows(view);
}

static const char *screen_name(void *ctx, size_t i)
{
    const struct screen_list *screens = ctx;
    return i < screens->count ? screens->screens[i].name : NULL;
}

static const char *column_name(void *ctx, size_t i)
{
    const struct column_list *list = ctx;
    return i < list->count ? list->columns[i].shown.name : NULL;
}

/* `cannot WHAT 'NAME': expected one of A, B, C; did you mean 'B'?` */
static int refuse(const char *what, const char *name, const char *(*candidate)(void *ctx, size_t i),
                  void *ctx, struct err *err)
{
    struct str names;
    str_init(&names);
    const char *one;
    for (size_t i = 0; (one = candidate(ctx, i)); i++)
        str_printf(&names, "%s%s", i ? ", " : "", one);
    const char *near = str_nearest(name, candidate, ctx);
    if (near)
        err_set(err, "%s '%.60s': did you mean '%s'? expected one of %s", what, name, near,
                names.text);
    else
        err_set(err, "%s '%.60s': expected one of %s", what, name, names.text);
    str_release(&names);
    return -1;
}

int view_choose_screen(struct view *view, const char *name, struct err *err)
{
    const struct screen *screen = NULL;
    if (name) {
        screen = screen_find(view->screens, name);
        char *cpus = screen ? NULL : screen_elsewhere(view->screens, name);
        if (cpus) {
            err_set(err, "screen '%s' is not for this CPU: it is for %s", name, cpus);
            free(cpus);
            return -1;
        }
        if (!screen)
            return refuse("no screen", name, screen_name, (void *)view->screens, err);
        if (column_check_screen(screen, view->catalog, err) < 0)
            return -1;
    }
    view->chosen = screen;
    view_apply(view);
    return 0;
}

const struct screen *view_screen(const struct view *view)
{
    return view->screen;
}

size_t view_columns(const struct view *view)
{
    return view->columns.count;
}

const struct view_column *view_column(const struct view *view, size_t column)
{
    return &view->columns.columns[column].shown;
}

static size_t index_of(const struct view *view, const struct column *column)
{
    return (size_t)(column - view->columns.columns);
}

/* The column that was asked for, where it is on show; else NULL. */
static const struct column *asked_column(const struct view *view)
{
    return view->sort_name ? column_list_find(&view->columns, view->sort_name) : NULL;
}

size_t view_sort_column(const struct view *view)
{
    const struct column *column = asked_column(view);
    /* CPUs stand still in the order of their numbers unless one asks for more. */
    if (!column && view->screen && view->settings.kind != VIEW_CPUS)
        column = column_list_find(&view->columns, view->screen->sort);
    return column ? index_of(view, column) : 0;
}

bool view_sort_reverse(const struct view *view)
{
    if (asked_column(view))
        return view->sort_reversed;
    return view->settings.kind == VIEW_CPUS;
}

bool view_sort_ascending(const struct view *view)
{
    bool text = column_is_text(&view->columns.columns[view_sort_column(view)]);
    return text != view_sort_reverse(view);
}

static void ask_column(struct view *view, const char *name, bool reverse)
{
    char *copy = mem_strdup(name); /* it may be the old one */
    free(view->sort_name);
    view->sort_name = copy;
    view->sort_reversed = reverse;
    choose_rows(view);
}

int view_sort_by(struct view *view, const char *name, bool reverse, struct err *err)
{
    bool known = column_list_find(&view->columns, name) ||
                 (!view->events && (column_is_fact(name) || catalog_find(view->catalog, name)));
    if (!known)
        return refuse("no column", name, column_name, &view->columns, err);
    ask_column(view, name, reverse);
    return 0;
}

void view_sort_move(struct view *view, int step)
{
    size_t at = view_sort_column(view), last = view->columns.count - 1;
    if (step < 0)
        at -= at > 0;
    else
        at += at < last;
    ask_column(view, view_column(view, at)->name, false);
}

void view_sort_invert(struct view *view)
{
    ask_column(view, view_column(view, view_sort_column(view))->name, !view_sort_reverse(view));
}

/* All rows of the kind on show, whether they are on show or not. */
static const struct row *rows_of_kind(const struct view *view, size_t *count)
{
    const struct frame *frame = view->frame;
    const struct view_settings *settings = &view->settings;
    if (groups_shown(settings->kind)) {
        *count = view->groups.count;
        return view->groups.rows;
    }
    if (settings->kind == VIEW_CPUS) {
        *count = frame->cpu_count;
        return frame->cpus;
    }
    *count = settings->threads ? frame->thread_count : frame->process_count;
    return settings->threads ? frame->threads : frame->processes;
}

void view_record(struct view *view, bool held)
{
    struct scene scene = scene_of(view);
    size_t count;
    const struct row *rows = rows_of_kind(view, &count);
    detail_record(&view->detail, &scene, &view->columns, view->catalog, rows, count, held);
}

void view_follow(struct view *view, size_t row)
{
    struct scene scene = scene_of(view);
    detail_follow(&view->detail, &scene, &view->columns, view->rows[row]);
}

void view_tell(struct view *view)
{
    struct scene scene = scene_of(view);
    size_t count;
    const struct row *rows = rows_of_kind(view, &count);
    detail_tell(&view->detail, &scene, &view->columns, rows, count);
}

void view_record_total(struct view *view)
{
    struct scene scene = scene_of(view);
    size_t count;
    const struct row *rows = rows_of_kind(view, &count);
    detail_total(&view->detail, &scene, rows, count);
}

const struct detail *view_detail(const struct view *view)
{
    return &view->detail;
}

const char *view_amount_text(enum view_amount amount)
{
    static const char *const texts[] = {"a second", "in the interval", "since the start"};
    return texts[amount];
}

size_t view_rows(const struct view *view)
{
    return view->row_count;
}

const struct row *view_row(const struct view *view, size_t row)
{
    return view->rows[row];
}

size_t view_row_processes(const struct view *view, size_t row, const char **cgroup)
{
    const struct group *group = NULL;
    if (groups_shown(view->settings.kind))
        group = groups_of(&view->groups, view->rows[row]);
    *cgroup = group ? group->cgroup : NULL;
    return group ? group->processes : 0;
}

void view_cell(struct view *view, size_t row, size_t column, struct cell *cell)
{
    struct scene scene = scene_of(view);
    column_cell(&view->columns.columns[column], &scene, view->rows[row], cell);
}
