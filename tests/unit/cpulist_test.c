#include "base/cpulist.h"
#include "base/str.h"
#include "unit/test.h"

/* expected: the CPUs as "0 1 2 ". */
static void expect(const char *text, const char *expected)
{
    struct cpulist list;
    struct err err = {""};
    assert_int_equal(cpulist_parse(&list, text, &err), 0);
    AUTO_STR struct str found = str_new();
    for (size_t i = 0; i < list.count; i++)
        str_printf(&found, "%d ", list.cpus[i]);
    assert_string_equal(found.text, expected);
    cpulist_release(&list);
    assert_int_equal(list.count, 0);
}

static void lists(void **state)
{
    expect("", "");
    expect("\n", "");
    expect("0", "0 ");
    expect("0\n", "0 ");
    expect("0-3,8", "0 1 2 3 8 ");
    expect("0-3,8\n", "0 1 2 3 8 ");
    expect("5-5", "5 ");
    expect("007", "7 ");
    expect("65535", "65535 ");
}

static void ascending_and_each_once(void **state)
{
    expect("8,0-2,1-3,8", "0 1 2 3 8 ");
    expect("3,2,1,1,1", "1 2 3 ");
}

static void expect_error(const char *text, const char *message)
{
    struct cpulist list;
    struct err err = {""};
    assert_int_equal(cpulist_parse(&list, text, &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(list.count, 0);
    assert_null(list.cpus);
}

static void what_is_no_list(void **state)
{
    static const char *const bad[] = {",",
                                      "0,",
                                      ",0",
                                      "0,,1",
                                      "-",
                                      "0-",
                                      "-1",
                                      "3-1",
                                      "0-1-2",
                                      "a",
                                      "0a",
                                      "0 1",
                                      " 0",
                                      "0x1",
                                      "65536",
                                      "0-65536",
                                      "99999999999999999999",
                                      "0-3,8,\n",
                                      "0\n1",
                                      "0\n\n"};
    struct cpulist list;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        if (cpulist_parse(&list, bad[i], NULL) == 0)
            fail_msg("'%s' was taken for a list", bad[i]);
    expect_error("0-x", "no list of CPUs '0-x': expected numbers and ranges such as 0-3,8");
    expect_error("9,\n", "no list of CPUs '9,': expected numbers and ranges such as 0-3,8");
}

static void long_lists_have_each_cpu_once(void **state)
{
    AUTO_STR struct str text = str_new();
    struct cpulist list;
    for (int i = 0; i < 100; i++)
        str_add(&text, "0-65535,");
    str_add(&text, "0");
    assert_int_equal(cpulist_parse(&list, text.text, NULL), 0);
    assert_int_equal(list.count, 65536);
    cpulist_release(&list);
}

static void membership(void **state)
{
    struct cpulist list;
    assert_int_equal(cpulist_parse(&list, "1-3,8", NULL), 0);
    static const int in[] = {1, 2, 3, 8}, out[] = {-1, 0, 4, 7, 9, 65535};
    for (size_t i = 0; i < 4; i++)
        assert_true(cpulist_has(&list, in[i]));
    for (size_t i = 0; i < 6; i++)
        assert_false(cpulist_has(&list, out[i]));
    cpulist_release(&list);
    assert_false(cpulist_has(&list, 1));
}
