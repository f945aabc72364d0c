#include "front/term/screen.h"

enum {
    LOOK_UNKNOWN = 255,
    GAP_MAX = 4,        /* up to that many cells, writing again is shorter than moving the cursor */
    ERASE_MIN = 4,      /* from that many blanks on, erasing is shorter than writing */
    PICTURES = 0x1f000, /* emoji and the like: terminals disagree on their width */
};

void canvas_init(struct canvas *canvas)
{
    *canvas = (struct canvas){.unknown = true, .x = -1, .look = -1};
}

void canvas_release(struct canvas *canvas)
{
    free(canvas->shown);
    free(canvas->cells);
    free(canvas->next);
    free(canvas->shown_things);
    free(canvas->next_things);
    canvas_init(canvas);
}

void canvas_resize(struct canvas *canvas, int height, int width)
{
    canvas_release(canvas);
    canvas->height = height;
    canvas->width = width;
    size_t count = (size_t)height * (size_t)width;
    canvas->cells = mem_array(count, sizeof(*canvas->cells));
    canvas->shown = mem_array((size_t)height, sizeof(*canvas->shown));
    for (int y = 0; y < height; y++)
        canvas->shown[y] = canvas->cells + (size_t)y * (size_t)width;
    canvas->next = mem_array(count, sizeof(*canvas->next));
    canvas->shown_things = mem_array((size_t)height, sizeof(*canvas->shown_things));
    canvas->next_things = mem_array((size_t)height, sizeof(*canvas->next_things));
}

void canvas_forget(struct canvas *canvas)
{
    canvas->unknown = true;
}

void canvas_recolor(struct canvas *canvas)
{
    canvas->look = -1; /* the terminal's is what a look was before */
    for (int i = 0; i < canvas->height * canvas->width; i++)
        canvas->cells[i].look = LOOK_UNKNOWN;
}

static struct canvas_cell *next_row(const struct canvas *canvas, int y)
{
    return canvas->next + (size_t)y * (size_t)canvas->width;
}

/* --- Drawing --- */

static struct canvas_cell blank(int look)
{
    return (struct canvas_cell){.codes = {' '}, .width = 1, .look = (uint16_t)look};
}

void canvas_begin(struct canvas *canvas, int look)
{
    for (int i = 0; i < canvas->width; i++)
        canvas->next[i] = blank(look);
    for (int y = 1; y < canvas->height; y++)
        memcpy(next_row(canvas, y), canvas->next, (size_t)canvas->width * sizeof(*canvas->next));
    memset(canvas->next_things, 0, (size_t)canvas->height * sizeof(*canvas->next_things));
}

void canvas_line(struct canvas *canvas, int y, uint64_t thing)
{
    if (y >= 0 && y < canvas->height)
        canvas->next_things[y] = thing;
}

/* Blanks the other half of a wide character of which one cell is overwritten. */
static void split(struct canvas_cell *row, int width, int x)
{
    if (x > 0 && x < width && row[x].width == 0) {
        row[x - 1] = blank(row[x - 1].look);
        row[x] = blank(row[x].look);
    }
}

int canvas_put(struct canvas *canvas, int y, int x, int width, int look, const char *text,
               bool fill, bool ascii)
{
    if (y < 0 || y >= canvas->height || x < 0 || x >= canvas->width || width <= 0)
        return 0;
    struct canvas_cell *row = next_row(canvas, y);
    if (width > canvas->width - x)
        width = canvas->width - x;
    split(row, canvas->width, x);
    int used = 0, last = -1;
    while (*text) {
        unsigned code = (unsigned char)*text;
        int cells = 1;
        text += code >= ' ' && code < 0x7f ? 1 : cells_char(text, &code, &cells);
        if (used + cells > width)
            break;
        bool replaced = ascii && code >= 0x7f;
        int combining = 1; /* a combining character goes into the cell before it */
        while (cells == 0 && last >= 0 && combining < CANVAS_CODES && row[last].codes[combining])
            combining++;
        if (cells == 0 && last >= 0 && !replaced && combining < CANVAS_CODES)
            row[last].codes[combining] = code;
        for (int i = 0; i < cells; i++) {
            bool half = i > 0 && !replaced;
            split(row, canvas->width, x + used + 1);
            row[x + used] = blank(look);
            row[x + used].codes[0] = half ? 0 : replaced ? '?' : code;
            row[x + used].width = half ? 0 : replaced ? 1 : (uint16_t)cells;
            last = i == 0 ? x + used : last;
            used++;
        }
    }
    int taken = used;
    for (; fill && used < width; used++) {
        split(row, canvas->width, x + used + 1);
        row[x + used] = blank(look);
    }
    return taken;
}

/* --- Output to the terminal --- */

static bool alike(const struct canvas *canvas, int a, int b, bool blank)
{
    return canvas->info->like[blank][a] == canvas->info->like[blank][b];
}

static bool canvas_is_blank(const struct canvas_cell *cell)
{
    return cell->codes[0] == ' ' && !cell->codes[1];
}

/* No cell of the next screen has an unknown look. */
static bool identical(const struct canvas_cell *shown, const struct canvas_cell *next, int count)
{
    return memcmp(shown, next, (size_t)count * sizeof(*next)) == 0;
}

static bool same(const struct canvas *canvas, const struct canvas_cell *shown,
                 const struct canvas_cell *next)
{
    return identical(shown, next, 1) ||
           (shown->look != LOOK_UNKNOWN && shown->width == next->width &&
            memcmp(shown->codes, next->codes, sizeof(next->codes)) == 0 &&
            alike(canvas, shown->look, next->look, canvas_is_blank(next)));
}

static void set_look(struct canvas *canvas, int look, bool blank)
{
    int now = canvas->look;
    if (now >= 0 && alike(canvas, now, look, blank))
        return;
    terminfo_look(canvas->info, canvas->out, now, look);
    canvas->look = look;
}

static void canvas_go_to(struct canvas *canvas, int y, int x)
{
    if (canvas->y != y || canvas->x != x)
        terminfo_move(canvas->info, canvas->out, canvas->y, canvas->x, y, x);
    canvas->y = y;
    canvas->x = x;
}

/* Whether all terminals move the cursor by the same width after writing a cell. */
static bool is_certain(const struct canvas_cell *cell)
{
    return cell->width == 1 && !cell->codes[1] && cell->codes[0] < PICTURES;
}

/* --- What is to be written --- */

/* Cells of a line that are written one after the other, in looks that are alike. */
struct run {
    int y, x, cells; /* cells 0: from x on the line is erased */
    int look;        /* IN_ORDER, or the first look that is like its own */
};

enum { IN_ORDER = ROLE_COUNT, RUN_KINDS };

struct runs {
    struct run *all;
    size_t count, room;
    bool kinds[RUN_KINDS]; /* by their looks: there are some */
};

/* Whether all cells from the cursor to column x can be written again in the terminal's look. */
static bool is_near(const struct canvas *canvas, int y, int x)
{
    if (canvas->y != y || canvas->x < 0 || x - canvas->x > GAP_MAX || canvas->look < 0)
        return false;
    const struct canvas_cell *next = next_row(canvas, y);
    for (int i = canvas->x; i < x; i++)
        if (next[i].width != 1 || next[i].codes[1] || next[i].codes[0] >= 0x80 ||
            !alike(canvas, next[i].look, canvas->look, canvas_is_blank(&next[i])))
            return false;
    return true;
}

static void write_run(struct canvas *canvas, const struct run *run)
{
    const struct canvas_cell *next = next_row(canvas, run->y);
    int x = is_near(canvas, run->y, run->x) && canvas->x < run->x ? canvas->x : run->x;
    canvas_go_to(canvas, run->y, x);
    while (x < run->x + run->cells) {
        const struct canvas_cell *cell = &next[x];
        set_look(canvas, cell->look, canvas_is_blank(cell));
        char bytes[4 * CANVAS_CODES] = {(char)cell->codes[0]};
        size_t length = cell->codes[0] < 0x80;
        for (int i = (int)length; i < CANVAS_CODES && cell->codes[i]; i++)
            length += str_encode(bytes + length, cell->codes[i]);
        str_add_n(canvas->out, bytes, length);
        x += cell->width;
        canvas->x = is_certain(cell) && x < canvas->width ? x : -1;
        if (canvas->x < 0 && x < run->x + run->cells)
            canvas_go_to(canvas, run->y, x);
    }
    if (run->cells == 0) {
        set_look(canvas, next[x].look, true);
        terminfo_add(canvas->out, canvas->info->clear_line);
    }
}

/* Adds cells to the last run, or as a new one; none: the rest of the line. */
static void add_run(const struct canvas *canvas, struct runs *runs, int y, int x, int cells)
{
    const struct canvas_cell *cell = next_row(canvas, y) + x;
    bool blank = canvas_is_blank(cell);
    struct run *last = runs->count ? &runs->all[runs->count - 1] : NULL;
    int look = canvas->info->like[blank][cell->look];
    if (last && cells && last->y == y && last->x + last->cells == x && last->cells &&
        (last->look == look || (blank && alike(canvas, last->look, cell->look, true)))) {
        last->cells += cells;
        return;
    }
    *MEM_ADD(runs->all, runs->count, runs->room) = (struct run){y, x, cells, look};
}

/* The first column of the blank end of a line, if that can be erased; else the width. */
static int find_tail(const struct canvas *canvas, const struct canvas_cell *next)
{
    int width = canvas->width, tail = width, look = next[width - 1].look;
    if (!*canvas->info->clear_line || !terminfo_erases(canvas->info, look))
        return width;
    while (tail > 0 && canvas_is_blank(&next[tail - 1]) &&
           alike(canvas, next[tail - 1].look, look, true))
        tail--;
    return tail;
}

/* Adds the cells of a line that differ. */
static void add_row(const struct canvas *canvas, struct runs *runs, int y)
{
    struct canvas_cell *shown = canvas->shown[y];
    const struct canvas_cell *next = next_row(canvas, y);
    if (identical(shown, next, canvas->width))
        return;
    int width = canvas->width - (canvas->info->scrolls && y == canvas->height - 1);
    int tail = find_tail(canvas, next), last = width, written = 0;
    bool certain = true;
    size_t first = runs->count;
    while (last > 0 && same(canvas, &shown[last - 1], &next[last - 1]))
        last--;
    for (int x = 0; x < last;) {
        /* The character before it may be wider than assumed: this one is written after it. */
        bool after = x > 0 && written == x && !is_certain(&next[x - next[x - 1].width]);
        if (!after && same(canvas, &shown[x], &next[x])) {
            x++;
            continue;
        }
        if (next[x].width == 0) /* second half of a wide character: write both */
            x--;
        if (!after && x >= tail && last - x >= ERASE_MIN) {
            add_run(canvas, runs, y, x, 0);
            break;
        }
        certain &= is_certain(&next[x]);
        add_run(canvas, runs, y, x, next[x].width);
        written = x += next[x].width;
    }
    for (size_t i = first; i < runs->count; i++) {
        struct run *run = &runs->all[i];
        run->look = certain ? run->look : IN_ORDER;
        runs->kinds[run->look] = true;
    }
    memcpy(shown, next, (size_t)width * sizeof(*next));
}

/* Writes all that differs, what looks alike at once: moves are shorter than colours. */
static void update_rows(struct canvas *canvas)
{
    struct runs runs = {0};
    for (int y = 0; y < canvas->height; y++)
        add_row(canvas, &runs, y);
    for (int kind = 0; kind < RUN_KINDS; kind++)
        for (size_t i = 0; i < runs.count && runs.kinds[kind]; i++)
            if (runs.all[i].look == kind)
                write_run(canvas, &runs.all[i]);
    free(runs.all);
}

/* Blank lines that the terminal has made while it had the look 0. */
static void blank_lines(struct canvas *canvas, int y, int count)
{
    int look = terminfo_erases(canvas->info, 0) ? 0 : LOOK_UNKNOWN;
    for (int i = 0; i < count * canvas->width; i++)
        canvas->shown[y + i / canvas->width][i % canvas->width] = blank(look);
}

/* --- Lines that move --- */

/* How many lines to insert at y; below 0: to delete there. Those below move down or up. */
struct shift {
    int y, lines;
};

/* Some lines of the screen, before and after: a number for each cell, the same for cells that need
 * not be written again. */
struct shift_lines {
    int first, count, width; /* of all lines on the screen those from `first` on */
    const uint32_t *shown, *next;
    const uint64_t *shown_things, *next_things; /* what each line is about */
    uint32_t blank;                             /* a cell of a line that was inserted */
};

/* Bytes, found by trial with recorded refreshes. */
enum {
    STROKE = 7, /* to reach cells that differ, and often another look */
    SHIFT = 16, /* to delete or to insert lines at one place */
    NEVER = INT_MAX / 2,
};

enum { NEAR = 4 }; /* lines: what is about something else is made of one that is so near */

/* What becomes of a line: another one is made out of it, or it is deleted, or inserted. */
enum line_step { KEPT, DELETED, INSERTED, STEPS };

/* The bytes that turn a line into another one, whose cells from `tail` on are erased at once. */
static int line_cost(const uint32_t *from, const uint32_t *to, size_t tail, size_t width)
{
    int cells = tail > 0 && from[0] != to[0], strokes = cells;
    for (size_t x = 1; x < tail; x++) {
        int differs = from[x] != to[x];
        cells += differs;
        strokes += differs & (from[x - 1] == to[x - 1]);
    }
    strokes += memcmp(from + tail, to + tail, (width - tail) * sizeof(*to)) != 0;
    return cells + STROKE * strokes;
}

/* Finds the cheapest way from the first i lines that are shown to the first j that are wanted, for
 * all i and j (the edit distance): steps gets the last step of each. */
static void align_lines(const struct shift_lines *lines, uint8_t *steps)
{
    size_t count = (size_t)lines->count, row = count + 1, width = (size_t)lines->width;
    AUTO_FREE int *costs = mem_array(row * row, sizeof(*costs));
    AUTO_FREE int *inserted = mem_array(count, sizeof(*inserted));
    AUTO_FREE size_t *tails = mem_array(count, sizeof(*tails));
    AUTO_FREE uint32_t *fresh = mem_array(width, sizeof(*fresh));
    for (size_t x = 0; x < width; x++)
        fresh[x] = lines->blank;
    for (size_t j = 0; j < count; j++) {
        const uint32_t *next = lines->next + j * width;
        tails[j] = width;
        while (tails[j] > 0 && next[tails[j] - 1] == lines->blank)
            tails[j]--;
        inserted[j] = line_cost(fresh, next, tails[j], width);
    }
    for (size_t at = 1; at < row * row; at++) {
        size_t i = at / row, j = at % row;
        int *cost = &costs[at], best[STEPS] = {NEVER, NEVER, NEVER};
        bool near = i <= j + NEAR && j <= i + NEAR;
        if (i > 0 && j > 0 && (near || lines->shown_things[i - 1] == lines->next_things[j - 1]))
            best[KEPT] = cost[-(ptrdiff_t)row - 1] + line_cost(lines->shown + (i - 1) * width,
                                                               lines->next + (j - 1) * width,
                                                               tails[j - 1], width);
        if (i > 0)
            best[DELETED] = cost[-(ptrdiff_t)row] + SHIFT;
        if (j > 0)
            best[INSERTED] = cost[-1] + SHIFT + inserted[j - 1];
        for (uint8_t step = DELETED; step < STEPS; step++)
            if (best[step] < best[steps[at]])
                steps[at] = step;
        *cost = best[steps[at]];
    }
}

/* Adds a line above those that are there: to the first of them, if it stands next to it. */
static size_t shift_line(struct shift *shifts, size_t found, int y, int lines)
{
    if (found > 0 && shifts[found - 1].y == y + 1) {
        shifts[found - 1].y = y;
        shifts[found - 1].lines += lines;
        return found;
    }
    shifts[found] = (struct shift){y, lines};
    return found + 1;
}

/* What to delete and to insert, in that order, so that the fewest bytes are left to write, as far
 * as they can be told without writing: none where all is best written in place. shifts has room for
 * 2 * count; returns how many there are. */
static size_t shift_find(const struct shift_lines *lines, struct shift *shifts)
{
    size_t row = (size_t)lines->count + 1, found = 0, added = 0;
    AUTO_FREE uint8_t *steps = mem_array(row * row, sizeof(*steps));
    AUTO_FREE struct shift *inserted = mem_array(row, sizeof(*inserted));
    align_lines(lines, steps);
    for (size_t i = row - 1, j = row - 1; i > 0 || j > 0;) {
        enum line_step step = (enum line_step)steps[i * row + j];
        i -= step != INSERTED;
        j -= step != DELETED;
        if (step == DELETED)
            found = shift_line(shifts, found, lines->first + (int)i, -1);
        else if (step == INSERTED)
            added = shift_line(inserted, added, lines->first + (int)j, 1);
    }
    /* Deleted from the bottom, so that places above stay; inserted from the top, in place. */
    while (added > 0)
        shifts[found++] = inserted[--added];
    return found;
}

static void shift_lines(struct canvas *canvas, struct shift shift)
{
    int count = abs(shift.lines), kept = canvas->height - shift.y - count;
    bool inserts = shift.lines > 0;
    struct canvas_cell **here = canvas->shown + shift.y;
    size_t gone = (size_t)count * sizeof(*here), moved = (size_t)kept * sizeof(*here);
    AUTO_FREE struct canvas_cell **blanks = mem_copy(inserts ? here + kept : here, gone);
    set_look(canvas, 0, true);
    canvas_go_to(canvas, shift.y, 0);
    terminfo_shift(canvas->out, shift.lines);
    memmove(inserts ? here + count : here, inserts ? here : here + count, moved);
    memcpy(inserts ? here : here + kept, blanks, gone);
    blank_lines(canvas, inserts ? shift.y : shift.y + kept, count);
}

/* The same number for cells that look the same. */
static uint32_t cell_number(const struct canvas *canvas, const struct canvas_cell *cell)
{
    uint32_t number = cell->codes[0];
    for (int c = 1; c < CANVAS_CODES; c++)
        number = number * 31 + cell->codes[c];
    bool known = cell->look != LOOK_UNKNOWN;
    return number << 8 |
           (known ? canvas->info->like[canvas_is_blank(cell)][cell->look] : LOOK_UNKNOWN);
}

/* How the lines between the first and the last that may move are best moved. */
static size_t find_shifts(const struct canvas *canvas, struct shift **shifts)
{
    int first = 0, end = canvas->height;
    while (first < end && !canvas->shown_things[first] && !canvas->next_things[first])
        first++;
    while (end > first && !canvas->shown_things[end - 1] && !canvas->next_things[end - 1])
        end--;
    size_t skip = (size_t)first * (size_t)canvas->width;
    size_t cells = (size_t)end * (size_t)canvas->width - skip;
    AUTO_FREE uint32_t *shown = mem_array(cells, sizeof(*shown));
    AUTO_FREE uint32_t *next = mem_array(cells, sizeof(*next));
    for (size_t i = 0; i < cells; i++) {
        size_t y = (skip + i) / (size_t)canvas->width, x = (skip + i) % (size_t)canvas->width;
        shown[i] = cell_number(canvas, &canvas->shown[y][x]);
        next[i] = cell_number(canvas, &canvas->next[skip + i]);
    }
    struct canvas_cell none = blank(0);
    struct shift_lines lines = {first,
                                end - first,
                                canvas->width,
                                shown,
                                next,
                                canvas->shown_things + first,
                                canvas->next_things + first,
                                cell_number(canvas, &none)};
    *shifts = mem_array(2 * (size_t)(end - first), sizeof(**shifts));
    return shift_find(&lines, *shifts);
}

void canvas_update(struct canvas *canvas, const struct terminfo *info, struct str *out)
{
    canvas->info = info;
    canvas->out = out;
    size_t things = (size_t)canvas->height * sizeof(*canvas->next_things);
    AUTO_FREE struct shift *shifts = NULL;
    size_t count = 0;
    if (canvas->unknown) {
        canvas->look = -1;
        set_look(canvas, 0, true);
        terminfo_add(out, info->clear);
        canvas->y = canvas->x = 0;
        blank_lines(canvas, 0, canvas->height);
        canvas->unknown = false;
    } else if (info->shifts && memcmp(canvas->shown_things, canvas->next_things, things) != 0) {
        count = find_shifts(canvas, &shifts);
    }
    for (size_t i = 0; i < count; i++)
        shift_lines(canvas, shifts[i]);
    update_rows(canvas);
    memcpy(canvas->shown_things, canvas->next_things, things);
}

void canvas_move(struct canvas *canvas, const struct terminfo *info, struct str *out, int y, int x)
{
    canvas->info = info;
    canvas->out = out;
    canvas_go_to(canvas, y, x);
}
