/* Spends its time in a chain of divisions, each of which needs the one before: in the function
 * `chain`, almost all of it is at one instruction. */
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "chain [-s SECONDS] [MILLIONS]";

static __attribute__((noinline, noclone)) uint64_t chain(uint64_t turns)
{
    uint64_t value = UINT64_MAX;
#if defined __x86_64__
    __asm__ volatile("1:\n\t"
                     "or $0x7fffffff, %%rax\n\t"
                     "mov $0x7, %%edx\n\t"
                     "div %2\n\t"
                     "add $1, %%rsi\n\t"
                     "xor $1, %%rdi\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+a"(value), "+r"(turns)
                     : "r"(UINT64_MAX - 10)
                     : "rdx", "rsi", "rdi", "cc");
#elif defined __aarch64__
    uint64_t by = 3, other = 0;
    __asm__ volatile("1:\n\t"
                     "orr %0, %0, #0x7fffffff\n\t"
                     "udiv %0, %0, %2\n\t"
                     "add %3, %3, #1\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(value), "+r"(turns)
                     : "r"(by), "r"(other)
                     : "cc");
#else
    for (; turns > 0; turns--)
        value = (value | 0x7fffffff) / 3;
#endif
    return value;
}

int main(int argc, char **argv)
{
    uint64_t millions = UINT64_MAX / 1000000;
    int option;
    while ((option = getopt(argc, argv, "s:")) != -1) {
        if (option != 's')
            usage(usage_text);
        alarm((unsigned)number(optarg, usage_text));
    }
    if (optind < argc)
        millions = number(argv[optind], usage_text);
    for (uint64_t million = 0; million < millions; million++)
        chain(1000000);
    return 0;
}
