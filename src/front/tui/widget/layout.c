#include "front/tui/widget/layout.h"

static int layout_least(int a, int b)
{
    return a < b ? a : b;
}

/* Takes lines from *lines down to `keep`, as many as are missing. */
static void give_way(int *lines, int keep, int *missing)
{
    while (*missing > 0 && *lines > keep) {
        (*lines)--;
        (*missing)--;
    }
}

void layout_make(struct layout *layout, int width, int height, const struct layout_wish *wish)
{
    *layout = (struct layout){.width = width, .height = height};
    if (width < LAYOUT_MIN_WIDTH || height < LAYOUT_MIN_HEIGHT) {
        layout->too_small = true;
        return;
    }
    int header = layout_least(wish->header, LAYOUT_HEADER_LINES);
    int meters = wish->meters, notice = wish->notice, message = wish->message, keys = 1, titles = 1;
    int prompt = wish->prompt ? 1 : 0;
    /* The table gets half of the screen, at least four lines if there are that many. */
    int wanted = height / 2 > 4 ? height / 2 : 4;
    int missing = wanted - (height - header - meters - notice - titles - message - prompt - keys);
    give_way(&meters, 1, &missing);
    give_way(&notice, 1, &missing);
    give_way(&meters, 0, &missing);
    give_way(&header, 3, &missing);
    give_way(&header, 2, &missing);
    give_way(&header, 1, &missing);
    give_way(&keys, wish->prompt ? 1 : 0, &missing); /* in a prompt it shows how to leave it */
    give_way(&notice, 0, &missing);
    give_way(&header, 0, &missing);
    missing -= wanted - 1; /* from here on only so that the table keeps one line */
    give_way(&keys, 0, &missing);
    give_way(&message, 1, &missing);
    give_way(&titles, 0, &missing);

    int y = 0;
    layout->header = (struct band){y, header};
    y += header;
    layout->meters = (struct band){y, meters};
    y += meters;
    layout->notice = (struct band){y, notice};
    y += notice;
    layout->titles = (struct band){y, titles};
    y += titles;
    int below = message + prompt + keys;
    layout->table = (struct band){y, height - y - below};
    y = height - below;
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
    /* The last column has this much before the others: enough to recognize a name. */
    int share = wish->width / 5 < 8 ? 8 : wish->width / 5 > 16 ? 16 : wish->width / 5;
    int edge = wish->width - (stretch ? 1 + share : 0);
    int x = layout_least(wish->widths[0], edge > 0 ? edge : wish->width);
    spans[0].width = x;
    for (size_t i = 1 + wish->left; i < end; i++) {
        if (hidden > 0 || x + 1 + wish->widths[i] > edge) {
            hidden++;
            continue;
        }
        spans[i] = (struct span){x + 1, wish->widths[i]};
        x += 1 + wish->widths[i];
    }
    if (stretch && x + 1 < wish->width)
        spans[end] = (struct span){x + 1, wish->width - x - 1};
    return hidden;
}
