/* A growing string. Invariant: text is never NULL after str_new and text[length] == '\0'. */
#pragma once

#include "base/mem.h"

struct str {
    char *text;
    size_t length;
    size_t room; /* 0: text is the shared empty string */
};

struct str str_new(void);                       /* an empty one */
struct str str_within(char *room, size_t size); /* one that never needs more room; not released */
void str_clear(struct str *s);                  /* empties it, keeps the memory */
void str_release(struct str *s);                /* frees it; s becomes empty as str_new() */
/* For a local `AUTO_STR struct str text = str_new();`: released where its block ends. */
#define AUTO_STR __attribute__((unused, cleanup(str_release)))
char *str_detach(struct str *s); /* the text, which the caller frees; s becomes empty */
void str_add(struct str *s, const char *text);
/* Adds exactly so many bytes, which are not in s itself. */
void str_add_n(struct str *s, const char *text, size_t length);
void str_add_char(struct str *s, char c);
void str_add_spaces(struct str *s, size_t count);
void str_printf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_vprintf(struct str *s, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Adds text as the inside of a JSON string. Escapes quotes, backslashes, control characters and
 * those that change the direction of text; replaces bytes that are not UTF-8 by U+FFFD. */
void str_add_json(struct str *s, const char *text);

/* Adds text that is safe on one line of a terminal: control characters become `\x1b`, line
 * separators, characters that change the direction of text and noncharacters `\u202e`, bytes that
 * are not UTF-8 U+FFFD. Backslashes are not escaped. */
void str_add_visible(struct str *s, const char *text);

char *str_visible(const char *text); /* such a text, which the caller frees */

/* Whether a character does something to a terminal or the text around it: control characters, line
 * separators, and what changes the direction of text, which can make a name look like another one
 * (Unicode TR 36, 3.6). */
bool str_controls(unsigned code);
/* Replaces each of those, and each byte that is not UTF-8, by '?'; lines: except newlines. Returns
 * the new length, which may be less. */
size_t str_clean(char *text, bool lines);

static inline bool str_equal(const char *a, const char *b) /* NULL equals only NULL */
{
    return a && b ? *a == *b && strcmp(a, b) == 0 : a == b;
}
bool str_starts(const char *text, const char *prefix);

/* The first of `count` elements of a struct whose member, a text, is the given one; NULL: none.
 * count SIZE_MAX: the last element has NULL there. */
#define STR_FIND(items, count, member, text)                                                       \
    ((__typeof__(&(items)[0]))str_find(items, count, sizeof((items)[0]),                           \
                                       offsetof(__typeof__((items)[0]), member), text))
/* The same in a whole array. */
#define STR_FIND_IN(table, member, text)                                                           \
    STR_FIND(table, sizeof(table) / sizeof((table)[0]), member, text)
const void *str_find(const void *items, size_t count, size_t size, size_t member, const char *text);
/* The index of a text in an array of texts; `count`: it is not there. */
size_t str_index(const char *const *texts, size_t count, const char *text);
/* Whether a whole array of texts has one. */
#define STR_IN(texts, text)                                                                        \
    (str_index(texts, sizeof(texts) / sizeof((texts)[0]), text) <                                  \
     sizeof(texts) / sizeof((texts)[0]))

uint64_t str_hash(const char *text); /* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv) */
uint64_t str_hash_bytes(const void *bytes, size_t length); /* the same of any bytes */

/* Writes a number in decimal, with at least that many digits and a '\0'; returns the end. With
 * printf(3) in its place, it took a large part of the time of a page with thousands of rows. */
char *str_put_number(char *to, uint64_t number, int digits);
void str_add_number(struct str *str, uint64_t number); /* adds it so */

/* Reads the number at the beginning of *text, decimal or hexadecimal after 0x, and moves *text
 * behind it. False if there is none or it does not fit. */
bool str_take_number(const char **text, uint64_t *number);
/* Reads the whole text as an unsigned integer in [min, max]; true and *out if it is one. */
bool str_to_u64(const char *text, unsigned long long min, unsigned long long max,
                unsigned long long *out);
/* Reads the whole text as a finite decimal number, independent of the locale; true and *out if it
 * is one. */
bool str_to_double(const char *text, double *out);
/* The seconds of a unit of time: ns, us, ms, and beginnings of seconds, minutes, hours and days,
 * with or without s at the end; 0 for other text. */
double str_unit_seconds(const char *unit);
/* Reads the whole text as a length of time, in seconds: a plain number, or numbers with units of
 * str_unit_seconds() that add up, of which the last may lack its unit: "500ms", "1 min 30". True
 * and *out if it is one. */
bool str_to_seconds(const char *text, double *out);

/* The Damerau-Levenshtein distance without regard to case: letters that are wrong, missing, too
 * many, or swapped with their neighbour; SIZE_MAX for texts longer than 63 bytes. */
size_t str_distance(const char *a, const char *b);

/* The candidate nearest to `text` by str_distance: at most a third of the letters differ, or one.
 * NULL if none is near. `candidate(ctx, i)` gives the i-th name, NULL after the last. */
const char *str_nearest(const char *text, const char *(*candidate)(void *ctx, size_t i), void *ctx);
/* The same among the texts that STR_FIND() looks through: `member` of each item, up to `count` or
 * to one that is NULL. */
#define STR_NEAREST(items, count, member, text)                                                    \
    str_nearest_member(items, count, sizeof((items)[0]), offsetof(__typeof__((items)[0]), member), \
                       text)
/* For the macro, and where the size of an item is known only while the program runs: size of an
 * item, and where its text stands in it, in bytes. */
const char *str_nearest_member(const void *items, size_t count, size_t size, size_t member,
                               const char *text);

/* Length in bytes of the UTF-8 sequence at text (1 to 4), 0 if it is not valid UTF-8. *code
 * receives the character. */
size_t str_utf8(const char *text, unsigned *code);
/* Writes the character as UTF-8; returns its length in bytes. */
size_t str_encode(char bytes[4], unsigned code);
