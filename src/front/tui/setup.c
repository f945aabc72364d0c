#include "front/tui/setup.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/tui/command.h"
#include "front/tui/entry.h"
#include "front/tui/setup_columns.h"
#include "front/tui/setup_display.h"
#include "front/tui/setup_metric.h"
#include "front/tui/setup_save.h"
#include "front/tui/setup_screens.h"
#include "front/tui/setup_themes.h"

#include <stdlib.h>
#include <string.h>

enum { SECTIONS_WIDTH = 8, GAP = 2, ENOUGH_FOR_TABLE = 13, WIDE = 70 };

static const struct section {
    const char *title;
    const struct pane *pane;
    void (*fill)(struct ui *ui);
} sections[] = {
    {"Columns", &pane_setup_columns, setup_columns_fill},
    {"Screens", &pane_setup_screens, setup_screens_fill},
    {"Themes", &pane_setup_themes, setup_themes_fill},
    {"Display", &pane_setup_display, setup_display_fill},
    {"Save", &pane_setup_save, setup_save_fill},
};

enum { SECTIONS = sizeof(sections) / sizeof(sections[0]) };

/* --- The lines --- */

void setup_list(struct ui *ui, void (*fill)(struct ui *ui))
{
    struct page *list = &ui->setup->list;
    ui->setup->fill = fill;
    page_clear(list, ui->setup->inside);
    fill(ui);
    page_step(list, STEP_HOME);
}

void setup_point(struct ui *ui, const char *name)
{
    struct page *list = &ui->setup->list;
    page_refill(list, ui->setup->fill, ui);
    for (size_t i = 0; i < list->count; i++)
        if (list->lines[i].role != ROLE_HEADING && str_equal(list->lines[i].name, name))
            list->cursor = i;
}

const char *setup_chosen(const struct ui *ui)
{
    const struct page *list = &ui->setup->list;
    const struct page_line *line = list->cursor < list->count ? &list->lines[list->cursor] : NULL;
    return line && line->role != ROLE_HEADING && *line->name ? line->name : NULL;
}

bool setup_is_wide(const struct ui *ui)
{
    return term_width(ui->term) >= WIDE;
}

/* --- Sections --- */

static void show_section(struct ui *ui, size_t section)
{
    ui->setup->section = section;
    setup_list(ui, sections[section].fill);
}

void setup_open(struct ui *ui)
{
    ui->setup = mem_alloc(sizeof(*ui->setup));
    *ui->setup = (struct setup_state){.column = SIZE_MAX};
    page_init(&ui->setup->list);
    ui->setup->list.brief = true;
    prompt_init(&ui->setup->words);
    theme_list_make(&ui->setup->themes);
    pane_open(ui, &pane_setup);
    show_section(ui, 0);
}

static void setup_let_go(struct ui *ui)
{
    struct setup_state *setup = ui->setup;
    page_release(&setup->list);
    prompt_release(&setup->words);
    theme_list_release(&setup->themes);
    setup_screens_forget(ui);
    setup_metric_forget(ui);
    free(setup->written);
    free(setup);
    ui->setup = NULL;
}

static void setup_enter(struct ui *ui)
{
    const struct section *section = &sections[ui->setup->section];
    ui->setup->inside = true;
    pane_open(ui, section->pane);
    setup_list(ui, section->fill);
    if (section->pane->step)
        section->pane->step(ui, STEP_LEFT); /* moves nothing, but tells it where the cursor is */
}

void setup_close(struct ui *ui)
{
    ui->setup->inside = false;
    ui->setup->column = SIZE_MAX;
    setup_list(ui, sections[ui->setup->section].fill);
}

static void step_sections(struct ui *ui, enum step step)
{
    show_section(ui, pane_moved(step, ui->setup->section, SECTIONS, SECTIONS));
}

void setup_step(struct ui *ui, enum step step)
{
    page_step(&ui->setup->list, step);
}

/* A section at the left is shown, whatever is open over the sections. */
static void press_section(struct ui *ui, int line)
{
    if (line < 0 || line >= SECTIONS)
        return;
    while (pane_now(ui) != &pane_setup)
        pane_close(ui);
    show_section(ui, (size_t)line);
}

void setup_press(struct ui *ui, int line, bool twice)
{
    struct setup_state *setup = ui->setup;
    int y = line - setup->above;
    if (term_mouse(ui->term).x < setup->left) {
        press_section(ui, y);
        return;
    }
    if (!setup->inside)
        setup_enter(ui);
    y -= setup->adding;
    if (y < 0 || !page_point(&setup->list, y))
        return;
    pane_now(ui)->step(ui, STEP_LEFT);
    if (twice)
        pane_now(ui)->commands->run(ui);
}

/* --- Drawing --- */

static void draw_sections(struct ui *ui, const struct band *band)
{
    const struct setup_state *setup = ui->setup;
    int first = (int)setup->section < band->height ? 0 : (int)setup->section + 1 - band->height;
    for (int i = first; i < SECTIONS && i - first < band->height; i++) {
        bool shown = (size_t)i == setup->section;
        enum role role = !shown ? ROLE_TEXT : setup->inside ? ROLE_VALUE : ROLE_SELECTED;
        char text[SECTIONS_WIDTH + 2] = {shown ? '>' : ' '};
        strcpy(text + 1, sections[i].title);
        term_field(ui->term, band->y + i - first, 0, SECTIONS_WIDTH, role, text);
    }
}

/* Some of the table, scrolled so that the column which is being edited is in sight. */
static void draw_table(struct ui *ui, const struct band *band, int width)
{
    struct table *table = &ui->table;
    struct band titles = {band->y, 1}, rows = {band->y + 1, band->height - 1};
    size_t column = ui->setup->column;
    bool sought = column < view_columns(ui->view);
    table->left = sought ? 0 : table->left;
    table_place(table, ui->view, width, rows.height);
    while (sought && !table_shows_column(table, column) && table->left < column) {
        table->left++;
        table_place(table, ui->view, width, rows.height);
    }
    table_draw_titles(table, ui->view, ui->term, &titles, width);
    ui_draw_table(ui, &rows, width);
}

void setup_draw(struct ui *ui, const struct band *band, int width)
{
    struct setup_state *setup = ui->setup;
    int x = SECTIONS_WIDTH + GAP;
    struct band above = {band->y, band->height < ENOUGH_FOR_TABLE ? 0 : band->height / 3};
    struct band below = {band->y + above.height, band->height - above.height};
    page_refill(&setup->list, setup->fill, ui);
    if (above.height > 0)
        draw_table(ui, &above, width);
    setup->above = above.height;
    setup->left = x;
    draw_sections(ui, &below);
    if (setup->adding && below.height > 0) {
        struct entry entry = {"Add: ", "words of name, title or help", &setup->words};
        entry_draw(&entry, ui->term, (struct cpu_events){below.y, x, width - x}, true);
        below.y++;
        below.height--;
    }
    page_draw(&setup->list, ui->term, &below, x, width - x);
}

static const struct command setup_commands[] = {
    {"open", "Enter Right l", "open", 80, "go to the lines of the section", setup_enter},
    {"back", "Esc F2 q", "close", 90, "close", pane_close},
    {0},
};

const struct pane pane_setup = {
    .name = "setup",
    .title = "In the setup",
    .commands = setup_commands,
    .cover = COVER_TABLE,
    .draw = setup_draw,
    .step = step_sections,
    .press = setup_press,
    .close = setup_let_go,
};
