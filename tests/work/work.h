/* What the small programs with known counts share: arguments, pinning, a loop of known length. */
#pragma once

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void usage(const char *text)
{
    fprintf(stderr, "usage: %s\n", text);
    exit(2);
}

static inline void check(int failed, const char *what)
{
    if (failed) {
        perror(what);
        exit(1);
    }
}

/* Ends the program with its usage unless all of text is a number. */
static inline uint64_t number(const char *text, const char *usage_text)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || end == text || *end)
        usage(usage_text);
    return n;
}

static inline void pin(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    check(sched_setaffinity(0, sizeof set, &set), "sched_setaffinity");
}

/* Retires two instructions for each of the rounds (at least one): a subtraction and a branch. */
static inline void burn(uint64_t rounds)
{
#if defined __aarch64__
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(rounds) : : "cc");
#elif defined __x86_64__
    __asm__ volatile("1: sub $1, %0\n\tjne 1b" : "+r"(rounds) : : "cc");
#else
    while (rounds--)
        __asm__ volatile("");
#endif
}
