#include "front/out.h"
#include "base/signals.h"

#include <poll.h>
#include <sys/socket.h>

enum { LAST_WAIT = 3000 }; /* ms */

/* Opens pipes and devices again, without blocking: O_NONBLOCK on the shared open file description
 * would affect other programs. If opening fails, the descriptor is used as it is. Sockets cannot be
 * opened, but each send(2) may say that it does not wait. */
static void never_wait(struct out *out)
{
    struct stat status;
    char path[sizeof("/proc/self/fd/") + 10];
    bool known = fstat(out->fd, &status) == 0;
    out->socket = known && S_ISSOCK(status.st_mode);
    if (!known || (!S_ISFIFO(status.st_mode) && !S_ISCHR(status.st_mode)) ||
        (fcntl(out->fd, F_GETFL) & O_ACCMODE) == O_RDONLY)
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", out->fd);
    int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (out->own)
        close(out->fd);
    out->fd = fd;
    out->own = true;
}

int out_open(struct out *out, const char *path, bool replace, struct err *err)
{
    struct stat status;
    struct err why;
    *out = (struct out){.fd = STDOUT_FILENO, .name = path};
    if (path) {
        bool exists = stat(path, &status) == 0;
        if (replace && (!exists || S_ISREG(status.st_mode))) {
            out->fd = -1;
            AUTO_FREE char *target = file_target(path, &why);
            return target ? 0 : err_set(err, "cannot write '%s': %s", path, why.text);
        }
        /* Opening a named pipe waits for its reader; a signal may end the program meanwhile. */
        sigset_t before;
        signals_let_through(&before);
        out->fd = file_create(path, O_WRONLY | O_CREAT | O_TRUNC, false, &why);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (out->fd < 0)
            return err_set(err, "cannot write '%s': %s", path, why.text);
        out->own = true;
    }
    never_wait(out);
    return 0;
}

static void out_await(struct pollfd *fds, nfds_t count, int ms)
{
    while (poll(fds, count, ms) < 0 && errno == EINTR)
        ;
}

/* Waits until fd is writable, so that a reader gets whole lines. False: a signal asks the program
 * to end, and the reader has taken nothing for LAST_WAIT. The signal stays pending. */
static bool await_room(int fd)
{
    int signals = signals_end_fd();
    struct pollfd fds[] = {{.fd = fd, .events = POLLOUT}, {.fd = signals, .events = POLLIN}};
    out_await(fds, 2, -1);
    if (!fds[0].revents && fds[1].revents)
        out_await(fds, 1, LAST_WAIT);
    if (signals >= 0)
        close(signals);
    return fds[0].revents != 0;
}

/* Returns the bytes written. If fewer than all, errno is set: EINTR if asked to end. */
static size_t out_write_all(int fd, bool socket, const struct str *text)
{
    size_t done = 0;
    while (done < text->length) {
        const char *rest = text->text + done;
        size_t length = text->length - done;
        ssize_t written =
            socket ? send(fd, rest, length, MSG_DONTWAIT | MSG_NOSIGNAL) : write(fd, rest, length);
        if (written > 0) {
            done += (size_t)written;
            continue;
        }
        if (written == 0 || (errno != EINTR && errno != EAGAIN))
            break;
        if (errno == EAGAIN && !await_room(fd)) {
            errno = EINTR;
            break;
        }
    }
    return done;
}

/* Truncates a file by that many bytes, unless another program has appended to it. */
static void take_back(int fd, size_t bytes)
{
    struct stat status;
    off_t end = lseek(fd, 0, SEEK_CUR);
    if (!bytes || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || end != status.st_size)
        return;
    if (ftruncate(fd, end - (off_t)bytes) == 0)
        lseek(fd, end - (off_t)bytes, SEEK_SET);
}

/* Writes a temporary file in the same directory; rename(2) replaces the old file at once. */
static int replace(const char *path, const struct str *text, struct err *why)
{
    AUTO_FREE char *target = file_target(path, why);
    if (!target)
        return -1;
    char *slash = strrchr(target, '/');
    int directory = slash ? (int)(slash - target) + 1 : 0;
    AUTO_FREE char *temporary = mem_printf("%.*s.%s.XXXXXX", directory, target, target + directory);
    int fd = mkostemp(temporary, O_CLOEXEC);
    /* The umask can only be read by setting it; the other thread creates no files. */
    mode_t mask = umask(0);
    umask(mask);
    bool done =
        fd >= 0 && fchmod(fd, 0666 & ~mask) == 0 && out_write_all(fd, false, text) == text->length;
    file_close(fd);
    done = done && rename(temporary, target) == 0;
    if (!done)
        err_set(why, "%s", err_reason(errno));
    if (!done && fd >= 0)
        unlink(temporary);
    return done ? 0 : -1;
}

int out_write(struct out *out, struct str *text, struct err *err)
{
    size_t done = 0;
    struct err why = {""};
    bool whole = out->fd < 0 ? replace(out->name, text, &why) == 0
                             : (done = out_write_all(out->fd, out->socket, text)) == text->length;
    int error = errno;
    if (!whole && out->fd >= 0)
        take_back(out->fd, done);
    str_clear(text);
    if (whole)
        return 0;
    if (error == EPIPE || error == EINTR)
        return 1;
    const char *quote = out->name ? "'" : "";
    return err_set(err, "cannot write %s%s%s: %s", quote, out->name ? out->name : "standard output",
                   quote, *why.text ? why.text : err_reason(error));
}

void out_close(struct out *out)
{
    if (out->own)
        close(out->fd);
    out->fd = -1;
}
