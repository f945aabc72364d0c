/* What every test with cmocka begins with: cmocka.h needs the others before it. A unit test has no
 * main(): main.awk makes one that runs each `static void NAME(void **state)`. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
