/* Texts about code: /proc/PID/maps, /proc/kallsyms, a JIT compiler's list, a mangled name. */
#include "code/code_space.h"
#include "code/function_table.h"
#include "fuzz/fuzz.h"

static void take(void *ctx, const struct code_mapping *mapping)
{
    struct code_space *space = ctx;
    if (mapping->size == 0 || !mapping->path)
        abort();
    code_space_map(space, &(struct space_mapping){mapping->start, mapping->start + mapping->size,
                                                  mapping->offset, 1});
    for (size_t i = 0; i < space->count; i++)
        if (space->mappings[i].start >= space->mappings[i].end ||
            (i > 0 && space->mappings[i].start < space->mappings[i - 1].end))
            abort();
}

static void read_table(const char *text, size_t size, bool kernel, bool scheduler)
{
    struct function_table table = {0};
    FILE *file = fmemopen((void *)text, size + 1, "r");
    if (!file)
        return;
    if (kernel)
        text_table_kernel(&table, file);
    else if (scheduler)
        text_table_scheduler(file, (uint64_t[2]){0});
    else
        text_table_jit(&table, file);
    fclose(file);
    for (size_t i = 0; i < table.count; i++) {
        const struct table_function *function = &table.functions[i];
        function_table_find(&table, function->start);
        if (!kernel && i > 0 && function->start - function[-1].start < function[-1].size)
            abort(); /* of lists of JIT compilers the last line has it */
    }
    function_table_release(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct code_space space = {0};
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    read_table(text, size, true, false);
    read_table(text, size, false, true);
    read_table(text, size, false, false);
    free(function_name_shown(text, true));
    code_space_parse(text, take, &space);
    code_space_clear(&space);
    free(text);
    return 0;
}
