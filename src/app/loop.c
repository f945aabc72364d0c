#include "app/loop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>

int loop_signals(struct err *err)
{
    sigset_t set;
    sigemptyset(&set);
    static const int taken[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
                                SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        struct sigaction action;
        /* Signals that are ignored at the start stay ignored: nohup(1), background jobs of a
         * script. A blocked signal is reported even if it is ignored. */
        if (sigaction(taken[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        sigaddset(&set, taken[i]);
    }
    signal(SIGPIPE, SIG_IGN); /* write(2) reports EPIPE */
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return err_set(err, "cannot block signals: %s", strerror(errno));
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_set(err, "cannot take signals: %s", strerror(errno));
    return fd;
}

/* Not by SIGSTOP, which would also stop a program that nobody can continue: the kernel discards
 * SIGTSTP in an orphaned process group (POSIX, 2.4.4), such as a session leader's. After the stop
 * SIGCONT needs no other action: discard it. */
void loop_stop(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigprocmask(SIG_BLOCK, &set, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    sigtimedwait(&set, NULL, &(struct timespec){0});
}

struct pollfd *loop_add(struct loop *loop, int fd, enum loop_next (*call)(void *ctx), void *ctx)
{
    size_t i = loop->count++;
    loop->fds[i] = (struct pollfd){.fd = fd, .events = POLLIN};
    loop->hooks[i] = (struct loop_hook){call, ctx};
    return &loop->fds[i];
}

enum loop_next loop_turn(struct loop *loop, int most)
{
    if (poll(loop->fds, loop->count, most) < 0)
        return LOOP_GO_ON; /* EINTR */
    for (size_t i = 0; i < loop->count; i++)
        if (loop->fds[i].revents && loop->hooks[i].call(loop->hooks[i].ctx) == LOOP_END)
            return LOOP_END;
    return LOOP_GO_ON;
}
