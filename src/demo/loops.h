/* The inner loops of the workloads. Those whose instructions are counted, or have to be the same to
 * the cycle, are in assembler for x86-64 and arm64; the others are in C. All return after whole
 * turns; turns is at least 1. */
#pragma once

#include "base/base.h"

/* Whether these are in assembler: only then is the number of instructions known. */
extern const bool loops_exact;
/* A function that is only there then: a workload that calls it has NEEDS_ASSEMBLER. */
#define LOOPS_EXACT __attribute__((weak))

/* How often a loop repeats its operation in a turn. */
enum {
    LOOPS_ADDS = 200,
    LOOPS_NOPS = 200,
    LOOPS_MULS = 64,
    LOOPS_DIVS = 16,
    LOOPS_LOADS = 8,
    LOOPS_NUMBERS = 128, /* of loops_sum() */
    LOOPS_STREAM = 8,    /* additions of loops_stream() */
};

void loops_count(uint64_t turns); /* two instructions a turn: a subtraction and a branch */
void loops_add(uint64_t turns);   /* additions, each needs the result of the one before */
void loops_nop(uint64_t turns);   /* instructions that need nothing */
void loops_mul(uint64_t turns);   /* 64-bit multiplications, a chain as the additions */
void loops_div(uint64_t turns);   /* 32-bit divisions of the same numbers, a chain */

/* Follows pointers from `at`; returns where that ended. */
void *loops_chase(void *at, uint64_t turns);

/* Two conditional branches a turn: the loop's own, and one that is taken where the byte is 0. Reads
 * `count` bytes, a power of two, over and over. */
void loops_branch(const uint8_t *bytes, size_t count, uint64_t turns);

/* A store, and a load of the same 8 bytes, a turn; the next store needs the loaded value. `split`:
 * two stores of 4 bytes, which the load of 8 bytes has to wait for. */
void loops_forward(void *place, bool split, uint64_t turns);

/* Adds up that many numbers, which are at a multiple of 16, a turn: a load and an addition for
 * each, or for four at a time. Returns the sum of all turns. */
LOOPS_EXACT uint32_t loops_sum(const uint32_t numbers[LOOPS_NUMBERS], bool vector, uint64_t turns);

/* Instructions that do nothing, one after the other, in that many bytes of code: a power of two,
 * LOOPS_CODE_MIN to LOOPS_CODE_MAX. However many these are, a turn is 63 instructions. */
enum { LOOPS_CODE_MIN = 512, LOOPS_CODE_MAX = 1 << 18 };
LOOPS_EXACT void loops_code(size_t bytes, uint64_t turns);

/* A store to a place, and a load from one that is that many bytes further, a turn. Both places are
 * to hold 0; the loaded value is part of the next addresses, which are not known before. */
LOOPS_EXACT void loops_alias(void *place, size_t apart, uint64_t turns);

/* Adds the numbers of two arrays and stores the sums into a third one. */
struct loops_arrays {
    uint64_t *sums;
    const uint64_t *first, *second;
    size_t size; /* bytes of each, a power of two and at least 64 */
};
/* 8 additions, which is 192 bytes, a turn. Begins that many bytes after their start and goes on
 * there after the end; returns where it ended. */
LOOPS_EXACT size_t loops_stream(const struct loops_arrays *arrays, size_t offset, uint64_t turns);

/* Adds to a number in memory, atomically. */
void loops_share(uint64_t *number, uint64_t turns);

/* Writes a byte into each of `count` pages. */
void loops_touch(void *pages, size_t page, size_t count);

/* Functions that are looked for in the code: a unit takes each of them the same time. They are in a
 * file of their own, so that the compiler makes no copies of them under other names. */

void demo_hot_70(uint64_t units);
void demo_hot_20(uint64_t units);
void demo_hot_10(uint64_t units);

/* Has demo_inline_60(), demo_inline_30() and demo_inline_10(), which do that part of the units
 * and are inlined into it: only debug information knows them. */
void demo_inline(uint64_t units);

/* Calls demo_frame2(), and so on until demo_frame10(), which does the units. In assembler they have
 * frame pointers, whatever the compiler is told. */
LOOPS_EXACT void demo_frame1(uint64_t units);
enum { DEMO_FRAMES = 10 };

/* Sleep that long, ns. The system call is in their own code, where the processor has one that is
 * known here. */
void demo_sleep_60(uint64_t time);
void demo_sleep_30(uint64_t time);
void demo_sleep_10(uint64_t time);
