/* Writes JSON (RFC 8259) at the end of a text; commas are added automatically. A value with a key
 * is a member of the open object; with key NULL it is an element of the array, or the whole
 * text. */
#pragma once

#include "base/str.h"

/* Opens and closes an object or an array, given by its bracket. */
void json_open(struct str *json, const char *key, char bracket);
void json_close(struct str *json, char bracket);

void json_text(struct str *json, const char *key, const char *text); /* NULL is null */
void json_bool(struct str *json, const char *key, bool value);
void json_texts(struct str *json, const char *key, const char *const *texts, size_t count);
/* A number in the format of printf(3), or null if it is not known. */
void json_known(struct str *json, const char *key, bool known, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define json_number(json, key, ...) json_known(json, key, true, __VA_ARGS__)
