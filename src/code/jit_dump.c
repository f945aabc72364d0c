#include "code/jit_dump.h"
#include "base/map.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

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
    struct map loads = {0}; /* where each record of a load has its name, by the code's index + 1 */
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
    map_release(&loads);
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
    struct map lines = {0};      /* where each code has its lines, by its index + 1 */
    long pending = 0, found = 0; /* lines stand before their code */
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
    map_release(&lines);
    walk.next = found;
    if (found > 0 && walk_next(&walk))
        tell_dump_lines(&walk, base, size, text);
    return true;
}
