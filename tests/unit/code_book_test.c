/* Which function an address belongs to: tables, mappings, files, and names. */
#include "base/mem.h"
#include "code/code_book.h"
#include "code/code_file.h"
#include "code/code_space.h"
#include "code/line_child.h"
#include "code/function_table.h"
#include "unit/test.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- tables ---- */

static void expect(const struct function_table *table, uint64_t address, const char *name,
                   uint64_t start, uint64_t size)
{
    const struct table_function *found = function_table_find(table, address);
    if (!name) {
        assert_null(found);
        return;
    }
    assert_non_null(found);
    const char *is = function_table_name(table, found);
    assert_string_equal(is ? is : "", name);
    assert_int_equal(found->start, start);
    assert_int_equal(found->size, size);
}

static void tables(void **state)
{
    static const uint64_t ends[] = {0x1800, 0x3000};
    struct function_table table = {0};
    function_table_add(&table, 0x2000, 0x100, "outer", 0);
    function_table_add(&table, 0x2040, 0x20, "inner", 0);
    function_table_add(&table, 0x1000, 0x10, "__alias", 2);
    function_table_add(&table, 0x1000, 0x10, "alias", 0);
    function_table_add(&table, 0x1000, 0x10, "an_alias", 0);
    function_table_add(&table, 0x1100, 0, "sizeless", 0);
    function_table_add(&table, 0x1700, 0, "last", 0);
    function_table_add(&table, 0x2800, 0, "bounded", 0);
    function_table_add(&table, 0x2800, 0x30, NULL, 0);
    function_table_add(&table, 0x2900, 0x40, NULL, 0);
    function_table_add(&table, 0x2060, 0, "label_in_outer", TABLE_RANK_LABEL);
    function_table_add(&table, 0x2980, 0, "label", TABLE_RANK_LABEL);
    function_table_add(&table, 0x2980, 0, "local_label", TABLE_RANK_LABEL + 200);
    function_table_add(&table, 0x29a0, 0, "next_label", TABLE_RANK_LABEL);
    function_table_finish(&table, ends, 2);
    expect(&table, 0xfff, NULL, 0, 0);
    expect(&table, 0x1000, "alias", 0x1000, 0x10); /* one name for each address */
    expect(&table, 0x100f, "alias", 0x1000, 0x10);
    expect(&table, 0x1010, NULL, 0, 0); /* never the nearest one beyond its size */
    expect(&table, 0x1500, "sizeless", 0x1100, 0x600);
    expect(&table, 0x17ff, "last", 0x1700, 0x100); /* not beyond its segment */
    expect(&table, 0x1800, NULL, 0, 0);
    expect(&table, 0x2030, "outer", 0x2000, 0x100);
    expect(&table, 0x2050, "inner", 0x2040, 0x20); /* the innermost */
    expect(&table, 0x2070, "outer", 0x2000, 0x100);
    expect(&table, 0x2810, "bounded", 0x2800, 0x30); /* bounds give a name its size */
    expect(&table, 0x2910, "", 0x2900, 0x40);
    expect(&table, 0x2070, "outer", 0x2000, 0x100); /* not a label in it */
    expect(&table, 0x2980, "label", 0x2980, 0x20);
    expect(&table, 0x29a0, "next_label", 0x29a0, 0x660);
    expect(&table, UINT64_MAX, NULL, 0, 0);
    function_table_release(&table);
}

static void shown_names(void **state)
{
    static const char *const names[][2] = {
        {"main", "main"},
        {"_ZN3foo3barEi", "foo::bar(int)"},
        {"_ZN3foo3barEi@plt", "foo::bar(int)@plt"},
        {"puts@plt", "puts@plt"},
        {"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
        {"_ZN4core3fmt5write17h9fa2dc35a390ea7eE.llvm.1234567", "core::fmt::write"},
        {"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
         "3bar17h930b740a"
         "a94f1d3aE",
         "<Test + 'static as foo::Bar<Test>>::bar"},
        {"_RNvCsabc_4main3run", "main[9e0a]::run"},
        {"_Znonsense", "_Znonsense"},
        {"a\x1b[31mb", "a\\x1b[31mb"},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *shown = function_name_shown(names[i][0], true);
        if (strncmp(names[i][0], "_R", 2) == 0)
            assert_non_null(strstr(shown, "::run"));
        else
            assert_string_equal(shown, names[i][1]);
        free(shown);
    }
    AUTO_FREE char *lengthy = malloc(5001);
    memset(lengthy, 'x', 5000);
    lengthy[5000] = '\0';
    char *shown = function_name_shown(lengthy, true);
    assert_int_equal(strlen(shown), 503);
    assert_string_equal(shown + 500, "...");
    free(shown);
}

static FILE *text_file(const char *text)
{
    return fmemopen((void *)text, strlen(text), "r");
}

static void kernel_and_jit(void **state)
{
    struct function_table table = {0};
    FILE *file =
        text_file("ffffffff81000000 T _stext\nffffffff81000000 t local\n"
                  "ffffffff81000100 D data\nnonsense\n"
                  "ffffffffc0001000 t probe_one\t[driver]\nffffffffc0001080 t end\t[driver]\n");
    assert_true(text_table_kernel(&table, file));
    fclose(file);
    expect(&table, 0xffffffff81000050, "_stext", 0xffffffff81000000, 0x3f001000);
    expect(&table, 0xffffffffc0001010, "probe_one [driver]", 0xffffffffc0001000, 0x80);
    function_table_release(&table);
    uint64_t bounds[2];
    file = text_file("100 T __sched_text_start\n100 T schedule\n1f0 T __sched_text_end\n300 T x\n");
    text_table_scheduler(file, bounds);
    fclose(file);
    assert_true(bounds[0] == 0x100 && bounds[1] == 0x1f0);
    file = text_file("0 T __sched_text_start\n0 T __sched_text_end\nnonsense\n");
    text_table_scheduler(file, bounds);
    fclose(file);
    assert_true(bounds[0] == 0 && bounds[1] == 0);
    file = text_file("0000000000000000 T hidden\n0000000000000000 t too\n");
    assert_false(text_table_kernel(&table, file)); /* the kernel hides its addresses */
    fclose(file);
    assert_int_equal(table.count, 0);
    function_table_release(&table);
    file = text_file("1000 20 first\n1000 40 second try\n2000 0 empty\nx y z\n3000 10 unfinished");
    text_table_jit(&table, file);
    fclose(file);
    expect(&table, 0x1030, "second try", 0x1000, 0x40); /* the last line for an address counts */
    expect(&table, 0x3000, NULL, 0, 0);
    function_table_release(&table);
    file = text_file("1000 1000 large\n1100 100 stale\n1200 10 inner\n1140 200 new\n"
                     "fffffffffffffff0 20 last\nffffffffffffffe0 8 before\n");
    text_table_jit(&table, file); /* the last line counts, also where it begins earlier */
    fclose(file);
    expect(&table, 0x1000, "large", 0x1000, 0x100);
    expect(&table, 0x1100, "stale", 0x1100, 0x40);
    expect(&table, 0x1140, "new", 0x1140, 0x200);
    expect(&table, 0x1208, "new", 0x1140, 0x200);
    expect(&table, 0x1340, "large", 0x1340, 0xcc0);
    expect(&table, 0x2000, NULL, 0, 0);
    function_table_release(&table);
    AUTO_FREE char *endless = malloc(1 << 20);
    memset(endless, 'x', 1 << 20);
    memcpy(endless, "1000 10 short\n2000 10 ", 22);
    memcpy(endless + (1 << 19), "\n3000 10 after\n4000 10 ", 24);
    file = fmemopen(endless, 1 << 20, "r");
    text_table_jit(&table, file);
    fclose(file);
    assert_int_equal(table.count, 3); /* not the one that is not written whole */
    expect(&table, 0x3000, "after", 0x3000, 0x10);
    assert_in_range(strlen(function_table_name(&table, function_table_find(&table, 0x2000))), 3000,
                    1 << 12);
    function_table_release(&table);
}

/* A list that is read in two parts is what it is when it is read at once. */
static void joined(void **state)
{
    static const char lines[] = "1000 100 one\n1200 100 two\n1400 100 three\n1080 200 over\n"
                                "1440 40 inside\n1500 10 after\n10 10 before\n1300 10 gap\n"
                                "1308 10 new gap\n5000 10 cut";
    const size_t most = strlen(lines);
    for (size_t size = 0; size <= most; size++) {
        struct function_table older = {0}, newer = {0}, both = {0}, once = {0};
        FILE *file = fmemopen((void *)lines, size ? size : 1, "r");
        text_table_jit(&older, file);
        fclose(file);
        assert_true(older.listed <= size && (older.listed == 0 || lines[older.listed - 1] == '\n'));
        newer.listed = older.listed;
        file = text_file(lines);
        text_table_jit(&newer, file);
        text_table_jit(&once, file);
        fclose(file);
        assert_int_equal(once.listed, strrchr(lines, '\n') + 1 - lines);
        assert_int_equal(newer.listed, once.listed);
        assert_true(function_table_join(&both, &older, &newer));
        assert_int_equal(both.listed, once.listed);
        assert_int_equal(both.count, once.count);
        for (uint64_t address = 0; address < 0x1600; address += 4) {
            const struct table_function *found = function_table_find(&once, address);
            expect(&both, address, found ? function_table_name(&once, found) : NULL,
                   found ? found->start : 0, found ? found->size : 0);
            assert_int_equal(function_table_overlaps(&once, address, 1), found != NULL);
        }
        function_table_release(&older);
        function_table_release(&newer);
        function_table_release(&both);
        function_table_release(&once);
    }
    struct function_table large = {.name_bytes = TABLE_NAMES_MAX}, small = {.name_bytes = 1};
    assert_false(function_table_join(&(struct function_table){0}, &large, &small));
}

/* ---- mappings ---- */

static void expect_mapped(const struct code_space *space, uint64_t address, uint32_t object,
                          uint64_t offset)
{
    const struct space_mapping *mapping = code_space_find(space, address);
    assert_non_null(mapping);
    assert_int_equal(mapping->object, object);
    assert_int_equal(mapping->offset + (address - mapping->start), offset);
}

static void overlaps(void **state)
{
    struct code_space space = {0}, copy = {0};
    code_space_map(&space, &(struct space_mapping){0x1000, 0x9000, 0x100, 1});
    code_space_map(&space, &(struct space_mapping){0x3000, 0x4000, 0, 2}); /* splits it */
    expect_mapped(&space, 0x2fff, 1, 0x20ff);
    expect_mapped(&space, 0x3000, 2, 0);
    expect_mapped(&space, 0x4000, 1, 0x3100);
    code_space_map(&space, &(struct space_mapping){0x800, 0x3800, 0, 3}); /* over two */
    expect_mapped(&space, 0x1000, 3, 0x800);
    expect_mapped(&space, 0x3800, 2, 0x800);
    code_space_copy(&copy, &space);
    code_space_map(&space, &(struct space_mapping){0, 0x10000, 0, 4}); /* over all */
    assert_int_equal(space.count, 1);
    expect_mapped(&copy, 0x8fff, 1, 0x80ff);
    assert_null(code_space_find(&copy, 0x9000));
    code_space_map(&space, &(struct space_mapping){5, 5, 0, 5}); /* empty */
    assert_int_equal(space.count, 1);
    code_space_clear(&space);
    code_space_clear(&copy);
}

static size_t parsed;

static void take_line(void *ctx, const struct code_mapping *mapping)
{
    (void)ctx;
    static const char *const paths[] = {"/usr/bin/a b (deleted)", "", "[vdso]", "/new\nline\n"};
    assert_string_equal(mapping->path, paths[parsed++]);
    if (parsed == 1) {
        assert_int_equal(mapping->start, 0x1000);
        assert_int_equal(mapping->size, 0x2000);
        assert_int_equal(mapping->offset, 0x500);
        assert_int_equal(mapping->major, 0xfe);
        assert_int_equal(mapping->inode, 77);
    }
}

static void maps(void **state)
{
    char text[] = "1000-3000 r-xp 00000500 fe:01 77      /usr/bin/a b (deleted)\n"
                  "4000-5000 rw-p 00000000 fe:01 77      /usr/bin/a\n"
                  "5000-6000 rwxp 00000000 00:00 0 \n"
                  "garbage\n9000-8000 r-xp 0 0:0 0 /wrong\n"
                  "7000-9000 r-xp 00000000 00:00 0      [vdso]\n"
                  "a000-b000 r-xp 00000000 fe:01 78      /new\\012line\\012\n";
    parsed = 0;
    code_space_parse(text, take_line, NULL);
    assert_int_equal(parsed, 4);
}

/* ---- files ---- */

static void processes(void **state)
{
    struct code_book *book = code_book_new();
    struct code_object object;
    enum { PARENT = 0x3ffffff0, CHILD };
    static const struct code_mapping program = {
        .start = 0x400000, .size = 0x1000, .path = "/no/such/program"};
    struct code_place place;
    code_book_map(book, PARENT, &program);
    place = code_book_place(book, PARENT, 0x400100, false);
    code_book_object(book, place.object, &object);
    assert_string_equal(object.name, "program");
    assert_int_equal(place.address, 0x100); /* in the file */
    code_book_fork(book, PARENT, CHILD);
    assert_int_equal(code_book_place(book, CHILD, 0x400100, false).object, place.object);
    code_book_exec(book, CHILD, 0);
    code_book_object(book, code_book_place(book, CHILD, 0x400100, false).object, &object);
    assert_string_equal(object.name, "[unmapped]");
    assert_false(code_book_is_mapped(book, code_book_place(book, CHILD, 0x400100, false)));
    assert_true(code_book_is_mapped(book, place));
    code_book_object(book, code_book_place(book, CHILD + 1, 0x400100, false).object, &object);
    assert_string_equal(object.name, "[ended process]"); /* it was never there */
    assert_true(code_book_settle(book, 60, false));
    code_book_object(book, place.object, &object);
    assert_string_equal(object.reason, "cannot read '/no/such/program': No such file or directory");
    code_book_drop(book);
}

/* A file that has the path now but is another one has no say. */
static void replaced(void **state)
{
    struct stat status;
    char *reason = NULL;
    assert_int_equal(stat("/proc/self/exe", &status), 0);
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    assert_true(length > 0);
    path[length] = '\0';
    struct code_file file = {.pid = getpid(),
                             .mapping = {.path = path,
                                         .inode = status.st_ino,
                                         .major = major(status.st_dev),
                                         .minor = minor(status.st_dev)},
                             .images = image_reader_new()};
    int fd = code_file_open(&file, &reason);
    assert_true(fd >= 0);
    close(fd);
    file.mapping.inode++;
    assert_int_equal(code_file_open(&file, &reason), -1);
    assert_non_null(strstr(reason, "is another file now than the one that is mapped"));
    free(reason);
    file.mapping.build_id_size = 4; /* no program has this one */
    assert_int_equal(code_file_open(&file, &reason), -1);
    free(reason);
    file.mapping.path = "/dev/null";
    assert_int_equal(code_file_open(&file, &reason), -1);
    free(reason);
    image_reader_free(file.images);
}

/* Every function of the C library's symbol tables has its own name, or another one at its address,
 * and a stripped copy the same bounds. */
static void whole_library(void **state)
{
    struct code_book *book = code_book_new();
    struct code_object object;
    code_book_object(
        book,
        code_book_place(book, getpid(), (uint64_t)(uintptr_t)gnu_get_libc_version, false).object,
        &object);
    struct elf_image image = {0};
    int fd = open(object.path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0 && elf_image_read(&image, fd, ELF_ALL));
    close(fd);
    size_t count = image.table.draft_count, named = 0;
    struct table_draft *before = malloc(count * sizeof(*before));
    memcpy(before, image.table.drafts, count * sizeof(*before));
    elf_image_finish(&image);
    for (size_t i = 0; i < count; i++) {
        const struct table_function *draft = &before[i].function;
        if (draft->size == 0 || !draft->name)
            continue;
        const struct table_function *found = function_table_find(&image.table, draft->start);
        assert_non_null(found);
        assert_int_equal(found->start, draft->start);
        assert_true(found->name != 0);
        named++;
    }
    assert_true(named > 1000);
    assert_true(image.table.count > named / 2);
    assert_true(image.identity.build_id_size > 0);
    free(before);
    elf_image_release(&image);
    code_book_drop(book);
}

static void told(void **state)
{
    struct code_book *book = code_book_new();
    const struct code_object object = {.name = "libx.so", .path = "/usr/lib/libx.so"};
    const struct code_function named = {CODE_NAMED, 0x100, 0x20, "f", 0, 0, false};
    const struct code_function bounded = {CODE_BOUNDED, 0x200, 0x20, NULL, 0, 0, false};
    const struct code_function unknown = {CODE_UNKNOWN, 0x300, 0, NULL, 0, 0, false};
    struct code_function function;
    struct code_object is;
    struct code_place place = code_book_learn(book, &object, &named);
    code_book_function(book, place, &function);
    assert_int_equal(function.state, CODE_NAMED);
    assert_int_equal(function.start, 0x100);
    assert_string_equal(function.name, "f");
    code_book_object(book, place.object, &is);
    assert_string_equal(is.path, "/usr/lib/libx.so");
    code_book_function(book, code_book_learn(book, &object, &bounded), &function);
    assert_int_equal(function.state, CODE_BOUNDED);
    code_book_function(book, code_book_learn(book, &object, &unknown), &function);
    assert_int_equal(function.state, CODE_UNKNOWN);
    code_book_drop(book);
}
