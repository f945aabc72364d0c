/* Objects and arrays in each other have their commas, and nothing that is written breaks them. */
#include "base/json.h"
#include "unit/test.h"

static void commas_stand_between(void **state)
{
    struct str s;
    str_init(&s);
    for (int line = 0; line < 2; line++) {
        json_open(&s, NULL, '{');
        json_open(&s, "none", '{');
        json_close(&s, '}');
        json_open(&s, "a", '[');
        json_number(&s, NULL, "%d", line);
        json_open(&s, NULL, '{');
        json_bool(&s, "yes", true);
        json_null(&s, "un\"known");
        json_close(&s, '}');
        json_open(&s, NULL, '[');
        json_close(&s, ']');
        json_close(&s, ']');
        json_text(&s, "text", "{[\n");
        json_text(&s, "none", NULL);
        json_close(&s, '}');
        str_add(&s, "\n");
    }
    assert_string_equal(s.text, "{\"none\":{},\"a\":[0,{\"yes\":true,\"un\\\"known\":null},[]],"
                                "\"text\":\"{[\\u000a\",\"none\":null}\n"
                                "{\"none\":{},\"a\":[1,{\"yes\":true,\"un\\\"known\":null},[]],"
                                "\"text\":\"{[\\u000a\",\"none\":null}\n");
    str_clear(&s);
    json_number(&s, NULL, "%.0f", 1e300);
    assert_int_equal(s.length, 301);
    str_release(&s);
}
