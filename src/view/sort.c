#include "view/rows.h"

#include <math.h>

/* In an id: what has had no place comes after what has; thread ids are positive. */
static const uint64_t NEW = (uint64_t)1 << 63;

void sorter_release(struct sorter *sorter)
{
    free(sorter->items);
    str_release(&sorter->texts);
    map_release(&sorter->places);
}

static int compare_items(const void *pa, const void *pb, void *ctx)
{
    const struct sort_item *a = pa, *b = pb;
    const struct sorter *sorter = ctx;
    int order = 0;
    if (a->absent || b->absent)
        order = a->absent - b->absent;
    else if (sorter->text)
        order = strcasecmp(sorter->texts.text + a->text, sorter->texts.text + b->text);
    else
        order = (a->number > b->number) - (a->number < b->number);
    if (order != 0)
        return a->absent == b->absent && !sorter->ascending ? -order : order;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Sets the key of an item: a number, or a text behind those of the items before it. */
static void make_key(struct sorter *sorter, struct sort_item *item, const struct column *column,
                     const struct view_context *context)
{
    char text[sizeof(((struct cell *)0)->text)];
    if (!sorter->text) {
        item->absent = !column_number(column, context, item->row, &item->number);
        return;
    }
    item->absent = !column_text(column, context, item->row, text, sizeof(text));
    item->text = (uint32_t)sorter->texts.length;
    str_add_n(&sorter->texts, text, strlen(text) + 1); /* with the terminating null */
}

void sort_rows(struct sorter *sorter, const struct row **rows, size_t count,
               const struct column *column, bool ascending, const struct view_context *context)
{
    sorter->text = column_is_text(column);
    sorter->ascending = ascending;
    /* On a terminal, rows do not change places for a difference that no cell shows. */
    const struct view_settings *settings = &context->settings;
    double step = settings->terminal ? column_step(column) : 0;
    /* Names and CPUs are found by their order. Totals follow an interval's rows, in another one. */
    bool stay = settings->terminal && settings->kind == VIEW_TASKS && column_is_measured(column) &&
                context->frame->totals == (settings->amount == AMOUNT_TOTAL);
    if (stay && sorter->amount != settings->amount) {
        map_clear(&sorter->places);
        sorter->amount = settings->amount;
    }
    str_clear(&sorter->texts);
    mem_grow(&sorter->items, &sorter->room, count, sizeof(*sorter->items));
    const struct sort_item *asleep = NULL; /* an item whose key all have that are asleep */
    bool alike = column_is_same_asleep(column);
    for (size_t i = 0; i < count; i++) {
        struct sort_item *item = &sorter->items[i];
        uint32_t cpu = rows[i]->tid == 0 ? (uint32_t)(rows[i]->cpu + 1) : 0;
        *item = (struct sort_item){.row = rows[i],
                                   .id = ((uint64_t)(uint32_t)rows[i]->tid << 32 | cpu),
                                   .place = (uint32_t)i};
        if (stay) {
            uintptr_t before = (uintptr_t)map_get(&sorter->places, rows[i]->id);
            item->id = before ? before : item->id | NEW;
        }
        if (alike && rows[i]->asleep && asleep) {
            item->absent = asleep->absent;
            item->number = asleep->number;
            continue;
        }
        make_key(sorter, item, column, context);
        if (step > 0)
            item->number = round(item->number / step) * step;
        if (alike && rows[i]->asleep)
            asleep = item;
    }
    if (count > 0)
        qsort_r(sorter->items, count, sizeof(*sorter->items), compare_items, sorter);
    if (stay)
        map_clear(&sorter->places);
    for (size_t i = 0; i < count; i++) {
        rows[i] = sorter->items[i].row;
        if (stay)
            map_put(&sorter->places, rows[i]->id, (void *)(uintptr_t)(i + 1));
    }
}
