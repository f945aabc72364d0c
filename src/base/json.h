/* Writes JSON (RFC 8259) at the end of a text; commas come by themselves. With a key a value is a
 * member of the object that is open, with NULL an element of the array, or the whole text. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/str.h"

/* An object or an array, and its end; both are given by their bracket. */
void json_open(struct str *json, const char *key, char bracket);
void json_close(struct str *json, char bracket);

void json_text(struct str *json, const char *key, const char *text); /* NULL is null */
void json_bool(struct str *json, const char *key, bool value);
void json_null(struct str *json, const char *key);
/* A number, as printf(3) writes it. */
void json_number(struct str *json, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
