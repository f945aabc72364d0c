/* Executes a program from a thread that is not the first one, which gets the first one's id by that
 * and leaves it alone in the process. Prints "ready PID", waits for a line on standard input. */
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "takeover PROGRAM [ARGUMENTS]";

static void *execute(void *argument)
{
    char **words = argument, c = 0;
    printf("ready %d\n", getpid());
    fflush(stdout);
    while (c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
        ;
    execvp(words[0], words);
    check(1, words[0]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 2)
        usage(usage_text);
    errno = pthread_create(&thread, NULL, execute, argv + 1);
    check(errno, "pthread_create");
    for (;;)
        pause();
}
