#include "front/out.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int out_open(struct out *out, const char *path, bool replace, struct err *err)
{
    struct stat status;
    *out = (struct out){STDOUT_FILENO, path};
    if (!path)
        return 0;
    bool exists = stat(path, &status) == 0;
    if (replace && (!exists || S_ISREG(status.st_mode))) {
        out->fd = -1;
        return 0;
    }
    out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (out->fd < 0)
        return err_set(err, "cannot write '%s': %s", path, strerror(errno));
    return 0;
}

/* Bytes written before it failed, with errno then. */
static size_t write_all(int fd, const struct str *text)
{
    size_t done = 0;
    while (done < text->length) {
        ssize_t written = write(fd, text->text + done, text->length - done);
        if (written > 0) {
            done += (size_t)written;
            continue;
        }
        if (written == 0 || (errno != EINTR && errno != EAGAIN))
            break;
        if (errno == EAGAIN) /* another process made what we share with it non-blocking */
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
    }
    return done;
}

/* Takes the last bytes of a file back, unless something else was written behind them. */
static void take_back(int fd, size_t bytes)
{
    struct stat status;
    off_t end = lseek(fd, 0, SEEK_CUR);
    if (!bytes || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || end != status.st_size)
        return;
    if (ftruncate(fd, end - (off_t)bytes) == 0)
        lseek(fd, end - (off_t)bytes, SEEK_SET);
}

/* The umask can only be asked for by setting it; the other thread makes no files. */
static mode_t file_mode(void)
{
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A temporary file beside it becomes the file: rename(2) replaces the old one at once. */
static int replace(const char *path, const struct str *text)
{
    char *target = realpath(path, NULL); /* of a symbolic link what it points to is replaced */
    if (!target)
        target = mem_strdup(path);
    char *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    char *temporary = mem_printf("%.*s.%s.XXXXXX", directory, target, target + directory);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool done = fd >= 0 && fchmod(fd, file_mode()) == 0 && write_all(fd, text) == text->length;
    int error = errno;
    if (fd >= 0) {
        close(fd);
        if (done && rename(temporary, target) < 0) {
            done = false;
            error = errno;
        }
        if (!done)
            unlink(temporary);
    }
    free(temporary);
    free(target);
    errno = error;
    return done ? 0 : -1;
}

static int write_text(struct out *out, const struct str *text)
{
    if (out->fd < 0)
        return replace(out->name, text);
    size_t done = write_all(out->fd, text);
    if (done == text->length)
        return 0;
    int error = errno;
    take_back(out->fd, done);
    errno = error;
    return -1;
}

int out_write(struct out *out, struct str *text, struct err *err)
{
    int result = write_text(out, text);
    int error = errno;
    str_clear(text);
    if (result == 0)
        return 0;
    if (error == EPIPE)
        return 1;
    const char *quote = out->name ? "'" : "";
    return err_set(err, "cannot write %s%s%s: %s", quote, out->name ? out->name : "standard output",
                   quote, strerror(error));
}

void out_close(struct out *out)
{
    if (out->name && out->fd >= 0)
        close(out->fd);
    out->fd = -1;
}
