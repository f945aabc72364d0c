/* Does something in three functions, 70, 20 and 10 of 100 times each: turns of a loop (cycles),
 * first writes to pages (faults), or context switches to a child and back (switches). Each is
 * called by a function of its own, so that stacks are known, too. `made`: burns in code that is
 * made at run time and named in /tmp/perf-PID.map, as JIT compilers do. */
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static const char usage_text[] = "shares [-s SECONDS] cycles|faults|switches|made [ROUNDS]";

/* Stacks are found by frame pointers. */
#pragma GCC optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")
#define FUNCTION __attribute__((noinline, noclone))

enum { TURNS = 2000, PAGE = 4096 };

static char *pages;
static size_t page_at;
static int there[2], back[2];

/* read(2) or write(2) of a byte without a function of libc, which has no frame: the one that called
 * it would be missing in stacks. */
static inline __attribute__((always_inline)) long move_byte(long call, long fd, char *byte)
{
#if defined __x86_64__
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "0"(call), "D"(fd), "S"(byte), "d"(1L)
                     : "rcx", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long number __asm__("x8") = call, x0 __asm__("x0") = fd, x2 __asm__("x2") = 1;
    register char *x1 __asm__("x1") = byte;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(number), "r"(x1), "r"(x2) : "memory");
    return x0;
#else
    return syscall(call, fd, byte, 1L);
#endif
}

/* `times` units of work; inlined, so that it counts for its caller. */
static inline __attribute__((always_inline)) void work(char kind, uint64_t times)
{
    char token = 0;
    for (uint64_t i = 0; i < times; i++) {
        if (kind == 'c') {
            burn(TURNS);
        } else if (kind == 'f') {
            *(volatile char *)(pages + page_at++ * PAGE) = 1;
        } else if (move_byte(SYS_write, there[1], &token) != 1 ||
                   move_byte(SYS_read, back[0], &token) != 1) {
            _exit(1);
        }
    }
}

#define THREE(name, kind)                                                                          \
    FUNCTION static void name##_seventy(void)                                                      \
    {                                                                                              \
        work(kind, 70);                                                                            \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    FUNCTION static void name##_twenty(void)                                                       \
    {                                                                                              \
        work(kind, 20);                                                                            \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    FUNCTION static void name##_ten(void)                                                          \
    {                                                                                              \
        work(kind, 10);                                                                            \
        __asm__ volatile("");                                                                      \
    }                                                                                              \
    FUNCTION static void name##_round(void)                                                        \
    {                                                                                              \
        name##_seventy();                                                                          \
        name##_twenty();                                                                           \
        name##_ten();                                                                              \
        __asm__ volatile("");                                                                      \
    }

THREE(cycles, 'c')
THREE(faults, 'f')
THREE(switches, 's')

/* A loop of two instructions, made in memory; ends with the program. */
static void made_forever(void)
{
#if defined __x86_64__
    static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#elif defined __aarch64__
    static const uint32_t code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#else
    static const unsigned char code[1];
    fprintf(stderr, "shares: no code for this processor\n");
    exit(1);
#endif
    char name[64];
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(page == MAP_FAILED ? errno : 0, "mmap");
    memcpy(page, code, sizeof(code));
    check(mprotect(page, PAGE, PROT_READ | PROT_EXEC) < 0 ? errno : 0, "mprotect");
    __builtin___clear_cache(page, page + sizeof(code));
    snprintf(name, sizeof(name), "/tmp/perf-%d.map", (int)getpid());
    FILE *map = fopen(name, "w");
    check(map ? 0 : errno, name);
    fprintf(map, "%lx %zx made_loop\n", (unsigned long)page, sizeof(code));
    fclose(map);
    void (*loop)(uint64_t) = (void (*)(uint64_t))(uintptr_t)page;
    for (;;)
        loop(1 << 20);
}

/* The partner of switches: answers each byte. */
static void answer(void)
{
    char token;
    while (read(there[0], &token, 1) == 1 && write(back[1], &token, 1) == 1)
        ;
    _exit(0);
}

int main(int argc, char **argv)
{
    uint64_t rounds = UINT64_MAX;
    int option;
    while ((option = getopt(argc, argv, "s:")) != -1) {
        if (option != 's')
            usage(usage_text);
        alarm((unsigned)number(optarg, usage_text));
    }
    if (optind >= argc || optind + 2 < argc)
        usage(usage_text);
    const char *kind = argv[optind];
    if (optind + 1 < argc)
        rounds = number(argv[optind + 1], usage_text);
    if (*kind == 'm')
        made_forever();
    if (*kind == 's') {
        if (pipe(there) < 0 || pipe(back) < 0)
            check(errno, "pipe");
        pid_t child = fork();
        if (child == 0) {
            close(there[1]);
            answer();
        }
        check(child < 0 ? errno : 0, "fork");
        pin(0); /* both on one CPU: each byte is a switch */
    }
    for (uint64_t round = 0; round < rounds; round++) {
        if (*kind == 'f' && round % 64 == 0) {
            size_t size = 6400 * PAGE;
            if (pages)
                munmap(pages, size);
            pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            check(pages == MAP_FAILED ? errno : 0, "mmap");
            madvise(pages, size, MADV_NOHUGEPAGE);
            page_at = 0;
        }
        *kind == 'c' ? cycles_round() : *kind == 'f' ? faults_round() : switches_round();
    }
    return 0;
}
