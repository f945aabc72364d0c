#include "front/tui/widget/table.h"
#include "front/tui/widget/line.h"
#include "view/format.h"
#include "view/marks.h"

enum { SHIFT_STEP = 8, NAME_WIDTH = 22 };

/* --- The cursor --- */

void table_select(struct table *table, struct view *view, size_t row)
{
    size_t rows = view_rows(view);
    table->following = table->absent = false;
    if (rows == 0)
        return;
    table->selecting = true;
    table->row = row < rows ? row : rows - 1;
    table->id = view_row(view, table->row)->id;
}

const struct row *table_row(const struct table *table, const struct view *view)
{
    bool there = table->selecting && !table->absent && table->row < view_rows(view);
    return there ? view_row(view, table->row) : NULL;
}

/* The name of a task's, a CPU's or another row. */
static void name_row(struct table *table, struct view *view)
{
    const struct row *row = view_row(view, table->row);
    enum view_kind kind = view_settings(view)->kind;
    size_t size = sizeof(table->followed);
    struct cell cell;
    if (kind == VIEW_TASKS) {
        snprintf(table->followed, size, "%d", (int)row->tid);
        return;
    }
    view_cell(view, table->row, view_of_cpus(kind) ? 0 : view_columns(view) - 1, &cell);
    snprintf(table->followed, size, "%s%.30s", view_of_cpus(kind) ? "CPU " : "", cell.text);
}

void table_hold(struct table *table, struct view *view)
{
    table->following = true;
    table->ended = view_row(view, table->row)->exited;
    name_row(table, view);
}

void table_follow(struct table *table, struct view *view)
{
    if (!table->selecting)
        return;
    size_t rows = view_rows(view);
    for (size_t i = 0; i < rows; i++)
        if (view_row(view, i)->id == table->id) {
            table->row = i;
            table->absent = false;
            table->ended |= view_row(view, i)->exited;
            return;
        }
    if (!table->following) {
        table_select(table, view, table->row);
        return;
    }
    table->absent = true;
    table->row = table->row < rows ? table->row : rows > 0 ? rows - 1 : 0;
}

void table_step(struct table *table, struct view *view, enum step step)
{
    /* The first step only shows the cursor. */
    bool shows = !table->selecting && (step == STEP_UP || step == STEP_DOWN);
    size_t height = table->height > 0 ? (size_t)table->height : 0;
    size_t at = table->selecting ? table->row : table->top;
    table_select(table, view, shows ? at : step_from(step, at, view_rows(view), height));
}

void table_home(struct table *table)
{
    table->selecting = table->following = table->absent = false;
    table->row = table->top = 0;
}

void table_scroll(struct table *table, int columns)
{
    const struct span *last = table->columns ? &table->spans[table->columns - 1] : NULL;
    if (columns > 0) {
        if (table->hidden > 0)
            table->left++;
        else if (last && table->longest - table->shift > last->width)
            table->shift += SHIFT_STEP;
    } else if (table->shift > 0) {
        table->shift -= SHIFT_STEP;
    } else if (table->left > 0) {
        table->left--;
    }
}

bool table_search(struct table *table, struct view *view, const char *text, size_t from,
                  bool backwards)
{
    size_t rows = view_rows(view), columns = view_columns(view);
    for (size_t i = 0; i < rows; i++) {
        size_t row = (from + (backwards ? rows - 1 - i : i)) % rows;
        for (size_t column = 0; column < columns; column++) {
            struct cell cell;
            /* Search texts and the first column, which names the row, but not all numbers. */
            if (column > 0 && !view_column(view, column)->left)
                continue;
            view_cell(view, row, column, &cell);
            if (strcasestr(cell.text, text)) {
                table_select(table, view, row);
                return true;
            }
        }
    }
    return false;
}

/* --- Placing --- */

static size_t lay_out(struct table *table, struct columns_wish *wish, size_t left)
{
    wish->left = left;
    return layout_columns(wish, table->spans);
}

/* In the view of heat the first column has room for the names of tasks, too. */
static void place_strip(struct table *table, int width)
{
    enum { LEAST = 80 };
    struct span *spans = table->spans;
    int more = NAME_WIDTH - spans[0].width;
    if (width < LEAST || more < 0)
        return;
    spans[0].width += more;
    for (size_t i = 1; i < table->columns; i++)
        spans[i].x += more;
    spans[table->columns - 1].width -= more;
}

static void place_columns(struct table *table, struct view *view, int width)
{
    enum { LEAST = 10 };
    size_t count = view_columns(view);
    mem_grow(&table->spans, &table->room, count, sizeof(*table->spans));
    AUTO_FREE int *widths = mem_array(count, sizeof(*widths));
    AUTO_FREE int *spare = mem_array(count, sizeof(*spare));
    AUTO_FREE int *least = mem_array(count, sizeof(*least));
    AUTO_FREE bool *kept = mem_array(count, sizeof(*kept));
    bool heat = view_settings(view)->kind == VIEW_HEAT;
    for (size_t i = 0; i < count; i++) {
        static const char *const always[] = {"pid", "tid", "cpu_pct"};
        const struct view_column *column = view_column(view, i);
        widths[i] = column->width;
        kept[i] = i == view_sort_column(view);
        /* The sort mark stands apart from the title before it, so that one sees whose it is. */
        if (kept[i] && !column->left && cells_width(column->title) >= widths[i])
            widths[i]++;
        for (size_t k = 0; k < sizeof(always) / sizeof(*always); k++)
            kept[i] |= !heat && str_equal(column->name, always[k]);
        /* The view of heat shows the CPU, the column, and its last values. */
        bool between = i > 0 && i + 1 < count;
        least[i] = str_equal(column->name, "waits_for") ? LEAST : 0; /* a part of it does */
        spare[i] = kept[i] ? 0 : heat ? (between ? width : 0) : view_column_spare(view, i);
    }
    if (count != table->columns)
        table->shift = 0;
    table->columns = count;
    struct columns_wish wish = {
        .widths = widths,
        .count = count,
        .stretch = count > 0 && view_column(view, count - 1)->left && spare[count - 1] == 0,
        .width = width - table->gutter,
        .kept = kept,
        .spare = spare,
        .least = least,
    };
    /* After a change of columns or size it may be scrolled too far: scroll back. */
    while (table->left > 0 && lay_out(table, &wish, table->left - 1) == 0)
        table->left--;
    while (table->reveal && lay_out(table, &wish, table->left) > 0)
        table->left++;
    table->reveal = false;
    table->hidden = lay_out(table, &wish, table->left);
    if (count > 0 && spare[count - 1] > 0 && table->spans[count - 1].width > 0)
        table->spans[count - 1].width = wish.width - table->spans[count - 1].x;
    table->strip = (struct strip){0};
    if (heat && count > 1)
        place_strip(table, wish.width);
    for (size_t i = 0; i < count; i++) {
        table->spans[i].x += table->gutter;
        if (view_column_strip(view, i) == STRIP_TREND && table->spans[i].width > 0)
            view_strip_begin(view, (size_t)table->spans[i].width, heat ? table->window : 0,
                             &table->strip);
    }
}

void table_place(struct table *table, struct view *view, int width, int height)
{
    table->gutter = view_shows_marks(view) ? 1 : 0;
    place_columns(table, view, width);
    static const double TALL_SHARE = 0.5;
    enum { TALL_MOST = 6 };
    size_t rows = view_rows(view), room = height > 0 ? (size_t)height : 0;
    bool heat = view_settings(view)->kind == VIEW_HEAT && !view_marks_ascii(view_settings(view));
    size_t lines = heat && rows > 0 ? (size_t)((double)room * TALL_SHARE) / rows : 1;
    table->lines = lines < 1 ? 1 : lines > TALL_MOST ? TALL_MOST : (int)lines;
    room /= (size_t)table->lines;
    table->height = (int)room;
    if (!table->selecting)
        table->top = 0;
    else if (table->row < table->top)
        table->top = table->row;
    else if (room > 0 && table->row >= table->top + room)
        table->top = table->row - room + 1;
    size_t most = rows > room ? rows - room : 0;
    if (table->top > most)
        table->top = most;
}

size_t table_column_at(const struct table *table, int x)
{
    for (size_t i = 0; i < table->columns; i++) {
        const struct span *span = &table->spans[i];
        if (span->width > 0 && x < span->x + span->width)
            return i;
    }
    return table->columns;
}

bool table_shows_column(const struct table *table, size_t column)
{
    return column < table->columns && table->spans[column].width > 0;
}

/* --- Drawing --- */

static void draw_text(struct terminal *term, int y, const struct span *span, bool left,
                      enum role role, const char *text)
{
    if (left)
        term_put(term, y, span->x, span->width, role, text);
    else
        line_put_right(term, y, span->x, span->width, role, text);
}

/* Cells of one shade are written at once. */
static void put_cells(struct terminal *term, int y, int x, const struct strip_cell *cells,
                      size_t count, bool selected)
{
    AUTO_FREE char *text = mem_alloc(count * sizeof(cells->text) + 1);
    for (size_t i = 0, next; i < count; i = next) {
        size_t length = 0;
        for (next = i; next < count && cells[next].role == cells[i].role; next++)
            length += (size_t)sprintf(text + length, "%s", cells[next].text);
        term_put(term, y, x + (int)i, (int)(next - i), selected ? ROLE_SELECTED : cells[i].role,
                 text);
    }
}

/* y: the last line of the row; a curve rises over all of them, and a little less, so that one sees
 * where the next row begins. Time in the kernel is the upper part, darker. */
static void draw_strip(const struct table *table, const struct view *view, struct terminal *term,
                       int y, size_t column, size_t row)
{
    static const double GAP = 0.2;
    bool selected = table_row(table, view) && row == table->row;
    const struct span *span = &table->spans[column];
    bool trend = view_column_strip(view, column) == STRIP_TREND;
    size_t count = trend ? table->strip.cells : (size_t)span->width;
    AUTO_FREE struct strip_cell *cells = mem_array(count, sizeof(*cells));
    if (trend)
        view_strip(view, &table->strip, row, cells);
    else
        view_stack(view, row, count, cells);
    for (int line = 0; line < table->lines; line++) {
        for (size_t i = 0; i < count && table->lines > 1; i++) {
            double part = cells[i].part * (table->lines - GAP) - line;
            if (cells[i].part >= 0)
                strcpy(cells[i].text, part > 0 || line == 0 ? heat_mark(part, false) : " ");
            if (cells[i].kernel > 0 &&
                line + 0.5 >= (cells[i].part - cells[i].kernel) * table->lines)
                cells[i].role = amount_role(0);
        }
        put_cells(term, y - line, span->x, cells, count, selected && line == 0);
    }
}

/* Below the CPUs, where there is room: the processes with most of the column. */
static void draw_tasks(const struct table *table, const struct view *view, struct terminal *term,
                       const struct band *band)
{
    enum { LEAST = 4, MOST = 24 };
    const struct span *spans = table->spans, *strip = &spans[table->columns - 1];
    size_t column = view_sort_column(view);
    int used = (int)view_rows(view) * table->lines, y = band->y + used;
    AUTO_FREE struct strip_task *tasks = mem_array(MOST, sizeof(*tasks));
    if (band->height - used < LEAST || table->strip.cells == 0 || spans[0].width < NAME_WIDTH)
        return;
    size_t room = (size_t)(band->height - used - 1);
    double full;
    size_t count = view_strip_tasks(view, &table->strip, room < MOST ? room : MOST, tasks, &full);
    AUTO_FREE struct strip_cell *cells = mem_array(table->strip.cells, sizeof(*cells));
    if (count > 0) {
        char heading[96], number[FORMAT_SIZE];
        format_count(number, full, DETAIL_WIDTH);
        snprintf(heading, sizeof(heading), " PROCESSES with most of it; a full cell: %s", number);
        term_field(term, y++, 0, strip->x + strip->width, ROLE_HEADING, heading);
    }
    for (size_t i = 0; i < count; i++, y++) {
        char name[80], comm[64];
        struct cell now;
        view_strip_task(view, &table->strip, &tasks[i], full, cells, &now);
        text_clean(comm, sizeof(comm), tasks[i].row->comm, false);
        snprintf(name, sizeof(name), "%7d %s", (int)tasks[i].row->pid, comm);
        term_put(term, y, 0, spans[0].width, ROLE_TEXT, name);
        line_put_right(term, y, spans[column].x, spans[column].width, now.role, now.text);
        put_cells(term, y, strip->x, cells, table->strip.cells, false);
    }
}

size_t table_row_at(const struct table *table, int y)
{
    return table->top + (size_t)(y / (table->lines > 0 ? table->lines : 1));
}

/* The sorted column has a mark, at the inner end of its title; the title of a strip that is wide
 * enough says what it shows. */
static void draw_title(const struct table *table, struct view *view, struct terminal *term, int y,
                       size_t i)
{
    enum { WIDE = 32, WITH_KERNEL = 60 };
    const struct view_column *column = view_column(view, i);
    const struct span *span = &table->spans[i];
    const struct strip *strip = &table->strip;
    bool sorts = i == view_sort_column(view), up = view_sort_ascending(view);
    bool marked = sorts && view_settings(view)->kind != VIEW_HEAT;
    const char *mark = !marked ? "" : term_ascii(term) ? (up ? "^" : "v") : (up ? "▲" : "▼");
    char title[128], full[FORMAT_SIZE], sum[FORMAT_SIZE];
    format_count(full, strip->full, DETAIL_WIDTH);
    format_count(sum, strip->sum, DETAIL_WIDTH);
    if (!sorts && view_column_strip(view, i) == STRIP_TREND && span->width >= WIDE && strip->title)
        snprintf(title, sizeof(title), "last %.0f s of %s, full: %s%s%s%s", strip->seconds,
                 strip->title, full, strip->sum > 0 ? " a CPU, all " : "",
                 strip->sum > 0 ? sum : "",
                 span->width > WITH_KERNEL && table->lines > 1 && strip->kernel < SIZE_MAX
                     ? "; dark: kernel"
                     : "");
    else
        snprintf(title, sizeof(title), "%s%s%s", column->left ? "" : mark, column->title,
                 column->left ? mark : "");
    draw_text(term, y, span, column->left, sorts ? ROLE_HEADING_SORT : ROLE_HEADING, title);
}

void table_draw_titles(const struct table *table, struct view *view, struct terminal *term,
                       const struct band *band, int width)
{
    if (band->height == 0)
        return;
    term_field(term, band->y, 0, width, ROLE_HEADING, "");
    for (size_t i = 0; i < table->columns; i++)
        if (table->spans[i].width > 0)
            draw_title(table, view, term, band->y, i);
    /* Marks show that columns are scrolled off. */
    if (table->left > 0 && table->columns > 0)
        term_put(term, band->y, table->spans[0].x + table->spans[0].width, 1, ROLE_HEADING, "<");
    if (table->hidden > 0)
        term_put(term, band->y, width - 1, 1, ROLE_HEADING, ">");
}

/* Draws the command line beside the name that a text is, where there is room for both. */
static void draw_command_line(struct table *table, struct view *view, struct terminal *term, int y,
                              size_t row, const char *name, enum role role)
{
    enum { NAME = 15, GAP = 2, LEAST = 20 };     /* names of tasks have 15 characters */
    static const uint64_t TRUE_FOR = 3000000000; /* ns */
    const struct row *of = view_row(view, row);
    size_t count = sizeof(table->command_lines) / sizeof(*table->command_lines);
    struct command_line *line = &table->command_lines[of->id % count];
    const struct span *span = &table->spans[table->columns - 1];
    int used = cells_width(name), lead = (used > NAME ? used : NAME) + GAP;
    const struct view_settings *settings = view_settings(view);
    bool beside = settings->kind == VIEW_TASKS && !settings->threads && !settings->cmdline;
    if (span->width - lead < LEAST || table->shift > 0 || !beside)
        return;
    uint64_t now = clock_monotonic();
    if (line->id != of->id || !str_equal(line->comm, of->comm) || of->exited ||
        now - line->at > TRUE_FOR) {
        *line = (struct command_line){.id = of->id, .at = now};
        memcpy(line->comm, of->comm, sizeof(line->comm));
        if (!view_command_line(view, row, line->text, sizeof(line->text)))
            line->text[0] = '\0';
    }
    struct span rest = {span->x + lead, span->width - lead};
    draw_text(term, y, &rest, true, role, line->text);
}

static void table_draw_row(struct table *table, struct view *view, struct terminal *term, int y,
                           int width, size_t row)
{
    bool selected = table_row(table, view) && row == table->row;
    size_t last = table->columns - 1;
    term_line(term, y, view_row(view, row)->id);
    if (selected)
        term_field(term, y, 0, width, ROLE_SELECTED, "");
    if (table->gutter > 0) {
        char mark[] = {view_row_mark(view, row), '\0'};
        term_put(term, y, 0, table->gutter, selected ? ROLE_SELECTED : ROLE_TEXT, mark);
    }
    for (size_t i = 0; i < table->columns; i++) {
        const struct view_column *column = view_column(view, i);
        const struct span *span = &table->spans[i];
        if (span->width == 0)
            continue;
        if (view_column_strip(view, i) != STRIP_NONE) {
            draw_strip(table, view, term, y, i, row);
            continue;
        }
        struct cell cell;
        view_cell(view, row, i, &cell);
        const char *text = cell.text;
        if (i == last && column->left) {
            int length = cells_width(text);
            table->longest = length > table->longest ? length : table->longest;
            text += cells_fit(text, table->shift, NULL);
            draw_command_line(table, view, term, y, row, text, selected ? ROLE_SELECTED : ROLE_DIM);
        }
        draw_text(term, y, span, column->left, selected ? ROLE_SELECTED : cell.role, text);
    }
}

void table_draw(struct table *table, struct view *view, struct terminal *term,
                const struct band *band, int width, const char *empty)
{
    size_t rows = view_rows(view);
    table->longest = 0;
    if (rows == 0 && band->height > 0)
        term_put(term, band->y, 0, width, ROLE_DIM, empty);
    for (int i = 0; i < table->height && table->top + (size_t)i < rows; i++)
        table_draw_row(table, view, term, band->y + (i + 1) * table->lines - 1, width,
                       table->top + (size_t)i);
    if (view_settings(view)->kind == VIEW_HEAT && table->top == 0)
        draw_tasks(table, view, term, band);
}
