#include "base/scale.h"
#include "unit/test.h"

/* What processors with 32 bits use, too. */
uint64_t scale_by_hand(uint64_t value, uint64_t part, uint64_t whole);
#undef __SIZEOF_INT128__
#define scale scale_by_hand
#include "base/scale.c"
#undef scale

static void check(uint64_t value, uint64_t part, uint64_t whole, uint64_t wanted)
{
    assert_int_equal(scale(value, part, whole), wanted);
    assert_int_equal(scale_by_hand(value, part, whole), wanted);
}

static void rounds(void **state)
{
    check(0, 5, 7, 0);
    check(7, 5, 7, 5);
    check(10, 1, 4, 3); /* 2.5 */
    check(9, 1, 4, 2);
    check(1, 1, 2, 1);
    check(1, 1, 3, 0);
}

static void has_128_bits(void **state)
{
    check(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    check(UINT64_MAX, UINT64_MAX - 1, UINT64_MAX, UINT64_MAX - 1);
    check(UINT64_MAX, 1, UINT64_MAX, 1);
    check(UINT64_C(1) << 63, 6, 12, UINT64_C(1) << 62);
    check(UINT64_C(12345678901234567), UINT64_C(3000000000), UINT64_C(1000000000),
          UINT64_C(37037036703703701));
}

/* Both ways agree: the numbers have any length. */
static void both_ways(void **state)
{
    uint64_t random = 1, numbers[3];
    for (int i = 0; i < 20000; i++) {
        for (int k = 0; k < 3; k++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            numbers[k] = random >> (random >> 32 & 63);
        }
        assert_int_equal(scale(numbers[0], numbers[1], numbers[2] | 1),
                         scale_by_hand(numbers[0], numbers[1], numbers[2] | 1));
    }
}
