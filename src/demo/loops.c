#include "demo/loops.h"

#if defined __x86_64__

const bool loops_exact = true;

void loops_count(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: sub $1, %0\n\tjne 1b" : "+r"(turns) : : "cc");
}

void loops_add(uint64_t turns)
{
    uint64_t sum = 0, step = 1;
    __asm__ volatile(".p2align 6\n1: .rept %c3\n\tadd %2, %0\n\t.endr\n\tsub $1, %1\n\tjne 1b"
                     : "+r"(sum), "+r"(turns)
                     : "r"(step), "i"(LOOPS_ADDS)
                     : "cc");
}

void loops_nop(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: .rept %c1\n\tnop\n\t.endr\n\tsub $1, %0\n\tjne 1b"
                     : "+r"(turns)
                     : "i"(LOOPS_NOPS)
                     : "cc");
}

void loops_mul(uint64_t turns)
{
    uint64_t product = 3, factor = 5;
    __asm__ volatile(".p2align 6\n1: .rept %c3\n\timul %2, %0\n\t.endr\n\tsub $1, %1\n\tjne 1b"
                     : "+r"(product), "+r"(turns)
                     : "r"(factor), "i"(LOOPS_MULS)
                     : "cc");
}

/* The dividend is edx:eax: 0 and a quotient of 1, added to make the same dividend again. */
void loops_div(uint64_t turns)
{
    uint32_t divisor = 0x12345678;
    __asm__ volatile("xor %%edx, %%edx\n\t.p2align 6\n"
                     "1: .rept %c2\n\tmov %1, %%eax\n\tadd %%edx, %%eax\n\txor %%edx, %%edx\n\t"
                     "div %1\n\t.endr\n\tsub $1, %0\n\tjne 1b"
                     : "+r"(turns)
                     : "r"(divisor), "i"(LOOPS_DIVS)
                     : "rax", "rdx", "cc");
}

void *loops_chase(void *at, uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: .rept %c2\n\tmov (%0), %0\n\t.endr\n\tsub $1, %1\n\tjne 1b"
                     : "+r"(at), "+r"(turns)
                     : "i"(LOOPS_LOADS)
                     : "cc", "memory");
    return at;
}

void loops_branch(const uint8_t *bytes, size_t count, uint64_t turns)
{
    uint64_t at = 0, sum = 0;
    __asm__ volatile(".p2align 6\n"
                     "1: cmpb $0, (%3, %0)\n\tje 2f\n\tadd $1, %2\n"
                     "2: add $1, %0\n\tand %4, %0\n\tsub $1, %1\n\tjne 1b"
                     : "+r"(at), "+r"(turns), "+r"(sum)
                     : "r"(bytes), "r"(count - 1)
                     : "cc", "memory");
}

void loops_forward(void *place, bool split, uint64_t turns)
{
    uint64_t value = 0;
    if (split)
        __asm__ volatile(".p2align 6\n"
                         "1: movl %k0, (%2)\n\tmovl %k0, 4(%2)\n\tmov (%2), %0\n\t"
                         "sub $1, %1\n\tjne 1b"
                         : "+r"(value), "+r"(turns)
                         : "r"(place)
                         : "cc", "memory");
    else
        __asm__ volatile(".p2align 6\n"
                         "1: mov %0, (%2)\n\tmov (%2), %0\n\tsub $1, %1\n\tjne 1b"
                         : "+r"(value), "+r"(turns)
                         : "r"(place)
                         : "cc", "memory");
}

void loops_share(uint64_t *number, uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: lock addq $1, (%1)\n\tsub $1, %0\n\tjne 1b"
                     : "+r"(turns)
                     : "r"(number)
                     : "cc", "memory");
}

void loops_touch(void *pages, size_t page, size_t count)
{
    if (count)
        __asm__ volatile("1: movb $1, (%0)\n\tadd %2, %0\n\tsub $1, %1\n\tjne 1b"
                         : "+r"(pages), "+r"(count)
                         : "r"(page)
                         : "cc", "memory");
}

#elif defined __aarch64__

const bool loops_exact = true;

void loops_count(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(turns) : : "cc");
}

void loops_add(uint64_t turns)
{
    uint64_t sum = 0, step = 1;
    __asm__ volatile(
        ".p2align 6\n1: .rept %c3\n\tadd %0, %0, %2\n\t.endr\n\tsubs %1, %1, #1\n\tb.ne 1b"
        : "+r"(sum), "+r"(turns)
        : "r"(step), "i"(LOOPS_ADDS)
        : "cc");
}

void loops_nop(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: .rept %c1\n\tnop\n\t.endr\n\tsubs %0, %0, #1\n\tb.ne 1b"
                     : "+r"(turns)
                     : "i"(LOOPS_NOPS)
                     : "cc");
}

void loops_mul(uint64_t turns)
{
    uint64_t product = 3, factor = 5;
    __asm__ volatile(
        ".p2align 6\n1: .rept %c3\n\tmul %0, %0, %2\n\t.endr\n\tsubs %1, %1, #1\n\tb.ne 1b"
        : "+r"(product), "+r"(turns)
        : "r"(factor), "i"(LOOPS_MULS)
        : "cc");
}

/* The quotient is 1 each time; added to 0x12345677, it makes the same dividend again. */
void loops_div(uint64_t turns)
{
    uint32_t quotient = 1, divisor = 0x12345678, before = divisor - 1;
    __asm__ volatile(".p2align 6\n"
                     "1: .rept %c4\n\tadd %w0, %w3, %w0\n\tudiv %w0, %w0, %w2\n\t.endr\n\t"
                     "subs %1, %1, #1\n\tb.ne 1b"
                     : "+r"(quotient), "+r"(turns)
                     : "r"(divisor), "r"(before), "i"(LOOPS_DIVS)
                     : "cc");
}

void *loops_chase(void *at, uint64_t turns)
{
    __asm__ volatile(
        ".p2align 6\n1: .rept %c2\n\tldr %0, [%0]\n\t.endr\n\tsubs %1, %1, #1\n\tb.ne 1b"
        : "+r"(at), "+r"(turns)
        : "i"(LOOPS_LOADS)
        : "cc", "memory");
    return at;
}

void loops_branch(const uint8_t *bytes, size_t count, uint64_t turns)
{
    uint64_t at = 0, sum = 0, byte;
    __asm__ volatile(".p2align 6\n"
                     "1: ldrb %w3, [%4, %0]\n\tcbz %w3, 2f\n\tadd %2, %2, #1\n"
                     "2: add %0, %0, #1\n\tand %0, %0, %5\n\tsubs %1, %1, #1\n\tb.ne 1b"
                     : "+&r"(at), "+&r"(turns), "+&r"(sum), "=&r"(byte)
                     : "r"(bytes), "r"(count - 1)
                     : "cc", "memory");
}

void loops_forward(void *place, bool split, uint64_t turns)
{
    uint64_t value = 0;
    if (split)
        __asm__ volatile(".p2align 6\n"
                         "1: str %w0, [%2]\n\tstr %w0, [%2, #4]\n\t"
                         "ldr %0, [%2]\n\tsubs %1, %1, #1\n\tb.ne 1b"
                         : "+r"(value), "+r"(turns)
                         : "r"(place)
                         : "cc", "memory");
    else
        __asm__ volatile(".p2align 6\n"
                         "1: str %0, [%2]\n\tldr %0, [%2]\n\tsubs %1, %1, #1\n\tb.ne 1b"
                         : "+r"(value), "+r"(turns)
                         : "r"(place)
                         : "cc", "memory");
}

/* Exclusive loads and stores: processors before Armv8.1 have no atomic addition. */
void loops_share(uint64_t *number, uint64_t turns)
{
    uint64_t value, failed;
    __asm__ volatile(".p2align 6\n"
                     "1: ldxr %1, [%3]\n\tadd %1, %1, #1\n\tstxr %w2, %1, [%3]\n\tcbnz %w2, 1b\n\t"
                     "subs %0, %0, #1\n\tb.ne 1b"
                     : "+&r"(turns), "=&r"(value), "=&r"(failed)
                     : "r"(number)
                     : "cc", "memory");
}

void loops_touch(void *pages, size_t page, size_t count)
{
    if (count)
        __asm__ volatile("1: strb wzr, [%0]\n\tadd %0, %0, %2\n\tsubs %1, %1, #1\n\tb.ne 1b"
                         : "+r"(pages), "+r"(count)
                         : "r"(page)
                         : "cc", "memory");
}

#else
/* In C: how many instructions the loops take is up to the compiler. */

const bool loops_exact = false;

/* Hides a value from the compiler, which could otherwise compute what the loop does. */
static void hide(uint64_t *value)
{
    __asm__ volatile("" : "+r"(*value) : : "memory");
}

void loops_count(uint64_t turns)
{
    while (turns--)
        hide(&turns);
}

void loops_add(uint64_t turns)
{
    uint64_t sum = 0;
    while (turns--)
        for (int i = 0; i < LOOPS_ADDS; i++) {
            sum++;
            hide(&sum);
        }
}

void loops_nop(uint64_t turns)
{
    while (turns--)
        for (int i = 0; i < LOOPS_NOPS; i++)
            __asm__ volatile("");
}

void loops_mul(uint64_t turns)
{
    uint64_t product = 3, factor = 5;
    while (turns--)
        for (int i = 0; i < LOOPS_MULS; i++) {
            product *= factor;
            hide(&product);
        }
}

void loops_div(uint64_t turns)
{
    uint64_t quotient = 1;
    uint32_t divisor = 0x12345678;
    while (turns--)
        for (int i = 0; i < LOOPS_DIVS; i++) {
            quotient = (uint32_t)(divisor - 1 + quotient) / divisor;
            hide(&quotient);
        }
}

void *loops_chase(void *at, uint64_t turns)
{
    while (turns--)
        for (int i = 0; i < LOOPS_LOADS; i++)
            at = *(void *volatile *)at;
    return at;
}

void loops_branch(const uint8_t *bytes, size_t count, uint64_t turns)
{
    uint64_t sum = 0;
    for (size_t at = 0; turns--; at = (at + 1) & (count - 1))
        if (bytes[at]) {
            sum++;
            hide(&sum);
        }
}

void loops_forward(void *place, bool split, uint64_t turns)
{
    volatile uint32_t *half = place;
    volatile uint64_t *whole = place;
    uint64_t value = 0;
    while (turns--) {
        if (split)
            half[0] = half[1] = (uint32_t)value;
        else
            *whole = value;
        value = *whole;
    }
}

void loops_share(uint64_t *number, uint64_t turns)
{
    while (turns--)
        __atomic_fetch_add(number, 1, __ATOMIC_RELAXED);
}

void loops_touch(void *pages, size_t page, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((volatile char *)pages)[i * page] = 1;
}

#endif
