#include "base/log.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int log_file = -1;

int log_open(const char *path, struct err *err)
{
    /* Writing to a pipe must not block. */
    log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (log_file < 0)
        return err_set(err, "cannot write '%s': %s", path, strerror(errno));
    return 0;
}

void log_close(void)
{
    log_file = -1;
}

void log_line(const char *format, ...)
{
    if (log_file < 0)
        return;
    int error = errno;
    enum { LINE = 1024 };
    char line[LINE];
    uint64_t time = clock_monotonic() / 1000;
    int length =
        snprintf(line, sizeof(line), "%5llu.%06llu %d ", (unsigned long long)(time / 1000000),
                 (unsigned long long)(time % 1000000), (int)gettid());
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(line + length, sizeof(line) - (size_t)length - 1, format, arguments);
    va_end(arguments);
    length += more < 0 ? 0 : more;
    if (length > LINE - 2)
        length = LINE - 2;
    /* Texts can contain names that other users chose. */
    for (int i = 0; i < length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
            line[i] = '?';
    line[length] = '\n';
    ssize_t written = write(log_file, line, (size_t)length + 1);
    (void)written; /* a full disk must not end the program */
    errno = error;
}
