/* What a JIT compiler tells in a jitdump: functions, moves, lines, and damage. */
#include "base/str.h"
#include "code/function_table.h"
#include "code/line_table.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

enum { LOAD, MOVE, LINES, CLOSE, UNWINDING };
static const uint32_t V8 = 0xdeadbeef;

/* A file that is made here, as the specification has it. */
struct dump {
    unsigned char bytes[8192];
    size_t size;
};

static void dump_add(struct dump *dump, const void *bytes, size_t size)
{
    assert_true(dump->size + size <= sizeof(dump->bytes));
    memcpy(dump->bytes + dump->size, bytes, size);
    dump->size += size;
}

static void add_number(struct dump *dump, uint64_t number, size_t size)
{
    dump_add(dump, &number, size);
}

static struct dump dump_begin(uint32_t padding)
{
    struct dump dump = {.size = 0};
    const uint32_t head[] = {0x4a695444, 1, 40, 62, padding, 1};
    dump_add(&dump, head, sizeof(head));
    add_number(&dump, 1, 8);
    add_number(&dump, 0, 8);
    return dump;
}

static void add_head(struct dump *dump, uint32_t kind, size_t size)
{
    add_number(dump, kind, 4);
    add_number(dump, 16 + size, 4);
    add_number(dump, 1, 8);
}

static void add_load(struct dump *dump, uint64_t address, uint64_t size, uint64_t index,
                     const char *name)
{
    add_head(dump, LOAD, 40 + strlen(name) + 1 + 3);
    add_number(dump, 7 | 7ull << 32, 8);
    add_number(dump, address, 8);
    add_number(dump, address, 8);
    add_number(dump, size, 8);
    add_number(dump, index, 8);
    dump_add(dump, name, strlen(name) + 1);
    dump_add(dump, "\xcc\xcc\xc3", 3); /* its code */
}

static void add_move(struct dump *dump, uint64_t from, uint64_t to, uint64_t size, uint64_t index)
{
    add_head(dump, MOVE, 48);
    add_number(dump, 7 | 7ull << 32, 8);
    add_number(dump, from, 8);
    add_number(dump, from, 8);
    add_number(dump, to, 8);
    add_number(dump, size, 8);
    add_number(dump, index, 8);
}

struct row {
    uint64_t address;
    uint32_t line;
    const char *file;
};

static void add_lines(struct dump *dump, uint64_t address, const struct row *rows, size_t count)
{
    size_t size = 16;
    for (size_t i = 0; i < count; i++)
        size += 16 + strlen(rows[i].file) + 1;
    add_head(dump, LINES, size);
    add_number(dump, address, 8);
    add_number(dump, count, 8);
    for (size_t i = 0; i < count; i++) {
        add_number(dump, rows[i].address, 8);
        add_number(dump, rows[i].line, 4);
        add_number(dump, 0, 4);
        dump_add(dump, rows[i].file, strlen(rows[i].file) + 1);
    }
}

static void expect_function(struct dump *dump, uint64_t address, const char *name)
{
    struct function_table table = {0};
    FILE *file = fmemopen(dump->bytes, dump->size, "r");
    assert_true(jit_dump_read(&table, file));
    fclose(file);
    const struct table_function *found = function_table_find(&table, address);
    if (name)
        assert_string_equal(function_table_name(&table, found), name);
    else
        assert_null(found);
    function_table_release(&table);
}

/* The line of an address in the function with that start; 0: none. Returns the table. */
static struct line_table *lines_of(struct dump *dump, uint64_t start)
{
    AUTO_STR struct str text = str_new();
    FILE *file = fmemopen(dump->bytes, dump->size, "r");
    assert_true(jit_dump_lines(file, start, &text));
    fclose(file);
    struct line_table *table = line_table_read(text.text);
    assert_non_null(table);
    return table;
}

static void expect_line(const struct line_table *table, uint64_t address, const char *source,
                        uint32_t line)
{
    struct line_place place = line_table_find(table, address);
    assert_int_equal(place.line, line);
    if (line)
        assert_string_equal(place.file, source);
}

static void names_of_files(void **state)
{
    assert_true(jit_dump_named("/tmp/jit-12.dump"));
    assert_true(jit_dump_named("/home/x y/.debug/jit/jit-7.dump"));
    static const char *const others[] = {"jit-12.dump",          "/tmp/jit-.dump",
                                         "/tmp/jit-12.dump.old", "/tmp/ajit-12.dump",
                                         "/tmp/jit-12",          "/jit-1.dump/x"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_false(jit_dump_named(others[i]));
}

static void functions(void **state)
{
    struct dump dump = dump_begin(0);
    add_load(&dump, 0x1000, 0x100, 1, "first");
    add_head(&dump, UNWINDING, 24);
    dump_add(&dump, "unwinding information   ", 24);
    add_load(&dump, 0x2000, 0x100, 2, "second");
    add_load(&dump, 0x1080, 0x80, 3, "third"); /* where the end of the first one was */
    expect_function(&dump, 0x1010, "first");
    expect_function(&dump, 0x1090, "third");
    expect_function(&dump, 0x20ff, "second");
    expect_function(&dump, 0x2100, NULL);
    add_move(&dump, 0x2000, 0x3000, 0x100, 2);
    add_move(&dump, 0x9000, 0x4000, 0x100, 9); /* of which there is no code */
    add_load(&dump, 0x2000, 0x40, 4, "fourth");
    expect_function(&dump, 0x2010, "fourth");
    expect_function(&dump, 0x3010, "second");
    expect_function(&dump, 0x4010, NULL);
    add_head(&dump, CLOSE, 0);
    expect_function(&dump, 0x3010, "second");
}

static void lines(void **state)
{
    static const struct row rows[] = {{0x1000, 10, "/src/a.js"},
                                      {0x1010, 12, "\xff"},
                                      {0x1010, 11, "\xff"},
                                      {0x1020, 3, "file:///src/b.js"},
                                      {0x1030, 20, "/src/a.js"}};
    struct dump dump = dump_begin(0);
    add_lines(&dump, 0x1000, rows, 5);
    add_load(&dump, 0x1000, 0x100, 1, "first");
    add_load(&dump, 0x2000, 0x100, 2, "second"); /* the lines are not its own */
    add_move(&dump, 0x1000, 0x5000, 0x100, 1);
    for (uint64_t start = 0x1000; start <= 0x5000; start += 0x4000) {
        struct line_table *table = lines_of(&dump, start);
        expect_line(table, start + 4, "/src/a.js", 10);
        expect_line(table, start + 0x10, "/src/a.js", 11);
        expect_line(table, start + 0x2f, "/src/b.js", 3);
        expect_line(table, start + 0x30, "/src/a.js", 20);
        line_table_drop(table);
    }
    struct line_table *none = lines_of(&dump, 0x2000);
    assert_int_equal(none->count, 0);
    line_table_drop(none);
    add_load(&dump, 0x1000, 0x100, 3, "third"); /* in place of the first */
    none = lines_of(&dump, 0x1000);
    assert_int_equal(none->count, 0);
    line_table_drop(none);
}

/* V8 adds the size of the head of an ELF file to addresses of lines. */
static void lines_of_v8(void **state)
{
    static const struct row rows[] = {{0x1040, 10, "/a.js"}, {0x1050, 11, "/a.js"}};
    struct dump dump = dump_begin(V8);
    add_lines(&dump, 0x1000, rows, 2);
    add_load(&dump, 0x1000, 0x20, 1, "first");
    struct line_table *table = lines_of(&dump, 0x1000);
    expect_line(table, 0x100f, "/a.js", 10);
    expect_line(table, 0x1010, "/a.js", 11);
    line_table_drop(table);
}

static void damage(void **state)
{
    static const struct row outside = {0x1200, 10, "/a.js"};
    static const struct row nameless = {0x1000, 10, "\xff"};
    for (int i = 0; i < 2; i++) {
        struct dump dump = dump_begin(0);
        add_lines(&dump, 0x1000, i ? &nameless : &outside, 1);
        add_load(&dump, 0x1000, 0x100, 1, "first");
        struct line_table *table = lines_of(&dump, 0x1000);
        assert_int_equal(table->count, 0);
        assert_non_null(strstr(table->reason, "damaged"));
        line_table_drop(table);
    }
    struct dump dump = dump_begin(0);
    add_load(&dump, 0x1000, 0x100, 1, "first");
    size_t whole = dump.size;
    add_load(&dump, 0x2000, 0x100, 2, "second");
    size_t all = dump.size;
    for (; dump.size > whole; dump.size--) { /* the last record is not written whole */
        expect_function(&dump, 0x1000, "first");
        expect_function(&dump, 0x2000, dump.size == all ? "second" : NULL);
    }
    static const char *const others[] = {"", "1000 20 function\n",
                                         "JiTD but of other machines ........"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct function_table table = {0};
        struct str text;
        FILE *file = fmemopen((void *)others[i], strlen(others[i]) + 1, "r");
        text = str_new();
        assert_false(jit_dump_read(&table, file));
        assert_false(jit_dump_lines(file, 0x1000, &text));
        assert_int_equal(table.count, 0);
        fclose(file);
        str_release(&text);
    }
}
