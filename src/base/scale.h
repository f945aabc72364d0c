/* Products that do not fit 64 bits. */
#pragma once

#include <stdint.h>

/* value * part / whole, rounded to the nearest; whole is not 0. The product has 128 bits: the time
 * that a group was enabled, in ns, times a count has more than 64 after a few seconds of a busy
 * machine. */
uint64_t scale(uint64_t value, uint64_t part, uint64_t whole);
