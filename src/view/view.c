#include "view/view.h"
#include "base/statistics.h"
#include "view/baseline.h"
#include "view/builtin_column.h"
#include "view/marks.h"
#include "view/state.h"

/* Takes ownership of the filter's parsed condition. */
static void view_keep_condition(struct view *view, struct condition *condition)
{
    condition_free(view->condition);
    view->condition = condition;
    mem_replace(&view->conditioned, mem_strdup(view->settings.filter));
}

/* The index of a screen's working copy, or of the screen if it is a copy; copy_count: none. */
static size_t view_copy_of(const struct view *view, const struct screen *screen)
{
    size_t i = 0;
    while (i < view->copy_count && view->copies[i] != screen && view->copies[i]->original != screen)
        i++;
    return i;
}

/* Chooses the screen and its columns again for the current settings and events. */
static void view_choose_columns(struct view *view)
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
    view->changes++;
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

struct view *view_new(const struct metric_set *metric_set, const struct screen_list *screens,
                      const struct view_lookup *lookup)
{
    struct view *view = mem_alloc(sizeof(*view));
    view->metric_set = metric_set;
    view->screens = screens;
    view->lookup = lookup;
    view->self = geteuid();
    rows_init(&view->rows, &view->keys);
    rows_init(&view->aside, &view->keys);
    for (enum detail_of of = 0; of < DETAILS; of++)
        view->details[of] = detail_new(of == DETAIL_PAST);
    view->code[0].history = history_new();
    view->code[1].history = history_new();
    view_choose_columns(view);
    return view;
}

void view_free(struct view *view)
{
    if (!view)
        return;
    map_free(&view->answers);
    watch_release(&view->settings.watch);
    watch_release(&view->settings.highlight);
    watch_release(&view->settings.samples);
    free(view->settings.filter);
    free(view->settings.sampled);
    condition_free(view->condition);
    free(view->conditioned);
    for (size_t i = 0; i < view->copy_count; i++)
        screen_free(view->copies[i]);
    free(view->copies);
    column_list_release(&view->columns);
    rows_release(&view->rows);
    rows_release(&view->aside);
    key_memory_release(&view->keys);
    view_drop_baseline(view);
    for (enum detail_of of = 0; of < DETAILS; of++)
        detail_free(view->details[of]);
    for (size_t i = 0; i < 2; i++) {
        history_free(view->code[i].history);
        free(view->code[i].event);
    }
    event_set_drop(view->events);
    free(view->sort_name);
    free(view);
}

/* ---- for the files of the view (view/state.h) ---- */

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
    return (struct column_name_scope){view->metric_set, view->events, &view->columns, view->lookup};
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

struct value view_metric_value(const struct view *view, const char *name, const struct frame *frame,
                               const struct row *row)
{
    const struct metric *metric = view->metric_set ? metric_set_find(view->metric_set, name) : NULL;
    return metric ? eval_row(metric->expr, frame, row) : (struct value){.state = VALUE_MISSING};
}

/* ---- settings and frames ---- */

const struct view_settings *view_settings(const struct view *view)
{
    return &view->settings;
}

static void view_adopt(struct view *view, const struct view_settings *next)
{
    struct view_settings old = view->settings;
    view->settings = *next;
    watch_copy(&view->settings.watch, &next->watch);
    watch_copy(&view->settings.highlight, &next->highlight);
    watch_copy(&view->settings.samples, &next->samples);
    view->settings.filter = mem_strdup(next->filter);
    view->settings.sampled = old.sampled;
    watch_release(&old.watch);
    watch_release(&old.highlight);
    watch_release(&old.samples);
    free(old.filter);
}

void view_change(struct view *view, const struct view_settings *next)
{
    view_adopt(view, next);
    view_apply(view);
}

void view_change_frame(struct view *view, const struct view_settings *next,
                       const struct frame *frame)
{
    view_adopt(view, next);
    view_choose_columns(view);
    view_set_frame(view, frame);
}

void view_watch(struct view *view, const struct watch *watch)
{
    struct watch old = view->settings.watch;
    watch_copy(&view->settings.watch, watch);
    watch_release(&old);
    view->changes++;
}

void view_hold(struct view *view, bool held)
{
    if (!held)
        map_free(&view->answers);
    view->holding = held;
}

const struct view_lookup *view_lookup_of(const struct view *view)
{
    return view->lookup;
}

void view_set_events(struct view *view, struct event_set *events)
{
    /* The old set is referenced, so a new set cannot have its address. */
    if (events == view->events)
        return;
    event_set_keep(&view->events, events);
    if (view->frame && view->frame->events != events) {
        /* Its counts do not match the new columns. */
        view->frame = NULL;
        view->rows.count = 0;
    }
    view_choose_columns(view);
}

void view_set_frame(struct view *view, const struct frame *frame)
{
    view->frame = frame;
    if (frame) {
        view_set_events(view, frame->events);
        if (frame->profile && !str_equal(frame->profile->event, view->settings.sampled)) {
            mem_replace(&view->settings.sampled, mem_strdup(frame->profile->event));
            view_choose_columns(view);
        }
        struct view_context context = view_context_of(view);
        rows_take(&view->rows, &context);
    }
    view_choose_rows(view);
}

double view_watched(const struct view *view)
{
    const struct frame *frame = view->frame;
    if (!frame || frame->interval <= 0 || (frame_has_machine(frame) && view->rows.all))
        return -1;
    return frame_has_machine(frame) ? view->rows.watched / frame->interval : frame_used(frame);
}

void view_apply(struct view *view)
{
    view_choose_columns(view);
    view_choose_rows(view);
}

static void replace_filter(struct view *view, const char *text, struct condition *condition)
{
    mem_replace(&view->settings.filter, text && *text ? mem_strdup(text) : NULL);
    view_keep_condition(view, condition);
    view_choose_rows(view);
}

/* Parses the text, NULL for plain text: -1 if it is a condition with a mistake. */
static int read_filter(const struct view *view, const char *text, struct condition **condition,
                       bool *incomplete, struct err *err)
{
    struct column_name_scope names = view_names(view);
    *condition = NULL;
    *incomplete = false;
    if (!text || !condition_is(text, &names))
        return 0;
    *condition = condition_parse(text, &names, incomplete, err);
    return *condition ? 0 : -1;
}

int view_set_filter(struct view *view, const char *text, struct err *err)
{
    struct condition *condition;
    bool incomplete;
    if (read_filter(view, text, &condition, &incomplete, err) < 0)
        return -1;
    replace_filter(view, text, condition);
    return 0;
}

/* Adds a word that stands alone in a condition: a user, a pid, or a part of a name. */
static void add_meant(const struct view *view, const char *word, struct str *meant)
{
    const struct frame *frame = view->frame;
    bool user = false;
    for (size_t i = 0; frame && view->lookup && i < frame->process_count && !user; i++)
        user = str_equal(word, view->lookup->user(view->lookup->ctx, frame->processes[i].uid));
    bool digits = !word[strspn(word, "0123456789")], quoted = word[strcspn(word, "'\"")];
    str_printf(meant, user ? "user = %s" : digits ? "pid = %s" : quoted ? "%s" : "'%s'", word);
}

char *view_meant_filter(const struct view *view, const char *text)
{
    static const char blanks[] = " \t", signs[] = "<>=!~";
    struct column_name_scope names = view_names(view);
    struct condition *condition;
    bool compares = false, joined = true, incomplete;
    AUTO_STR struct str meant = str_new();
    read_filter(view, text, &condition, &incomplete, NULL);
    bool whole = condition || incomplete;
    condition_free(condition);
    for (size_t length; !whole && *(text += strspn(text, blanks)); text += length) {
        length = strcspn(text, blanks);
        AUTO_FREE char *word = mem_strndup(text, length);
        bool joins = !strcasecmp(word, "and") || !strcasecmp(word, "or");
        str_add(&meant, meant.length == 0 ? "" : joined || joins ? " " : " and ");
        joined = joins || !strcasecmp(word, "not");
        if (joined) {
            str_add(&meant, word);
        } else if (condition_is(text, &names)) {
            length = strcspn(text, signs); /* NAME SIGN VALUE */
            length += strspn(text + length, signs);
            length += strspn(text + length, blanks);
            length += strcspn(text + length, blanks);
            str_add_n(&meant, text, length);
            compares = true;
        } else {
            add_meant(view, word, &meant);
        }
    }
    if (!compares || read_filter(view, meant.text, &condition, &incomplete, NULL) < 0 || !condition)
        return NULL;
    condition_free(condition);
    return str_detach(&meant);
}

bool view_filters_text(const struct view *view)
{
    return view->settings.filter && !view->condition;
}

/* Whether a text is the beginning of a name, in any case of letters: of some column, or of one that
 * is shown or builtin, or of its title. */
static bool begins_name(const struct view *view, const char *text, size_t length, bool some)
{
    struct column_name_scope names = view_names(view);
    const struct column_list *shown = &view->columns;
    const char *name;
    for (size_t i = 0; length && (name = column_name_at(&names, i)); i++)
        if ((some || column_is_fact(name)) && strncasecmp(name, text, length) == 0)
            return true;
    for (size_t i = 0; length && !some && i < shown->count; i++)
        if (strncasecmp(shown->columns[i].shown.name, text, length) == 0 ||
            strncasecmp(shown->columns[i].shown.title, text, length) == 0)
            return true;
    return false;
}

enum view_typed view_type_filter(struct view *view, const char *text, struct err *err)
{
    struct condition *condition;
    bool incomplete;
    size_t before = view->rows.count, length = text ? strlen(text) : 0;
    if (read_filter(view, text, &condition, &incomplete, err) < 0)
        return incomplete ? VIEW_TYPED_UNFINISHED : VIEW_TYPED_WRONG;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    /* A condition may follow the name of a column: rows are not yet searched for it as a text. */
    if (!condition && begins_name(view, text, length, false)) {
        replace_filter(view, NULL, NULL);
        return VIEW_TYPED_UNFINISHED;
    }
    size_t word = length;
    while (word > 0 && text[word - 1] != ' ' && text[word - 1] != '(')
        word--;
    AUTO_FREE char *old = mem_strdup(view->settings.filter);
    replace_filter(view, text, condition);
    /* More letters may make it a condition where it ends with the beginning of a name. */
    bool may_follow = condition || begins_name(view, text + word, length - word, true);
    if (before == 0 || view->rows.count > 0 || !may_follow)
        return VIEW_TYPED_TAKEN;
    view_set_filter(view, old, NULL);
    return VIEW_TYPED_UNFINISHED;
}

/* No column of that name is shown: tells those that are, or the nearest name if it is none. */
static int view_refuse_column(const struct view *view, const char *name, struct err *err)
{
    struct column_name_scope scope = view_names(view);
    if (!column_name_exact(&scope, name))
        return err_unknown(err, "no column", name, str_nearest(name, column_name_at, &scope),
                           "see --list-columns");
    AUTO_STR struct str shown = str_new();
    for (size_t i = 0; i < view_columns(view); i++)
        str_printf(&shown, "%s%s", i ? ", " : "", view_column(view, i)->name);
    return err_set(err, "column '%s' is not on this screen, which has %s", name, shown.text);
}

int view_choose_screen(struct view *view, const char *name, bool turns, struct err *err)
{
    const struct screen *screen = name ? screen_find(view->screens, name) : NULL;
    if (name && !screen) {
        AUTO_FREE char *cpus = screen_elsewhere(view->screens, name);
        return cpus ? err_set(err, "screen '%s' is not for this CPU: it is for %s", name, cpus)
                    : err_unknown(
                          err, "no screen", name,
                          STR_NEAREST(view->screens->screens, view->screens->count, name, name),
                          "see --list-screens");
    }
    if (screen && column_check_screen(screen, view->metric_set, err) < 0)
        return -1;
    bool cpus = view_of_cpus(view->settings.kind);
    if (turns && screen && screen->of_cpus != cpus &&
        (!cpus || (view->screen && view->screen->of_cpus)))
        view->settings.kind = cpus ? VIEW_TASKS : VIEW_CPUS;
    view->chosen = screen;
    view_apply(view);
    return 0;
}

const struct screen *view_screen(const struct view *view)
{
    return view->screen;
}

const struct screen_list *view_screens(const struct view *view)
{
    return view->screens;
}

bool view_tells_cgroups(const struct view *view)
{
    const struct view_settings *settings = &view->settings;
    return view_asks_proc(settings->kind) ||
           (settings->filter && strstr(settings->filter, "cgroup")) ||
           column_list_find(&view->columns, "cgroup");
}

size_t view_columns(const struct view *view)
{
    return view->columns.count;
}

const struct view_column *view_column(const struct view *view, size_t column)
{
    return &view->columns.columns[column].shown;
}

enum strip_kind view_column_strip(const struct view *view, size_t column)
{
    const struct builtin_column *builtin = view->columns.columns[column].builtin;
    return !builtin                      ? STRIP_NONE
           : builtin->flags & FACT_TREND ? STRIP_TREND
           : builtin->flags & FACT_STACK ? STRIP_STACK
                                         : STRIP_NONE;
}

int view_column_spare(const struct view *view, size_t column)
{
    return view->columns.columns[column].spare;
}

bool view_candidate(const struct view *view, size_t i, struct view_candidate *candidate)
{
    struct column_name_scope names = view_names(view);
    return column_name_entry(&names, i, view->settings.kind, candidate);
}

void view_renew_metrics(struct view *view)
{
    for (enum detail_of of = 0; of < DETAILS; of++)
        detail_forget(view->details[of]);
    view_apply(view);
}

enum view_kind view_choose_saved(const struct view *view, struct column_list *list)
{
    struct view_settings settings = view->settings;
    settings.kind = view_of_cpus(settings.kind) ? VIEW_CPUS : VIEW_TASKS;
    settings.level = LEVEL_CPU;
    settings.threads = settings.terminal = false;
    column_list_choose(list, view->screen, view->metric_set, view->events, &settings);
    return settings.kind;
}

/* ---- sorting ---- */

size_t view_sort_column(const struct view *view)
{
    struct order order = view_order(view);
    bool heat = view->settings.kind == VIEW_HEAT && order.heat;
    return (size_t)((heat ? order.heat : order.column) - view->columns.columns);
}

bool view_sort_ascending(const struct view *view)
{
    return view_order(view).ascending;
}

static void ask_column(struct view *view, const char *name, bool reverse)
{
    mem_replace(&view->sort_name, mem_strdup(name));
    view->sort_reversed = reverse;
    view_choose_rows(view);
}

int view_sort_by(struct view *view, const char *name, bool reverse, struct err *err)
{
    struct column_name_scope scope = view_names(view);
    const char *title = column_name_exact(&scope, name) ? NULL : column_name_find(&scope, name);
    name = title ? title : name;
    for (size_t i = 0; i < view->columns.count && !column_list_find(&view->columns, name); i++)
        if (column_uses(&view->columns.columns[i], name)) /* an event: the first ratio of it */
            name = view->columns.columns[i].shown.name;
    if (!column_list_find(&view->columns, name) &&
        (view->events || !(column_is_fact(name) || metric_set_find(view->metric_set, name))))
        return view_refuse_column(view, name, err);
    const struct builtin_column *builtin = builtin_column_find(name);
    if (builtin && builtin->flags & (FACT_TREND | FACT_STACK))
        return err_set(err, "cannot sort by '%s': it is a drawing of other columns", name);
    ask_column(view, name, reverse);
    return 0;
}

/* Whether the n-th process or thread that is watched has ended, or in the past, which sets *past,
 * is not in the frame. */
static bool is_gone(const struct view *view, size_t n, bool *past)
{
    const struct watch *watch = &view->settings.watch;
    const struct view_lookup *lookup = view->lookup;
    const struct frame *frame = view->frame;
    bool process = n < watch->pid_count;
    pid_t id = process ? watch->pids[n] : watch->tids[n - watch->pid_count];
    bool gone = lookup && lookup->gone && lookup->gone(lookup->ctx, id, past);
    for (size_t t = 0; *past && t < frame->thread_count; t++)
        if (id == (process ? frame->threads[t].pid : frame->threads[t].tid))
            return false;
    return gone || *past;
}

bool view_tell_asleep(const struct view *view, const char *idle, struct str *text)
{
    const struct watch *watch = &view->settings.watch;
    size_t ids = watch->pid_count + watch->tid_count, gone = 0;
    bool past = false;
    bool named = watch->names.count || watch->user_count || watch->cgroup || watch->command;
    if (view->settings.filter || view->settings.idle || view_of_code(view->settings.kind))
        return false;
    for (size_t n = 0; n < ids && !named; n++)
        gone += is_gone(view, n, &past);
    const char *what = past && view->frame->totals ? "did not run in what is recorded"
                       : past && gone == 1         ? "is not recorded in this interval"
                       : past                      ? "are not recorded in this interval"
                       : gone == 1                 ? "has ended"
                                                   : "have ended";
    if (named)
        str_printf(text, "nothing that is watched ran; %s shows what slept", idle);
    else if (ids == 1 && gone)
        str_printf(text, "the one that is watched %s", what);
    else if (ids == 1)
        str_printf(text, "the one that is watched slept; %s shows it", idle);
    else if (gone && gone == ids)
        str_printf(text, "all %zu %s", ids, what);
    else if (gone)
        str_printf(text, "%zu slept, %zu %s; %s shows what slept", ids - gone, gone, what, idle);
    else if (ids > 1)
        str_printf(text, "all %zu slept; %s shows them", ids, idle);
    return named || ids > 0;
}

size_t view_asleep_threads(const struct view *view)
{
    struct view_context context = view_context_of(view);
    const struct builtin_column *threads = builtin_column_find("threads");
    size_t asleep = 0;
    int64_t all;
    for (size_t i = 0; i < view_rows(view) && view->settings.kind == VIEW_TASKS; i++) {
        const struct row *row = view_row(view, i);
        if (!row->process && !row->exited && threads->number((struct fact_of){&context, row}, &all))
            asleep += all > (int64_t)row->threads ? (size_t)all - row->threads : 0;
    }
    return asleep;
}

void view_sort_move(struct view *view, int step)
{
    size_t at = view_sort_column(view), count = view->columns.count;
    do {
        if (step < 0 ? at == 0 : at + 1 >= count)
            return;
        at += step < 0 ? -1 : 1;
    } while (view_column_strip(view, at) != STRIP_NONE);
    ask_column(view, view_column(view, at)->name, false);
}

void view_sort_invert(struct view *view)
{
    struct order order = view_order(view);
    bool usual = column_is_text(order.column) == order.ascending; /* the column's default */
    ask_column(view, view_column(view, view_sort_column(view))->name, usual);
}

size_t view_rows(const struct view *view)
{
    return view->rows.count;
}

const struct row *view_row(const struct view *view, size_t row)
{
    return view->rows.items[row];
}

const struct group *view_row_group(const struct view *view, size_t row)
{
    bool adds_up = view_adds_up(view->settings.kind);
    return adds_up ? group_of(&view->rows.groups, view->rows.items[row]) : NULL;
}

double view_rows_total(struct view *view, const struct frame *frame)
{
    struct view_context context = view_context_of(view);
    struct order order = view_order(view);
    struct rows *rows = &view->aside;
    const struct column *column = &view->columns.columns[view_sort_column(view)];
    double number;
    if (frame->events != view->events || column->kind == COLUMN_FACT || column->share)
        return (double)NAN;
    context.frame = frame;
    context.groups = &rows->groups;
    context.functions = &rows->functions;
    context.ended = &rows->folds;
    context.settings.amount = AMOUNT_RATE;
    context.settings.tree = false;
    rows_choose(rows, &context, &order);
    struct row sum = row_sum_new(view->events);
    for (size_t i = view_of_cpus(context.settings.kind); i < rows->count; i++)
        row_sum_add(&sum, rows->items[i], frame);
    row_sum_complete(&sum, frame);
    bool known = column_number(column, &context, &sum, &number);
    row_sum_release(&sum);
    return known ? number : (double)NAN;
}

/* Finds the limits of a column's values above 0 in the rows, or in a sample of a thousand: nothing
 * stands out that is not twice the median, and nothing among fewer than four. */
static void measure_standing(const struct view *view, const struct view_context *context,
                             struct column *column)
{
    enum { SAMPLE_MAX = 1000, VALUES_MIN = 4, WARM = 5, HOT = 20 };
    size_t rows = view->rows.count, stride = (rows + SAMPLE_MAX - 1) / SAMPLE_MAX, known = 0;
    struct standing *standing = &column->standing;
    double values[SAMPLE_MAX];
    for (size_t i = 0; i < rows; i += stride)
        if (column_number(column, context, view->rows.items[i], &values[known]))
            known += values[known] > 0;
    *standing = (struct standing){view->choice, INFINITY, INFINITY};
    if (known < VALUES_MIN)
        return;
    values_sort(values, known);
    double least = 2 * values[(known - 1) / 2];
    standing->warm = fmax(least, values[known - (known < 2 * WARM ? 2 : known / WARM)]);
    standing->hot = fmax(least, values[known - (known < 2 * HOT ? 1 : known / HOT)]);
}

/* The role of a number of which nothing else is to be said. */
static enum role view_number_role(const struct view *view, const struct view_context *context,
                                  struct column *column, const struct row *row)
{
    double number;
    bool limited = column->kind == COLUMN_METRIC && column->metric->has_good;
    if (!view->settings.terminal || limited || column->kind == COLUMN_FACT || row->id == 0 ||
        !column_number(column, context, row, &number))
        return ROLE_COUNTED;
    if (column->standing.choice != view->choice)
        measure_standing(view, context, column);
    return number >= column->standing.hot    ? amount_role(1)
           : number >= column->standing.warm ? amount_role(0.7)
                                             : ROLE_COUNTED;
}

void view_cell(struct view *view, size_t row, size_t column, struct cell *cell)
{
    struct view_context context = view_context_of(view);
    struct column *shown = &view->columns.columns[column];
    const struct functions *functions = &view->rows.functions;
    column_cell(shown, &context, view->rows.items[row], cell);
    /* A source line above its instructions, which have the numbers. */
    if (view->settings.kind == VIEW_INSTRUCTIONS && view->settings.source == SOURCE_BOTH &&
        !functions->source.rows[view->rows.items[row] - functions->rows].instruction) {
        bool naming = str_equal(shown->shown.name, view_types[VIEW_INSTRUCTIONS].naming);
        cell->role = naming ? ROLE_VALUE : ROLE_DIM;
        if (!naming)
            strcpy(cell->text, view->settings.terminal ? "" : "-");
        return;
    }
    if (cell->role == ROLE_COUNTED)
        cell->role = view_number_role(view, &context, shown, view->rows.items[row]);
    if (view->baseline)
        baseline_cell(view, shown, view->rows.items[row], cell);
    if (view->settings.kind != VIEW_TASKS && !view->rows.tree_shown)
        return;
    unsigned marks = view_row_marks(view, row);
    enum role role = cell->role;
    /* Roles about the number itself are kept. */
    if (role == ROLE_TEXT || role == ROLE_VALUE || role == ROLE_COUNTED || role == ROLE_DIM ||
        role == ROLE_DEAD || role == ROLE_OTHER_USER)
        cell->role = marks & ROW_TAGGED     ? ROLE_TAGGED
                     : marks & ROW_WATCHED  ? ROLE_WATCHED
                     : marks & ROW_ANCESTOR ? ROLE_DIM
                                            : role;
    if (!view->rows.tree_shown ||
        !str_equal(shown->shown.name, view_types[view->settings.kind].naming))
        return;
    AUTO_STR struct str text = str_new(); /* tree lines and the name */
    tree_lines(&view->rows.tree, row, view_marks_ascii(&view->settings), &text);
    str_add(&text, cell->text);
    text_clean(cell->text, sizeof(cell->text), text.text, view->settings.ascii);
}

const char *view_cgroup(const struct view *view, const struct row *row, char *path, size_t size)
{
    struct view_context context = view_context_of(view);
    return view_tells_cgroups(view) ? builtin_cgroup(&context, row, path, size) : NULL;
}

bool view_waits(const struct view *view, const struct row *row, struct task_wait *wait)
{
    struct view_context context = view_context_of(view);
    bool shown = column_list_find(&view->columns, WAITS_FOR);
    if (shown)
        builtin_waits(&context, row, false, wait);
    return shown;
}

bool view_asleep_lasts(const struct view *view)
{
    const struct view_settings *settings = &view->settings;
    bool lasts = settings->kind == VIEW_TASKS && !settings->tree && !view->baseline;
    for (size_t c = 0; c < view->columns.count && lasts; c++) {
        const struct column *column = &view->columns.columns[c];
        bool alike = column_is_same_asleep(column);
        bool names = str_equal(column->shown.name, view_types[VIEW_TASKS].naming);
        lasts = alike || (column->builtin && column->builtin->flags & FACT_LASTING &&
                          !(names && settings->cmdline));
    }
    return lasts;
}

void view_asleep_cells(struct view *view, size_t row, struct str *text)
{
    struct cell cell;
    for (size_t c = 0; c < view->columns.count; c++) {
        const struct column *column = &view->columns.columns[c];
        str_printf(text, "%s %d ", column->shown.title, column->shown.width);
        if (!column_is_same_asleep(column))
            continue;
        view_cell(view, row, c, &cell);
        str_add(text, cell.text);
        str_add_char(text, ' ');
    }
}

const char *view_missing(const struct view *view, size_t row, size_t column)
{
    struct view_context context = view_context_of(view);
    return column_missing(&view->columns.columns[column], &context, view->rows.items[row]);
}

bool view_command_line(const struct view *view, size_t row, char *text, size_t size)
{
    struct view_context context = view_context_of(view);
    const struct column *last = &view->columns.columns[view->columns.count - 1];
    return !view->settings.cmdline && str_equal(last->shown.name, view_types[VIEW_TASKS].naming) &&
           builtin_command_line(&context, view->rows.items[row], text, size);
}

/* ---- changes of columns ---- */

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
    AUTO_FREE char *moved = mem_strdup(name_of(view, column));
    names_remove(&copy->columns, from); /* columns between the two are hidden */
    insert_name(&copy->columns, to, moved);
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
