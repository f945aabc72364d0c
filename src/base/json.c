#include "base/json.h"

static void json_begin(struct str *json, const char *key)
{
    if (json->length && !strchr("{[\n", json->text[json->length - 1]))
        str_add_char(json, ',');
    if (!key)
        return;
    str_add_char(json, '"');
    str_add_json(json, key);
    str_add(json, "\":");
}

void json_open(struct str *json, const char *key, char bracket)
{
    json_begin(json, key);
    str_add_char(json, bracket);
}

void json_close(struct str *json, char bracket)
{
    str_add_char(json, bracket);
}

void json_text(struct str *json, const char *key, const char *text)
{
    json_begin(json, key);
    if (!text) {
        str_add(json, "null");
        return;
    }
    str_add_char(json, '"');
    str_add_json(json, text);
    str_add_char(json, '"');
}

void json_bool(struct str *json, const char *key, bool value)
{
    json_begin(json, key);
    str_add(json, value ? "true" : "false");
}

void json_texts(struct str *json, const char *key, const char *const *texts, size_t count)
{
    json_open(json, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text(json, NULL, texts[i]);
    json_close(json, ']');
}

void json_known(struct str *json, const char *key, bool known, const char *format, ...)
{
    va_list arguments;
    json_begin(json, key);
    va_start(arguments, format);
    known ? str_vprintf(json, format, arguments) : str_add(json, "null");
    va_end(arguments);
}
