/* Preloaded, it lets the Nth allocation of a process fail, by any function of the C library: those
 * of the program and of its libraries. FAULT_REPORT  the file that receives the lines that
 * tests/faults/inject.c writes, without `pid`; without it nothing is counted FAULT_AT      N; 0
 * only counts FAULT_FROM    set: all allocations after the Nth fail, too Counting begins with
 * main(). Children allocate as they like, and programs that they execute do not get these
 * variables. */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

enum { CALLERS = 10, STACKS = 1 << 14 };

static struct {
    atomic_ulong count;
    unsigned long at;
    bool from, stacks;
    int report;
    pid_t pid;
} memory = {.report = -1};

/* The report ends with the callers, a line each. */
static void memory_report(void)
{
    void *callers[2 * CALLERS];
    char line[] = "failed allocation ENOMEM 1\n";
    if (write(memory.report, line, sizeof(line) - 1) > 0)
        backtrace_symbols_fd(callers, backtrace(callers, sizeof(callers) / sizeof(*callers)),
                             memory.report);
}

static void memory_line(const char *what, unsigned long number)
{
    char line[60];
    int length = snprintf(line, sizeof(line), "%s %lu\n", what, number);
    (void)!write(memory.report, line, (size_t)length);
}

/* Two threads may list a stack twice, which does no harm. */
static void memory_list_stack(unsigned long number)
{
    static atomic_ulong seen[STACKS];
    void *callers[CALLERS];
    int count = backtrace(callers, CALLERS);
    unsigned long hash = 1;
    for (int i = 2; i < count; i++) /* of the program: past fails() and its caller */
        hash = (hash ^ (unsigned long)callers[i]) * 0x9e3779b97f4a7c15u;
    hash |= 1;
    for (size_t i = hash >> 50, tried = 0; tried < STACKS; i = (i + 1) % STACKS, tried++) {
        if (seen[i] == hash)
            return;
        if (!seen[i]) {
            seen[i] = hash;
            memory_line("stack", number);
            return;
        }
    }
}

static bool fails(void)
{
    if (memory.report < 0 || getpid() != memory.pid)
        return false;
    unsigned long count = ++memory.count;
    if (memory.stacks)
        memory_list_stack(count);
    if (!memory.at || count < memory.at || (count > memory.at && !memory.from))
        return false;
    if (count == memory.at)
        memory_report();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || fails()) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(old, bytes);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *got = fails() ? NULL : __libc_memalign(alignment, size);
    if (got)
        *block = got;
    return got ? 0 : ENOMEM;
}

__attribute__((destructor)) static void memory_end(void)
{
    if (memory.report >= 0 && getpid() == memory.pid)
        memory_line("calls", memory.count);
}

__attribute__((constructor)) static void memory_begin(void)
{
    void *first[1];
    const char *path = getenv("FAULT_REPORT"), *at = getenv("FAULT_AT");
    if (!path)
        return;
    backtrace(first, 1); /* loads what it needs */
    memory.at = at ? strtoul(at, NULL, 10) : 0;
    memory.stacks = getenv("FAULT_STACKS") != NULL;
    memory.from = getenv("FAULT_FROM") != NULL;
    memory.pid = getpid();
    int report = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    /* Above those that the program would open. */
    memory.report = fcntl(report, F_DUPFD_CLOEXEC, 200);
    close(report);
    static const char *const own[] = {"LD_PRELOAD", "FAULT_REPORT", "FAULT_AT", "FAULT_FROM",
                                      "FAULT_STACKS"};
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        unsetenv(own[i]);
}
