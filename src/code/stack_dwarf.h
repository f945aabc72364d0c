/* Unwinds the copied stacks of a process by the call frame information of its programs and
 * libraries (.eh_frame, .debug_frame), by libdw. May fail in any way where a file is damaged: it
 * runs in a process of its own (code/line_child.h). */
#pragma once

#include "base/base.h"

/* The registers of a thread that are sampled with a copy of its stack (PERF_SAMPLE_REGS_USER), and
 * their DWARF numbers. */

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

/* As many as the kernel follows (kernel.perf_event_max_stack). */
enum { STACK_FRAMES_MAX = 127 };

/* A thread at a sample. */
struct stack_copy {
    uint64_t registers[STACK_REGISTERS_MAX]; /* as sampled */
    uint64_t size;                           /* of the copied part of the stack, from its pointer */
};

/* Its frames, the innermost first. */
struct stack_frames {
    uint64_t whole; /* the last one is the outermost */
    uint64_t count;
    uint64_t addresses[STACK_FRAMES_MAX]; /* of instructions: of callers, in the call */
};

struct stack_dwarf; /* of a process */

struct stack_dwarf *stack_dwarf_new(void);
void stack_dwarf_free(struct stack_dwarf *dwarf); /* NULL is fine */

/* Adds a file, of which the part from `offset` on is mapped at `start`; -1: the vdso. Does not
 * close it. */
void stack_dwarf_add(struct stack_dwarf *dwarf, uint64_t start, uint64_t offset, int fd);

void stack_dwarf_unwind(struct stack_dwarf *dwarf, const struct stack_copy *copy, const void *bytes,
                        struct stack_frames *frames);
