/* For tests of names that are Intel's: libpfm4 has its tables on x86 alone. */
#pragma once

#include <stdio.h>

#if defined(__x86_64__) || defined(__i386__)
enum { INTEL_NAMES = 1 };
#else
enum { INTEL_NAMES = 0 };
#endif

#define NEED_INTEL_NAMES()                                                                         \
    do {                                                                                           \
        if (!INTEL_NAMES) {                                                                        \
            puts("skip: libpfm4 has the names of Intel's events on x86 alone");                    \
            skip();                                                                                \
        }                                                                                          \
    } while (0)
