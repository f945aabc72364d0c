#include "base/err.h"
#include "unit/test.h"

#include <string.h>

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
