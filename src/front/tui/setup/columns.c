#include "front/tui/setup/setup.h"

enum { WIDE = 70 }; /* from that width on more than names and titles fit */

/* Call after columns changed: writes the lines again and moves the cursor to that column. */
static void point_column(struct ui *ui, const char *name)
{
    struct page *list = pane_list(ui);
    table_follow(&ui->table, ui->view);
    pane_refill(ui);
    for (size_t i = 0; i < list->count; i++)
        if (!list->lines[i].title && str_equal(list->lines[i].name, name))
            list->cursor = i;
}

/* --- Metrics, and the events that they need --- */

/* Events counted only for a metric added here, until no column needs them. */
static UI_OWN(struct names, events_of, .end = own_names_end);

/* After the program added a metric's events: remembers those that the frame does not have yet.
 */
static void events_note(struct ui *ui, const char *name)
{
    const struct metric *metric = metric_set_find(ui->metric_set, name);
    struct names *events = events_of(ui);
    for (size_t i = 0; metric && ui->frame && i < expr_event_count(metric->expr); i++) {
        const char *event = expr_event(metric->expr, i);
        if (event_set_find(ui->frame->events, event) < 0 && !names_has(events, event))
            names_add(events, event);
    }
}

static void events_prune(struct ui *ui)
{
    struct names *events = events_of(ui);
    size_t before = events->count;
    for (size_t i = before; i-- > 0;) {
        const char *event = events->items[i];
        bool needed = false;
        for (size_t c = 0; c < view_columns(ui->view); c++) {
            const struct metric *metric =
                metric_set_find(ui->metric_set, view_column(ui->view, c)->name);
            for (size_t e = 0; metric && e < expr_event_count(metric->expr); e++)
                needed |= str_equal(expr_event(metric->expr, e), event);
        }
        if (needed)
            continue;
        host_remove_event(ui->host, event, NULL);
        names_remove(events, i);
    }
    if (events->count < before)
        host_refresh(ui->host);
}

void metric_forget(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    free(metric->name);
    free(metric->unit);
    free(metric->before);
    *metric = (struct metric_draft){0};
}

static int set_draft(struct ui *ui, const char *expr, struct err *err)
{
    const struct metric_draft *metric = &setup_of(ui)->metric;
    return host_set_metric(ui->host, metric->name, expr, metric->unit, err);
}

/* --- The expression --- */

/* Restores the expression from before the edit. */
static void restore(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    if (!metric->tried)
        return;
    if (metric->own)
        set_draft(ui, metric->before, NULL);
    else
        host_remove_metric(ui->host, metric->name, NULL);
    metric->tried = false;
    table_follow(&ui->table, ui->view);
}

/* While an expression is typed, the metric follows it if it can be computed. */
static void expr_change(struct ui *ui, const char *text)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    struct err err;
    if (metric_set_check(ui->metric_set, metric->name, text, metric->unit, &err) == 0) {
        /* The table can show it while it is typed if all its events are counted. */
        struct expr *expr = metric->before && ui->frame ? expr_parse(text, NULL) : NULL;
        if (expr && metric_applies(&(const struct metric){.expr = expr}, ui->frame->events))
            metric->tried |= set_draft(ui, text, NULL) == 0;
        expr_free(expr);
    } else if (*text && err.text[0] && err.text[strlen(err.text) - 1] != '^') {
        /* A mistake at the end of the text may only be an incomplete expression. */
        restore(ui);
        ui_say(ui, ROLE_NOTICE, "%s", err.text);
    }
}

static int expr_enter(struct ui *ui, const char *text, struct err *err)
{
    if (set_draft(ui, text, err) < 0) {
        restore(ui);
        return -1;
    }
    events_note(ui, setup_of(ui)->metric.name);
    events_prune(ui);
    point_column(ui, setup_of(ui)->metric.name);
    ui_say(ui, ROLE_VALUE, "%s = %s", setup_of(ui)->metric.name, text);
    host_refresh(ui->host); /* its events may have been added */
    return 0;
}

static void ask_expr(struct ui *ui)
{
    struct metric_draft *metric = &setup_of(ui)->metric;
    metric->dialog = (struct dialog){
        .label = metric->name,
        .hint = "events, interval, oncpu: 100 * cache-misses / cache-references",
        .enter = "set",
        .takes_empty = true,
        .change = expr_change,
        .enter_text = expr_enter,
        .cancel = restore,
    };
    dialog_open(ui, &metric->dialog, metric->before);
}

static void metric_edit(struct ui *ui)
{
    const char *name = section_chosen(ui);
    const struct metric *found = name ? metric_set_find(ui->metric_set, name) : NULL;
    if (!found) {
        ui_say(ui, ROLE_NOTICE, "'%s' is no metric: only metrics have an expression to edit", name);
        return;
    }
    metric_forget(ui);
    setup_of(ui)->metric.name = mem_strdup(name);
    setup_of(ui)->metric.before = mem_strdup(found->text);
    setup_of(ui)->metric.own = found->own;
    ask_expr(ui);
}

/* --- A new metric --- */

static int unit_enter(struct ui *ui, const char *text, struct err *err)
{
    struct unit unit;
    if (unit_parse(&unit, text, err) < 0)
        return -1;
    mem_replace(&setup_of(ui)->metric.unit, mem_strdup(text));
    ask_expr(ui);
    return 0;
}

static const struct dialog unit_dialog = {
    .label = "Unit",
    .hint = "percent, ratio, s, B/s, 1/s ...; empty: a count",
    .enter = "go on",
    .takes_empty = true,
    .enter_text = unit_enter,
};

static int name_enter(struct ui *ui, const char *text, struct err *err)
{
    struct view_candidate candidate;
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        if (str_equal(candidate.name, text))
            return err_set(err, "there is a column '%s': choose another name", text);
    if (metric_set_check(ui->metric_set, text, "1", NULL, err) < 0)
        return -1;
    metric_forget(ui);
    setup_of(ui)->metric.name = mem_strdup(text);
    dialog_open(ui, &unit_dialog, NULL);
    return 0;
}

static const struct dialog name_dialog = {
    .label = "New metric",
    .hint = "its name: letters, digits, _ - .",
    .enter = "go on",
    .enter_text = name_enter,
};

static void metric_new(struct ui *ui)
{
    dialog_open(ui, &name_dialog, NULL);
}

/* Removes all metrics made or edited here. */
static void metric_undo(struct ui *ui)
{
    const struct metric_set *set = ui->metric_set;
    for (size_t i = 0; i < set->count;) {
        AUTO_FREE char *name = set->metrics[i].own ? mem_strdup(set->metrics[i].name) : NULL;
        if (!name || host_remove_metric(ui->host, name, NULL) < 0)
            i++;
    }
}

/* --- Columns --- */

/* Adds a line for a column: "ipc  IPC: how many ...; = instructions / cycles". */
static void add_column(struct ui *ui, struct page *list, const struct view_candidate *column)
{
    bool wide = term_width(ui->term) >= WIDE, expr = wide && column->expr;
    bool help = wide && *column->help;
    const char *obstacle = *column->needs ? host_events_obstacle(ui->host, column->needs) : NULL;
    if (obstacle) {
        page_add(list, ROLE_DIM, column->name, "%s: not here: %s", column->title, obstacle);
        return;
    }
    bool needs = wide && *column->needs;
    page_add(list, ROLE_KEY, column->name, "%s%s%s%s%s%s%s%s", column->title, help ? ": " : "",
             help ? column->help : "", needs ? "; would count " : "", needs ? column->needs : "",
             needs ? ", too" : "", expr ? "; = " : "", expr ? column->expr : "");
}

void columns_fill(struct ui *ui, struct page *list)
{
    const struct screen *screen = view_screen(ui->view);
    page_title(list, "Columns of screen '%s'%s", screen ? screen->name : "",
               screen && screen->original ? ", changed" : "");
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        const struct metric *metric = metric_set_find(ui->metric_set, column->name);
        add_column(ui, list,
                   &(struct view_candidate){.name = column->name,
                                            .title = column->title,
                                            .expr = metric ? metric->text : NULL,
                                            .help = column->help,
                                            .needs = ""});
    }
}

size_t columns_at(const struct ui *ui)
{
    size_t i = 0;
    while (i < ui->depth && ui->panes[i] != &pane_setup_columns)
        i++;
    return i == ui->depth ? SIZE_MAX : ui->lists[i].cursor - (ui->lists[i].cursor > 0);
}

/* Call after a change, which may have failed. The cursor stays on the column. */
static void columns_changed(struct ui *ui, int result)
{
    AUTO_FREE char *name = mem_strdup(section_chosen(ui));
    ui_done(ui, result);
    events_prune(ui);
    point_column(ui, name);
}

static void columns_remove(struct ui *ui)
{
    columns_changed(ui, view_remove_column(ui->view, columns_at(ui), &ui->failure));
}

static void columns_move(struct ui *ui)
{
    columns_changed(ui, view_move_column(ui->view, columns_at(ui), ui->command->how, &ui->failure));
}

static void columns_resize(struct ui *ui)
{
    int by = ui->command->how;
    int width = by == 0 ? 0 : view_column(ui->view, columns_at(ui))->width + by;
    columns_changed(ui, view_resize_column(ui->view, columns_at(ui), width, &ui->failure));
}

static void columns_undo(struct ui *ui)
{
    metric_undo(ui);
    view_undo_edits(ui->view);
    columns_changed(ui, 0);
    ui_say(ui, ROLE_VALUE, "undid all changes of columns and metrics");
}

static bool has_words(const struct view_candidate *candidate, const char *typed)
{
    AUTO_FREE char *text =
        mem_printf("%s %s %s", candidate->name, candidate->title, candidate->help);
    AUTO_FREE char *words = mem_strdup(typed);
    char *rest = NULL;
    bool found = true;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        found &= strcasestr(text, word) != NULL;
    return found;
}

/* What can be counted here comes first. */
static void add_fill(struct ui *ui, struct page *list)
{
    struct view_candidate candidate;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
            if (candidate.fits && !candidate.shown && has_words(&candidate, ui->words.text.text) &&
                (host_events_obstacle(ui->host, candidate.needs) != NULL) == (pass > 0))
                add_column(ui, list, &candidate);
    if (list->count == 0)
        page_add(list, ROLE_DIM, "", "no other column has all these words");
}

/* Behind the column that the cursor was on. */
static void add_chosen(struct ui *ui)
{
    AUTO_FREE char *name = mem_strdup(section_chosen(ui));
    if (!name)
        return;
    struct view_candidate candidate;
    bool counts = false; /* it needs events that are not counted yet */
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        counts |= str_equal(candidate.name, name) && *candidate.needs;
    int result = counts ? host_count_metric(ui->host, name, &ui->failure) : 0;
    if (result == 0)
        result = view_add_column(ui->view, name, columns_at(ui) + 1, &ui->failure);
    if (ui_done(ui, result)) {
        events_note(ui, name);
        pane_close(ui);
        events_prune(ui);
        point_column(ui, name);
    }
    if (counts)
        host_refresh(ui->host);
}

static const struct key_command columns_commands[] = {
    {"edit-metric", "Enter e", "edit", 50, .run = metric_edit},
    {"add-column", "a Insert", "add", 80, .run = pane_show, .pane = &pane_setup_add},
    {"remove-column", "x Delete", "remove", 75, .run = columns_remove},
    {"column-left", "< [ F7", "left", 70, .run = columns_move, .how = -1},
    {"column-right", "> ] F8", "right", 70, .run = columns_move, .how = 1},
    {"column-wider", "+", NULL, 0, .run = columns_resize, .how = 1},
    {"column-narrower", "-", NULL, 0, .run = columns_resize, .how = -1},
    {"column-usual", "=", NULL, 0, .run = columns_resize, .how = 0},
    {"new-metric", "n", "new", 45, .run = metric_new},
    {"undo", "u", "undo", 5, .run = columns_undo},
    {"save", "W", "save", 55, .run = dialog_ask, .dialog = &prompt_save},
    {"back", "Esc F2 Left h q", "back", 90, .run = pane_close, .hides = "left"},
    {0},
};

static const struct key_command add_commands[] = {
    {"add-column", "Enter", "add", 80, .run = add_chosen},
    {"back", "Esc F2", "cancel", 90, .run = pane_close},
    {0},
};

const struct pane pane_setup_columns = {
    .name = "setup-columns",
    .title = "In the setup of columns",
    .commands = columns_commands,
    .fill = columns_fill,
    .draw = section_draw,
    .press = section_press,
};

const struct pane pane_setup_add = {
    .name = "setup-add",
    .title = "Where a column is added",
    .commands = add_commands,
    .types = true,
    .fill = add_fill,
    .draw = section_draw,
    .key = pane_type,
    .press = section_press,
};
