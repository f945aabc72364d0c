#include "base/err.h"
#include "unit/test.h"

#include <string.h>

static void message(void **state)
{
    struct err err = {""};
    assert_int_equal(err_set(&err, "cannot read '%s': %d", "x", 3), -1);
    assert_string_equal(err.text, "cannot read 'x': 3");
    /* A message around the one there is. */
    assert_int_equal(err_set(&err, "cannot start: %s", err.text), -1);
    assert_string_equal(err.text, "cannot start: cannot read 'x': 3");
    assert_int_equal(err_set(NULL, "nobody listens"), -1);
}

/* What a terminal would obey: C0, DEL, and C1 as UTF-8 has it; letters stay. */
static void controls(void **state)
{
    struct err err;
    err_set(&err, "%s",
            "a\033[31m\n\t\x7f"
            "b\xc2\x9b"
            "31m\xc2\xa0\xc3\xa9");
    assert_string_equal(err.text, "a?[31m???b?31m\xc2\xa0\xc3\xa9");
    err_set(&err, "%s", "a\u202eb\x9b");
    assert_string_equal(err.text, "a?b?");
}

static void cut(void **state)
{
    struct err err;
    err_set(&err, "%600s", "");
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}
