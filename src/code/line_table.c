#include "code/line_table.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* A text with more is not believed. */
enum { FILES_MAX = 1 << 14, ROWS_MAX = 1 << 18, INLINES_MAX = 1 << 17 };

struct line_table *line_table_none(char *reason)
{
    struct line_table *table = mem_alloc(sizeof(*table));
    *table = (struct line_table){.references = 1, .reason = reason, .bytes = sizeof(*table)};
    return table;
}

struct line_table *line_table_share(struct line_table *table)
{
    __atomic_add_fetch(&table->references, 1, __ATOMIC_RELAXED);
    return table;
}

void line_table_drop(struct line_table *table)
{
    if (!table || __atomic_sub_fetch(&table->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < table->file_count; i++)
        free(table->files[i]);
    for (size_t i = 0; i < table->inline_count; i++)
        free(table->inlines[i].name);
    free(table->files);
    free(table->rows);
    free(table->inlines);
    free(table->reason);
    free(table);
}

static char *visible(const char *text)
{
    struct str safe;
    str_init(&safe);
    str_add_visible(&safe, text);
    return str_detach(&safe);
}

static bool take_hex(const char **text, uint64_t *number)
{
    char *end;
    if (**text != ' ' || !(*text)[1] || !strchr("0123456789abcdef", (*text)[1]) ||
        (*text)[2] == 'x')
        return false;
    *number = strtoull(*text + 1, &end, 16);
    *text = end;
    return true;
}

static bool take_small(const char **text, uint32_t *number)
{
    uint64_t value;
    if (**text != ' ' || (*text)[1] < '0' || (*text)[1] > '9')
        return false;
    ++*text;
    if (!str_take_number(text, &value) || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    return true;
}

static bool line_take_row(struct line_table *table, const char *text)
{
    struct line_row row;
    if (!take_hex(&text, &row.address) || !take_small(&text, &row.file) ||
        !take_small(&text, &row.line) || *text || row.file >= table->file_count ||
        table->count >= ROWS_MAX ||
        (table->count > 0 && table->rows[table->count - 1].address >= row.address))
        return false;
    mem_grow(&table->rows, &table->room, table->count + 1, sizeof(*table->rows));
    table->rows[table->count++] = row;
    return true;
}

static bool take_inline(struct line_table *table, const char *text)
{
    struct line_inline one;
    if (!take_hex(&text, &one.start) || !take_hex(&text, &one.end) || one.start >= one.end ||
        !take_small(&text, &one.depth) || !take_small(&text, &one.file) ||
        !take_small(&text, &one.line) || one.file >= table->file_count || *text != ' ' ||
        !text[1] || table->inline_count >= INLINES_MAX || one.depth == 0 ||
        (table->inline_count > 0 && table->inlines[table->inline_count - 1].depth > one.depth))
        return false;
    one.name = visible(text + 1);
    table->bytes += strlen(one.name) + sizeof(one);
    mem_grow(&table->inlines, &table->inline_room, table->inline_count + 1,
             sizeof(*table->inlines));
    table->inlines[table->inline_count++] = one;
    return true;
}

static bool take_line(struct line_table *table, const char *text)
{
    switch (*text) {
    case 'f':
        if (text[1] != ' ' || !text[2] || table->file_count >= FILES_MAX)
            return false;
        mem_grow(&table->files, &table->file_room, table->file_count + 1, sizeof(*table->files));
        table->files[table->file_count++] = visible(text + 2);
        table->bytes += strlen(text);
        return true;
    case 'r':
        table->bytes += sizeof(struct line_row);
        return line_take_row(table, text + 1);
    case 'i':
        return take_inline(table, text + 1);
    case 'n':
        if (text[1] != ' ' || table->reason)
            return false;
        table->reason = visible(text + 2);
        return true;
    default:
        return false;
    }
}

struct line_table *line_table_read(char *text)
{
    struct line_table *table = line_table_none(NULL);
    bool good = true;
    while (good && *text) {
        char *end = strchr(text, '\n');
        good = end;
        if (end)
            *end = '\0';
        good = good && take_line(table, text);
        text = end ? end + 1 : text;
    }
    if (good)
        return table;
    line_table_drop(table);
    return NULL;
}

void line_table_write(const struct line_table *table, struct str *text)
{
    for (size_t i = 0; i < table->file_count; i++)
        str_printf(text, "f %s\n", table->files[i]);
    for (size_t i = 0; i < table->count; i++)
        str_printf(text, "r %llx %u %u\n", (unsigned long long)table->rows[i].address,
                   table->rows[i].file, table->rows[i].line);
    for (size_t i = 0; i < table->inline_count; i++) {
        const struct line_inline *one = &table->inlines[i];
        str_printf(text, "i %llx %llx %u %u %u %s\n", (unsigned long long)one->start,
                   (unsigned long long)one->end, one->depth, one->file, one->line, one->name);
    }
    if (table->reason)
        str_printf(text, "n %s\n", table->reason);
}

struct line_place line_table_find(const struct line_table *table, uint64_t address)
{
    size_t after = mem_after(table->rows, table->count, sizeof(*table->rows), address);
    const struct line_row *row = after > 0 ? &table->rows[after - 1] : NULL;
    if (!row || row->line == 0)
        return (struct line_place){NULL, 0};
    return (struct line_place){table->files[row->file], row->line};
}

size_t line_table_inlined(const struct line_table *table, uint64_t address,
                          const struct line_inline **found, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < table->inline_count && count < most; i++) {
        const struct line_inline *one = &table->inlines[i];
        bool within = address >= one->start && address < one->end;
        if (within && (count == 0 || found[count - 1]->depth < one->depth))
            found[count++] = one;
    }
    return count;
}
