/* The text of source lines and inlined functions, which a child process tells. */
#include "base/mem.h"
#include "base/str.h"
#include "code/line_table.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

static struct line_table *table_of(const char *text)
{
    AUTO_FREE char *copy = mem_strdup(text);
    struct line_table *table = line_table_read(copy);
    return table;
}

static void expect_line(const struct line_table *table, uint64_t address, const char *file,
                        uint32_t line)
{
    struct line_place place = line_table_find(table, address);
    if (!file) {
        assert_null(place.file);
        return;
    }
    assert_string_equal(place.file, file);
    assert_int_equal(place.line, line);
}

/* "outer;mix" */
static void expect_inlined(const struct line_table *table, uint64_t address, const char *names)
{
    const struct line_inline *found[LINE_INLINES_MAX];
    size_t count = line_table_inlined(table, address, found);
    AUTO_STR struct str text = str_new();
    for (size_t i = 0; i < count; i++)
        str_printf(&text, "%s%s", i ? ";" : "", found[i]->name);
    assert_string_equal(text.text, names);
}

static void finds(void **state)
{
    struct line_table *table =
        table_of("f /src/a b.c\nf /src/mix.h\nr 1000 0 14\nr 1004 1 4\nr 1010 0 0\nr 1020 0 20\n"
                 "i 1004 100c 1 0 17 ns::outer(unsigned long, int)\n"
                 "i 1010 1014 1 0 17 ns::outer(unsigned long, int)\ni 1008 100c 2 1 9 mix\x1b[m\n");
    assert_non_null(table);
    assert_null(table->reason);
    expect_line(table, 0xfff, NULL, 0);
    expect_line(table, 0x1000, "/src/a b.c", 14);
    expect_line(table, 0x1003, "/src/a b.c", 14);
    expect_line(table, 0x1004, "/src/mix.h", 4);
    expect_line(table, 0x1010, NULL, 0); /* made without a line */
    expect_line(table, 0x99999, "/src/a b.c", 20);
    expect_inlined(table, 0x1003, "");
    expect_inlined(table, 0x1004, "ns::outer(unsigned long, int)");
    expect_inlined(table, 0x1008, "ns::outer(unsigned long, int);mix\\x1b[m");
    expect_inlined(table, 0x100c, "");
    expect_inlined(table, 0x1013, "ns::outer(unsigned long, int)");
    line_table_drop(mem_share(table));
    line_table_drop(table);
    table = table_of("n half of it\n");
    assert_string_equal(table->reason, "half of it");
    line_table_drop(table);
    table = table_of("");
    assert_non_null(table);
    expect_line(table, 0, NULL, 0);
    line_table_drop(table);
    line_table_drop(NULL);
}

static void refuses(void **state)
{
    static const char *const wrong[] = {
        "x\n",
        "f /a",      /* no end */
        "f \n",      /* no path */
        "r 1 0 1\n", /* no such file */
        "f a\nr 1 1 1\n",
        "f a\nr 2 0 1\nr 2 0 2\n", /* not ascending */
        "f a\nr 1 0 1 1\n",
        "f a\nr 0x1 0 1\n",
        "f a\nr 1 0 -1\n",
        "f a\nr 1 0 4294967296\n",
        "f a\ni 2 2 1 0 1 x\n",                /* empty */
        "f a\ni 1 2 0 0 1 x\n",                /* depth from 1 */
        "f a\ni 1 2 1 0 1 \n",                 /* no name */
        "f a\ni 1 2 2 0 1 x\ni 1 2 1 0 1 y\n", /* inner before outer */
        "n a\nn b\n",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        if (table_of(wrong[i]))
            fail_msg("'%s' is accepted", wrong[i]);
}
