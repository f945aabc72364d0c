#include "front/tui/setup/section.h"
#include "front/tui/pane/rows.h"
#include "front/tui/state/frames.h"
#include "front/tui/state/meters.h"

#include <string.h>

enum { TITLES_WIDTH = 8, GAP = 2, ENOUGH_FOR_TABLE = 13, WIDE = 70 };

void section_point_column(struct ui *ui, const char *name)
{
    struct page *list = pane_list(ui);
    table_follow(&ui->table, ui->view);
    pane_refill(ui);
    for (size_t i = 0; i < list->count; i++)
        if (!list->lines[i].title && str_equal(list->lines[i].name, name))
            list->cursor = i;
    ui->setup->column = list->cursor > 0 ? list->cursor - 1 : 0;
}

const char *section_chosen(struct ui *ui)
{
    const struct page_line *line = page_chosen(pane_list(ui));
    return line && *line->name ? line->name : NULL;
}

struct front_look section_look(const struct ui *ui)
{
    return (struct front_look){.bars = ui->meters->bars,
                               .theme = ui->theme,
                               .ascii = ui->ascii,
                               .amount = ui->usual,
                               .kind = frames_usual_kind(ui)};
}

bool section_is_wide(const struct ui *ui)
{
    return term_width(ui->term) >= WIDE;
}

void section_show(struct ui *ui, size_t section)
{
    ui->setup->section = section;
    pane_list(ui)->top = 0;
}

void section_enter(struct ui *ui)
{
    pane_open(ui, setup_sections[ui->setup->section].pane);
    page_find(pane_list(ui)); /* what is in use */
}

void section_press(struct ui *ui, int line, bool twice)
{
    int y = line - ui->setup->above;
    if (term_mouse(ui->term).x < TITLES_WIDTH + GAP) {
        if (y < 0 || y >= SECTIONS)
            return;
        while (pane_now(ui) != &pane_setup)
            pane_close(ui);
        section_show(ui, (size_t)y);
        return;
    }
    if (pane_now(ui) == &pane_setup) {
        int first = pane_list(ui)->y;
        section_enter(ui);
        pane_list(ui)->y = first;
    }
    pane_point(ui, twice);
}

void section_draw(struct ui *ui, const struct band *band, int width)
{
    int x = TITLES_WIDTH + GAP;
    struct band above = {band->y, band->height < ENOUGH_FOR_TABLE ? 0 : band->height / 3};
    struct band below = {band->y + above.height, band->height - above.height};
    struct page *list = pane_list(ui);
    ui->setup->above = above.height;
    if (above.height > 0) { /* part of the table, with the edited column */
        struct table *table = &ui->table;
        struct band titles = {above.y, 1}, rows = {above.y + 1, above.height - 1};
        size_t column = ui->setup->column;
        bool sought = column < view_columns(ui->view);
        table->left = sought ? 0 : table->left;
        table_place(table, ui->view, width, rows.height);
        /* A spare column may have no room at all: then the table scrolls back. */
        for (size_t left = 0; sought && left < column && left == table->left; left++) {
            if (table_shows_column(table, column))
                break;
            table->left = left + 1;
            table_place(table, ui->view, width, rows.height);
        }
        table_draw_titles(table, ui->view, ui->term, &titles, width);
        rows_draw(ui, &rows, width);
    }
    size_t height = below.height > 0 ? (size_t)below.height : 0, section = ui->setup->section;
    size_t first = section < height ? 0 : section + 1 - height;
    bool outside = pane_main(ui) == &pane_setup;
    for (size_t i = first; i < SECTIONS && i - first < height; i++) {
        enum role role = i != section ? ROLE_TEXT : outside ? ROLE_SELECTED : ROLE_VALUE;
        char text[TITLES_WIDTH + 2] = {i == section ? '>' : ' '};
        strcpy(text + 1, setup_sections[i].title);
        term_field(ui->term, below.y + (int)(i - first), 0, TITLES_WIDTH, role, text);
    }
    if (pane_main(ui)->types && below.height > 0) {
        prompt_draw(&ui->words, ui->term, (struct box){below.y, x, width - x},
                    "Add: ", "words of name, title or help", true);
        below.y++;
        below.height--;
    }
    list->brief = true;
    page_draw(list, ui->term, &below, x, width - x);
}
