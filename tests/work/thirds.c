/* Burns in three functions in turn: "thirds 60 30 10 1000" makes 1000 rounds of 60, 30 and 10
 * units. */
#include "work.h"

static const char usage_text[] = "thirds FIRST SECOND THIRD ROUNDS";

enum { TURNS = 2000 };

/* Each has a comment of its own, so that the compiler does not make one of them; all loops are
 * aligned alike, so that they are as fast. */
#define PART(name)                                                                                 \
    __attribute__((noinline, noclone, aligned(64))) static void burn_##name(uint64_t units)        \
    {                                                                                              \
        burn(TURNS *units);                                                                        \
        __asm__ volatile("/* " #name " */");                                                       \
    }
PART(first)
PART(second)
PART(third)

int main(int argc, char **argv)
{
    if (argc != 5)
        usage(usage_text);
    uint64_t first = number(argv[1], usage_text), second = number(argv[2], usage_text);
    uint64_t third = number(argv[3], usage_text);
    for (uint64_t round = number(argv[4], usage_text); round > 0; round--) {
        burn_first(first);
        burn_second(second);
        burn_third(third);
    }
    return 0;
}
