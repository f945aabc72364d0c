#include "front/tui/setup_columns.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"
#include "front/tui/setup_metric.h"

#include <stdlib.h>
#include <string.h>

/* "IPC = instructions / cycles; how many ..." */
static char *setup_columns_describe(const struct ui *ui, const char *title, const char *expr,
                                    const char *help)
{
    struct str text;
    str_init(&text);
    str_add(&text, title);
    if (!setup_is_wide(ui))
        return str_detach(&text);
    if (expr)
        str_printf(&text, " = %s", expr);
    if (*help)
        str_printf(&text, "; %s", help);
    return str_detach(&text);
}

/* --- The columns on show --- */

static const char *expression(const struct ui *ui, const char *name)
{
    const struct metric *metric = ui->metric_set ? metric_set_find(ui->metric_set, name) : NULL;
    return metric ? metric->text : NULL;
}

void setup_columns_fill(struct ui *ui)
{
    struct page *list = &ui->setup->list;
    const struct screen *screen = view_screen(ui->view);
    char *title = mem_printf("Columns of screen '%s'%s", screen ? screen->name : "",
                             view_edited(ui->view) ? ", changed" : "");
    page_title(list, title);
    free(title);
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        char *text =
            setup_columns_describe(ui, column->title, expression(ui, column->name), column->help);
        page_add(list, ROLE_KEY, column->name, text);
        free(text);
    }
}

/* The number of the column under the cursor: line 0 is the title. */
static size_t setup_columns_at(const struct ui *ui)
{
    size_t cursor = ui->setup->list.cursor;
    return cursor > 0 ? cursor - 1 : 0;
}

static void setup_columns_step(struct ui *ui, enum step step)
{
    setup_step(ui, step);
    ui->setup->column = setup_columns_at(ui);
}

void setup_columns_show(struct ui *ui, const char *name)
{
    setup_events_prune(ui);
    table_follow(&ui->table, ui->view);
    setup_point(ui, name);
    ui->setup->column = setup_columns_at(ui);
}

/* What a call said; the cursor stays on the column. */
static void setup_columns_tell(struct ui *ui, int result, const struct err *err)
{
    char *name = mem_strdup(setup_chosen(ui));
    if (result < 0)
        ui_say(ui, ROLE_ERROR, "%s", err->text);
    setup_columns_show(ui, name);
    free(name);
}

static void take_away(struct ui *ui)
{
    struct err err;
    setup_columns_tell(ui, view_remove_column(ui->view, setup_columns_at(ui), &err), &err);
}

static void setup_columns_move(struct ui *ui, int step)
{
    struct err err;
    setup_columns_tell(ui, view_move_column(ui->view, setup_columns_at(ui), step, &err), &err);
}

static void move_left(struct ui *ui)
{
    setup_columns_move(ui, -1);
}

static void move_right(struct ui *ui)
{
    setup_columns_move(ui, 1);
}

static void resize(struct ui *ui, int by)
{
    struct err err;
    int width = by == 0 ? 0 : view_column(ui->view, setup_columns_at(ui))->width + by;
    setup_columns_tell(ui, view_resize_column(ui->view, setup_columns_at(ui), width, &err), &err);
}

static void widen(struct ui *ui)
{
    resize(ui, 1);
}

static void narrow(struct ui *ui)
{
    resize(ui, -1);
}

static void reset_width(struct ui *ui)
{
    resize(ui, 0);
}

static void undo(struct ui *ui)
{
    setup_metric_undo(ui);
    view_undo_edits(ui->view);
    setup_columns_tell(ui, 0, NULL);
    ui_say(ui, ROLE_VALUE, "columns and metrics are as they were");
}

/* --- Those that may be added --- */

static bool has_words(const struct view_candidate *candidate, const char *words)
{
    char *text = mem_printf("%s %s %s", candidate->name, candidate->title, candidate->help);
    char *list = mem_strdup(words), *rest = NULL;
    bool found = true;
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        found &= strcasestr(text, word) != NULL;
    free(list);
    free(text);
    return found;
}

static void add_candidate(struct ui *ui, const struct view_candidate *candidate)
{
    char *text = setup_columns_describe(ui, candidate->title, candidate->expr, candidate->help);
    char *more =
        *candidate->needs ? mem_printf("%s; would count %s, too", text, candidate->needs) : NULL;
    page_add(&ui->setup->list, ROLE_KEY, candidate->name, more && setup_is_wide(ui) ? more : text);
    free(more);
    free(text);
}

static void fill_candidates(struct ui *ui)
{
    struct view_candidate candidate;
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        if (candidate.fits && !candidate.shown && has_words(&candidate, ui->setup->words.text.text))
            add_candidate(ui, &candidate);
    if (ui->setup->list.count == 0)
        page_add(&ui->setup->list, ROLE_DIM, "", "no other column has all these words");
}

static void open_add(struct ui *ui)
{
    ui->setup->adding = true;
    prompt_set(&ui->setup->words, NULL);
    pane_open(ui, &pane_setup_add);
    setup_list(ui, fill_candidates);
}

static void close_add(struct ui *ui)
{
    ui->setup->adding = false;
    setup_list(ui, setup_columns_fill);
    ui->setup->list.cursor = ui->setup->column + 1;
}

static void setup_columns_type(struct ui *ui, int key)
{
    if (prompt_key(&ui->setup->words, key) == PROMPT_EDITED)
        setup_list(ui, fill_candidates);
}

static bool needs_events(const struct ui *ui, const char *name)
{
    struct view_candidate candidate;
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        if (str_equal(candidate.name, name))
            return *candidate.needs;
    return false;
}

/* Behind the column that the cursor was on. */
static void setup_columns_add(struct ui *ui)
{
    struct err err;
    char *name = mem_strdup(setup_chosen(ui));
    bool counts = name && needs_events(ui, name);
    int result = counts ? host_count_metric(ui->host, name, &err) : 0;
    if (name && result == 0)
        result = view_add_column(ui->view, name, ui->setup->column + 1, &err);
    if (result < 0) {
        ui_say(ui, ROLE_ERROR, "%s", err.text);
    } else if (name) {
        setup_events_note(ui, name);
        pane_close(ui);
        setup_columns_show(ui, name);
    }
    if (counts)
        host_refresh(ui->host);
    free(name);
}

/* --- The panes --- */

static const struct command columns_commands[] = {
    {"edit-metric", "Enter e", "edit", 50, "edit the expression of a metric", setup_metric_edit},
    {"add-column", "a Insert", "add", 80, "add a column behind the one under the cursor", open_add},
    {"remove-column", "x Delete", "remove", 75, "remove it", take_away},
    {"column-left", "< [ F7", "left", 70, "move it to the left or right", move_left},
    {"column-right", "> ] F8", "right", 70, NULL, move_right},
    {"column-wider", "+", NULL, 0, "make it wider, narrower, or as wide as usual", widen},
    {"column-narrower", "-", NULL, 0, NULL, narrow},
    {"column-usual", "=", NULL, 0, NULL, reset_width},
    {"new-metric", "n", "new", 45, "make a metric of a name, a unit and an expression",
     setup_metric_new},
    {"undo", "u", "undo", 5, "take back all that was done to columns and metrics", undo},
    {"save", "W", "save", 55, "write these columns and events as a screen of yours", dialog_save},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", pane_close},
    {0},
};

static const struct command add_commands[] = {
    {"add-column", "Enter", "add", 80, "add the column under the cursor", setup_columns_add},
    {"back", "Esc F2", "cancel", 90, "back to the columns, and add none", pane_close},
    {0},
};

const struct pane pane_setup_columns = {
    .name = "setup-columns",
    .title = "In the setup of columns",
    .commands = columns_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = setup_columns_step,
    .press = setup_press,
    .close = setup_close,
};

const struct pane pane_setup_add = {
    .name = "setup-add",
    .title = "Where a column is added",
    .commands = add_commands,
    .cover = COVER_TABLE,
    .types = true,
    .draw = setup_draw,
    .step = setup_step,
    .key = setup_columns_type,
    .press = setup_press,
    .close = close_add,
};
