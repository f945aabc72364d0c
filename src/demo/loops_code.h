/* Functions that are looked for in the code: a unit takes each of them the same time. They are in a
 * file of their own, so that the compiler makes no copies of them under other names. */
#ifndef DEMO_LOOPS_CODE_H
#define DEMO_LOOPS_CODE_H

#include <stdint.h>

void demo_hot_70(uint64_t units);
void demo_hot_20(uint64_t units);
void demo_hot_10(uint64_t units);

/* Has demo_inline_60(), demo_inline_30() and demo_inline_10(), which do that part of the units
 * and are inlined into it: only debug information knows them. */
void demo_inline(uint64_t units);

/* Calls demo_frame2(), and so on until demo_frame10(), which does the units. In assembler they have
 * frame pointers, whatever the compiler is told. */
void demo_frame1(uint64_t units);
enum { DEMO_FRAMES = 10 };

/* Sleep that long, ns. The system call is in their own code, where the processor has one that is
 * known here. */
void demo_sleep_60(uint64_t time);
void demo_sleep_30(uint64_t time);
void demo_sleep_10(uint64_t time);

#endif
