#include "base/log.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

static int log_file = -1;
static const char *log_path;
static atomic_int log_error; /* the first of a write(2) */

int log_open(const char *path, struct err *err)
{
    struct err why;
    log_path = path;
    /* Writing to a pipe must not block. */
    log_file = file_create(path, O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, true, &why);
    return log_file < 0 ? err_set(err, "cannot write '%s': %s", path, why.text) : 0;
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
