/* A function that takes the place of another one in a test: for the linker's --wrap, see
 * tests/tests.mk. The other one is __real_NAME. */
#pragma once

#define WRAP(result, name, ...)                                                                    \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)
