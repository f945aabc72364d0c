#include "code/line_table.h"

/* A text with more is not believed. */
enum { FILES_MAX = 1 << 14, ROWS_MAX = 1 << 18, INLINES_MAX = 1 << 17 };

struct line_table *line_table_none(char *reason)
{
    return mem_copy(
        &(struct line_table){.references = 1, .reason = reason, .bytes = sizeof(struct line_table)},
        sizeof(struct line_table));
}

void line_table_drop(struct line_table *table)
{
    if (!mem_drop(table))
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

/* Reads numbers, each behind a blank: 'x' hexadecimal, 'd' decimal ones of 32 bits. */
static bool take_numbers(const char **text, const char *kinds, uint64_t *numbers)
{
    for (; *kinds; kinds++) {
        bool decimal = *kinds == 'd';
        size_t length = **text == ' ' ? strspn(*text + 1, "0123456789abcdef") : 0;
        char *end = NULL;
        *numbers = strtoull(*text, &end, decimal ? 10 : 16);
        if (length == 0 || end != *text + 1 + length || (decimal && *numbers > UINT32_MAX))
            return false;
        *text = end;
        numbers++;
    }
    return true;
}

static bool line_take_row(struct line_table *table, const char *text)
{
    uint64_t numbers[3];
    if (!take_numbers(&text, "xdd", numbers) || *text || numbers[1] >= table->file_count ||
        table->count >= ROWS_MAX ||
        (table->count > 0 && table->rows[table->count - 1].address >= numbers[0]))
        return false;
    *MEM_ADD(table->rows, table->count, table->room) =
        (struct line_row){numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2]};
    return true;
}

static bool take_inline(struct line_table *table, const char *text)
{
    uint64_t numbers[5];
    if (!take_numbers(&text, "xxddd", numbers) || *text != ' ' || !text[1] ||
        table->inline_count >= INLINES_MAX)
        return false;
    struct line_inline one = {numbers[0],           numbers[1],           (uint32_t)numbers[2],
                              (uint32_t)numbers[3], (uint32_t)numbers[4], NULL};
    if (one.start >= one.end || one.file >= table->file_count || one.depth == 0 ||
        (table->inline_count > 0 && table->inlines[table->inline_count - 1].depth > one.depth))
        return false;
    one.name = str_visible(text + 1);
    *MEM_ADD(table->inlines, table->inline_count, table->inline_room) = one;
    return true;
}

static bool take_line(struct line_table *table, const char *text)
{
    switch (*text) {
    case 'f':
        if (text[1] != ' ' || !text[2] || table->file_count >= FILES_MAX)
            return false;
        *MEM_ADD(table->files, table->file_count, table->file_room) = str_visible(text + 2);
        return true;
    case 'r':
        return line_take_row(table, text + 1);
    case 'i':
        return take_inline(table, text + 1);
    case 'n':
        if (text[1] != ' ' || table->reason)
            return false;
        table->reason = str_visible(text + 2);
        return true;
    default:
        return false;
    }
}

struct line_table *line_table_read(char *text)
{
    struct line_table *table = line_table_none(NULL);
    table->bytes += 2 * strlen(text);
    for (char *end; *text; text = end + 1) {
        end = strchr(text, '\n');
        if (end)
            *end = '\0';
        if (!end || !take_line(table, text)) {
            line_table_drop(table);
            return NULL;
        }
    }
    return table;
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
                          const struct line_inline *found[LINE_INLINES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < table->inline_count && count < LINE_INLINES_MAX; i++) {
        const struct line_inline *one = &table->inlines[i];
        bool within = address >= one->start && address < one->end;
        if (within && (count == 0 || found[count - 1]->depth < one->depth))
            found[count++] = one;
    }
    return count;
}
