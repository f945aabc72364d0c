/* What every target begins with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What has to be true of any input. */
static inline void check(bool holds)
{
    if (!holds)
        abort();
}
