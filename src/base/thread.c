#include "base/thread.h"
#include "base/clock.h"

#include <signal.h>

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
