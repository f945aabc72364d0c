/* What a process that reads debug information answers, and what recordings keep: texts of lines and
 * inlined functions, and of instructions, that may have been written by anybody. */
#include "base/mem.h"
#include "code/line_table.h"
#include "code/listing.h"
#include "fuzz/fuzz.h"

static void look(const struct line_table *table, uint64_t address)
{
    const struct line_inline *found[LINE_INLINES_MAX];
    struct line_place place = line_table_find(table, address);
    if (place.file && (place.line == 0 || strchr(place.file, '\n')))
        abort();
    size_t count = line_table_inlined(table, address, found);
    for (size_t i = 0; i < count; i++)
        if (address < found[i]->start || address >= found[i]->end || !*found[i]->name ||
            (i > 0 && found[i]->depth <= found[i - 1]->depth))
            abort();
}

static void take(char *text)
{
    struct line_table *table = line_table_read(text);
    if (!table)
        return;
    look(table, 0);
    for (size_t i = 0; i < table->count; i++) {
        look(table, table->rows[i].address);
        if (i > 0 && table->rows[i].address <= table->rows[i - 1].address)
            abort();
    }
    for (size_t i = 0; i < table->inline_count; i++)
        look(table, table->inlines[i].start);
    line_table_drop(table);
}

/* What is written of a listing that was read is the same one. */
static void list(const char *text)
{
    struct code_listing *listing = code_listing_read(text);
    struct str once, twice;
    if (!listing)
        return;
    once = str_new();
    twice = str_new();
    code_listing_write(listing, &once);
    struct code_listing *again = code_listing_read(once.text);
    if (!again)
        abort();
    code_listing_write(again, &twice);
    if (!str_equal(once.text, twice.text))
        abort();
    for (size_t i = 0; i < listing->count; i++)
        if (code_listing_find(listing, listing->instructions[i].address) != i)
            abort();
    code_listing_drop(listing);
    code_listing_drop(again);
    str_release(&once);
    str_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1); /* with bytes that are zero */
    memcpy(text, data, size);
    list(text);
    take(text);
    free(text);
    return 0;
}
