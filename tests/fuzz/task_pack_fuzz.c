/* Packs of tasks in a recording: the first bytes say of what kind, the others are rows. What is
 * read is written, and read again as it was. */
#include "record/task_pack.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { EVENTS_MAX = 70, GROUPS_MAX = 4 };

/* Reads rows until one is not sound; their number. */
static size_t read_rows(struct pack_row *rows, const void *bytes, size_t size,
                        const struct pack_style *style, const struct event_set *set)
{
    struct pack_reader reader = pack_read(bytes, size);
    size_t count = 0;
    while (pack_more(&reader) && pack_read_fields(&reader, style)) {
        if (!pack_read_counts(&reader, style, set, &rows[count].counts))
            break;
        memcpy(rows[count++].field, reader.field, sizeof(reader.field));
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { HEAD = 4 };
    if (size < HEAD)
        return 0;
    struct event_set *set = event_set_new(data[0] % EVENTS_MAX);
    set->groups = data[1] % GROUPS_MAX;
    struct pack_style style = {(enum pack_kind)(data[2] % PACK_KINDS), data[2] >= INT8_MAX,
                               data[3] - INT8_MAX};
    struct pack_row rows[PACK_ROWS], again[PACK_ROWS];
    for (size_t r = 0; r < PACK_ROWS; r++) {
        rows[r].counts = counts_new(set);
        again[r].counts = counts_new(set);
    }
    size_t count = read_rows(rows, data + HEAD, size - HEAD, &style, set);
    struct str bytes;
    str_init(&bytes);
    pack_write(&bytes, &style, rows, count, set);
    if (read_rows(again, bytes.text, bytes.length, &style, set) != count)
        abort();
    for (size_t r = 0; r < count; r++)
        if (memcmp(rows[r].field, again[r].field, pack_fields(style.kind) * sizeof(*rows->field)) !=
                0 ||
            memcmp(rows[r].counts.value, again[r].counts.value,
                   set->count * sizeof(*rows->counts.value)) != 0)
            abort();
    str_release(&bytes);
    for (size_t r = 0; r < PACK_ROWS; r++) {
        counts_release(&rows[r].counts);
        counts_release(&again[r].counts);
    }
    event_set_drop(set);
    return 0;
}
