#include "base/thread.h"
#include "base/clock.h"

#include <signal.h>

int thread_start(pthread_t *thread, const char *name, void *(*run)(void *), void *argument)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    sigset_t all, old;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        sigdelset(&all, own[i]);
    pthread_sigmask(SIG_BLOCK, &all, &old);
    int error = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == 0)
        pthread_setname_np(*thread, name);
    return error;
}

bool thread_join(pthread_t thread)
{
    struct timespec until = clock_after(3000000000u);
    return pthread_timedjoin_np(thread, NULL, &until) == 0;
}

bool thread_end_signalled(void)
{
    sigset_t set;
    return sigpending(&set) == 0 && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
                                     sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT));
}
