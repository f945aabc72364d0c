/* Burns CPU time with nothing but a subtraction and a branch. With -r it rests most of the time,
 * for tests that only need somebody who runs in each interval. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "spin [-c CPU] [-n THREADS] [-r] [-s SECONDS] [-y NICE]";

static bool rests;

/* Inlined: tests find the first thread in main(). */
static inline __attribute__((always_inline)) void turn(void)
{
    enum { TURN = 200000, REST = 9000 }; /* subtractions, us */
    while (rests) {
        burn(TURN);
        usleep(REST);
    }
    for (;;)
        burn(UINT64_MAX);
}

static void *spin(void *unused)
{
    turn();
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
    while ((option = getopt(argc, argv, "c:n:rs:y:")) != -1) {
        switch (option) {
        case 'c':
            pin((int)number(optarg, usage_text));
            break;
        case 'n':
            threads = number(optarg, usage_text);
            break;
        case 'r':
            rests = true;
            break;
        case 's':
            signal(SIGALRM, quit);
            alarm((unsigned)number(optarg, usage_text));
            break;
        case 'y': /* the emulated machine has no nice(1) */
            check(setpriority(PRIO_PROCESS, 0, (int)number(optarg, usage_text)), "setpriority");
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
    turn();
}
