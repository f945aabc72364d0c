#include "front/tui/widget/page.h"

void page_clear(struct page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        free(page->lines[i].name);
        free(page->lines[i].text);
    }
    page->count = page->total = page->cursor = page->top = 0;
}

void page_release(struct page *page)
{
    page_clear(page);
    free(page->lines);
    *page = (struct page){0};
}

/* A line counts as one screen line until it is drawn. */
static struct page_line *add_line(struct page *page, enum role role, char *name, char *text)
{
    struct page_line *line = MEM_ADD(page->lines, page->count, page->room);
    *line = (struct page_line){.name = name, .text = text, .role = role, .y = page->count - 1};
    page->total = page->count;
    return line;
}

struct page_line *page_add(struct page *page, enum role role, const char *name, const char *format,
                           ...)
{
    va_list args;
    va_start(args, format);
    char *text = mem_vprintf(format, args);
    va_end(args);
    return add_line(page, role, mem_strdup(name), text);
}

struct page_line *page_title(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *title = mem_vprintf(format, args);
    va_end(args);
    struct page_line *line = add_line(page, ROLE_HEADING, title, mem_strdup(""));
    line->title = true;
    return line;
}

const struct page_line *page_chosen(const struct page *page)
{
    bool found = page->choosing && page->cursor < page->count && !page->lines[page->cursor].title;
    return found ? &page->lines[page->cursor] : NULL;
}

void page_find(struct page *page)
{
    for (size_t i = page->count; i-- > 0;)
        page->cursor = page->lines[i].used ? i : page->cursor;
}

void page_step(struct page *page, enum step step)
{
    if (!page->choosing) {
        size_t most = page->total > page->height ? page->total - page->height : 0;
        page->top = step_from(step, page->top, most + 1, page->height);
        return;
    }
    size_t at = step_from(step, page->cursor, page->count, page->height);
    if (at < page->count && page->lines[at].title) {
        bool last = at + 1 == page->count;
        at = at > 0 && (last || step == STEP_UP) ? at - 1 : last ? at : at + 1;
    }
    page->cursor = at;
}

char *page_typing(const struct page *page, int letter)
{
    const struct page_line *now = page_chosen(page);
    size_t typed = now && page->jumped == page->cursor ? page->typed : 0;
    return mem_printf("%.*s%c", (int)typed, typed ? now->name : "", letter);
}

bool page_jump(struct page *page, int letter, bool first)
{
    AUTO_FREE char *text = page_typing(page, letter);
    size_t typed = strlen(text) - 1;
    for (size_t i = typed == 0; i < page->count + !typed && (typed || first); i++) {
        size_t at = (page->cursor + i) % page->count;
        const struct page_line *line = &page->lines[at];
        if (line->title || strncasecmp(line->name, text, typed + 1) != 0)
            continue;
        page->cursor = page->jumped = at;
        page->typed = typed + 1;
        return true;
    }
    if (first)
        page->typed = 0;
    return typed && first && page_jump(page, letter, true);
}

bool page_point(struct page *page, int y)
{
    size_t line = page->top + (size_t)(y - page->y), found = page->count;
    if (!page->choosing || y < page->y || line >= page->total)
        return false;
    while (found > 0 && page->lines[found - 1].y > line)
        found--;
    if (found == 0 || page->lines[found - 1].title)
        return false;
    page->cursor = found - 1;
    return true;
}

static size_t line_height(const struct page *page, const struct page_line *line, int room)
{
    if (page->flat || (page->brief && line != page_chosen(page)))
        return 1;
    int lines = cells_lines(line->text, room, 100);
    return lines > 1 ? (size_t)lines : 1;
}

/* Places all lines, in columns of `each` screen lines; no line is in two columns, and no title is
 * the last of one. Returns where they end. */
static size_t spread_lines(struct page *page, int room, size_t each)
{
    size_t y = 0;
    for (size_t i = 0; i < page->count; i++) {
        size_t lines = line_height(page, &page->lines[i], room);
        if (y % each + lines + page->lines[i].title > each && y % each > 0)
            y += each - y % each;
        page->lines[i].y = y;
        y += lines;
    }
    return y;
}

/* Scrolls so that the cursor and the title before it are visible, and not beyond the end. */
static void page_place(struct page *page, int room, size_t height)
{
    size_t y = 0;
    for (size_t i = 0; i < page->count; i++) {
        size_t lines = line_height(page, &page->lines[i], room);
        page->lines[i].y = y;
        if (page->choosing && i == page->cursor) {
            size_t first = i > 0 && page->lines[i - 1].title ? y - 1 : y;
            if (page->top > first)
                page->top = first;
            if (y + lines > page->top + height)
                page->top = y + lines - height;
        }
        y += lines;
    }
    page->each = SIZE_MAX;
    if (page->columns > 1) {
        size_t least = (y + page->columns - 1) / page->columns;
        page->each = least > height ? least : height > 0 ? height : 1;
        while (spread_lines(page, room, page->each) > page->each * page->columns)
            page->each++;
        y = page->each;
    }
    page->total = y;
    page->height = height;
    size_t most = y > height ? y - height : 0;
    if (page->top > most)
        page->top = most;
}

char *page_take_line(const char **text, int width, bool last)
{
    enum { DOTS = 3 };
    const char *from = *text;
    bool cut = last && cells_width(from) > width && width > DOTS;
    size_t length = cut ? cells_fit(from, width - DOTS, NULL) : cells_line(from, width);
    *text += length + (length == 0 && *from); /* not even one wide character fits */
    *text += strspn(*text, " ");
    return mem_printf("%.*s%s", (int)length, from, cut ? "..." : "");
}

int page_put(struct terminal *term, int y, int x, int width, int lines, enum role role,
             const char *text)
{
    int used = 0;
    for (text += strspn(text, " "); *text && used < lines && width > 0; used++) {
        AUTO_FREE char *part = page_take_line(&text, width, used + 1 == lines);
        term_field(term, y + used, x, width, role, part);
    }
    return used;
}

char *page_statements(const char *text, int width)
{
    char *line = mem_strdup(text), *end = line;
    while (end && cells_width(line) > width) {
        char *comma = strrchr(line, ',');
        end = strrchr(comma ? comma : line, ';') ?: comma;
        if (end)
            *end = '\0';
    }
    return line;
}

static void draw_line(const struct page *page, const struct page_line *line, struct terminal *term,
                      const struct band *band, int x, int column, int width)
{
    bool selected = line == page_chosen(page);
    enum role name_role = selected ? ROLE_SELECTED : line->role;
    enum role text_role = selected ? ROLE_SELECTED : page->text_role;
    const char *rest = line->text;
    int gutter = line->title ? 0 : page->gutter, name = column - 1;
    if (line->title || column == 0 || page->column > 0)
        name = width - gutter;
    if (page->column > 0 && cells_width(line->name) + 2 > column)
        column = cells_width(line->name) + 2;
    int room = width - gutter - column;
    size_t lines = line_height(page, line, room);
    for (size_t i = 0; i < lines; i++) {
        long y = (long)(line->y % page->each + i) - (long)page->top;
        AUTO_FREE char *part = page_take_line(&rest, room, i + 1 == lines);
        if (y >= 0 && y < band->height) {
            int at = band->y + (int)y;
            if (selected || line->title)
                term_field(term, at, x, width, name_role, "");
            if (i == 0)
                term_put(term, at, x + gutter, name, name_role, line->name);
            if (room > 0)
                term_put(term, at, x + gutter + column, room, text_role, part);
        }
    }
}

void page_draw(struct page *page, struct terminal *term, const struct band *band, int x, int width)
{
    enum { WIDE = 56, APART = 2 }; /* cells of a column of text, and between two */
    bool spread = page->spread && !page->choosing;
    page->columns = spread && width / WIDE > 1 ? (size_t)(width / WIDE) : 1;
    width = (width + APART) / (int)page->columns - APART;
    int longest = 0, inner = width - page->gutter;
    for (size_t i = 0; i < page->count; i++) {
        int name = page->lines[i].title ? 0 : cells_width(page->lines[i].name);
        longest = name > longest ? name : longest;
    }
    int column = page->column > 0          ? page->column
                 : longest + 2 < inner / 2 ? longest + 2
                                           : inner / 2;
    page_place(page, inner - column, band->height > 0 ? (size_t)band->height : 0);
    page->y = band->y;
    for (size_t i = 0; i < page->count; i++) {
        const struct page_line *line = &page->lines[i];
        int aside = (int)(line->y / page->each) * (width + APART);
        if (page->columns > 1 ||
            (line->y < page->top + page->height && (i + 1 == page->count || line[1].y > page->top)))
            draw_line(page, line, term, band, x + aside, column, width);
    }
}
