#include "demo/loops.h"

/* Numbers that are added at once: GCC's vectors are of any processor. */
typedef uint32_t lanes __attribute__((vector_size(16)));

static uint32_t add_lanes(lanes sum)
{
    return sum[0] + sum[1] + sum[2] + sum[3];
}

/* Hides a value from the compiler, which could otherwise compute what the loop does. */
static void hide(uint64_t *value)
{
    __asm__ volatile("" : "+r"(*value) : : "memory");
}

/* ---- loops whose instructions are not counted ---- */

void loops_div(uint64_t turns)
{
    uint64_t quotient = 1, divisor = 0x12345678;
    hide(&divisor); /* else it would multiply */
    for (turns *= LOOPS_DIVS; turns > 0; turns--) {
        quotient = (uint32_t)(divisor - 1 + quotient) / (uint32_t)divisor; /* 1 each time */
        hide(&quotient);
    }
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

void *loops_chase(void *at, uint64_t turns)
{
    for (turns *= LOOPS_LOADS; turns > 0; turns--)
        at = *(void *volatile *)at;
    return at;
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

/* ---- loops whose instructions are counted ---- */

/* Blocks of code, each of 63 instructions: one that begins the way an indirect branch wants
 * it, others that do nothing, and the end of the turn. The last one goes back to the start. */
#define CODE_BLOCK(begin, idle, end, next)                                                         \
    "\t" begin "\n\t.rept 59\n\t" idle "\n\t.endr\n\t" end "\n1:\t" next                           \
    "\n\t.p2align " CODE_ALIGN "\n"
#define CODE_BLOCKS(type, blocks, begin, idle, end, jump, back)                                    \
    __asm__(".text\n\t.p2align 12\n\t.globl demo_code\n\t.type demo_code, " type                   \
            "\ndemo_code:\n\t.rept " blocks                                                        \
            " - 1\n" CODE_BLOCK(begin, idle, end, jump) "2:\n\t.endr\n" CODE_BLOCK(                \
                begin, idle, end, back) "\t.size demo_code, . - demo_code")

#if defined __x86_64__

/* Instructions of the loops at the end of this file. NEXT ends a turn. */
#define NEXT(turns) "sub $1, " turns "\n\tjne 1b"
#define ADD "add %2, %0"
#define MUL "imul %2, %0"
#define ALIAS "mov %0, (%2, %0)\n\tmov (%3, %0), %0"
#define STREAM_PLACES "lea (%8, %0), %2\n\tlea (%9, %0), %3\n\tlea (%7, %0), %4"
#define STREAM_SUM "mov .Lat(%2), %5\n\tmov .Lat(%3), %6\n\tadd %6, %5\n\tmov %5, .Lat(%4)"
#define STREAM_ON "add $64, %0\n\tand %10, %0"
#define SUM_VECTOR                                                                                 \
    "movdqa .Lat(%6), %4\n\tpaddd %4, %0\n\tmovdqa .Lat + 16(%6), %4\n\tpaddd %4, %1\n\t"          \
    "movdqa .Lat + 32(%6), %4\n\tpaddd %4, %2\n\tmovdqa .Lat + 48(%6), %4\n\tpaddd %4, %3"
#define SUM_SCALAR "mov .Lat(%4), %2\n\tadd %2, %0\n\tmov .Lat + 4(%4), %2\n\tadd %2, %1"
#define VECTOR "x"

/* nopl of eight bytes. */
#define CODE_ALIGN "9"
CODE_BLOCKS("@function", "512", "endbr64", ".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0",
            "sub $1, %rdi\n\tjne 1f\n\tret", "jmp 2f", "jmp *%rsi");

#elif defined __aarch64__

/* Instructions of the loops at the end of this file. NEXT ends a turn. */
#define NEXT(turns) "subs " turns ", " turns ", #1\n\tb.ne 1b"
#define ADD "add %0, %0, %2"
#define MUL "mul %0, %0, %2"
#define ALIAS "str %0, [%2, %0]\n\tldr %0, [%3, %0]"
#define STREAM_PLACES "add %2, %8, %0\n\tadd %3, %9, %0\n\tadd %4, %7, %0"
#define STREAM_SUM                                                                                 \
    "ldr %5, [%2, #.Lat]\n\tldr %6, [%3, #.Lat]\n\tadd %5, %5, %6\n\tstr %5, [%4, #.Lat]"
#define STREAM_ON "add %0, %0, #64\n\tand %0, %0, %10"
#define SUM_VECTOR                                                                                 \
    "ldr %q4, [%6, #.Lat]\n\tadd %0.4s, %0.4s, %4.4s\n\t"                                          \
    "ldr %q4, [%6, #.Lat + 16]\n\tadd %1.4s, %1.4s, %4.4s\n\t"                                     \
    "ldr %q4, [%6, #.Lat + 32]\n\tadd %2.4s, %2.4s, %4.4s\n\t"                                     \
    "ldr %q4, [%6, #.Lat + 48]\n\tadd %3.4s, %3.4s, %4.4s"
#define SUM_SCALAR                                                                                 \
    "ldr %w2, [%4, #.Lat]\n\tadd %w0, %w0, %w2\n\tldr %w2, [%4, #.Lat + 4]\n\tadd %w1, %w1, %w2"
#define VECTOR "w"

/* hint 38 is bti jc. */
#define CODE_ALIGN "8"
CODE_BLOCKS("%function", "1024", "hint #38", "nop", "subs x0, x0, #1\n\tb.ne 1f\n\tret", "b 2f",
            "br x1");

#else
/* In C: how many instructions the loops take is up to the compiler. */

const bool loops_exact = false;

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

#endif

#ifdef CODE_ALIGN
const bool loops_exact = true;

void loops_count(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: " NEXT("%0") : "+r"(turns) : : "cc");
}

void loops_add(uint64_t turns)
{
    uint64_t sum = 0, step = 1;
    __asm__ volatile(".p2align 6\n1: .rept %c3\n\t" ADD "\n\t.endr\n\t" NEXT("%1")
                     : "+r"(sum), "+r"(turns)
                     : "r"(step), "i"(LOOPS_ADDS)
                     : "cc");
}

void loops_nop(uint64_t turns)
{
    __asm__ volatile(".p2align 6\n1: .rept %c1\n\tnop\n\t.endr\n\t" NEXT("%0")
                     : "+r"(turns)
                     : "i"(LOOPS_NOPS)
                     : "cc");
}

void loops_mul(uint64_t turns)
{
    uint64_t product = 3, factor = 5;
    __asm__ volatile(".p2align 6\n1: .rept %c3\n\t" MUL "\n\t.endr\n\t" NEXT("%1")
                     : "+r"(product), "+r"(turns)
                     : "r"(factor), "i"(LOOPS_MULS)
                     : "cc");
}

void loops_alias(void *place, size_t apart, uint64_t turns)
{
    uint64_t value = 0;
    __asm__ volatile(".p2align 6\n"
                     "1: " ALIAS "\n\t" NEXT("%1")
                     : "+&r"(value), "+&r"(turns)
                     : "r"(place), "r"((char *)place + apart)
                     : "cc", "memory");
}

size_t loops_stream(const struct loops_arrays *arrays, size_t offset, uint64_t turns)
{
    uint64_t *sums, *first, *second, one, other;
    __asm__ volatile(".p2align 6\n"
                     "1: " STREAM_PLACES "\n\t"
                     ".set .Lat, 0\n\t.rept %c11\n\t" STREAM_SUM "\n\t"
                     ".set .Lat, .Lat + 8\n\t.endr\n\t" STREAM_ON "\n\t" NEXT("%1")
                     : "+&r"(offset), "+&r"(turns), "=&r"(first), "=&r"(second), "=&r"(sums),
                       "=&r"(one), "=&r"(other)
                     : "r"(arrays->sums), "r"(arrays->first), "r"(arrays->second),
                       "r"(arrays->size - 1), "i"(LOOPS_STREAM)
                     : "cc", "memory");
    return offset;
}

extern char demo_code[LOOPS_CODE_MAX];

/* Enters at the block from which that many bytes are left. */
void loops_code(size_t bytes, uint64_t turns)
{
    const char *start = demo_code + LOOPS_CODE_MAX - bytes;
    ((void (*)(uint64_t turns, const char *start))(uintptr_t)start)(turns, start);
}

/* `.Lat` is the offset of a number, for the assembler. Several sums: an addition need not wait for
 * the one before. */
uint32_t loops_sum(const uint32_t numbers[LOOPS_NUMBERS], bool vector, uint64_t turns)
{
    uint32_t sum = 0, other = 0, number;
    lanes a = {0}, b = {0}, c = {0}, d = {0}, four;
    if (vector)
        __asm__ volatile(".p2align 6\n1: .set .Lat, 0\n\t.rept %c7 / 16\n\t" SUM_VECTOR
                         "\n\t.set .Lat, .Lat + 64\n\t.endr\n\t" NEXT("%5")
                         : "+" VECTOR(a), "+" VECTOR(b), "+" VECTOR(c), "+" VECTOR(d),
                           "=&" VECTOR(four), "+r"(turns)
                         : "r"(numbers), "i"(LOOPS_NUMBERS)
                         : "cc", "memory");
    else
        __asm__ volatile(".p2align 6\n1: .set .Lat, 0\n\t.rept %c5 / 2\n\t" SUM_SCALAR
                         "\n\t.set .Lat, .Lat + 8\n\t.endr\n\t" NEXT("%3")
                         : "+&r"(sum), "+&r"(other), "=&r"(number), "+&r"(turns)
                         : "r"(numbers), "i"(LOOPS_NUMBERS)
                         : "cc", "memory");
    return sum + other + add_lanes(a + b + c + d);
}
#endif
