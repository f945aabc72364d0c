#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

int err_set(struct err *err, const char *format, ...)
{
    if (!err)
        return -1;
    /* The arguments may point into the old text (wrapping a message): format beside it. */
    struct err next;
    va_list args;
    va_start(args, format);
    vsnprintf(next.text, sizeof(next.text), format, args);
    va_end(args);
    for (char *p = next.text; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?';
    *err = next;
    return -1;
}
