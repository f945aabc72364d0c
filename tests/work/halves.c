/* Two threads on CPU 0 that differ in nothing but the length of a loop: N instructions and a
 * quarter more. Prints "PID TID TID" of them, and ends when both have done. They end with the
 * process, so that neither does anything which the other does not. */
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "halves N";

struct half {
    uint64_t rounds;
    int tid[2], done[2]; /* pipes */
};

static void *work(void *argument)
{
    struct half *half = argument;
    pid_t tid = gettid();
    if (write(half->tid[1], &tid, sizeof tid) != sizeof tid)
        _exit(1);
    burn(half->rounds);
    if (write(half->done[1], "", 1) != 1)
        _exit(1);
    for (;;)
        pause();
}

int main(int argc, char **argv)
{
    if (argc != 2)
        usage(usage_text);
    uint64_t n = number(argv[1], usage_text);
    struct half halves[] = {{.rounds = n / 2}, {.rounds = (n + n / 4) / 2}};
    pid_t tids[2];
    pin(0);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        check(pipe(halves[i].tid) || pipe(halves[i].done), "pipe");
        errno = pthread_create(&thread, NULL, work, &halves[i]);
        check(errno, "pthread_create");
    }
    for (int i = 0; i < 2; i++)
        check(read(halves[i].tid[0], &tids[i], sizeof tids[i]) != sizeof tids[i], "read");
    printf("%d %d %d\n", getpid(), tids[0], tids[1]);
    fflush(stdout);
    char c;
    for (int i = 0; i < 2; i++)
        check(read(halves[i].done[0], &c, 1) != 1, "read");
    _exit(0);
}
