#include "view/rows.h"
#include "base/mem.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 8, SHORT = 8 };

/* In an id: what has had no place comes after what has; thread ids are positive. */
static const uint64_t NEW = (uint64_t)1 << 63;

void sorter_release(struct sorter *sorter)
{
    free(sorter->items);
    free(sorter->spare);
    str_release(&sorter->texts);
    map_release(&sorter->places);
}

/* The next eight bytes of text as a key, the first one most significant; ignores case like
 * strcasecmp(3). */
static uint64_t text_key(const char **text)
{
    uint64_t key = 0;
    for (size_t i = 0; i < KEY_BYTES; i++) {
        key = key << 8 | (unsigned char)tolower((unsigned char)**text);
        *text += **text != '\0';
    }
    return key;
}

/* Whether b, which followed a, must precede it. */
static bool is_before(const struct sorter *sorter, const struct sort_item *b,
                      const struct sort_item *a)
{
    if (b->absent != a->absent)
        return a->absent;
    if (b->key[0] != a->key[0])
        return b->key[0] < a->key[0];
    if (b->key[1] != a->key[1])
        return b->key[1] < a->key[1];
    if (sorter->text && !b->absent) {
        const char *texts = sorter->texts.text;
        int order = strcasecmp(texts + b->text, texts + a->text);
        if (order != 0)
            return (order < 0) == sorter->ascending;
    }
    return b->id < a->id;
}

/* A merge sort: stable, and fast for nearly sorted input, which is usual between refreshes. */
static void merge_sort(struct sorter *sorter, struct sort_item *items, size_t count)
{
    if (count <= SHORT) {
        for (size_t i = 1; i < count; i++) {
            if (!is_before(sorter, &items[i], &items[i - 1]))
                continue;
            struct sort_item item = items[i];
            size_t at = i;
            for (; at > 0 && is_before(sorter, &item, &items[at - 1]); at--)
                items[at] = items[at - 1];
            items[at] = item;
        }
        return;
    }
    size_t half = count / 2, left = 0, right = half, at = 0;
    merge_sort(sorter, items, half);
    merge_sort(sorter, items + half, count - half);
    if (!is_before(sorter, &items[half], &items[half - 1]))
        return;
    struct sort_item *spare = sorter->spare;
    memcpy(spare, items, half * sizeof(*items));
    while (left < half && right < count)
        items[at++] =
            is_before(sorter, &items[right], &spare[left]) ? items[right++] : spare[left++];
    memcpy(&items[at], &spare[left], (half - left) * sizeof(*items));
}

void sort_rows(struct sorter *sorter, const struct row **rows, size_t count,
               const struct column *column, bool ascending, const struct view_context *context)
{
    sorter->text = column_is_text(column);
    sorter->ascending = ascending;
    /* On a terminal, rows do not change places for a difference that no cell shows. */
    const struct view_settings *settings = context->settings;
    double step = settings->terminal ? column_step(column) : 0;
    /* Names and CPUs are found by their order. Totals are shown after an interval's rows, which are
     * in another one. */
    bool stay = settings->terminal && settings->kind == VIEW_TASKS && column_is_measured(column) &&
                context->frame->totals == (settings->amount == AMOUNT_TOTAL);
    if (stay && sorter->amount != settings->amount) {
        map_clear(&sorter->places);
        sorter->amount = settings->amount;
    }
    str_clear(&sorter->texts);
    mem_grow(&sorter->items, &sorter->room, count, sizeof(*sorter->items));
    mem_grow(&sorter->spare, &sorter->spare_room, count / 2, sizeof(*sorter->spare));
    const struct row *asleep = NULL; /* a row whose value all have that are asleep */
    bool asleep_known = false, alike = column_is_same_asleep(column);
    double asleep_number = 0;
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
        char text[sizeof(((struct cell *)0)->text)];
        const char *rest = text;
        double number;
        bool as_others = alike && item->row->asleep;
        if (as_others && !asleep) {
            asleep = item->row;
            asleep_known = column_number(column, context, asleep, &asleep_number);
        }
        if (as_others) {
            item->absent = !asleep_known;
            number = asleep_number;
        } else if (sorter->text) {
            item->absent = !column_text(column, context, item->row, text, sizeof(text));
        } else {
            item->absent = !column_number(column, context, item->row, &number);
        }
        if (!item->absent && sorter->text) {
            item->key[0] = text_key(&rest);
            item->key[1] = text_key(&rest);
            item->text = (uint32_t)sorter->texts.length;
            str_add_n(&sorter->texts, rest, strlen(rest) + 1); /* with the terminating null */
        } else if (!item->absent) {
            /* The bits of a double in an order that compares as integers (IEEE 754: sign and
             * magnitude). */
            uint64_t bits;
            number = (step > 0 ? round(number / step) * step : number) + 0.0; /* no negative zero */
            memcpy(&bits, &number, sizeof(bits));
            item->key[0] = bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
        }
        if (!sorter->ascending)
            for (size_t k = 0; k < 2; k++)
                item->key[k] = ~item->key[k];
    }
    merge_sort(sorter, sorter->items, count);
    if (stay)
        map_clear(&sorter->places);
    for (size_t i = 0; i < count; i++) {
        rows[i] = sorter->items[i].row;
        if (stay)
            map_put(&sorter->places, rows[i]->id, (void *)(uintptr_t)(i + 1));
    }
}
