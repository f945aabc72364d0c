#include "base/scale.h"

#ifdef __SIZEOF_INT128__

uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
    return (uint64_t)(((unsigned __int128)value * part + whole / 2) / whole);
}

#else /* processors with 32 bits */

uint64_t scale(uint64_t value, uint64_t part, uint64_t whole)
{
    /* The product in two halves of 64 bits, from the four products of 32 bits each. */
    uint64_t low = (value & UINT32_MAX) * (part & UINT32_MAX);
    uint64_t middle = (value >> 32) * (part & UINT32_MAX) + (low >> 32);
    uint64_t other = (value & UINT32_MAX) * (part >> 32) + (middle & UINT32_MAX);
    uint64_t high = (value >> 32) * (part >> 32) + (middle >> 32) + (other >> 32);
    low = other << 32 | (low & UINT32_MAX);
    high += low + whole / 2 < low;
    low += whole / 2;
    /* Divided bit by bit. */
    uint64_t rest = 0, quotient = 0;
    for (int bit = 127; bit >= 0; bit--) {
        uint64_t top = rest >> 63;
        rest = rest << 1 | ((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
        quotient <<= 1;
        if (top || rest >= whole) {
            rest -= whole;
            quotient |= 1;
        }
    }
    return quotient;
}

#endif
