/* Burns in the last of ten functions, each of which is called by the one before: a stack of known
 * depth. Nothing in it has a frame pointer; the register is in use for something else. `mixed`:
 * half of the time called back by a library (qsort), and four levels from there. `faults`: has a
 * page fault in it, too, each time. */
#include <string.h>
#include <sys/mman.h>

#include "work.h"

static const char usage_text[] = "deep [mixed|faults] ROUNDS";

#pragma GCC optimize("omit-frame-pointer", "no-optimize-sibling-calls")
#define FUNCTION __attribute__((noinline, noclone))

enum { TURNS = 2000, PAGE = 4096, PAGES = 256 };

static volatile char *fresh; /* pages that are not there; NULL: none */

/* Takes more of the stack than the one before, and as many registers as there are. */
#define LEVEL(name, next, size)                                                                    \
    static FUNCTION uint64_t name(uint64_t a, uint64_t b, uint64_t c, uint64_t d)                  \
    {                                                                                              \
        volatile char room[size];                                                                  \
        room[b % sizeof(room)] = (char)a;                                                          \
        uint64_t sum = next(a + 1, b * 3, c ^ d, d + a);                                           \
        return sum + a * b + (c ^ d) + (uint64_t)room[b % sizeof(room)] + a % 7 * (b | 1) * d;     \
    }

static FUNCTION uint64_t deep_ten(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    burn(TURNS);
    if (fresh)
        fresh[a % PAGES * PAGE] = 1;
    return a + b + c + d;
}
LEVEL(deep_nine, deep_ten, 16)
LEVEL(deep_eight, deep_nine, 40)
LEVEL(deep_seven, deep_eight, 8)
LEVEL(deep_six, deep_seven, 200)
LEVEL(deep_five, deep_six, 24)
LEVEL(deep_four, deep_five, 72)
LEVEL(deep_three, deep_four, 16)
LEVEL(deep_two, deep_three, 120)
LEVEL(deep_one, deep_two, 48)

static FUNCTION int deep_compare(const void *one, const void *other)
{
    return (int)(deep_seven(*(const uint64_t *)one, *(const uint64_t *)other, 3, 4) & 1);
}

int main(int argc, char **argv)
{
    int mixed = argc == 3 && strcmp(argv[1], "mixed") == 0;
    int faults = argc == 3 && strcmp(argv[1], "faults") == 0;
    if (argc != 2 + mixed + faults)
        usage(usage_text);
    uint64_t rounds = number(argv[argc - 1], usage_text), sum = 0;
    if (faults) {
        fresh =
            mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        check(fresh == MAP_FAILED ? errno : 0, "mmap");
        madvise((void *)fresh, PAGES * PAGE, MADV_NOHUGEPAGE);
    }
    for (uint64_t i = 0; i < rounds; i++) {
        if (fresh && i % PAGES == 0)
            madvise((void *)fresh, PAGES * PAGE, MADV_DONTNEED);
        sum += deep_one(i, i + 1, i + 2, i + 3);
        uint64_t pair[] = {i, sum};
        if (mixed)
            qsort(pair, 2, sizeof(*pair), deep_compare);
        sum += pair[0];
    }
    return sum == 1;
}
