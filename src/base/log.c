#include "base/log.h"
#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
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
    uint64_t time = clock_monotonic() / 1000;
    va_list arguments;
    va_start(arguments, format);
    AUTO_FREE char *text = mem_vprintf(format, arguments);
    va_end(arguments);
    str_clean(text, false); /* texts can contain names that other users chose */
    AUTO_FREE char *line =
        mem_printf("%5llu.%06llu %d %.1000s\n", (unsigned long long)(time / 1000000),
                   (unsigned long long)(time % 1000000), (int)gettid(), text);
    (void)!write(log_file, line, strlen(line)); /* a full disk must not end the program */
    errno = error;
}
