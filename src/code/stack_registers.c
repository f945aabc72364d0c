#include "code/stack_dwarf.h"

#if defined(__x86_64__)

/* asm/perf_regs.h: AX, BX, CX, DX, SI, DI, BP, SP, IP, and from bit 16 on R8 to R15. System V ABI,
 * AMD64 supplement, figure 3.36: RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8 to R15, and the return
 * address. */
const struct stack_registers stack_registers = {
    .mask = 0xff01ff,
    .count = 17,
    .stack = 7,
    .pc = 8,
    .dwarf = 17,
    .numbers = {0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8},
};

#elif defined(__aarch64__)

/* asm/perf_regs.h: X0 to X30, SP, PC. DWARF for the Arm 64-bit Architecture, 4.1: the same. */
const struct stack_registers stack_registers = {
    .mask = 0x1ffffffff,
    .count = 33,
    .stack = 31,
    .pc = 32,
    .dwarf = 32,
    .numbers = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
};

#else

const struct stack_registers stack_registers = {0};

#endif
