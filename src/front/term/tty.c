#include "front/term/screen.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

struct tty {
    int fd;     /* for writing */
    int shared; /* flags of fd if it is standard output, which others share; -1: it is our own */
    bool gone;  /* reading or writing fails for good */
    struct termios mode;
    struct str bytes; /* pending from `sent` on */
    size_t sent;
};

/* SIGQUIT is not a crash, but ends the program in the same way if it is not blocked. */
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT};
enum { DEADLY = sizeof(deadly) / sizeof(deadly[0]) };

/* Static, for the signal handler. */
static struct {
    const struct tty *volatile tty; /* NULL: nothing to restore */
    char text[256];
    size_t length;
    struct sigaction before[DEADLY];
    char stack[1 << 16]; /* of the handler: the crash may be a stack overflow */
} crash;

void tty_force(const struct tty *tty, const char *bytes, size_t length)
{
    if (tty->shared >= 0)
        fcntl(tty->fd, F_SETFL, tty->shared | O_NONBLOCK);
    if (write(tty->fd, bytes, length) != (ssize_t)length) {
        tcflush(tty->fd, TCOFLUSH);
        /* TCOON ends only a stop by TCOOFF, and with it that by Ctrl-S (tty_io.c: start_tty()). */
        tcflow(tty->fd, TCOOFF);
        tcflow(tty->fd, TCOON);
        (void)!write(tty->fd, bytes, length);
    }
    if (tty->shared >= 0)
        fcntl(tty->fd, F_SETFL, tty->shared);
}

static void crash_restore(void)
{
    const struct tty *tty = crash.tty;
    crash.tty = NULL;
    if (!tty)
        return;
    tty_force(tty, crash.text, crash.length);
    tcsetattr(STDIN_FILENO, TCSANOW, &tty->mode);
}

static void crash_handle(int number)
{
    int saved = errno;
    crash_restore();
    for (size_t i = 0; i < DEADLY; i++)
        if (deadly[i] == number)
            sigaction(number, &crash.before[i], NULL);
    raise(number); /* waits until this handler returns */
    errno = saved;
}

static void tty_free(struct tty *tty)
{
    if (tty->fd != STDOUT_FILENO)
        close(tty->fd);
    str_release(&tty->bytes);
    free(tty);
}

/* O_NONBLOCK would also affect the shell, which shares the open file description, so the terminal
 * is opened again. If that is not allowed (after su), the flag is set only during each write. */
struct tty *tty_open(struct err *err)
{
    struct tty *tty = mem_alloc(sizeof(*tty));
    tty->shared = -1;
    tty->fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (tty->fd < 0) {
        tty->fd = STDOUT_FILENO;
        tty->shared = fcntl(STDOUT_FILENO, F_GETFL);
    }
    str_init(&tty->bytes);
    if (tcgetattr(STDIN_FILENO, &tty->mode) == 0)
        return tty;
    err_set(err, "cannot use the terminal: cannot read its modes: %s", strerror(errno));
    tty_free(tty);
    return NULL;
}

void tty_close(struct tty *tty)
{
    tty_release(tty);
    tty_free(tty);
}

/* TCSANOW, since TCSADRAIN would wait for a stopped terminal. */
int tty_grab(const struct tty *tty, const char *restoring)
{
    if (!crash.tty) {
        crash.length = strnlen(restoring, sizeof(crash.text));
        memcpy(crash.text, restoring, crash.length);
        stack_t stack = {.ss_sp = crash.stack, .ss_size = sizeof(crash.stack)};
        sigaltstack(&stack, NULL);
        struct sigaction action = {.sa_handler = crash_handle, .sa_flags = SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        for (size_t i = 0; i < DEADLY; i++)
            sigaction(deadly[i], &action, &crash.before[i]);
        crash.tty = tty;
        mem_before_abort(crash_restore);
    }
    struct termios mode = tty->mode;
    mode.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
    mode.c_oflag &= ~(tcflag_t)OPOST;
    mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
    mode.c_lflag |= ISIG;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSANOW, &mode);
}

void tty_release(const struct tty *tty)
{
    tcsetattr(STDIN_FILENO, TCSANOW, &tty->mode);
    if (!crash.tty)
        return;
    crash.tty = NULL;
    mem_before_abort(NULL);
    for (size_t i = 0; i < DEADLY; i++)
        sigaction(deadly[i], &crash.before[i], NULL);
    stack_t stack = {.ss_flags = SS_DISABLE};
    sigaltstack(&stack, NULL);
}

bool tty_size(int *height, int *width)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
        return false;
    *height = size.ws_row;
    *width = size.ws_col;
    return true;
}

bool tty_read(struct tty *tty, char *byte)
{
    ssize_t got = read(STDIN_FILENO, byte, 1);
    tty->gone |= got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    return got == 1;
}

bool tty_gone(const struct tty *tty)
{
    return tty->gone;
}

bool tty_flush(struct tty *tty)
{
    while (tty->sent < tty->bytes.length) {
        if (tty->shared >= 0)
            fcntl(tty->fd, F_SETFL, tty->shared | O_NONBLOCK);
        ssize_t written =
            write(tty->fd, tty->bytes.text + tty->sent, tty->bytes.length - tty->sent);
        int error = errno;
        if (tty->shared >= 0)
            fcntl(tty->fd, F_SETFL, tty->shared);
        if (written < 0 && error == EINTR)
            continue;
        if (written < 0 && error == EAGAIN)
            return false;
        tty->gone |= written <= 0;
        if (tty->gone)
            break; /* drop the output */
        tty->sent += (size_t)written;
    }
    str_clear(&tty->bytes);
    tty->sent = 0;
    return true;
}

void tty_send(struct tty *tty, const char *bytes, size_t length)
{
    bool waits = tty_waits(tty) >= 0;
    str_add_n(&tty->bytes, bytes, length);
    if (!waits)
        tty_flush(tty);
}

int tty_waits(const struct tty *tty)
{
    return tty->gone || tty->sent < tty->bytes.length ? tty->fd : -1;
}

bool tty_drain(struct tty *tty, int patience)
{
    bool done;
    while (!(done = tty_flush(tty))) {
        struct pollfd wait = {.fd = tty->fd, .events = POLLOUT};
        if (poll(&wait, 1, patience) == 0)
            break;
    }
    str_clear(&tty->bytes);
    tty->sent = 0;
    return done;
}
