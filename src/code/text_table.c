#include "code/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct kernel_symbol {
    uint64_t address;
    char kind;
    char *name; /* in the line, without its end */
};

static bool read_symbol(char *line, ssize_t length, struct kernel_symbol *symbol)
{
    char *end;
    symbol->address = strtoull(line, &end, 16);
    if (line[length - 1] == '\n')
        line[length - 1] = '\0';
    if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
        return false;
    symbol->kind = end[1];
    symbol->name = end + 3;
    return true;
}

void text_table_scheduler(FILE *file, uint64_t bounds[2])
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    struct kernel_symbol symbol;
    bounds[0] = bounds[1] = 0;
    while (bounds[1] == 0 && (length = getline(&line, &room, file)) > 0)
        if (read_symbol(line, length, &symbol)) {
            bounds[0] = strcmp(symbol.name, "__sched_text_start") ? bounds[0] : symbol.address;
            bounds[1] = strcmp(symbol.name, "__sched_text_end") ? bounds[1] : symbol.address;
        }
    free(line);
}

bool text_table_kernel(struct function_table *table, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool told = false;
    while ((length = getline(&line, &room, file)) > 0) {
        struct kernel_symbol symbol;
        if (!read_symbol(line, length, &symbol))
            continue;
        told |= symbol.address != 0;
        if (symbol.address == 0 || !strchr("tTwW", symbol.kind) || !*symbol.name)
            continue;
        char *module = strchr(symbol.name, '\t');
        if (module)
            *module = ' ';
        function_table_add(table, symbol.address, 0, symbol.name, symbol.kind == 't' ? 1 : 0);
    }
    free(line);
    function_table_finish(table, NULL, 0);
    return told;
}

void text_table_jit(struct function_table *table, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    uint32_t rank = UINT32_MAX;
    while ((length = getline(&line, &room, file)) > 0) {
        char *size_text, *name;
        unsigned long long start = strtoull(line, &size_text, 16);
        unsigned long long size = strtoull(size_text, &name, 16);
        if (line[length - 1] != '\n') /* the compiler is still writing it */
            break;
        line[length - 1] = '\0';
        if (size_text == line || name == size_text || *name != ' ' || size == 0)
            continue;
        function_table_add(table, start, size, name + 1, rank--);
    }
    free(line);
    function_table_finish(table, NULL, 0);
}
