#include "code/function_table.h"

#if __has_include(<libiberty/demangle.h>)
#include <libiberty/demangle.h>
#else
#include <demangle.h> /* Fedora */
#endif

void function_table_release(struct function_table *table)
{
    free(table->functions);
    free(table->names);
    free(table->drafts);
    *table = (struct function_table){0};
}

void function_table_empty(struct function_table *table)
{
    struct function_table empty = {
        .around = table->around, .reach = table->reach, .sum = table->sum};
    function_table_release(table);
    *table = empty;
}

size_t function_table_bytes(const struct function_table *table)
{
    return table->count * sizeof(*table->functions) + table->name_bytes;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

bool function_table_covers(const struct function_table *table, uint64_t address)
{
    return table->reach == 0 || distance(address, table->around) < table->reach;
}

static int table_by_distance(const void *pa, const void *pb, void *ctx)
{
    const uint64_t *around = ctx;
    uint64_t a = distance(((const struct table_draft *)pa)->function.start, *around);
    uint64_t b = distance(((const struct table_draft *)pb)->function.start, *around);
    return (a > b) - (a < b);
}

/* Keeps only the names of the drafts, in `room` bytes. */
static void keep_names(struct function_table *table, size_t room)
{
    char *names = mem_alloc(room);
    size_t bytes = 1;
    for (size_t i = 0; i < table->draft_count; i++) {
        uint32_t *name = &table->drafts[i].function.name;
        if (*name == 0)
            continue;
        strcpy(names + bytes, table->names + *name);
        *name = (uint32_t)bytes;
        bytes += strlen(names + bytes) + 1;
    }
    free(table->names);
    table->names = names;
    table->name_bytes = bytes;
    table->name_room = room;
}

/* Drops the half that is farthest from `around`. */
static void narrow(struct function_table *table)
{
    size_t kept = table->draft_count / 2;
    qsort_r(table->drafts, table->draft_count, sizeof(*table->drafts), table_by_distance,
            &table->around);
    table->reach = distance(table->drafts[kept].function.start, table->around);
    while (kept > 0 &&
           distance(table->drafts[kept - 1].function.start, table->around) >= table->reach)
        kept--;
    table->reach += table->reach == 0; /* many at one address */
    table->draft_count = kept;
    keep_names(table, TABLE_NAMES_MAX);
}

static uint32_t function_size(uint64_t size)
{
    return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

void function_table_add(struct function_table *table, uint64_t start, uint64_t size,
                        const char *name, uint32_t rank)
{
    size_t length = name && *name ? strlen(name) + 1 : 0;
    bool fits = length < TABLE_NAMES_MAX / 2;
    if (fits && (table->draft_count >= TABLE_FUNCTIONS_MAX ||
                 table->name_bytes + length >= TABLE_NAMES_MAX))
        narrow(table);
    if (!fits || !function_table_covers(table, start) ||
        table->name_bytes + length >= TABLE_NAMES_MAX)
        return;
    if (table->name_bytes == 0) {
        mem_grow(&table->names, &table->name_room, 1, 1);
        table->names[table->name_bytes++] = '\0';
    }
    *MEM_ADD(table->drafts, table->draft_count, table->draft_room) = (struct table_draft){
        .function = {.start = start,
                     .size = function_size(size),
                     .name = length ? (uint32_t)table->name_bytes : 0},
        .rank = rank,
    };
    if (length == 0)
        return;
    mem_grow(&table->names, &table->name_room, table->name_bytes + length, 1);
    memcpy(table->names + table->name_bytes, name, length);
    table->name_bytes += length;
}

/* By address; of the same one named ones first, then the lowest rank, the largest, the shortest
 * name, the first in the alphabet. */
static int table_by_start(const void *pa, const void *pb, void *ctx)
{
    const struct table_function *a = &((const struct table_draft *)pa)->function;
    const struct table_function *b = &((const struct table_draft *)pb)->function;
    uint32_t rank = ((const struct table_draft *)pa)->rank;
    uint32_t other = ((const struct table_draft *)pb)->rank;
    const char *names = ctx;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (!a->name != !b->name)
        return a->name ? -1 : 1;
    if (rank != other)
        return rank < other ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    size_t left = strlen(names + a->name), right = strlen(names + b->name);
    return left != right ? (left < right ? -1 : 1) : strcmp(names + a->name, names + b->name);
}

/* One draft for each address, and no label inside a function; their number. */
static size_t keep_first(struct table_draft *drafts, size_t count)
{
    size_t kept = 0;
    uint64_t end = 0; /* of the functions so far */
    for (size_t i = 0; i < count; i++) {
        const struct table_draft *draft = &drafts[i];
        uint64_t start = draft->function.start;
        struct table_function *last = kept > 0 ? &drafts[kept - 1].function : NULL;
        if (last && last->start == start)
            /* A name without a size gets that of the bounds. */
            last->size = last->size ? last->size : draft->function.size;
        else if (draft->rank < TABLE_RANK_LABEL || start >= end)
            drafts[kept++] = *draft;
        if (draft->function.size > 0 && start + draft->function.size > end)
            end = start + draft->function.size;
    }
    return kept;
}

/* The functions of the drafts, and only their names. */
static void keep_functions(struct function_table *table)
{
    size_t bytes = 1;
    for (size_t i = 0; i < table->draft_count; i++)
        bytes += strlen(table->names + table->drafts[i].function.name) + 1;
    keep_names(table, bytes);
    table->count = table->draft_count;
    table->functions = mem_array(table->count, sizeof(*table->functions));
    for (size_t i = 0; i < table->count; i++)
        table->functions[i] = table->drafts[i].function;
}

/* As str_hash_bytes(), but of eight bytes at a time: tables have megabytes. */
static uint64_t table_sum(const void *bytes, size_t size)
{
    uint64_t sum = size;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, (const char *)bytes + at,
               size - at < sizeof(word) ? size - at : sizeof(word));
        sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

/* The table has its functions, and changes no more. */
static void end_drafts(struct function_table *table)
{
    free(table->drafts);
    table->drafts = NULL;
    table->draft_count = table->draft_room = 0;
    table->sum = table_sum(table->functions, table->count * sizeof(*table->functions)) * 31 +
                 table_sum(table->names, table->name_bytes);
}

void function_table_finish(struct function_table *table, const uint64_t *ends, size_t count)
{
    uint64_t last = table->reach ? table->around + table->reach : UINT64_MAX;
    last = last < table->reach ? UINT64_MAX : last;
    size_t end = 0;
    if (table->draft_count == 0)
        return;
    qsort_r(table->drafts, table->draft_count, sizeof(*table->drafts), table_by_start,
            table->names);
    table->draft_count = keep_first(table->drafts, table->draft_count);
    keep_functions(table);
    for (size_t i = 0; i < table->count; i++) {
        struct table_function *function = &table->functions[i];
        while (end < count && ends[end] <= function->start)
            end++;
        if (function->size > 0)
            continue;
        uint64_t next = i + 1 < table->count ? table->functions[i + 1].start : last;
        if (end < count && ends[end] < next)
            next = ends[end];
        function->size = next != UINT64_MAX ? function_size(next - function->start) : 0;
    }
    end_drafts(table);
}

const struct table_function *function_table_find(const struct function_table *table,
                                                 uint64_t address)
{
    enum { NESTED_MAX = 16 }; /* functions that begin inside another one */
    size_t after = mem_after(table->functions, table->count, sizeof(*table->functions), address);
    for (size_t i = 0; i < NESTED_MAX && i < after; i++) {
        const struct table_function *function = &table->functions[after - 1 - i];
        if (address - function->start < function->size)
            return function;
    }
    return NULL;
}

const char *function_table_name(const struct function_table *table,
                                const struct table_function *function)
{
    return function->name ? table->names + function->name : NULL;
}

bool function_name_mangled(const char *name)
{
    return str_starts(name, "_Z") || str_starts(name, "_R");
}

char *function_name_shown(const char *name, bool demangled)
{
    enum { SHOWN_MAX = 500, MANGLED_MAX = 1 << 14, PLT = sizeof("@plt") - 1 };
    AUTO_FREE char *plain = NULL;
    size_t length = strlen(name);
    bool mangled = demangled && length < MANGLED_MAX && function_name_mangled(name);
    bool plt = length > PLT && str_equal(name + length - PLT, "@plt");
    AUTO_FREE char *symbol = mem_strndup(name, length - (plt ? PLT : 0));
    if (mangled)
        plain = rust_demangle(symbol, DMGL_NO_OPTS); /* older ones are like C++'s */
    if (mangled && !plain && str_starts(name, "_Z"))
        plain = cplus_demangle_v3(symbol, DMGL_PARAMS);
    struct str shown = str_new();
    str_add_visible(&shown, plain ? plain : symbol);
    str_add(&shown, plt ? "@plt" : "");
    if (shown.length > SHOWN_MAX) {
        size_t cut = SHOWN_MAX;
        while ((shown.text[cut] & 0xc0) == 0x80) /* not inside a character */
            cut--;
        shown.text[cut] = '\0';
        shown.length = cut;
        str_add(&shown, "...");
    }
    return str_detach(&shown);
}

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
    AUTO_FREE char *line = NULL;
    size_t room = 0;
    ssize_t length;
    struct kernel_symbol symbol;
    bounds[0] = bounds[1] = 0;
    while (bounds[1] == 0 && (length = getline(&line, &room, file)) > 0)
        if (read_symbol(line, length, &symbol)) {
            bounds[0] = strcmp(symbol.name, "__sched_text_start") ? bounds[0] : symbol.address;
            bounds[1] = strcmp(symbol.name, "__sched_text_end") ? bounds[1] : symbol.address;
        }
}

bool text_table_kernel(struct function_table *table, FILE *file)
{
    AUTO_FREE char *line = NULL;
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
    function_table_finish(table, NULL, 0);
    return shown;
}

/* ---- JIT compilers ---- */

/* Functions of a table, ascending and apart. */
struct function_run {
    struct table_function *functions;
    size_t count;
};

/* Adds [start, end) of a function, of which the name stands `shift` bytes later, if it has any. */
static void add_part(struct function_run *run, uint64_t start, uint64_t end,
                     const struct table_function *function, uint32_t shift)
{
    if (start < end)
        run->functions[run->count++] = (struct table_function){
            start, (uint32_t)(end - start), function->name ? function->name + shift : 0};
}

/* Makes one of both, in which the newer one has the addresses that both have. */
static struct function_run join_runs(struct function_run older, struct function_run newer,
                                     uint32_t shift)
{
    struct function_run run = {
        mem_resize(NULL, older.count + 2 * newer.count, sizeof(*run.functions)), 0};
    size_t n = 0;
    uint64_t done = 0; /* addresses below have their functions */
    for (size_t i = 0; i < older.count; i++) {
        const struct table_function *old = &older.functions[i];
        uint64_t end = old->start + old->size;
        done = done < old->start ? old->start : done;
        for (; n < newer.count && newer.functions[n].start < end; n++) {
            const struct table_function *next = &newer.functions[n];
            uint64_t behind = next->start + next->size;
            add_part(&run, done, next->start, old, 0);
            add_part(&run, next->start, behind, next, shift);
            done = done < behind ? behind : done;
        }
        add_part(&run, done, end, old, 0);
    }
    for (; n < newer.count; n++) {
        const struct table_function *next = &newer.functions[n];
        add_part(&run, next->start, next->start + next->size, next, shift);
    }
    return run;
}

/* The same of drafts, the oldest first. A name is the number of its draft among `all`, from 1. */
static struct function_run join_drafts(const struct table_draft *all,
                                       const struct table_draft *drafts, size_t count)
{
    if (count == 1) {
        struct table_function one = drafts->function;
        one.name = (uint32_t)(drafts - all) + 1;
        return join_runs((struct function_run){0}, (struct function_run){&one, 1}, 0);
    }
    struct function_run older = join_drafts(all, drafts, count / 2);
    struct function_run newer = join_drafts(all, drafts + count / 2, count - count / 2);
    struct function_run run = join_runs(older, newer, 0);
    free(older.functions);
    free(newer.functions);
    return run;
}

static int by_age(const void *pa, const void *pb)
{
    const struct table_draft *a = pa, *b = pb;
    return (a->rank < b->rank) - (a->rank > b->rank);
}

void function_table_finish_newest(struct function_table *table)
{
    const struct table_draft *drafts = table->drafts;
    size_t bytes = 1;
    if (table->draft_count == 0)
        return;
    qsort(table->drafts, table->draft_count, sizeof(*drafts), by_age);
    struct function_run run = join_drafts(drafts, drafts, table->draft_count);
    /* Only the names that are left, each once. */
    AUTO_FREE uint32_t *places = mem_array(table->draft_count, sizeof(*places));
    char *names = mem_alloc(table->name_bytes);
    for (size_t i = 0; i < run.count; i++) {
        size_t draft = run.functions[i].name - 1;
        if (places[draft] == 0 && drafts[draft].function.name) {
            places[draft] = (uint32_t)bytes;
            strcpy(names + bytes, table->names + drafts[draft].function.name);
            bytes += strlen(names + bytes) + 1;
        }
        run.functions[i].name = places[draft];
    }
    free(table->names);
    table->names = mem_resize(names, bytes, 1);
    table->name_bytes = table->name_room = bytes;
    table->functions = run.functions;
    table->count = run.count;
    end_drafts(table);
}

bool function_table_join(struct function_table *table, const struct function_table *older,
                         const struct function_table *newer)
{
    size_t bytes = older->name_bytes + newer->name_bytes;
    if (older->count + 2 * newer->count > TABLE_FUNCTIONS_MAX || bytes > TABLE_NAMES_MAX)
        return false;
    struct function_run run = join_runs((struct function_run){older->functions, older->count},
                                        (struct function_run){newer->functions, newer->count},
                                        (uint32_t)older->name_bytes);
    *table = *older;
    table->listed = newer->listed;
    table->functions = run.functions;
    table->count = run.count;
    table->names = mem_alloc(bytes);
    table->name_bytes = table->name_room = bytes;
    if (older->name_bytes > 0)
        memcpy(table->names, older->names, older->name_bytes);
    if (newer->name_bytes > 0)
        memcpy(table->names + older->name_bytes, newer->names, newer->name_bytes);
    return true;
}

/* The next line, without its end, and cut where it is too long. Returns its bytes in the file; 0 at
 * the end, and before a line that is not written whole. */
static size_t read_line(FILE *file, char *line, size_t size)
{
    size_t length = 0;
    int next;
    for (; (next = getc_unlocked(file)) != EOF && next != '\n'; length++)
        if (length < size - 1)
            line[length] = (char)next;
    line[length < size ? length : size - 1] = '\0';
    return next == '\n' ? length + 1 : 0;
}

void text_table_jit(struct function_table *table, FILE *file)
{
    enum { LINE = 1 << 12 };
    char line[LINE];
    uint32_t rank = UINT32_MAX;
    struct stat status = {0};
    size_t length = 0;
    fstat(fileno(file), &status);
    off_t latest = status.st_size - TEXT_TABLE_JIT_MAX; /* what is new is at the end */
    bool cut = latest > (off_t)table->listed;
    table->listed = cut ? (uint64_t)latest : table->listed;
    if (fseek(file, (long)table->listed, SEEK_SET) < 0 ||
        (cut && !(length = read_line(file, line, LINE))))
        return;
    table->listed += length;
    while ((length = read_line(file, line, LINE)) > 0) {
        char *size_text, *name;
        table->listed += length;
        unsigned long long start = strtoull(line, &size_text, 16);
        unsigned long long size = strtoull(size_text, &name, 16);
        if (size_text != line && name != size_text && *name == ' ' && size > 0)
            function_table_add(table, start, size, name + 1, rank--);
    }
    function_table_finish_newest(table);
}

bool function_table_overlaps(const struct function_table *table, uint64_t start, uint64_t size)
{
    const struct table_function *last =
        table->functions +
        mem_after(table->functions, table->count, sizeof(*table->functions), start + size - 1);
    return last > table->functions && last[-1].start + last[-1].size > start;
}

/* ---- jitdumps ---- */

/* All numbers have the byte order of the machine. */
struct dump_head {
    uint32_t magic, version, size, machine, padding, pid;
    uint64_t time, flags;
};

enum dump_kind { DUMP_LOAD, DUMP_MOVE, DUMP_LINES };

struct dump_record {
    uint32_t kind, size; /* with this head */
    uint64_t time;
};

struct dump_load { /* then the name and the code */
    uint32_t pid, tid;
    uint64_t virtual, address, size, index;
};

struct dump_move {
    uint32_t pid, tid;
    uint64_t virtual, from, to, size, index;
};

struct dump_lines { /* then that many lines, each with the name of its file behind it */
    uint64_t address, count;
};

struct dump_line {
    uint64_t address;
    int32_t line, column;
};

/* A walk over the records. */
struct dump_walk {
    FILE *file;
    long next, end, place; /* `place`: of what follows the head of the record */
    struct dump_record record;
    union {
        struct dump_load load;
        struct dump_move move;
        struct dump_lines lines;
    };
    bool of_v8;
};

enum {
    NAME_MOST = 1 << 12,   /* bytes; the rest is left out */
    MOVABLE_MOST = 1 << 20 /* functions; moves of others are not followed */
};

bool jit_dump_named(const char *path)
{
    const char *slash = strrchr(path, '/');
    int end = 0;
    return slash && sscanf(slash, "/jit-%*u.dump%n", &end) == 0 && end > 0 && !slash[end];
}

static bool walk_begin(struct dump_walk *walk, FILE *file)
{
    enum { MAGIC = 0x4a695444, VERSION = 1 };
    static const uint32_t PADDING_OF_V8 = 0xdeadbeef; /* src/diagnostics/perf-jit.cc */
    struct dump_head head;
    *walk = (struct dump_walk){.file = file};
    if (fseek(file, 0, SEEK_END) != 0 || (walk->end = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0 || fread(&head, sizeof(head), 1, file) != 1 ||
        head.magic != MAGIC || head.version != VERSION || head.size < sizeof(head) ||
        head.size > walk->end)
        return false;
    walk->next = head.size;
    walk->of_v8 = head.padding == PADDING_OF_V8;
    return true;
}

/* The next record of a kind that is read; false: there is none that is whole. */
static bool walk_next(struct dump_walk *walk)
{
    static const size_t fixed[] = {[DUMP_LOAD] = sizeof(struct dump_load),
                                   [DUMP_MOVE] = sizeof(struct dump_move),
                                   [DUMP_LINES] = sizeof(struct dump_lines)};
    struct dump_record *record = &walk->record;
    while (walk->end - walk->next >= (long)sizeof(*record)) {
        walk->place = walk->next + (long)sizeof(*record);
        if (fseek(walk->file, walk->next, SEEK_SET) != 0 ||
            fread(record, sizeof(*record), 1, walk->file) != 1 || record->size < sizeof(*record) ||
            record->size > walk->end - walk->next)
            return false;
        walk->next += record->size;
        if (record->kind <= DUMP_LINES && record->size - sizeof(*record) >= fixed[record->kind])
            return fread(&walk->move, fixed[record->kind], 1, walk->file) == 1;
    }
    return false;
}

/* The text up to the next '\0', not beyond the record; false: it has no end. */
static bool read_name(struct dump_walk *walk, char name[NAME_MOST])
{
    size_t length = 0;
    int c;
    for (long left = walk->next - ftell(walk->file);
         left > 0 && (c = getc_unlocked(walk->file)) != EOF; left--) {
        if (length < NAME_MOST - 1)
            name[length++] = (char)c;
        if (c == '\0')
            return true;
        name[length] = '\0';
    }
    return false;
}

bool jit_dump_read(struct function_table *table, FILE *file)
{
    struct dump_walk walk;
    AUTO_MAP struct map loads = {
        0}; /* where each record of a load has its name, by the code's index + 1 */
    char name[NAME_MOST];
    uint32_t rank = UINT32_MAX;
    if (!walk_begin(&walk, file))
        return false;
    while (walk_next(&walk)) {
        if (walk.record.kind == DUMP_LOAD && read_name(&walk, name)) {
            function_table_add(table, walk.load.address, walk.load.size, name, rank--);
            if (loads.count < MOVABLE_MOST)
                map_put(&loads, walk.load.index + 1, (void *)(uintptr_t)walk.place);
        } else if (walk.record.kind == DUMP_MOVE) {
            long place = (long)(uintptr_t)map_get(&loads, walk.move.index + 1);
            if (place > 0 && fseek(file, place + (long)sizeof(struct dump_load), SEEK_SET) == 0 &&
                read_name(&walk, name))
                function_table_add(table, walk.move.to, walk.move.size, name, rank--);
        }
    }
    function_table_finish_newest(table);
    return true;
}

/* Appends the lines of the record at that place, for code at `start`. */
static void tell_dump_lines(struct dump_walk *walk, uint64_t start, uint64_t size, struct str *text)
{
    enum { FILES_MOST = 1 << 12, LINES_MOST = 1 << 18 };
    enum { ELF_HEAD = 64 }; /* V8 adds it, for the files that 'perf inject' makes of the code */
    static const char SAME[] = "\xff"; /* the file is that of the line before */
    uint64_t skipped = walk->of_v8 ? ELF_HEAD : 0, last = 0;
    char name[NAME_MOST], path[NAME_MOST] = "", row[64] = "";
    uint32_t files = 0;
    struct dump_line line;
    AUTO_STR struct str rows = str_new();
    bool good = walk->lines.count < LINES_MOST;
    for (uint64_t i = 0; good && i < walk->lines.count; i++) {
        good = fread(&line, sizeof(line), 1, walk->file) == 1 && read_name(walk, name);
        uint64_t at = line.address - walk->lines.address - skipped;
        good = good && at < size && at <= UINT64_MAX - start && at >= last && line.line >= 0;
        if (at != last) /* of several rows for an address the last one counts */
            str_add(&rows, row);
        last = at;
        if (good && strcmp(name, SAME) != 0 && strcmp(name, path) != 0) {
            memcpy(path, name, sizeof(path));
            str_add(&rows, "f ");
            str_add_visible(&rows, str_starts(path, "file:///") ? path + strlen("file://") : path);
            str_add_char(&rows, '\n');
            good = *path && files++ < FILES_MOST;
        }
        good = good && files > 0;
        snprintf(row, sizeof(row), "r %" PRIx64 " %u %d\n", start + at, files - 1, line.line);
    }
    str_add(&rows, row);
    str_add(text, good ? rows.text : "n the lines that its compiler told are damaged\n");
}

bool jit_dump_lines(FILE *file, uint64_t start, struct str *text)
{
    struct dump_walk walk;
    AUTO_MAP struct map lines = {0}; /* where each code has its lines, by its index + 1 */
    long pending = 0, found = 0;     /* lines stand before their code */
    uint64_t wanted = 0, base = 0, size = 0;
    if (!walk_begin(&walk, file))
        return false;
    while (walk_next(&walk)) {
        if (walk.record.kind == DUMP_LINES) {
            pending = walk.place - (long)sizeof(walk.record);
            wanted = walk.lines.address;
            continue;
        }
        bool load = walk.record.kind == DUMP_LOAD;
        uint64_t index = load ? walk.load.index : walk.move.index;
        if (load && pending && wanted == walk.load.address && lines.count < MOVABLE_MOST)
            map_put(&lines, index + 1, (void *)(uintptr_t)pending);
        uint64_t address = load ? walk.load.address : walk.move.to;
        uint64_t bytes = load ? walk.load.size : walk.move.size;
        if (start - address < bytes) {
            found = (long)(uintptr_t)map_get(&lines, index + 1);
            base = address;
            size = bytes;
        }
        pending = load ? 0 : pending;
    }
    walk.next = found;
    if (found > 0 && walk_next(&walk))
        tell_dump_lines(&walk, base, size, text);
    return true;
}
