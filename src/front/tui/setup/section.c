#include "front/tui/setup/section.h"
#include "base/str.h"
#include "front/tui/pane/rows.h"
#include "front/tui/setup/events.h"
#include "front/tui/state/meters.h"

#include <string.h>

enum { TITLES_WIDTH = 8, GAP = 2, ENOUGH_FOR_TABLE = 13, WIDE = 70 };

/* --- The lines --- */

void section_list(struct ui *ui, void (*fill)(struct ui *ui))
{
    struct page *list = &ui->setup->list;
    ui->setup->fill = fill;
    page_clear(list, ui->setup->inside);
    fill(ui);
    page_step(list, STEP_HOME);
}

void section_point(struct ui *ui, const char *name)
{
    struct page *list = &ui->setup->list;
    page_refill(list, ui->setup->fill, ui);
    for (size_t i = 0; i < list->count; i++)
        if (list->lines[i].role != ROLE_HEADING && str_equal(list->lines[i].name, name))
            list->cursor = i;
}

void section_point_column(struct ui *ui, const char *name)
{
    setup_events_prune(ui);
    table_follow(&ui->table, ui->view);
    section_point(ui, name);
    ui->setup->column = ui->setup->list.cursor > 0 ? ui->setup->list.cursor - 1 : 0;
}

const char *section_chosen(const struct ui *ui)
{
    const struct page *list = &ui->setup->list;
    const struct page_line *line = list->cursor < list->count ? &list->lines[list->cursor] : NULL;
    return line && line->role != ROLE_HEADING && *line->name ? line->name : NULL;
}

struct front_look section_look(const struct ui *ui)
{
    return (struct front_look){
        .bars = ui->meters->bars, .theme = ui->theme, .ascii = ui->ascii, .amount = ui->usual};
}

bool section_is_wide(const struct ui *ui)
{
    return term_width(ui->term) >= WIDE;
}

void section_step(struct ui *ui, enum step step)
{
    page_step(&ui->setup->list, step);
}

/* --- Titles and lines --- */

void section_show(struct ui *ui, size_t section)
{
    ui->setup->section = section;
    section_list(ui, ui->setup->sections[section].fill);
}

void section_enter(struct ui *ui)
{
    const struct section *section = &ui->setup->sections[ui->setup->section];
    ui->setup->inside = true;
    pane_open(ui, section->pane);
    section_list(ui, section->fill);
    section->pane->step(ui, STEP_LEFT); /* moves nothing, but shows it where the cursor is */
}

void section_close(struct ui *ui)
{
    ui->setup->inside = false;
    ui->setup->column = SIZE_MAX;
    section_show(ui, ui->setup->section);
}

void section_press(struct ui *ui, int line, bool twice)
{
    struct setup *setup = ui->setup;
    int y = line - setup->above;
    if (term_mouse(ui->term).x < setup->left) {
        if (y < 0 || (size_t)y >= setup->count)
            return;
        while (pane_now(ui) != setup->pane)
            pane_close(ui);
        section_show(ui, (size_t)y);
        return;
    }
    if (!setup->inside)
        section_enter(ui);
    y -= setup->adding;
    if (y < 0 || !page_point(&setup->list, y))
        return;
    pane_now(ui)->step(ui, STEP_LEFT);
    if (twice)
        pane_run(ui, pane_now(ui)->commands);
}

/* --- Drawing --- */

static void draw_sections(struct ui *ui, const struct band *band)
{
    const struct setup *setup = ui->setup;
    size_t height = band->height > 0 ? (size_t)band->height : 0;
    size_t first = setup->section < height ? 0 : setup->section + 1 - height;
    for (size_t i = first; i < setup->count && i - first < height; i++) {
        bool shown = i == setup->section;
        enum role role = !shown ? ROLE_TEXT : setup->inside ? ROLE_VALUE : ROLE_SELECTED;
        char text[TITLES_WIDTH + 2] = {shown ? '>' : ' '};
        strcpy(text + 1, setup->sections[i].title);
        term_field(ui->term, band->y + (int)(i - first), 0, TITLES_WIDTH, role, text);
    }
}

/* Some of the table, scrolled so that the column which is being edited is visible. */
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
    rows_draw(ui, &rows, width);
}

void section_draw(struct ui *ui, const struct band *band, int width)
{
    struct setup *setup = ui->setup;
    int x = TITLES_WIDTH + GAP;
    struct band above = {band->y, band->height < ENOUGH_FOR_TABLE ? 0 : band->height / 3};
    struct band below = {band->y + above.height, band->height - above.height};
    page_refill(&setup->list, setup->fill, ui);
    if (above.height > 0)
        draw_table(ui, &above, width);
    setup->above = above.height;
    setup->left = x;
    draw_sections(ui, &below);
    if (setup->adding && below.height > 0) {
        prompt_draw(&setup->words, ui->term, (struct box){below.y, x, width - x},
                    "Add: ", "words of name, title or help", true);
        below.y++;
        below.height--;
    }
    page_draw(&setup->list, ui->term, &below, x, width - x);
}
