/* A jitdump, which any process may write: its functions, and their lines. */
#include "base/str.h"
#include "code/function_table.h"
#include "code/line_table.h"
#include "fuzz/fuzz.h"

static void read_lines(FILE *file, uint64_t start)
{
    AUTO_STR struct str text = str_new();
    if (jit_dump_lines(file, start, &text)) {
        struct line_table *lines = line_table_read(text.text);
        if (!lines)
            abort();
        for (size_t i = 1; i < lines->count; i++)
            if (lines->rows[i].address <= lines->rows[i - 1].address)
                abort();
        line_table_drop(lines);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct function_table table = {0};
    FILE *file = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    if (!file)
        return 0;
    if (!jit_dump_read(&table, file) && (table.count > 0 || table.draft_count > 0))
        abort();
    for (size_t i = 0; i < table.count; i++) {
        const struct table_function *function = &table.functions[i];
        if (i > 0 && function->start - function[-1].start < function[-1].size)
            abort(); /* what was told last has the address */
        if (i < 8)
            read_lines(file, function->start);
    }
    read_lines(file, 0);
    function_table_release(&table);
    fclose(file);
    return 0;
}
