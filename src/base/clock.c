#include "base/clock.h"

#include <time.h>

static uint64_t now(clockid_t id)
{
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t clock_monotonic(void)
{
    return now(CLOCK_MONOTONIC);
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

void clock_text(char text[CLOCK_TEXT_SIZE], double wall)
{
    time_t seconds = (time_t)wall;
    struct tm local;
    text[0] = '\0';
    if (localtime_r(&seconds, &local))
        strftime(text, CLOCK_TEXT_SIZE, "%H:%M:%S", &local);
}

struct timespec clock_after(uint64_t wait)
{
    enum { SECOND = 1000000000 };
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    uint64_t end = (uint64_t)time.tv_nsec + wait;
    time.tv_sec += (time_t)(end / SECOND);
    time.tv_nsec = (long)(end % SECOND);
    return time;
}
