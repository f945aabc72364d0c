/* N children, or with -t threads, one after the other; each ends at once. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "births [-t] N";

static void *live(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    int option, threaded = 0;
    while ((option = getopt(argc, argv, "t")) != -1) {
        if (option != 't')
            usage(usage_text);
        threaded = 1;
    }
    if (optind + 1 != argc)
        usage(usage_text);
    for (uint64_t n = number(argv[optind], usage_text); n > 0; n--) {
        if (threaded) {
            pthread_t thread;
            errno = pthread_create(&thread, NULL, live, NULL);
            check(errno, "pthread_create");
            pthread_join(thread, NULL);
        } else {
            pid_t child = fork();
            check(child < 0, "fork");
            if (child == 0)
                _exit(0);
            waitpid(child, NULL, 0);
        }
    }
    return 0;
}
