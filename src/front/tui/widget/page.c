#include "front/tui/widget/page.h"
#include "base/cells.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void page_init(struct page *page)
{
    *page = (struct page){0};
}

void page_clear(struct page *page, bool choosing)
{
    for (size_t i = 0; i < page->count; i++) {
        free(page->lines[i].name);
        free(page->lines[i].text);
    }
    page->count = page->cursor = page->top = 0;
    page->choosing = choosing;
}

void page_release(struct page *page)
{
    page_clear(page, false);
    free(page->lines);
    page_init(page);
}

void page_add(struct page *page, enum role role, const char *name, const char *text)
{
    mem_grow(&page->lines, &page->room, page->count + 1, sizeof(*page->lines));
    page->lines[page->count++] =
        (struct page_line){.name = mem_strdup(name), .text = mem_strdup(text), .role = role};
}

void page_title(struct page *page, const char *title)
{
    page_add(page, ROLE_HEADING, title, "");
}

void page_step(struct page *page, enum step step)
{
    if (!page->choosing) {
        page->top = step_from(step, page->top, page->total, page->height);
        return;
    }
    page->cursor = step_from(step, page->cursor, page->count, page->height);
    /* Titles cannot be chosen. */
    if (page->cursor < page->count && page->lines[page->cursor].role == ROLE_HEADING)
        page->cursor += page->cursor + 1 < page->count && (page->cursor == 0 || step != STEP_UP)
                            ? 1
                            : (size_t)-1;
}

bool page_point(struct page *page, int line)
{
    size_t y = page->top + (size_t)line, found = page->count;
    if (!page->choosing || y >= page->total)
        return false;
    while (found > 0 && page->lines[found - 1].y > y)
        found--;
    if (found == 0 || page->lines[found - 1].role == ROLE_HEADING)
        return false;
    page->cursor = found - 1;
    return true;
}

static bool is_selected(const struct page *page, const struct page_line *line)
{
    return page->choosing && line == &page->lines[page->cursor];
}

static size_t line_height(const struct page *page, const struct page_line *line, int room)
{
    int lines = cells_lines(line->text, room, 100);
    return lines > 1 && (!page->brief || is_selected(page, line)) ? (size_t)lines : 1;
}

/* Scrolls so that the cursor is visible, and not beyond the end. */
static void page_place(struct page *page, int room, size_t height)
{
    size_t y = 0;
    for (size_t i = 0; i < page->count; i++) {
        size_t lines = line_height(page, &page->lines[i], room);
        page->lines[i].y = y;
        if (is_selected(page, &page->lines[i])) {
            if (page->top > y)
                page->top = y;
            if (y + lines > page->top + height)
                page->top = y + lines - height;
        }
        y += lines;
    }
    page->total = y;
    page->height = height;
    size_t most = y > height ? y - height : 0;
    if (page->top > most)
        page->top = most;
    if (page->choosing && page->cursor <= 1)
        page->top = 0; /* the title too */
}

/* The part of a text that is on one screen line, the last of which, if `last`, ends in dots where
 * there is more. */
static char *line_part(const char *text, int room, bool last, size_t *length)
{
    static const char dots[] = "...";
    enum { DOTS = sizeof(dots) - 1 };
    *length = cells_line(text, room);
    if (!last || cells_width(text) <= room || room <= DOTS)
        return mem_strndup(text, *length);
    *length = cells_fit(text, room - DOTS, NULL);
    return mem_printf("%.*s%s", (int)*length, text, dots);
}

static void draw_line(const struct page *page, const struct page_line *line, struct terminal *term,
                      const struct band *band, long y, int x, int column, int width)
{
    bool selected = is_selected(page, line);
    enum role name_role = selected ? ROLE_SELECTED : line->role;
    enum role text_role = selected ? ROLE_SELECTED : ROLE_TEXT;
    bool title = line->role == ROLE_HEADING;
    const char *rest = line->text;
    size_t lines = line_height(page, line, width - column);
    for (size_t i = 0; i < lines; i++, y++) {
        size_t length;
        char *part = line_part(rest, width - column, i + 1 == lines, &length);
        if (y >= 0 && y < band->height) {
            int at = band->y + (int)y;
            if (selected || title)
                term_field(term, at, x, width, name_role, "");
            if (i == 0)
                term_put(term, at, x, title || column == 0 ? width : column - 1, name_role,
                         line->name);
            term_put(term, at, x + column, width - column, text_role, part);
        }
        free(part);
        rest += length;
        rest += strspn(rest, " ");
    }
}

void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width)
{
    int longest = 0;
    for (size_t i = 0; i < page->count; i++) {
        int name = cells_width(page->lines[i].name);
        if (page->lines[i].role != ROLE_HEADING && name > longest)
            longest = name;
    }
    /* The texts stand in one column after the longest name. */
    int column = longest + 2 < width / 2 ? longest + 2 : width / 2, room = width - column;
    page_place(page, room, band->height > 0 ? (size_t)band->height : 0);
    long y = -(long)page->top;
    for (size_t i = 0; i < page->count; i++) {
        const struct page_line *line = &page->lines[i];
        draw_line(page, line, term, band, y, x, column, width);
        y += (long)line_height(page, line, room);
    }
}

void page_refill(struct page *page, void (*fill)(struct ui *ui), struct ui *ui)
{
    size_t top = page->top, cursor = page->cursor;
    page_clear(page, page->choosing);
    fill(ui);
    page->top = top;
    page->cursor = cursor < page->count ? cursor : page->count - (page->count > 0);
}
