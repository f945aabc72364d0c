/* Works MS milliseconds of CPU time alone, in `part_alone`, and then as long on each of two threads
 * at once, in `part_together`: half of the time that it takes is alone, and a third of its CPU
 * time. */
#include "work.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t length; /* ns */

static uint64_t cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Inlined, so that samples are in the function that works. */
static inline __attribute__((always_inline)) void work(void)
{
    uint64_t end = cpu_time() + length;
    while (cpu_time() < end)
        for (volatile int i = 0; i < 100000; i++)
            ;
}

static __attribute__((noinline)) void part_alone(void)
{
    work();
}

static __attribute__((noinline)) void *part_together(void *argument)
{
    work();
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t other;
    length = number(argc > 1 ? argv[1] : "", "serial MS") * 1000000;
    part_alone();
    if (pthread_create(&other, NULL, part_together, NULL) != 0)
        return 1;
    part_together(NULL);
    pthread_join(other, NULL);
    return 0;
}
