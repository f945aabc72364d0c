#include "base/log.h"
#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static int log_file = -1;
static const char *log_path;
static atomic_int log_error; /* the first of a write(2) */

void log_to(int fd, const char *path)
{
    log_file = fd;
    log_path = path;
}

int log_check(struct err *err)
{
    return log_error ? err_set(err, "cannot write '%s': %s", log_path, err_reason(log_error)) : 0;
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
    /* A full disk must not end the program. A pipe's reader may be slow, or leave. */
    if (write(log_file, line, strlen(line)) < 0 && errno != EAGAIN && errno != EPIPE && !log_error)
        log_error = errno;
    errno = error;
}
