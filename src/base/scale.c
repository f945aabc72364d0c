#include "base/scale.h"

#include <stdbool.h>

#ifdef __SIZEOF_INT128__

uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
    return (uint64_t)(((unsigned __int128)value * part + whole / 2) / whole);
}

#else /* processors with 32 bits */

/* Adds to a number below `whole`. Returns how often the sum has `whole`, which is taken off. */
static uint64_t add_below(uint64_t *number, uint64_t more, uint64_t whole)
{
    bool over = *number >= whole - more;
    *number = over ? *number - (whole - more) : *number + more;
    return over;
}

uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
    uint64_t quotient = 0, rest = 0;
    for (int bit = 63; bit >= 0; bit--) {
        quotient = 2 * quotient + add_below(&rest, rest, whole);
        if (part >> bit & 1)
            quotient += value / whole + add_below(&rest, value % whole, whole);
    }
    return quotient + (rest >= whole - whole / 2);
}

#endif
