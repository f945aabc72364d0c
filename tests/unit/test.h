/* What every test with cmocka begins with: cmocka.h needs the others before it. A unit test has no
 * main(): main.awk makes one that runs each `static void NAME(void **state)`. */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#endif
