#include "base/ini.h"
#include "base/str.h"

static bool is_ini_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static const char *ini_skip_space(const char *p)
{
    while (is_ini_space(*p))
        p++;
    return p;
}

/* Copies the text up to `end` without the space around it. */
static void ini_copy(char *field, const char *text, const char *end)
{
    while (text < end && is_ini_space(*text))
        text++;
    while (end > text && is_ini_space(end[-1]))
        end--;
    memcpy(field, text, (size_t)(end - text));
    field[end - text] = '\0';
}

/* Where the comment within a line begins; the line's end if it has none. */
static const char *ini_comment(const char *text, const char *end)
{
    const char *mark = text;
    while ((mark = memchr(mark, ';', (size_t)(end - mark))) &&
           (mark == text || !is_ini_space(mark[-1])))
        mark++;
    return mark ? mark : end;
}

/* A heading that begins with '['. */
static int ini_take_heading(const char *text, const char *end, char *section, struct err *err)
{
    const char *close = memchr(text, ']', (size_t)(end - text));
    if (!close)
        return err_set(err, "expected '[section]' or 'name = value'");
    const char *after = ini_skip_space(close + 1);
    if (after < end && !strchr(";#", *after))
        return err_set(err, "text after the ']' of a section's name");
    if (close - text - 1 > INI_SECTION_SIZE)
        return err_set(err, "the section's name is too long");
    memcpy(section, text + 1, (size_t)(close - text - 1));
    section[close - text - 1] = '\0';
    return 0;
}

const char *ini_section(const char *section, const char *kind)
{
    size_t length = strlen(kind);
    if (strncmp(section, kind, length) != 0 || section[length] != ' ')
        return NULL;
    return ini_skip_space(section + length);
}

int ini_unknown_key(const char *key, const char *kind, const char *const *keys, struct err *err)
{
    const char *near = str_nearest_member(keys, SIZE_MAX, sizeof(*keys), 0, key);
    if (near)
        return err_set(err, "a %s has no key '%s': did you mean '%s'?", kind, key, near);
    return err_set(err, "a %s has no key '%s'", kind, key);
}

/* A line `name = value`, into fields of INI_LINE_SIZE + 1 bytes. */
static int ini_split(const char *text, const char *end, char *name, char *value, struct err *err)
{
    const char *comment = ini_comment(text, end), *equals = text;
    while (equals < comment && *equals != '=' && *equals != ':')
        equals++;
    if (equals == comment)
        return err_set(err, "expected '[section]' or 'name = value'");
    if (equals == text)
        return err_set(err, "no name before '='");
    ini_copy(name, text, equals);
    ini_copy(value, equals + 1, comment);
    return 0;
}

int ini_read(const char *text, const char *origin, const char *kind,
             int (*entry)(void *ctx, const char *section, const char *name, const char *value,
                          int line, struct err *err),
             void *ctx, struct err *err)
{
    char section[INI_SECTION_SIZE + 1] = "", name[INI_LINE_SIZE + 1], value[INI_LINE_SIZE + 1];
    const char *given = kind ? NULL : section; /* NULL: entries are not wanted */
    struct err why;
    int result = 0; /* of the line */
    while (str_starts(text, "\xef\xbb\xbf"))
        text += 3;
    for (int line = 1; *text && result >= 0; line++) {
        const char *end = strchrnul(text, '\n');
        result = 0;
        while (text < end && is_ini_space(*text))
            text++;
        bool heading = *text == '[', entries = given && text < end && !strchr(";#", *text);
        if ((heading || entries) && end - text > INI_LINE_SIZE)
            result = err_set(&why, "the line is too long");
        else if (heading)
            result = ini_take_heading(text, end, section, &why);
        else if (entries)
            result = ini_split(text, end, name, value, &why);
        if (heading)
            given = kind ? ini_section(section, kind) : section;
        else if (entries && !heading && result == 0)
            result = entry(ctx, given, name, value, line, &why);
        if (result == INI_SKIP_SECTION)
            given = NULL;
        else if (result < 0)
            err_set(err, "%s:%d: %s", origin, line, why.text);
        text = *end ? end + 1 : end;
    }
    return result < 0 ? -1 : 0;
}
