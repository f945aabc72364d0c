/* Executes a program from a thread that is not the first one, which gets the first one's id by that
 * and leaves it alone in the process. Prints "ready PID", waits for a line on standard input; with
 * -l the first thread does so, and creates the other one then. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "takeover [-l] PROGRAM [ARGUMENTS]";

static void await_line(void)
{
    char c = 0;
    printf("ready %d\n", getpid());
    fflush(stdout);
    while (c != '\n' && read(STDIN_FILENO, &c, 1) == 1)
        ;
}

static void *execute(void *argument)
{
    char **words = argument;
    if (strcmp(words[-1], "-l") != 0)
        await_line();
    execvp(words[0], words);
    check(1, words[0]);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    bool late = argc > 1 && strcmp(argv[1], "-l") == 0;
    if (argc < 2 + late)
        usage(usage_text);
    if (late)
        await_line();
    errno = pthread_create(&thread, NULL, execute, argv + 1 + late);
    check(errno, "pthread_create");
    for (;;)
        pause();
}
