#include "front/tui/widget/layout.h"

static int layout_least(int a, int b)
{
    return a < b ? a : b;
}

/* Takes up to *missing lines from *lines, but leaves `keep`. */
static void give_way(int *lines, int keep, int *missing)
{
    while (*missing > 0 && *lines > keep) {
        (*lines)--;
        (*missing)--;
    }
}

/* What is left of the panel while other parts give way. */
enum { PANEL_MIN = 6 };

void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish)
{
    *layout = (struct layout){.width = width, .height = height};
    if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
        layout->too_small = true;
        return;
    }
    int header = wish->header, meters = wish->meters, notice = wish->notice;
    int books = wish->books, message = wish->message, keys = 1, titles = 1;
    int prompt = wish->prompt ? 1 : 0, panel = wish->panel;
    /* The table and the panel get half of the screen, and the table at least four lines if
     * possible. */
    int wanted = height / 2 - panel > 4 ? height / 2 - panel : 4;
    int missing = wanted - (height - header - meters - notice - books - titles - panel - message -
                            prompt - keys);
    give_way(&meters, 2, &missing);
    give_way(&notice, 1, &missing);
    give_way(&panel, PANEL_MIN, &missing);
    give_way(&meters, 0, &missing);
    give_way(&keys, wish->prompt ? 1 : 0, &missing); /* it names the keys of the prompt */
    give_way(&notice, 0, &missing);
    give_way(&panel, 0, &missing);
    give_way(&header, 0, &missing);
    missing -= wanted - 1; /* from here on only one line is reserved for the table */
    give_way(&keys, 0, &missing);
    give_way(&message, 1, &missing);
    give_way(&books, 0, &missing);
    give_way(&titles, 0, &missing);

    int y = 0;
    layout->header = (struct band){y, header};
    y += header;
    layout->meters = (struct band){y, meters};
    y += meters;
    layout->books = (struct band){y, books};
    y += books;
    layout->titles = (struct band){y, titles};
    y += titles;
    int below = panel + notice + message + prompt + keys;
    layout->table = (struct band){y, height - y - below};
    y = height - below;
    layout->panel = (struct band){y, panel};
    y += panel;
    layout->notice = (struct band){y, notice};
    y += notice;
    layout->message = (struct band){y, message};
    y += message;
    layout->prompt = (struct band){y, prompt};
    y += prompt;
    layout->keys = (struct band){y, keys};
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
    int x = layout_least(wish->widths[0], edge > 0 ? edge : wish->width), reserved = 0;
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
        int next = x + 1 + wish->widths[i];
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
        spans[i] = (struct span){x + 1, wish->widths[i]};
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
