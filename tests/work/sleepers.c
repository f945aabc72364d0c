/* N threads that sleep and M that wake a hundred times a second, with -l after 1, 10 and 100 ms in
 * turn; prints "ready" when all are there. Ends by a signal. */
#include <limits.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "sleepers [-a ACTIVE] [-l] N";

static long lengths[] = {10, 10, 10}; /* ms */

static void *rest(void *unused)
{
    for (;;)
        pause();
    return unused;
}

static void *wake(void *unused)
{
    for (size_t i = 0;; i++)
        nanosleep(&(struct timespec){.tv_nsec = lengths[i % 3] * 1000000}, NULL);
    return unused;
}

static void start(const pthread_attr_t *small, void *(*live)(void *), uint64_t count)
{
    for (; count > 0; count--) {
        pthread_t thread;
        errno = pthread_create(&thread, small, live, NULL);
        check(errno, "pthread_create");
    }
}

int main(int argc, char **argv)
{
    uint64_t active = 0;
    int option;
    while ((option = getopt(argc, argv, "a:l")) != -1) {
        if (option == 'l') {
            lengths[0] = 1;
            lengths[2] = 100;
            continue;
        }
        if (option != 'a')
            usage(usage_text);
        active = number(optarg, usage_text);
    }
    if (optind + 1 != argc)
        usage(usage_text);
    pthread_attr_t small;
    pthread_attr_init(&small);
    /* Smaller than the least size of some architectures. */
    size_t least = (size_t)PTHREAD_STACK_MIN;
    errno = pthread_attr_setstacksize(&small, least > 65536 ? least : 65536);
    check(errno, "pthread_attr_setstacksize");
    start(&small, rest, number(argv[optind], usage_text));
    start(&small, wake, active);
    puts("ready");
    fflush(stdout);
    rest(NULL);
}
