#include "code/text_table.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    bool shown = false;
    while ((length = getline(&line, &room, file)) > 0) {
        struct kernel_symbol symbol;
        if (!read_symbol(line, length, &symbol))
            continue;
        shown |= symbol.address != 0;
        if (symbol.address == 0 || !strchr("tTwW", symbol.kind) || !*symbol.name)
            continue;
        char *module = strchr(symbol.name, '\t');
        if (module)
            *module = ' ';
        function_table_add(table, symbol.address, 0, symbol.name, symbol.kind == 't' ? 1 : 0);
    }
    free(line);
    function_table_finish(table, NULL, 0);
    return shown;
}

/* ---- JIT compilers ---- */

static int draft_order(const void *pa, const void *pb)
{
    const struct table_draft *a = pa, *b = pb;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int point_order(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

/* The first point from that one on behind which nothing is taken yet: `next` leads to it. */
static uint32_t first_free(uint32_t *next, uint32_t point)
{
    for (; next[point] != point; point = next[point])
        next[point] = next[next[point]];
    return point;
}

/* Drafts with a lower rank take the addresses that they have in common with others, which keep the
 * parts that are left: between the points where any draft begins or ends each part has one owner.
 */
static void cut_overlaps(struct function_table *table)
{
    enum { NAMES = TABLE_NAMES_MAX / 2 }; /* bytes, of further parts of functions that were cut */
    struct table_draft *drafts = table->drafts;
    size_t count = table->draft_count, points = 0, bytes = 0;
    if (count == 0)
        return;
    uint64_t *at = mem_array(2 * count + 1, sizeof(*at));
    for (size_t d = 0; d < count; d++) {
        at[2 * d] = drafts[d].function.start;
        at[2 * d + 1] = drafts[d].function.start + drafts[d].function.size;
    }
    qsort(at, 2 * count, sizeof(*at), point_order);
    for (size_t p = 0; p < 2 * count; p++)
        if (points == 0 || at[points - 1] != at[p])
            at[points++] = at[p];
    uint32_t *next = mem_array(points + 1, sizeof(*next));
    uint32_t *owner = mem_array(points + 1, sizeof(*owner)); /* + 1; 0: nobody */
    for (uint32_t p = 0; p < points; p++)
        next[p] = p;
    qsort(drafts, count, sizeof(*drafts), draft_order);
    for (size_t d = 0; d < count; d++) {
        uint64_t *first = bsearch(&drafts[d].function.start, at, points, sizeof(*at), point_order);
        uint64_t end = drafts[d].function.start + drafts[d].function.size;
        for (uint32_t p = first_free(next, (uint32_t)(first - at)); at[p] < end;
             p = first_free(next, p)) {
            owner[p] = (uint32_t)d + 1;
            next[p] = p + 1;
        }
    }
    struct table_draft *parts = mem_array(points + 1, sizeof(*parts));
    table->draft_count = 0;
    for (size_t p = 0, to; p < points; p = to) {
        for (to = p + 1; to < points && owner[to] == owner[p];)
            to++;
        struct table_draft *draft = owner[p] ? &drafts[owner[p] - 1] : NULL;
        if (!draft || bytes > NAMES)
            continue;
        bytes += draft->function.start < at[p] ? strlen(table->names + draft->function.name) : 0;
        struct table_draft *part = &parts[table->draft_count++];
        *part = *draft;
        part->function.start = at[p];
        part->function.size = (uint32_t)(at[to] - at[p]);
    }
    free(drafts);
    free(at);
    free(next);
    free(owner);
    table->drafts = parts;
    table->draft_room = points + 1;
}

/* The next line, without its end, and cut where it is too long; false at the end, and before a line
 * that is not written whole. */
static bool read_line(FILE *file, char *line, int size)
{
    if (!fgets(line, size, file))
        return false;
    size_t length = strlen(line);
    bool whole = length > 0 && line[length - 1] == '\n';
    line[length - whole] = '\0';
    for (int next = 0; !whole && next != '\n';)
        if ((next = getc_unlocked(file)) == EOF)
            return false;
    return true;
}

void text_table_jit(struct function_table *table, FILE *file)
{
    enum { LINE = 1 << 12 };
    char line[LINE];
    uint32_t rank = UINT32_MAX;
    struct stat status;
    /* What is new is at the end. */
    if (fstat(fileno(file), &status) == 0 && status.st_size > TEXT_TABLE_JIT_MAX &&
        (fseek(file, status.st_size - TEXT_TABLE_JIT_MAX, SEEK_SET) < 0 ||
         !read_line(file, line, LINE)))
        return;
    while (read_line(file, line, LINE)) {
        char *size_text, *name;
        unsigned long long start = strtoull(line, &size_text, 16);
        unsigned long long size = strtoull(size_text, &name, 16);
        if (size_text != line && name != size_text && *name == ' ' && size > 0)
            function_table_add(table, start, size, name + 1, rank--);
    }
    cut_overlaps(table);
    function_table_finish(table, NULL, 0);
}
