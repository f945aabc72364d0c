#include "model/source_lines.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void source_lines_clear(struct source_lines *lines)
{
    for (size_t i = 0; lines->sources && i < lines->table->file_count; i++)
        source_file_drop(lines->sources[i]);
    free(lines->sources);
    lines->sources = NULL;
    line_table_drop(lines->table);
    lines->table = NULL;
    lines->pending = false;
    lines->count = 0;
}

void source_lines_release(struct source_lines *lines)
{
    source_lines_clear(lines);
    free(lines->rows);
    free(lines->row_of);
    *lines = (struct source_lines){0};
}

static bool same_line(const struct line_place *a, const struct line_place *b)
{
    return a->file == b->file && a->line == b->line; /* a table has each file once */
}

size_t source_lines_inlined(const struct source_lines *lines, const struct code_line *row,
                            const struct line_inline **found)
{
    return lines->table ? line_table_inlined(lines->table, row->address, found, LINE_INLINES_MAX)
                        : 0;
}

static struct code_line line_at(const struct source_lines *lines, uint64_t address)
{
    const struct line_inline *inlined[LINE_INLINES_MAX];
    struct code_line line = {.address = address};
    size_t depth = source_lines_inlined(lines, &line, inlined);
    if (lines->table)
        line.place = line_table_find(lines->table, address);
    line.inlined = depth > 0 ? inlined[depth - 1]->name : NULL;
    return line;
}

static void add_row(struct source_lines *lines, struct code_line row)
{
    mem_grow(&lines->rows, &lines->room, lines->count + 1, sizeof(*lines->rows));
    lines->rows[lines->count++] = row;
}

/* Instructions, and above each run of them its line. */
static void make_both(struct source_lines *lines, const struct code_listing *listing, bool sources)
{
    struct line_place last = {NULL, 0};
    for (size_t i = 0; i < listing->count; i++) {
        struct code_line line = line_at(lines, listing->instructions[i].address);
        if (sources && line.place.file && !same_line(&line.place, &last))
            add_row(lines, line);
        last = line.place;
        line.instruction = &listing->instructions[i];
        lines->row_of[i] = lines->count;
        add_row(lines, line);
    }
}

/* By file, that of the function itself first, and number. */
static int by_place(const void *pa, const void *pb, void *ctx)
{
    const struct code_line *a = pa, *b = pb;
    const char *own = ctx;
    if (a->place.file != b->place.file) {
        bool a_own = a->place.file == own, b_own = b->place.file == own;
        int order = a->place.file && b->place.file ? strcmp(a->place.file, b->place.file)
                                                   : !a->place.file - !b->place.file;
        return a_own != b_own ? b_own - a_own : order;
    }
    return a->place.line != b->place.line ? (a->place.line > b->place.line ? 1 : -1)
                                          : (a->address > b->address) - (a->address < b->address);
}

/* Each line once; what has none is together in a last row. */
static void make_lines(struct source_lines *lines, const struct code_listing *listing)
{
    size_t kept = 0;
    const char *own = NULL;
    for (size_t i = 0; i < listing->count; i++)
        add_row(lines, line_at(lines, listing->instructions[i].address));
    for (size_t i = 0; i < lines->count && !own; i++)
        own = lines->rows[i].inlined ? NULL : lines->rows[i].place.file;
    qsort_r(lines->rows, lines->count, sizeof(*lines->rows), by_place, (void *)own);
    for (size_t i = 0; i < lines->count; i++) {
        struct code_line row = lines->rows[i];
        size_t index = code_listing_find(listing, row.address);
        if (i == 0 || !same_line(&row.place, &lines->rows[kept - 1].place))
            lines->rows[kept++] = row;
        lines->row_of[index] = kept - 1;
    }
    lines->count = kept;
}

/* Asks for the texts of the lines in the rows. */
static void get_sources(struct source_lines *lines, struct code_book *book, uint32_t object)
{
    struct line_table *table = lines->table;
    lines->sources = mem_array(table->file_count + 1, sizeof(*lines->sources));
    for (size_t f = 0; f < table->file_count; f++) {
        bool wanted = false;
        for (size_t i = 0; i < lines->count && !wanted; i++)
            wanted = !lines->rows[i].instruction && lines->rows[i].place.file == table->files[f];
        if (wanted && !(lines->sources[f] = code_book_source(book, object, table->files[f])))
            lines->pending = true;
    }
}

void source_lines_make(struct source_lines *lines, const struct code_listing *listing,
                       struct code_book *book, const struct code_function *function,
                       enum source_rows rows)
{
    source_lines_clear(lines);
    lines->table = code_book_lines(book, function);
    lines->pending = !lines->table;
    mem_grow(&lines->row_of, &lines->row_of_room, listing->count + 1, sizeof(*lines->row_of));
    bool known = lines->table && lines->table->count > 0;
    if (known && rows == SOURCE_LINES && listing->count > 0)
        make_lines(lines, listing);
    else
        make_both(lines, listing, known && rows == SOURCE_BOTH);
    if (known && rows != SOURCE_NONE)
        get_sources(lines, book, function->object);
}

static const struct source_file *source_of(const struct source_lines *lines, const char *file)
{
    for (size_t f = 0; lines->sources && f < lines->table->file_count; f++)
        if (lines->table->files[f] == file)
            return lines->sources[f];
    return NULL;
}

void source_lines_text(const struct source_lines *lines, const struct code_line *row, char *text,
                       size_t size)
{
    const char *name = row->place.file ? strrchr(row->place.file, '/') : NULL;
    const struct source_file *source = source_of(lines, row->place.file);
    char line[1024] = "";
    if (!row->place.file) {
        snprintf(text, size, "(no source line)");
        return;
    }
    if (source)
        source_file_line(source, row->place.line, line, sizeof(line));
    for (char *c = line; *c; c++)
        *c = *c == '\t' ? ' ' : *c == '\r' && !c[1] ? '\0' : *c;
    snprintf(text, size, "%s:%u%s%s%s%s", name ? name + 1 : row->place.file, row->place.line,
             row->inlined ? " in " : "", row->inlined ? row->inlined : "", *line ? "  " : "", line);
}

const char *source_lines_reason(const struct source_lines *lines)
{
    const char *reason = lines->table ? lines->table->reason : NULL;
    for (size_t f = 0; !reason && lines->sources && f < lines->table->file_count; f++)
        if (lines->sources[f])
            reason = lines->sources[f]->reason;
    return reason || !lines->pending ? reason : "still being read";
}
