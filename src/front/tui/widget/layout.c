#include "front/tui/widget/layout.h"

/* Takes up to *missing lines from a part, but leaves `keep`. */
static void give_way(struct band *part, int keep, int *missing)
{
    for (; *missing > 0 && part->height > keep; (*missing)--)
        part->height--;
}

/* What is left of the panel while other parts give way. */
enum { PANEL_MIN = 6 };

void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish)
{
    *layout = (struct layout){
        .width = width,
        .height = height,
        .header = {0, wish->header},
        .meters = {0, wish->meters},
        .books = {0, wish->books},
        .titles = {0, 1},
        .panel = {0, wish->panel},
        .notice = {0, wish->notice},
        .message = {0, wish->message},
        .prompt = {0, wish->prompt},
        .keys = {0, 1},
    };
    struct band *const parts[] = {
        &layout->header, &layout->meters, &layout->books,   &layout->titles, &layout->table,
        &layout->panel,  &layout->notice, &layout->message, &layout->prompt, &layout->keys};
    enum { PARTS = sizeof(parts) / sizeof(*parts) };
    layout->too_small = width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT;
    if (layout->too_small)
        return;
    /* The table and the panel get half of the screen, the table four lines if possible. */
    int wanted = height / 2 - wish->panel > 4 ? height / 2 - wish->panel : 4;
    int missing = wanted - height, left = height;
    for (size_t i = 0; i < PARTS; i++)
        missing += parts[i]->height;
    give_way(&layout->meters, 2, &missing);
    give_way(&layout->notice, 1, &missing);
    give_way(&layout->panel, PANEL_MIN, &missing);
    give_way(&layout->meters, 0, &missing);
    give_way(&layout->keys, wish->prompt, &missing); /* it names the keys of the prompt */
    give_way(&layout->notice, 0, &missing);
    give_way(&layout->panel, 0, &missing);
    give_way(&layout->header, 0, &missing);
    missing -= wanted - 1; /* from here on only one line is reserved for the table */
    give_way(&layout->keys, 0, &missing);
    give_way(&layout->message, 1, &missing);
    give_way(&layout->books, 0, &missing);
    give_way(&layout->titles, 0, &missing);
    for (size_t i = 0; i < PARTS; i++)
        left -= parts[i]->height;
    layout->table.height = left;
    for (size_t i = 1; i < PARTS; i++)
        parts[i]->y = parts[i - 1]->y + parts[i - 1]->height;
}

size_t layout_columns(const struct columns_wish *wish, struct span *spans)
{
    for (size_t i = 0; i < wish->count; i++)
        spans[i] = (struct span){0, 0};
    if (wish->count == 0)
        return 0;
    bool stretch = wish->stretch && wish->count > 1;
    size_t end = wish->count - (stretch ? 1 : 0), hidden = 0;
    /* Cells reserved for the last column before the others: enough to recognize a name. */
    int share = wish->width / 5 < 8 ? 8 : wish->width / 5 > 16 ? 16 : wish->width / 5;
    int edge = wish->width - (stretch ? 1 + share : 0);
    int most = edge > 0 ? edge : wish->width, reserved = 0;
    int x = wish->widths[0] < most ? wish->widths[0] : most;
    spans[0].width = x;
    for (size_t i = 1; wish->kept && i < end; i++)
        reserved += wish->kept[i] ? 1 + wish->widths[i] : 0;
    int behind = 0; /* cells of the columns to come that are not spare */
    for (size_t i = 1; wish->spare && i < end; i++)
        behind += wish->spare[i] > 0 ? 0 : 1 + wish->widths[i];
    size_t left = wish->left;
    bool full = false; /* one spare column has no room, so those after it have none */
    for (size_t i = 1; i < end; i++) {
        bool kept = wish->kept && wish->kept[i];
        int room = edge - reserved - x - 1, width = wish->widths[i];
        if (wish->least && wish->least[i] > 0 && hidden == 0 && room >= wish->least[i])
            width = width < room ? width : room;
        int next = x + 1 + width;
        if (wish->spare && wish->spare[i] > 0) {
            full |= hidden > 0 || next + behind + 1 + wish->spare[i] > wish->width;
            if (full)
                continue;
        } else {
            behind -= 1 + wish->widths[i];
        }
        if (kept)
            reserved -= 1 + wish->widths[i];
        if (!kept && left > 0) {
            left--;
            continue;
        }
        if (kept ? next > edge : hidden > 0 || next + reserved > edge) {
            hidden++;
            continue;
        }
        spans[i] = (struct span){x + 1, width};
        x = next;
    }
    if (stretch && x + 1 < wish->width)
        spans[end] = (struct span){x + 1, wish->width - x - 1};
    return hidden;
}

/* --- Bars of CPUs --- */

enum { COMFORT = 40, NARROWEST = 16, GAP = 1 };

static int grid_lines_of(size_t bars, int columns)
{
    return (int)((bars + (size_t)columns - 1) / (size_t)columns);
}

/* Number of columns of this width that fit, from 1 to `bars`. */
static int grid_columns_of(int width, int column, size_t bars)
{
    int columns = width / column > 1 ? width / column : 1;
    return bars < (size_t)columns ? (int)bars : columns;
}

int grid_lines(size_t cpus, int width)
{
    return grid_lines_of(cpus, grid_columns_of(width, COMFORT, cpus));
}

void grid_make(struct grid *grid, size_t cpus, int width, int lines)
{
    size_t per = 1, bars = cpus;
    while (bars > 1 && grid_lines_of(bars, grid_columns_of(width, NARROWEST, bars)) > lines) {
        per *= 2;
        bars = (cpus + per - 1) / per;
    }
    int columns = grid_columns_of(width, COMFORT, bars),
        most = grid_columns_of(width, NARROWEST, bars);
    while (columns < most && grid_lines_of(bars, columns) > lines)
        columns++;
    int needed = grid_lines_of(bars, columns);
    *grid = (struct grid){
        .per = per,
        .bars = bars,
        .columns = columns,
        .lines = needed < lines ? needed : lines,
        .width = (width - (columns - 1) * GAP) / columns,
    };
}

struct box grid_box(const struct grid *grid, size_t bar)
{
    int column = (int)bar / grid->lines, line = (int)bar % grid->lines;
    return (struct box){line, column * (grid->width + GAP), grid->width};
}

/* --- Steps --- */

size_t step_from(enum step step, size_t at, size_t count, size_t height)
{
    size_t leaf = height > 1 ? height - 1 : 1; /* a page overlaps the previous one by a line */
    size_t last = count > 0 ? count - 1 : 0, down = at < last ? last - at : 0;
    switch (step) {
    case STEP_UP:
        return at > 0 ? at - 1 : 0;
    case STEP_DOWN:
        return at + (down > 0);
    case STEP_PAGE_UP:
        return at > leaf ? at - leaf : 0;
    case STEP_PAGE_DOWN:
        return at + (down > leaf ? leaf : down);
    case STEP_HOME:
        return 0;
    case STEP_END:
        return last;
    case STEP_LEFT:
    case STEP_RIGHT:
        break;
    }
    return at;
}
