#include "front/tui/theme.h"
#include "base/embed.h"
#include "base/file.h"
#include "base/ini.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 20 };

static const char suffix[] = ".theme";

static const char *const attributes[] = {"bold", "dim", "underline", "reverse", "italic", NULL};

static const char *role_candidate(void *ctx, size_t i)
{
    (void)ctx;
    return i < ROLE_COUNT ? role_name((enum role)i) : NULL;
}

/* What can stand in the value of a role. */
static const char *word_candidate(void *ctx, size_t i)
{
    (void)ctx;
    size_t colors = 0;
    while (color_name(colors))
        colors++;
    return i < colors                                                ? color_name(i)
           : i - colors < sizeof(attributes) / sizeof(attributes[0]) ? attributes[i - colors]
                                                                     : NULL;
}

static int style_parse(struct style *style, const char *value, struct err *err)
{
    struct style next = {0};
    bool background = false; /* "on" was the word before */
    char *text = strdupa(value), *rest = NULL;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        struct color color;
        unsigned bit = 0;
        for (unsigned i = 0; attributes[i]; i++)
            if (strcmp(word, attributes[i]) == 0)
                bit = 1u << i;
        if (strcmp(word, "on") == 0 && !background) {
            background = true;
        } else if (background && color_parse(word, &color)) {
            next.background = color;
            background = false;
        } else if (background) {
            return err_set(err, "expected a colour after 'on', not '%s'", word);
        } else if (bit) {
            next.attributes |= bit;
        } else if (color_parse(word, &color)) {
            if (next.foreground.kind != COLOR_UNSET)
                return err_set(err, "a second colour '%s': the background is 'on %s'", word, word);
            next.foreground = color;
        } else {
            const char *near = str_nearest(word, word_candidate, NULL);
            if (near)
                return err_set(err, "unknown colour '%s'; did you mean '%s'?", word, near);
            return err_set(err,
                           "unknown colour '%s': expected a name such as 'red' or 'bright-red', "
                           "'default', 0 to 255, or #rrggbb",
                           word);
        }
    }
    if (background)
        return err_set(err, "expected a colour after 'on'");
    *style = next;
    return 0;
}

static int entry(void *ctx, const char *section, const char *name, const char *value, int line,
                 struct err *err)
{
    struct theme *theme = ctx;
    (void)line;
    if (strcmp(section, "theme") == 0) {
        if (strcmp(name, "description") != 0)
            return err_set(err, "unknown name '%s': expected 'description'", name);
        snprintf(theme->description, sizeof(theme->description), "%s", value);
        return 0;
    }
    if (strcmp(section, "roles") != 0)
        return err_set(err, "unknown section '%s': expected [theme] or [roles]", section);
    for (size_t i = 0; i < ROLE_COUNT; i++)
        if (strcmp(name, role_name((enum role)i)) == 0)
            return style_parse(&theme->styles[i], value, err);
    const char *near = str_nearest(name, role_candidate, NULL);
    if (near)
        return err_set(err, "unknown role '%s'; did you mean '%s'?", name, near);
    return err_set(err, "unknown role '%s'", name);
}

int theme_read(struct theme *theme, const char *text, const char *origin, struct err *err)
{
    struct theme next = *theme;
    if (ini_read(text, origin, entry, &next, err) < 0)
        return -1;
    struct style *ordinary = &next.styles[ROLE_TEXT];
    if (ordinary->foreground.kind == COLOR_UNSET)
        ordinary->foreground.kind = COLOR_DEFAULT;
    if (ordinary->background.kind == COLOR_UNSET)
        ordinary->background.kind = COLOR_DEFAULT;
    for (size_t i = 0; i < ROLE_COUNT; i++) {
        struct style *style = &next.styles[i];
        if (style->foreground.kind == COLOR_UNSET)
            style->foreground = ordinary->foreground;
        if (style->background.kind == COLOR_UNSET)
            style->background = ordinary->background;
    }
    *theme = next;
    return 0;
}

static bool is_theme(const char *file)
{
    size_t length = strlen(file);
    return length >= sizeof(suffix) && strcmp(file + length - (sizeof(suffix) - 1), suffix) == 0;
}

bool theme_name(size_t i, char *buffer, size_t size)
{
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (is_theme(file->name) && i-- == 0) {
            snprintf(buffer, size, "%.*s", (int)(strlen(file->name) - (sizeof(suffix) - 1)),
                     file->name);
            return true;
        }
    return false;
}

static const struct embedded_file *find_embedded(const char *name)
{
    size_t length = strlen(name);
    for (const struct embedded_file *file = embedded_files; file->name; file++)
        if (is_theme(file->name) && strncmp(file->name, name, length) == 0 &&
            strcmp(file->name + length, suffix) == 0)
            return file;
    return NULL;
}

struct candidate {
    char name[64];
};

static const char *theme_candidate(void *ctx, size_t i)
{
    struct candidate *at = (struct candidate *)ctx + i;
    return at->name[0] ? at->name : NULL;
}

static int unknown_theme(const char *name, struct err *err)
{
    enum { MOST = 64 };
    struct candidate names[MOST + 1] = {0};
    struct str list;
    str_init(&list);
    for (size_t i = 0; i < MOST && theme_name(i, names[i].name, sizeof(names[i].name)); i++)
        str_printf(&list, "%s%s", i ? ", " : "", names[i].name);
    const char *near = str_nearest(name, theme_candidate, names);
    if (near)
        err_set(err, "unknown theme '%s'; did you mean '%s'? (%s, or a path with '/')", name, near,
                list.text);
    else
        err_set(err, "unknown theme '%s': expected one of %s, or a path with '/'", name, list.text);
    str_release(&list);
    return -1;
}

int theme_load(struct theme *theme, const char *name, struct err *err)
{
    struct theme next = {0};
    const struct embedded_file *base = find_embedded(THEME_DEFAULT);
    if (base && theme_read(&next, base->text, base->name, err) < 0)
        return -1;
    next.description[0] = '\0';
    int result = 0;
    if (strchr(name, '/')) {
        char *text = file_load(name, FILE_LIMIT, err);
        result = text ? theme_read(&next, text, name, err) : -1;
        free(text);
    } else {
        const struct embedded_file *file = find_embedded(name);
        result = file ? theme_read(&next, file->text, file->name, err) : unknown_theme(name, err);
    }
    if (result == 0)
        *theme = next;
    return result;
}

int theme_check(const char *name, struct err *err)
{
    struct theme theme;
    return theme_load(&theme, name, err);
}
