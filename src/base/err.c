#include "base/err.h"
#include "base/str.h"

#include <errno.h>

const char *err_reason(int error)
{
    return error == EMFILE ? "Too many open files; raise the limit with 'ulimit -n'"
                           : strerror(error);
}

int err_set(struct err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err_vset(err, format, args);
    va_end(args);
    return -1;
}

void err_vset(struct err *err, const char *format, va_list args)
{
    if (!err)
        return;
    /* The arguments may point into the old text, so the new one is formatted elsewhere. */
    struct err next;
    vsnprintf(next.text, sizeof(next.text), format, args);
    str_clean(next.text, false);
    *err = next;
}

void err_say(const char *text)
{
    AUTO_STR struct str visible = str_new();
    str_add_visible(&visible, text);
    fprintf(stderr, "countertop: %s\n", visible.text);
}

int err_add_nearest(struct err *err, const char *nearest)
{
    return nearest && err ? err_set(err, "%s; nearest is '%s'", err->text, nearest) : -1;
}

int err_unknown(struct err *err, const char *what, const char *name, const char *nearest,
                const char *otherwise)
{
    if (nearest)
        return err_set(err, "%s '%.60s': did you mean '%s'?", what, name, nearest);
    return err_set(err, "%s '%.60s': %s", what, name, otherwise);
}

int err_point(struct err *err, const char *what, const char *text, const char *place)
{
    enum { AROUND = 40 };
    size_t column = (size_t)(place - text), cut = column > AROUND ? column - AROUND : 0;
    return err_set(err, "%s at column %zu: %s%.*s^%.*s%s", what, column + 1, cut ? "..." : "",
                   (int)(column - cut), text + cut, AROUND, place,
                   strlen(place) > AROUND ? "..." : "");
}
