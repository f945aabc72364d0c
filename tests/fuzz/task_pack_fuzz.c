/* Packs of tasks in a recording: the first bytes say of what kind, and whether in columns or rows,
 * the others are the pack. What is read is written, and read again as it was. */
#include "record/task_pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS_MAX = 70, GROUPS_MAX = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 4 };
    if (size < HEAD)
        return 0;
    struct event_set *set = event_set_new(data[0] % EVENTS_MAX);
    set->groups = data[1] % GROUPS_MAX;
    struct pack_style style = {(enum pack_kind)(data[2] % PACK_KINDS), data[3] % 2 == 0,
                               data[2] >= INT8_MAX, data[3] - INT8_MAX};
    struct pack pack = {0}, again = {0};
    struct pack_row rows[PACK_ROWS] = {{{0}, {0}}};
    if (pack_read(&pack, &style, data + HEAD, size - HEAD, set) && pack.rows > 0) {
        size_t fields = pack_fields(style.kind) * sizeof(*rows->field);
        for (size_t r = 0; r < pack.rows; r++) {
            rows[r].counts = counts_new(set);
            memcpy(rows[r].field, pack_row_fields(&pack, r), fields);
            pack_row_counts(&pack, r, set, &rows[r].counts);
        }
        struct str bytes;
        str_init(&bytes);
        pack_write(&bytes, &style, rows, pack.rows, set);
        if (!pack_read(&again, &style, bytes.text, bytes.length, set) || again.rows != pack.rows ||
            memcmp(again.numbers, pack.numbers,
                   (pack.rows + 1) * pack.width * sizeof(*pack.numbers)) != 0)
            abort();
        str_release(&bytes);
        for (size_t r = 0; r < pack.rows; r++)
            counts_release(&rows[r].counts);
    }
    pack_release(&pack);
    pack_release(&again);
    event_set_drop(set);
    return 0;
}
