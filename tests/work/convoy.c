/* N threads hand one lock on in a fixed order; who has it computes for a millisecond. Each runs for
 * one Nth of the time and sleeps in a futex for the rest. Prints "ready"; ends by a signal. */
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include "work.h"

static const char usage_text[] = "convoy N, at least 2";

static struct {
    uint64_t count;
    sem_t *turns; /* of each thread */
} convoy;

static uint64_t cpu_time(void) /* ns */
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void *drive(void *number)
{
    uint64_t self = (uintptr_t)number, next = (self + 1) % convoy.count;
    for (;;) {
        while (sem_wait(&convoy.turns[self]) < 0)
            ;
        for (uint64_t end = cpu_time() + 1000000; cpu_time() < end;)
            ;
        sem_post(&convoy.turns[next]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2 || (convoy.count = number(argv[1], usage_text)) < 2)
        usage(usage_text);
    convoy.turns = calloc(convoy.count, sizeof(*convoy.turns));
    check(!convoy.turns, "calloc");
    for (uint64_t i = 0; i < convoy.count; i++)
        check(sem_init(&convoy.turns[i], 0, i == 0), "sem_init");
    for (uint64_t i = 1; i < convoy.count; i++) {
        pthread_t thread;
        errno = pthread_create(&thread, NULL, drive, (void *)(uintptr_t)i);
        check(errno, "pthread_create");
    }
    puts("ready");
    fflush(stdout);
    drive(NULL);
}
