#include "base/signals.h"
#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

/* The first ENDS end the program, the next one stops it. */
static const int taken[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH, SIGCHLD};
enum { ENDS = 4, TAKEN = sizeof(taken) / sizeof(taken[0]) };

/* The first `count` of them. */
static sigset_t set_of(size_t count)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < count; i++)
        sigaddset(&set, taken[i]);
    return set;
}

int signals_open(struct err *err)
{
    sigset_t set = set_of(TAKEN);
    struct sigaction action;
    /* Signals that are ignored at the start stay ignored: nohup(1), background jobs of a script. A
     * blocked signal is reported even if it is ignored. */
    for (size_t i = 0; i < TAKEN; i++)
        if (sigaction(taken[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            sigdelset(&set, taken[i]);
    signal(SIGPIPE, SIG_IGN); /* write(2) reports EPIPE */
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return err_set(err, "cannot block signals: %s", err_reason(errno));
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0)
        return err_set(err, "cannot take signals: %s", err_reason(errno));
    return fd;
}

void signals_release(void)
{
    sigset_t set = set_of(TAKEN);
    while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0)
        ;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Not by SIGSTOP, which would also stop a program that nobody can continue: the kernel discards
 * SIGTSTP in an orphaned process group (POSIX, 2.4.4), such as a session leader's. After the stop
 * SIGCONT needs no other action: discard it. */
void signals_stop(void)
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

bool signals_end(void)
{
    sigset_t pending, ends = set_of(ENDS);
    if (sigpending(&pending) < 0)
        return false;
    sigandset(&ends, &ends, &pending);
    return !sigisemptyset(&ends);
}

int signals_end_fd(void)
{
    sigset_t blocked, set = set_of(ENDS);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    sigandset(&set, &set, &blocked);
    return signalfd(-1, &set, SFD_CLOEXEC);
}

void signals_let_through(sigset_t *before)
{
    sigset_t set = set_of(ENDS + 1);
    pthread_sigmask(SIG_UNBLOCK, &set, before);
}

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    enum { STACK = 1 << 20 }; /* bytes; `ulimit -s` may give less */
    sigset_t all, old;
    pthread_attr_t attributes;
    size_t stack;
    pthread_attr_init(&attributes);
    if (pthread_attr_getstacksize(&attributes, &stack) == 0 && stack < STACK)
        pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int error = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attributes);
    if (error == 0)
        pthread_setname_np(*thread, name);
    return error;
}

bool thread_join(pthread_t thread)
{
    struct timespec until = clock_after(3000000000u);
    return pthread_timedjoin_np(thread, NULL, &until) == 0;
}

pthread_mutex_t *lock_take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    return lock;
}

void lock_give_local(pthread_mutex_t **lock)
{
    pthread_mutex_unlock(*lock);
}
