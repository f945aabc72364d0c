/* N children, or with -t threads, one after the other; each ends at once, or with -l when it has
 * computed for so long. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "births [-t] [-l MICROSECONDS] N";

/* A moment's computing, by the thread's own clock. */
static void *live(void *microseconds)
{
    int64_t wanted = *(const int64_t *)microseconds * 1000;
    struct timespec now = {0};
    while (wanted > 0 && now.tv_sec * 1000000000 + now.tv_nsec < wanted) {
        burn(1000);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int option, threaded = 0;
    int64_t microseconds = 0;
    while ((option = getopt(argc, argv, "tl:")) != -1) {
        switch (option) {
        case 't':
            threaded = 1;
            break;
        case 'l':
            microseconds = (int64_t)number(optarg, usage_text);
            break;
        default:
            usage(usage_text);
        }
    }
    if (optind + 1 != argc)
        usage(usage_text);
    for (uint64_t n = number(argv[optind], usage_text); n > 0; n--) {
        if (threaded) {
            pthread_t thread;
            errno = pthread_create(&thread, NULL, live, &microseconds);
            check(errno, "pthread_create");
            pthread_join(thread, NULL);
        } else {
            pid_t child = fork();
            check(child < 0, "fork");
            if (child == 0) {
                live(&microseconds);
                _exit(0);
            }
            waitpid(child, NULL, 0);
        }
    }
    return 0;
}
