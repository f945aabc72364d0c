/* The registers of a thread that are sampled with a copy of its stack (PERF_SAMPLE_REGS_USER), and
 * their DWARF numbers. */
#ifndef CODE_STACK_REGISTERS_H
#define CODE_STACK_REGISTERS_H

#include <stdint.h>

enum { STACK_REGISTERS_MAX = 33 };

struct stack_registers {
    uint64_t mask;  /* of sample_regs_user; 0: stacks cannot be unwound on this processor */
    unsigned count; /* of its bits */
    unsigned stack; /* which of them is the stack pointer */
    unsigned pc;    /* ... and the address of the instruction */
    unsigned dwarf; /* how many of them have DWARF numbers, from 0 on */
    /* Which of the sampled ones each DWARF number is. */
    unsigned char numbers[STACK_REGISTERS_MAX];
};
extern const struct stack_registers stack_registers;

#endif
