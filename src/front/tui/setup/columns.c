#include "base/mem.h"
#include "front/tui/pane/panes.h"
#include "front/tui/setup/setup.h"

#include <stdlib.h>
#include <string.h>

/* Adds a line for a column: "ipc  IPC: how many ...; = instructions / cycles". */
static void add_column(struct ui *ui, struct page *list, const struct view_candidate *column)
{
    bool wide = section_is_wide(ui), expr = wide && column->expr, help = wide && *column->help;
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

static void columns_fill(struct ui *ui, struct page *list)
{
    const struct screen *screen = view_screen(ui->view);
    page_title(list, "Columns of screen '%s'%s", screen ? screen->name : "",
               view_edited(ui->view) ? ", changed" : "");
    for (size_t i = 0; i < view_columns(ui->view); i++) {
        const struct view_column *column = view_column(ui->view, i);
        const struct metric *metric =
            ui->metric_set ? metric_set_find(ui->metric_set, column->name) : NULL;
        add_column(ui, list,
                   &(struct view_candidate){.name = column->name,
                                            .title = column->title,
                                            .expr = metric ? metric->text : NULL,
                                            .help = column->help,
                                            .needs = ""});
    }
}

/* The index of the column under the cursor: line 0 is the title. */
static size_t columns_at(struct ui *ui)
{
    size_t cursor = pane_list(ui)->cursor;
    return cursor > 0 ? cursor - 1 : 0;
}

static void columns_moved(struct ui *ui)
{
    setup_of(ui)->column = columns_at(ui);
}

static void columns_close(struct ui *ui)
{
    setup_of(ui)->column = SIZE_MAX;
}

/* Call after a change, which may have failed. The cursor stays on the column. */
static void columns_changed(struct ui *ui, int result, const struct err *err)
{
    char *name = mem_strdup(section_chosen(ui));
    ui_say_failure(ui, result, err);
    setup_events_prune(ui);
    section_point_column(ui, name);
    free(name);
}

static void columns_remove(struct ui *ui)
{
    struct err err;
    columns_changed(ui, view_remove_column(ui->view, columns_at(ui), &err), &err);
}

static void columns_move(struct ui *ui)
{
    struct err err;
    int result = view_move_column(ui->view, columns_at(ui), ui->command->how, &err);
    columns_changed(ui, result, &err);
}

static void columns_resize(struct ui *ui)
{
    struct err err;
    int by = ui->command->how;
    int width = by == 0 ? 0 : view_column(ui->view, columns_at(ui))->width + by;
    columns_changed(ui, view_resize_column(ui->view, columns_at(ui), width, &err), &err);
}

static void columns_undo(struct ui *ui)
{
    metric_undo(ui);
    view_undo_edits(ui->view);
    columns_changed(ui, 0, NULL);
    ui_say(ui, ROLE_VALUE, "undid all changes of columns and metrics");
}

static bool has_words(const struct view_candidate *candidate, const char *typed)
{
    char *text = mem_printf("%s %s %s", candidate->name, candidate->title, candidate->help);
    char *words = mem_strdup(typed), *rest = NULL;
    bool found = true;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        found &= strcasestr(text, word) != NULL;
    free(text);
    free(words);
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

static void add_open(struct ui *ui)
{
    prompt_set(&ui->words, NULL);
    pane_open(ui, &pane_setup_add);
}

/* Behind the column that the cursor was on. */
static void add_chosen(struct ui *ui)
{
    struct err err;
    char *name = mem_strdup(section_chosen(ui));
    if (!name)
        return;
    struct view_candidate candidate;
    bool counts = false; /* it needs events that are not counted yet */
    for (size_t i = 0; view_candidate(ui->view, i, &candidate); i++)
        counts |= str_equal(candidate.name, name) && *candidate.needs;
    int result = counts ? host_count_metric(ui->host, name, &err) : 0;
    if (result == 0)
        result = view_add_column(ui->view, name, setup_of(ui)->column + 1, &err);
    if (ui_say_failure(ui, result, &err) == 0) {
        setup_events_note(ui, name);
        pane_close(ui);
        setup_events_prune(ui);
        section_point_column(ui, name);
    }
    if (counts)
        host_refresh(ui->host);
    free(name);
}

static const struct key_command columns_commands[] = {
    {"edit-metric", "Enter e", "edit", 50, "edit the expression of a metric", .run = metric_edit},
    {"add-column", "a Insert", "add", 80, "add a column after this one", .run = add_open},
    {"remove-column", "x Delete", "remove", 75, "remove this column", .run = columns_remove},
    {"column-left", "< [ F7", "left", 70, "move this column to the left or right",
     .run = columns_move, .how = -1},
    {"column-right", "> ] F8", "right", 70, NULL, .run = columns_move, .how = 1},
    {"column-wider", "+", NULL, 0, "make this column wider, narrower, or as wide as usual",
     .run = columns_resize, .how = 1},
    {"column-narrower", "-", NULL, 0, NULL, .run = columns_resize, .how = -1},
    {"column-usual", "=", NULL, 0, NULL, .run = columns_resize, .how = 0},
    {"new-metric", "n", "new", 45, "make a metric: its name, unit and expression",
     .run = metric_new},
    {"undo", "u", "undo", 5, "undo all changes of columns and metrics", .run = columns_undo},
    {"save", "W", "save", 55, "save these columns and events as a screen", .run = dialog_ask,
     .dialog = &prompt_save},
    {"back", "Esc F2 Left h q", "back", 90, "back to the sections", .run = pane_close,
     .hides = "left"},
    {0},
};

static const struct key_command add_commands[] = {
    {"add-column", "Enter", "add", 80, "add the column under the cursor", .run = add_chosen},
    {"back", "Esc F2", "cancel", 90, "back to the columns, and add none", .run = pane_close},
    {0},
};

const struct pane pane_setup_columns = {
    .name = "setup-columns",
    .title = "In the setup of columns",
    .commands = columns_commands,
    .fill = columns_fill,
    .moved = columns_moved,
    .draw = section_draw,
    .press = section_press,
    .close = columns_close,
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
