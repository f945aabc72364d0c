#include "code/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool text_table_kernel(struct function_table *table, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool told = false;
    while ((length = getline(&line, &room, file)) > 0) {
        char *end, kind;
        unsigned long long address = strtoull(line, &end, 16);
        if (line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ')
            continue;
        kind = end[1];
        told |= address != 0;
        if (address == 0 || !strchr("tTwW", kind) || !end[3])
            continue;
        char *name = end + 3, *module = strchr(name, '\t');
        if (module)
            *module = ' ';
        function_table_add(table, address, 0, name, kind == 't' ? 1 : 0);
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
