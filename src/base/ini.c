#include "base/ini.h"
#include "base/str.h"

#include <ini.h>
#include <stdbool.h>
#include <string.h>

struct ini_reading {
    const char *rest; /* text that libinih has not read yet */
    int line;         /* number of the last line that it read */
    bool failed;      /* err has the mistake of that line */
    int (*entry)(void *ctx, const char *section, const char *name, const char *value, int line,
                 struct err *err);
    void *ctx;
    struct err err;
};

static void ini_fail(struct ini_reading *reading, const char *text)
{
    err_set(&reading->err, "%s", text);
    reading->failed = true;
}

static const char *ini_skip_space(const char *p)
{
    while (*p == ' ' || (*p >= '\t' && *p <= '\r' && *p != '\n'))
        p++;
    return p;
}

/* Gives libinih one line at a time (an ini_reader). Counts lines, since libinih gives handlers no
 * line number, and drops indentation, since libinih would take an indented line for the
 * continuation of the value before. */
static char *ini_next_line(char *buffer, int size, void *stream)
{
    struct ini_reading *reading = stream;
    const char *line = reading->rest;
    if (reading->failed || !*line)
        return NULL;
    reading->line++;
    const char *end = strchrnul(line, '\n');
    reading->rest = *end ? end + 1 : end;
    line = ini_skip_space(line);
    /* libinih would skip a byte order mark too, but only after the check of headings below. */
    while (reading->line == 1 && str_starts(line, "\xef\xbb\xbf"))
        line = ini_skip_space(line + 3);
    size_t length = (size_t)(end - line);
    if (length > INI_LINE_SIZE || length + 2 > (size_t)size) {
        ini_fail(reading, "the line is too long");
        return NULL;
    }
    memcpy(buffer, line, length);
    memcpy(buffer + length, "\n", 2);
    /* libinih ignores text after a heading and cuts long names; here both are errors. It reports a
     * missing ']' itself. */
    const char *close = *buffer == '[' ? strchr(buffer, ']') : NULL;
    const char *after = close ? ini_skip_space(close + 1) : "";
    if (*after && !strchr("\n;#", *after))
        ini_fail(reading, "text after the ']' of a section's name");
    else if (close && close - buffer - 1 > INI_SECTION_SIZE)
        ini_fail(reading, "the section's name is too long");
    return reading->failed ? NULL : buffer;
}

/* Returns nonzero to go on (an ini_handler). */
static int ini_take_entry(void *user, const char *section, const char *name, const char *value)
{
    struct ini_reading *reading = user;
    if (!*name)
        ini_fail(reading, "no name before '='");
    else if (reading->entry(reading->ctx, section, name, value, reading->line, &reading->err) < 0)
        reading->failed = true;
    return !reading->failed;
}

const char *ini_section(const char *section, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(section, kind, length) != 0 || section[length] != ' ')
        return NULL;
    return ini_skip_space(section + length);
}

static const char *ini_key_at(void *ctx, size_t i)
{
    return ((const char *const *)ctx)[i];
}

int ini_unknown_key(const char *key, const char *kind, const char *const *keys, struct err *err)
{
    const char *near = str_nearest(key, ini_key_at, (void *)keys);
    if (near)
        return err_set(err, "a %s has no key '%s': did you mean '%s'?", kind, key, near);
    return err_set(err, "a %s has no key '%s'", kind, key);
}

int ini_read(const char *text, const char *origin,
             int (*entry)(void *ctx, const char *section, const char *name, const char *value,
                          int line, struct err *err),
             void *ctx, struct err *err)
{
    struct ini_reading reading = {.rest = text, .entry = entry, .ctx = ctx};
    int malformed = ini_parse_stream(ini_next_line, &reading, ini_take_entry, &reading);
    /* libinih goes on after a malformed line; report the first error. */
    if (malformed > 0 && (!reading.failed || malformed < reading.line))
        return err_set(err, "%s:%d: expected '[section]' or 'name = value'", origin, malformed);
    if (reading.failed)
        return err_set(err, "%s:%d: %s", origin, reading.line, reading.err.text);
    if (malformed < 0)
        return err_set(err, "%s: cannot read: out of memory", origin);
    return 0;
}
