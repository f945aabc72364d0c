#include "view/column.h"
#include "metric/alias.h"
#include "view/builtin_column.h"
#include "view/view_kind.h"

/* State while columns are chosen. */
struct choice {
    struct column_list *list;
    const struct screen *screen;
    const struct metric_set *metric_set;
    const struct event_set *set;
    const struct view_settings *settings;
};

static void column_set_clear(struct column_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        column_release(&list->columns[i]);
    list->count = 0;
}

void column_list_release(struct column_list *list)
{
    column_set_clear(list);
    free(list->columns);
    *list = (struct column_list){0};
}

const struct column *column_list_find(const struct column_list *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (str_equal(list->columns[i].shown.name, name))
            return &list->columns[i];
    return NULL;
}

/* Whether a metric of a built-in screen would be empty here, because the machine does not know an
 * event of it, such as a sensor of power, or the processor has no such event while what the screen
 * requires is counted. Events that it requires are not left out. */
static bool lacks_event(const struct choice *choice, const struct column *column)
{
    const struct screen *screen = choice->screen;
    if (!choice->set || !screen->builtin || column->kind != COLUMN_METRIC)
        return false;
    bool of_use = screen->requires.count && screen_fits(screen, choice->set);
    for (size_t i = 0; i < expr_event_count(column->metric->expr); i++) {
        const char *event = expr_event(column->metric->expr, i);
        int at = column->binding.index[i];
        const struct event_info *info = at >= 0 ? &choice->set->events[at] : NULL;
        bool required = false;
        for (size_t r = 0; r < screen->requires.count; r++)
            required |= alias_same(screen->requires.items[r], event);
        bool unknown = info && info->state != EVENT_COUNTED && !info->encoding;
        bool never = of_use && info && info->state == EVENT_UNSUPPORTED;
        if ((unknown || never) && !required)
            return true;
    }
    return false;
}

/* Appends the column of that name unless it is in the list or not for this view. */
static void column_set_add(const struct choice *choice, const char *name)
{
    struct column_list *list = choice->list;
    if (column_list_find(list, name))
        return;
    struct column column;
    column_init(&column, name, choice->metric_set, choice->set);
    bool unknown = choice->set && column.kind == COLUMN_EVENT && column.event < 0;
    const struct screen *original = choice->screen->original;
    /* A user added this event and removed it later: a working copy keeps its position. */
    bool gone = unknown && original && !screen_has_column(original, name);
    if (gone || lacks_event(choice, &column) ||
        !column_fits(&column, choice->set, choice->settings)) {
        column_release(&column);
        return;
    }
    if (unknown && screen_counts(choice->screen, name))
        column.shown.help = "not counted any more";
    *MEM_ADD(list->columns, list->count, list->room) = column;
}

/* Adds events that no column of the screen uses, unless a working copy hides them. */
static void add_unasked(const struct choice *choice, const char *name)
{
    const struct screen *screen = choice->screen;
    if (!names_has(&screen->hidden, name))
        column_set_add(choice, name);
}

/* Columns of wide terminals, in this order. Each stands where the last column keeps that many
 * cells, and where the screen has the column that it belongs to. */
static const struct spare {
    const char *name;
    int rest;
    const char *of; /* NULL: any screen */
} spares[] = {
    {"trend", 24, NULL},   {"topdown", 24, "td_retiring_pct"},
    {"state", 24, NULL},   {"threads", 24, NULL},
    {"sys_pct", 24, NULL}, {"us_per_switch", 56, "ctxsw_per_s"},
    {"res", 64, NULL},     {"io", 64, NULL},
};

static void add_spare(const struct choice *choice, const struct spare *spare)
{
    struct column_list *list = choice->list;
    size_t count = list->count;
    if (spare->of && !column_list_find(list, spare->of))
        return;
    add_unasked(choice, spare->name);
    if (list->count > count)
        list->columns[count].spare = spare->rest;
}

/* Longer titles for events whose titles are those of others, then the users' widths. */
static void tell_apart(const struct choice *choice)
{
    enum { LONGER = 20, LONGEST = 255 };
    struct column_list *list = choice->list;
    for (size_t most = LONGER; most <= LONGEST; most *= 2)
        for (size_t i = 0; i < list->count; i++) {
            const char *title = list->columns[i].shown.title;
            bool found = false;
            for (size_t k = list->count; k-- > i + 1;) {
                struct column *other = &list->columns[k];
                if (!str_equal(other->shown.title, title))
                    continue;
                found = true;
                if (other->kind == COLUMN_EVENT)
                    column_retitle(other, most);
            }
            if (found && list->columns[i].kind == COLUMN_EVENT)
                column_retitle(&list->columns[i], most);
        }
    for (size_t i = 0; i < list->count; i++) {
        struct column *column = &list->columns[i];
        int width = screen_width(choice->screen, column->shown.name);
        column->sized = width > 0;
        if (column->sized)
            column->shown.width = width;
        column_settle(column, choice->settings);
    }
}

/* Puts the share of each amount beside it. Where a terminal is narrow they are left out. */
static void add_shares(const struct choice *choice)
{
    enum { REST = 15 };
    struct column_list *list = choice->list;
    struct column share;
    for (size_t i = 0; i < list->count; i++) {
        if (!column_init_share(&share, &list->columns[i], choice->metric_set, choice->set))
            continue;
        share.spare = choice->settings->terminal ? REST : 0;
        mem_grow(&list->columns, &list->room, list->count + 1, sizeof(*list->columns));
        memmove(&list->columns[i + 2], &list->columns[i + 1],
                (list->count - i - 1) * sizeof(*list->columns));
        list->columns[++i] = share;
        list->count++;
    }
}

void column_list_choose(struct column_list *list, const struct screen *screen,
                        const struct metric_set *metric_set, const struct event_set *set,
                        const struct view_settings *settings)
{
    static char *bare[] = {"pid", "command"};
    static const struct screen nothing = {.events = "", .columns = {bare, 2, 2}};
    struct choice choice = {list, screen ? screen : &nothing, metric_set, set, settings};
    size_t hardware;
    column_set_clear(list);
    screen = choice.screen;
    /* Without thread ids, the rows of one process would look the same. */
    bool lacks_tid = settings->threads && !screen_has_column(screen, "tid");
    bool cpus = view_of_cpus(settings->kind);
    const char *naming = view_types[settings->kind].naming, *level;
    /* Columns that identify CPUs or their sums, and compare them. */
    for (size_t i = 0; cpus && (level = level_naming(settings->level, i)); i++)
        column_set_add(&choice, level);
    if (cpus)
        add_unasked(&choice, "heat");
    else if (lacks_tid && !screen_has_column(screen, "pid"))
        column_set_add(&choice, "tid");
    column_set_add(&choice, settings->source == SOURCE_LINES ? "line" : "address");
    static const char *const leading[] = {"processes",   "time",      "share", "samples",
                                          "blocked",     "preempted", "taken", "taken_share",
                                          "certain_pct", "taker"};
    for (size_t i = 0; i < sizeof(leading) / sizeof(*leading); i++)
        column_set_add(&choice, leading[i]);
    for (size_t i = 0; i < screen->columns.count; i++) {
        const char *name = screen->columns.items[i];
        bool of_cpu = cpus && settings->level != LEVEL_CPU && str_equal(name, "cpu");
        if (str_equal(name, naming) || of_cpu)
            continue;
        column_set_add(&choice, name);
        if (lacks_tid && str_equal(name, "pid"))
            column_set_add(&choice, "tid");
    }
    for (size_t e = 0; set && e < set->count; e++) {
        const char *event = set->events[e].name;
        bool used = screen_counts(screen, event);
        for (size_t i = 0; i < list->count && !used; i++)
            used = column_uses(&list->columns[i], event);
        if (!used)
            add_unasked(&choice, event);
    }
    if (set && event_set_turns(set, &hardware) > 1)
        add_unasked(&choice, "coverage_pct");
    /* CPUs have their trend only: it is the last column, which takes the rest. */
    size_t most = cpus ? 1 : sizeof(spares) / sizeof(*spares);
    for (size_t i = 0; settings->terminal && screen->builtin && i < most; i++)
        add_spare(&choice, &spares[i]);
    column_set_add(&choice, "object");
    if (naming && (settings->kind != VIEW_TASKS || screen_has_column(screen, naming)))
        column_set_add(&choice, naming);
    tell_apart(&choice);
    if (view_adds_up(settings->kind) && settings->amount == AMOUNT_TOTAL)
        add_shares(&choice);
}

int column_check_screen(const struct screen *screen, const struct metric_set *metric_set,
                        struct err *err)
{
    for (size_t i = 0; i < screen->columns.count; i++) {
        const char *name = screen->columns.items[i];
        struct column_name_scope scope = {.metric_set = metric_set};
        if (!column_is_fact(name) && !metric_set_find(metric_set, name) &&
            !screen_counts(screen, name)) {
            err_set(err,
                    "cannot show screen '%s': its column '%s' is no metric and none of its events",
                    screen->name, name);
            return err_add_nearest(err, str_nearest(name, column_name_at, &scope));
        }
    }
    return 0;
}

/* ---- names ---- */

const char *column_name_at(void *scope, size_t i)
{
    const struct column_name_scope *names = scope;
    const struct builtin_column *builtin = builtin_column_at(i);
    if (builtin)
        return builtin->name;
    i -= builtin_column_count();
    size_t metrics = names->metric_set ? names->metric_set->count : 0;
    if (i < metrics)
        return names->metric_set->metrics[i].name;
    i -= metrics;
    return names->events && i < names->events->count ? names->events->events[i].name : NULL;
}

/* The title of the i-th name; of an event its name. */
static const char *column_title_at(const struct column_name_scope *names, size_t i)
{
    const struct builtin_column *builtin = builtin_column_at(i);
    size_t metric = i - builtin_column_count();
    if (builtin)
        return builtin->title;
    return names->metric_set && metric < names->metric_set->count
               ? names->metric_set->metrics[metric].title
               : column_name_at((void *)names, i);
}

const char *column_name_exact(const struct column_name_scope *names, const char *word)
{
    const char *name;
    for (size_t i = 0; (name = column_name_at((void *)names, i)); i++)
        if (str_equal(name, word))
            return name;
    int event = names->events ? alias_find(names->events, word) : -1;
    return event >= 0 ? names->events->events[event].name : NULL;
}

const char *column_name_find(const struct column_name_scope *names, const char *word)
{
    if (strcasecmp(word, "cpu") == 0 && names->metric_set &&
        metric_set_find(names->metric_set, "cpu_pct"))
        return "cpu_pct";
    if (strcasecmp(word, "processor") == 0)
        return "cpu";
    if (strcasecmp(word, "comm") == 0) /* as in ps(1) and our own formats */
        return "command";
    const char *name = column_name_exact(names, word), *title;
    const struct column_list *columns = names->columns;
    for (size_t i = 0; columns && i < columns->count && !name; i++)
        if (strcasecmp(columns->columns[i].shown.title, word) == 0)
            name = columns->columns[i].shown.name;
    for (size_t i = 0; !name && (title = column_title_at(names, i)); i++)
        if (strcasecmp(title, word) == 0)
            name = column_name_at((void *)names, i);
    for (size_t i = 0; !name && (title = column_name_at((void *)names, i)); i++)
        if (strcasecmp(title, word) == 0)
            name = title;
    const struct metric *metric =
        name || !names->metric_set ? NULL : metric_set_named(names->metric_set, word);
    return metric ? metric->name : name;
}

bool column_name_entry(const struct column_name_scope *scope, size_t i, enum view_kind kind,
                       struct view_candidate *entry)
{
    const char *name = column_name_at((void *)scope, i);
    if (!name)
        return false;
    const struct event_set *set = scope->events;
    const struct builtin_column *builtin = builtin_column_at(i);
    const struct metric *metric =
        scope->metric_set && !builtin ? metric_set_find(scope->metric_set, name) : NULL;
    *entry = (struct view_candidate){
        .name = name,
        .title = column_title_at(scope, i),
        .fits = builtin  ? builtin_column_fits(builtin, kind)
                : metric ? column_fits_metric(metric, kind)
                         : true,
        .shown = scope->columns && column_list_find(scope->columns, name),
    };
    if (builtin) {
        entry->help = builtin->help;
    } else if (metric) {
        entry->help = metric->help;
        entry->expr = metric->text;
        size_t length = 0, size = sizeof(entry->needs);
        for (size_t e = 0; e < expr_event_count(metric->expr) && length < size; e++) {
            const char *event = expr_event(metric->expr, e);
            int at = set ? alias_find(set, event) : -1;
            if (at < 0 || set->events[at].state != EVENT_COUNTED)
                length += (size_t)snprintf(entry->needs + length, size - length, "%s%s",
                                           length ? ", " : "", event);
        }
    } else {
        const struct event_info *event = &set->events[alias_find(set, name)];
        entry->help = event->state == EVENT_COUNTED ? "an event that is counted" : event->reason;
    }
    return true;
}
