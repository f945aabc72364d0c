/* Burns CPU time with nothing but a subtraction and a branch. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "spin [-c CPU] [-n THREADS] [-s SECONDS]";

static void *spin(void *unused)
{
    for (;;)
        burn(UINT64_MAX);
    return unused;
}

static void quit(int signal)
{
    (void)signal;
    _exit(0);
}

int main(int argc, char **argv)
{
    uint64_t threads = 1;
    int option;
    while ((option = getopt(argc, argv, "c:n:s:")) != -1) {
        switch (option) {
        case 'c':
            pin((int)number(optarg, usage_text));
            break;
        case 'n':
            threads = number(optarg, usage_text);
            break;
        case 's':
            signal(SIGALRM, quit);
            alarm((unsigned)number(optarg, usage_text));
            break;
        default:
            usage(usage_text);
        }
    }
    if (optind < argc)
        usage(usage_text);
    for (uint64_t i = 1; i < threads; i++) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, spin, NULL);
        check(errno, "pthread_create");
    }
    spin(NULL);
}
