#include "base/clock.h"

#include <pthread.h>
#include <stdio.h>

static const uint64_t SECOND = 1000000000;

static uint64_t now(clockid_t id)
{
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/* How far this time namespace's clock is ahead of the machine's, ns: time_namespaces(7). */
static uint64_t ahead;

static void read_ahead(void)
{
    long long seconds, ns;
    FILE *file = fopen("/proc/self/timens_offsets", "re");
    if (file && fscanf(file, "monotonic %lld %lld", &seconds, &ns) == 2)
        ahead = (uint64_t)seconds * SECOND + (uint64_t)ns;
    if (file)
        fclose(file);
}

uint64_t clock_monotonic(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_ahead);
    return now(CLOCK_MONOTONIC) - ahead;
}

uint64_t clock_boot(void)
{
    return now(CLOCK_BOOTTIME);
}

double clock_wall(void)
{
    return (double)(now(CLOCK_REALTIME) / 1000000) / 1e3;
}

uint64_t clock_cpu(void)
{
    return now(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t clock_cpu_of(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? now(clock) : 0;
}

void clock_format(char *text, size_t size, const char *format, double wall)
{
    time_t seconds = (time_t)wall;
    struct tm local;
    *text = '\0';
    if (localtime_r(&seconds, &local))
        strftime(text, size, format, &local);
}

void clock_text(char text[CLOCK_TEXT_SIZE], double wall)
{
    clock_format(text, CLOCK_TEXT_SIZE, "%H:%M:%S", wall);
}

struct timespec clock_span(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / SECOND), (long)(ns % SECOND)};
}

struct timespec clock_after(uint64_t wait)
{
    return clock_span(now(CLOCK_REALTIME) + wait);
}
