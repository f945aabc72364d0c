#include "demo/loops.h"

#include <sys/syscall.h>

#if defined __x86_64__
#define MULTIPLY "imul $5, %0, %0"
#elif defined __aarch64__
#define MULTIPLY "mul %0, %0, %0"
#endif

#define INLINED static inline __attribute__((always_inline))

/* A unit is a chain of multiplications: where the loop lies does not change the time it takes. */
INLINED void do_units(uint64_t units)
{
    uint64_t product = 3;
    while (units--) {
#ifdef MULTIPLY /* whatever the compiler would make of it, or add to it */
        __asm__ volatile(".rept 4\n\t" MULTIPLY "\n\t.endr" : "+r"(product) : : "cc");
#else
        for (int i = 0; i < 4; i++) {
            product *= 5;
            __asm__ volatile("" : "+r"(product));
        }
#endif
    }
}

/* Functions that differ only by their names. */
#define NAMED(kind, name, does)                                                                    \
    kind void name(uint64_t amount)                                                                \
    {                                                                                              \
        does(amount);                                                                              \
    }

NAMED(, demo_hot_70, do_units)
NAMED(, demo_hot_20, do_units)
NAMED(, demo_hot_10, do_units)
NAMED(INLINED, demo_inline_60, do_units)
NAMED(INLINED, demo_inline_30, do_units)
NAMED(INLINED, demo_inline_10, do_units)

void demo_inline(uint64_t units)
{
    demo_inline_60(units / 10 * 6);
    demo_inline_30(units / 10 * 3);
    demo_inline_10(units / 10);
}

/* ---- frames ---- */

#if defined __x86_64__
#define FRAME(name, body)                                                                          \
    __asm__(".text\n\t.p2align 4\n\t.globl " name "\n\t.type " name ", @function\n" name           \
            ":\n\tpush %rbp\n\tmov %rsp, %rbp\n\t" body "\n\tpop %rbp\n\tret\n\t.size " name       \
            ", . - " name)
#define CALL(name) "call " name
#define UNITS "1: imul $5, %rax\n\t.rept 7\n\timul $5, %rax\n\t.endr\n\tsub $1, %rdi\n\tjne 1b"
#elif defined __aarch64__
#define FRAME(name, body)                                                                          \
    __asm__(".text\n\t.p2align 4\n\t.globl " name "\n\t.type " name ", %function\n" name           \
            ":\n\tstp x29, x30, [sp, #-16]!\n\tmov x29, sp\n\t" body                               \
            "\n\tldp x29, x30, [sp], #16\n\tret\n\t.size " name ", . - " name)
#define CALL(name) "bl " name
#define UNITS "1: .rept 8\n\tmul x1, x1, x1\n\t.endr\n\tsubs x0, x0, #1\n\tb.ne 1b"
#endif

#ifdef FRAME
FRAME("demo_frame1", CALL("demo_frame2"));
FRAME("demo_frame2", CALL("demo_frame3"));
FRAME("demo_frame3", CALL("demo_frame4"));
FRAME("demo_frame4", CALL("demo_frame5"));
FRAME("demo_frame5", CALL("demo_frame6"));
FRAME("demo_frame6", CALL("demo_frame7"));
FRAME("demo_frame7", CALL("demo_frame8"));
FRAME("demo_frame8", CALL("demo_frame9"));
FRAME("demo_frame9", CALL("demo_frame10"));
FRAME("demo_frame10", UNITS);
#endif

/* ---- sleep ---- */

INLINED void do_sleep(uint64_t time)
{
    static const uint64_t SECOND = 1000000000;
    struct timespec rest = {(time_t)(time / SECOND), (long)(time % SECOND)};
#if defined __x86_64__
    long result = SYS_nanosleep;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(&rest), "S"((struct timespec *)0)
                     : "rcx", "r11", "memory");
#elif defined __aarch64__
    register long number __asm__("x8") = SYS_nanosleep;
    register struct timespec *first __asm__("x0") = &rest;
    register struct timespec *second __asm__("x1") = 0;
    __asm__ volatile("svc #0" : "+r"(first) : "r"(number), "r"(second) : "memory");
#else
    nanosleep(&rest, 0);
#endif
}

NAMED(, demo_sleep_60, do_sleep)
NAMED(, demo_sleep_30, do_sleep)
NAMED(, demo_sleep_10, do_sleep)
