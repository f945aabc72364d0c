/* Runs a command and writes into FILE the nanoseconds of CPU time that it took, its threads and
 * the children it waited for together. Exits with its status. */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "spend FILE COMMAND [ARGUMENT]...";

static int64_t nanoseconds(const struct timeval *time)
{
    return ((int64_t)time->tv_sec * 1000000 + time->tv_usec) * 1000;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        usage(usage_text);
    pid_t child = fork();
    check(child < 0, "fork");
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage used;
    check(wait4(child, &status, 0, &used) < 0, "wait4");
    FILE *file = fopen(argv[1], "w");
    check(!file, argv[1]);
    fprintf(file, "%jd\n", (intmax_t)(nanoseconds(&used.ru_utime) + nanoseconds(&used.ru_stime)));
    check(fclose(file), argv[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
