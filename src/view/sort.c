#include "view/sort.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* A row with its key: made once per row, for a key may cost a look into /proc. */
struct item {
    const struct row *row;
    size_t place; /* before sorting */
    bool has_value;
    double number;
    size_t text; /* where the key begins in the texts of the order */
};

struct order {
    bool text, ascending;
    struct str texts;
};

static int compare_ids(const struct item *a, const struct item *b)
{
    if (a->row->tid != b->row->tid)
        return a->row->tid < b->row->tid ? -1 : 1;
    if (a->row->cpu != b->row->cpu && a->row->tid == 0)
        return a->row->cpu < b->row->cpu ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int compare(const void *pa, const void *pb, void *ctx)
{
    const struct item *a = pa, *b = pb;
    const struct order *order = ctx;
    if (a->has_value != b->has_value)
        return a->has_value ? -1 : 1;
    int by_key = 0;
    if (a->has_value && order->text)
        by_key = strcasecmp(order->texts.text + a->text, order->texts.text + b->text);
    else if (a->has_value)
        by_key = (a->number > b->number) - (a->number < b->number);
    if (by_key == 0)
        return compare_ids(a, b);
    return order->ascending ? by_key : -by_key;
}

static void make_key(struct item *item, struct order *order, const struct column *column,
                     const struct scene *scene)
{
    char text[sizeof(((struct cell *)0)->text)];
    if (!order->text) {
        item->has_value = column_number(column, scene, item->row, &item->number);
        return;
    }
    item->has_value = column_text(column, scene, item->row, text, sizeof(text));
    item->text = order->texts.length;
    if (item->has_value)
        str_add_n(&order->texts, text, strlen(text) + 1); /* with its end */
}

void sort_rows(const struct row **rows, size_t count, const struct column *column, bool ascending,
               const struct scene *scene)
{
    struct order order = {.text = column_is_text(column), .ascending = ascending};
    str_init(&order.texts);
    struct item *items = mem_array(count, sizeof(*items));
    for (size_t i = 0; i < count; i++) {
        items[i] = (struct item){.row = rows[i], .place = i};
        make_key(&items[i], &order, column, scene);
    }
    qsort_r(items, count, sizeof(*items), compare, &order);
    for (size_t i = 0; i < count; i++)
        rows[i] = items[i].row;
    free(items);
    str_release(&order.texts);
}
