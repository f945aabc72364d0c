#include "app/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

int loop_signals(struct err *err)
{
    sigset_t set;
    sigemptyset(&set);
    static const int taken[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
                                SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        struct sigaction action;
        /* What was ignored at the start stays so: nohup(1), and background jobs of a script. Once
         * blocked, an ignored signal would be told all the same. */
        if (sigaction(taken[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        sigaddset(&set, taken[i]);
    }
    signal(SIGPIPE, SIG_IGN); /* write(2) says it with EPIPE, */
    signal(SIGXFSZ, SIG_IGN); /* and with EFBIG */
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return err_set(err, "cannot block signals: %s", strerror(errno));
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_set(err, "cannot take signals: %s", strerror(errno));
    return fd;
}

/* The SIGCONT that ended a stop which was seen coming tells nothing new. */
static void forget_continue(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCONT);
    sigtimedwait(&set, NULL, &(struct timespec){0});
}

static enum loop_next take_signal(const struct loop_handlers *handlers,
                                  const struct signalfd_siginfo *info)
{
    bool by_terminal = info->ssi_code == SI_KERNEL;
    switch (info->ssi_signo) {
    case SIGWINCH:
        handlers->resize(handlers->ctx);
        return LOOP_GO_ON;
    case SIGTSTP:
        handlers->suspend(handlers->ctx, by_terminal);
        raise(SIGSTOP);
        forget_continue();
        handlers->resume(handlers->ctx);
        return LOOP_GO_ON;
    case SIGCONT: /* after a SIGSTOP that could not be seen coming: the screen may be anyone's */
        handlers->resume(handlers->ctx);
        return LOOP_GO_ON;
    case SIGCHLD:
        return handlers->child(handlers->ctx);
    default:
        return handlers->end(handlers->ctx, (int)info->ssi_signo, by_terminal);
    }
}

static enum loop_next take_signals(int fd, const struct loop_handlers *handlers)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (take_signal(handlers, &info) == LOOP_END)
            return LOOP_END;
    return LOOP_GO_ON;
}

void loop_run(int signals, const struct loop_handlers *handlers)
{
    enum { SIGNALS, SNAPSHOT, INPUT, OUTPUT, SCREEN, SERVE };
    struct pollfd fds[] = {
        [SIGNALS] = {.fd = signals, .events = POLLIN},
        [SNAPSHOT] = {.fd = handlers->snapshot_fd, .events = POLLIN},
        [INPUT] = {.fd = handlers->reads_input ? STDIN_FILENO : -1, .events = POLLIN},
        [OUTPUT] = {.fd = handlers->outputs_fd, .events = POLLIN},
        [SCREEN] = {.events = POLLOUT},
        [SERVE] = {.fd = handlers->serve_fd, .events = POLLIN},
    };
    enum loop_next next = LOOP_GO_ON;
    while (next == LOOP_GO_ON) {
        fds[SCREEN].fd = handlers->waits(handlers->ctx);
        if (poll(fds, sizeof(fds) / sizeof(fds[0]), -1) < 0)
            continue; /* EINTR */
        if (fds[SERVE].revents)
            handlers->serve(handlers->ctx);
        if (fds[SIGNALS].revents)
            next = take_signals(signals, handlers);
        if (next == LOOP_GO_ON && fds[INPUT].revents)
            next = fds[INPUT].revents & POLLIN ? handlers->input(handlers->ctx) : LOOP_END;
        if (next == LOOP_GO_ON && fds[SCREEN].revents)
            handlers->flush(handlers->ctx);
        if (fds[OUTPUT].revents && !handlers->output(handlers->ctx))
            fds[OUTPUT].fd = -1;
        if (next == LOOP_GO_ON && fds[SNAPSHOT].revents)
            next = handlers->snapshot(handlers->ctx);
    }
}
