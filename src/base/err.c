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
    for (unsigned char *p = (unsigned char *)next.text; *p; p++) {
        if (*p < 0x20 || *p == 0x7f)
            *p = '?';
        else if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* a C1 control as UTF-8 */
            p[0] = p[1] = '?';
    }
    *err = next;
    return -1;
}
